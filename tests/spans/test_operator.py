"""`wr.Operator` over events with a duration, against the definition and the paper.

clock - postpone        clock
   |                      |
released | still open ....|       an event counts in every window that is still open
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import plain_spans
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_spans import Span

import oracles
import windrow as wr
from windrow.loops import interpreting

CALLS = {"n": ("count", ()), "total": ("sum", ("x",)), "most": ("max", ("x",))}
ORDERED = {"first": ("first", ("id",)), "who": ("arg_max", ("x", "name"))}


@st.composite
def streams(draw: Any, longest: int) -> list[dict[str, Any]]:
    """Events in the order of their ends, with gaps of many windows."""
    now, rows = draw(st.sampled_from([-40, 0, 1000])), []
    for i in range(draw(st.integers(1, 25))):
        now += draw(st.sampled_from([0, 0, 1, 2, 5, 17, 400]))
        length = draw(st.integers(0, longest))
        x = draw(st.one_of(st.none(), st.integers(-9, 9)))
        rows.append(
            {"key": draw(st.sampled_from("ab")), "start": now - length, "end": now,
             "x": x, "id": i, "name": f"n{i}"}
        )  # fmt: skip
    return sorted(rows, key=plain_spans.by_end)


def asked(calls: Any) -> dict[str, Any]:
    return {
        label: getattr(wr, name)(*columns) for label, (name, columns) in calls.items()
    }


def windows(spec: Span) -> Any:
    return wr.sliding(
        spec.range, every=spec.slide, offset=spec.offset, span=("start", "end")
    )


def expected_of(rows: Any, spec: Span, calls: Any) -> list[Any]:
    """What the definition gives, as results of an operator."""
    answer = plain_spans.aggregate(rows, [], [spec], calls)
    return [
        (row["start"], row["end"], {name: row[name] for name in calls})
        for row in answer
    ]


def as_it_stands(rows: Any, spec: Span, calls: Any) -> Any:
    """The window that ends next after the last instant of the newest event."""
    lasts = [max(row["end"] - 1, row["start"]) for row in rows]
    clock = max(lasts)
    low = (clock - spec.range - spec.offset) // spec.slide * spec.slide + spec.offset
    low += spec.slide
    held = [
        row for row in rows
        if plain_spans.overlaps(row["start"], row["end"], low, low + spec.range)
    ]  # fmt: skip
    return oracles.results(held, calls) if held else dict.fromkeys(calls)


TYPES = {"x": "int64", "id": "int64", "name": "string"}


@pytest.mark.parametrize("calls", [CALLS, ORDERED], ids=["commute", "ordered"])
@given(data=st.data())
def test_a_patient_operator_equals_the_definition(calls, data):
    """One at a time, in batches, saved and loaded in between."""
    length, slide = data.draw(st.sampled_from([(10, 5), (7, 3), (4, 4), (12, 1)]))
    spec = Span(length, slide, data.draw(st.sampled_from([0, 2])))
    longest = data.draw(st.sampled_from([3, 30]))
    rows = data.draw(streams(longest))
    algorithm = (
        "se_ml_slicing" if calls is CALLS and data.draw(st.booleans()) else "auto"
    )
    names = {name for _, columns in calls.values() for name in columns}
    with interpreting():
        op = wr.Operator(
            windows(spec), asked(calls), lateness=longest + 1, algorithm=algorithm,
            types={n: t for n, t in TYPES.items() if n in names},
        )  # fmt: skip
        results: list[Any] = []
        at = 0
        while at < len(rows):
            size = data.draw(st.integers(1, 6))
            batch, at = rows[at : at + size], at + size
            if data.draw(st.booleans()):
                for row in batch:
                    op.insert(row)
            else:
                schema = pa.schema(
                    {"start": pa.int64(), "end": pa.int64(), "x": pa.int64(),
                     "id": pa.int64(), "name": pa.string()}
                )  # fmt: skip
                results += op.feed(pa.Table.from_pylist(batch, schema))
            if data.draw(st.integers(0, 3)) == 0:
                op = wr.Operator.load(op.save())
            if data.draw(st.booleans()):
                assert op.query() == as_it_stands(rows[:at], spec, calls)
        results += op.trigger(at=10**6)

    found = [(one.start, one.end, one.value) for one in results]
    assert found == expected_of(rows, spec, calls)
    assert op.late == 0


@given(data=st.data())
def test_keys_have_clocks_of_their_own(data):
    spec = Span(10, 5)
    rows = data.draw(streams(20))
    with interpreting():
        op = wr.Operator(windows(spec), wr.count(), lateness=30)
        columns = {name: [row[name] for row in rows] for name in ("start", "end")}
        results = list(op.feed(columns, key=[row["key"] for row in rows]))
        results += op.trigger(at=10**6)

    for key in "ab":
        own = [row for row in rows if row["key"] == key]
        found = [(r.start, r.end, {"n": r.value}) for r in results if r.key == key]
        assert found == expected_of(own, spec, {"n": ("count", ())})


@given(data=st.data())
def test_an_event_longer_than_the_time_to_postpone_counts_in_windows_that_are_open(
    data,
):
    """Each window holds the events that came before it was released."""
    spec, postpone = Span(10, 5), data.draw(st.integers(0, 12))
    rows = data.draw(streams(60))
    held: dict[int, int] = {}
    late, clock = 0, None
    for row in rows:
        last = row["start"] if row["start"] == row["end"] else row["end"] - 1
        clock = last if clock is None else max(clock, last)
        overlapped = plain_spans.windows_of(row["start"], row["end"], spec)
        is_open = [low for low in overlapped if low + spec.range > clock - postpone]
        late += len(is_open) < len(overlapped)
        for low in is_open:
            held[low] = held.get(low, 0) + 1

    with interpreting():
        op = wr.Operator(windows(spec), wr.count(), lateness=postpone)
        for row in rows:
            op.insert(row)
        results = op.trigger(at=10**6)

    assert {one.start: one.value for one in results} == held
    assert op.late == late


def test_without_a_lateness_windows_wait_for_the_longest_event_so_far():
    op = wr.Operator(windows(Span(10, 5)), wr.count())
    op.insert({"start": 0, "end": 12})

    soon = [one.end for one in op.trigger(at=20)]
    later = [one.end for one in op.trigger(at=26)]

    assert soon == [5], "an event that ends now may have begun at 20 - 11"
    assert later == [10, 15]


def test_query_is_the_window_that_ends_next():
    op = wr.Operator(windows(Span(15, 5)), wr.count(), lateness=50)
    for start, end in ((0, 3), (2, 21), (22, 23)):
        op.insert({"start": start, "end": end})

    assert op.query() == 2, "[10, 25) is the window that holds 22 and ends next"


def weights() -> list[tuple[int, int, int]]:
    """Start, end and weight of events that bring the paper's slices about.

    Of its three levels: `goes` at level k of slice i is an event of 3 + k slices that
    ends in slice i + 3, whose weight is taken off again by one of three slices there.
    """
    levels = {
        0: [(5, 6), (5, 2), (4, 3)], 1: [(3, 5), (7, 4), (5, 6)],
        2: [(6, 9), (4, 5), (5, 7)], 3: [(5, 7), (3, 4), (4, 3)],
        4: [(5, 4), (5, 4), (4, 7)], 5: [(5, 5), (4, 3), (5, 6)],
    }  # fmt: skip
    events = []
    for i, parts in levels.items():
        for k, (ends, goes) in enumerate(parts, start=1):
            low, high = 50 + 5 * (i - k + 1), 50 + 5 * i + 4
            events.append((low, high, ends))
            far = high + 15  # it goes on through three more slices
            events += [(low, far, goes), (far - 13, far, -goes)]
    return sorted(events, key=lambda event: event[1])


def test_the_running_example_gives_42_and_54():
    ends, goes = [8, 19, 15, 18, 14, 12, 16], [25, 18, 12, 14, 11, 19, 16]
    points, spans = [], []
    for i, (end, go) in enumerate(zip(ends, goes, strict=True)):
        spans.append((5 * i, 5 * i + 4, end))
        points.append((5 * i, 5 * i, end))
        spans += [(5 * i, 5 * i + 9, go), (5 * i + 5, 5 * i + 9, -go)]
    answers = []
    for events in ([*points, (34, 34, 1)], [*spans, (16, 34, 1)]):
        op = wr.Operator(windows(Span(15, 5)), wr.sum("weight"), lateness=20)
        for start, end, weight in sorted(events, key=lambda event: event[1]):
            op.insert({"start": start, "end": end, "weight": weight})
        answers.append({(r.start, r.end): r.value for r in op.trigger(at=60)}[0, 15])

    assert answers == [42, 54]


def test_the_running_example_gives_91_with_three_levels():
    program = wr.Operator(
        windows(Span(15, 5)), wr.sum("weight"), lateness=40, algorithm="se_ml_slicing"
    )
    before = [event for event in weights() if event[1] < 79]
    for start, end, weight in before:
        program.insert({"start": start, "end": end, "weight": weight})
    program.insert({"start": 61, "end": 79, "weight": 1})
    for start, end, weight in weights():
        if end >= 79:
            program.insert({"start": start, "end": end, "weight": weight})

    found = {(r.start, r.end): r.value for r in program.trigger(at=200)}

    assert found[50, 65] == 91


@pytest.mark.parametrize("bad", [
    ({"start": 9, "end": 5}, "cannot place an event that ends before it starts: "),
    ({"start": 1, "end": 2}, "cannot go back to an event that is over at 1"),
    ({"start": 1}, "it has no 'start' and 'end'"),
])  # fmt: skip
def test_a_refused_event_leaves_the_operator_as_it_was(bad):
    event, message = bad
    op = wr.Operator(windows(Span(10, 5)), wr.count(), lateness=3)
    op.insert({"start": 18, "end": 20})
    before = op.save()

    with pytest.raises(wr.WindrowError) as raised:
        op.insert(event)

    assert message in str(raised.value)
    assert op.save() == before
    if "end" in event:
        with pytest.raises(wr.WindrowError):
            op.feed({"start": [19, event["start"]], "end": [21, event["end"]]})
        assert op.save() == before


@pytest.mark.parametrize("ask", [
    lambda op: op.evict(), lambda op: op.punctuate(),
])  # fmt: skip
def test_what_has_no_meaning_is_refused_in_words(ask):
    op = wr.Operator(windows(Span(10, 5)), wr.count())

    with pytest.raises(wr.WindrowError, match="folded into the slices that it crosses"):
        ask(op)


@pytest.mark.parametrize(("options", "words"), [
    ({"algorithm": "tuple_buckets"}, "cannot take events one at a time"),
    ({"capacity": 10}, "cannot give capacity=10"),
    ({"lateness": "1 hour"}, "the window counts time in another unit"),
    ({"latency": "worst-case"}, "cannot give latency='worst-case'"),
    ({"unit": "ms"}, "the window is not made of durations"),
])  # fmt: skip
def test_options_that_mean_nothing_are_refused(options, words):
    with pytest.raises(wr.WindrowError, match=words):
        wr.Operator(windows(Span(10, 5)), wr.count(), **options)


@pytest.mark.parametrize(
    "frame",
    [{"last": 3}, {"last": "1"}, {"next": 3}, {"min_periods": 2}, {"closed": "left"}],
)
def test_a_frame_means_nothing(frame):
    with pytest.raises(wr.BadInput, match=f"{next(iter(frame))}"):
        wr.Operator(windows(Span(10, 5)), wr.sum("x", **frame))


@pytest.mark.parametrize("ask", [
    lambda op: op.insert({"start": 9, "end": 5, "x": 1}),
    lambda op: op.insert({"start": 0, "end": 2**62, "x": 1}),
    lambda op: op.insert({"start": 1, "end": 5, "x": 2**70}),
    lambda op: op.insert({"start": 1, "end": 5, "x": 1}, key=["a"]),
    lambda op: op.feed({"start": [9], "end": [5], "x": [1]}),
    lambda op: op.feed({"start": [9, 1], "end": [20, 2], "x": [1, 1]}),
    lambda op: op.feed({"start": [1, 2], "end": [5, 6], "x": [1, 1]}, key=["a", None]),
    lambda op: op.feed({"start": [1, 2], "end": [5, 6], "x": [1]}),
])  # fmt: skip
def test_what_is_refused_first_tells_no_types(ask):
    op = wr.Operator(windows(Span(10, 5)), wr.sum("x"))
    before = op.save()

    with pytest.raises(wr.WindrowError):
        ask(op)

    assert op.save() == before
    op.insert({"start": 1, "end": 5, "x": 0.5})
    assert op.query() == 0.5


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_instants_may_be_numbers_of_a_unit(unit):
    window = wr.sliding("10 seconds", every="5 seconds", span=("start", "end"))
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    op = wr.Operator(window, wr.count(), lateness="2 seconds", unit=unit)
    op.insert({"start": 1 * per, "end": 3 * per})
    op = wr.Operator.load(op.save())
    fed = op.feed({"start": [4 * per], "end": [7 * per]})
    assert [(one.start, one.end, one.value) for one in fed] == []

    found = op.trigger(at=18 * per)

    assert [(one.start, one.end, one.value) for one in found] == [
        (-5 * per, 5 * per, 2),
        (0, 10 * per, 2),
        (5 * per, 15 * per, 1),
    ]
    with pytest.raises(wr.BadInput, match="the operator has a unit"):
        op.insert({"start": NOON, "end": NOON})


NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)


def test_query_lets_time_go_on_for_that_key_alone():
    op = wr.Operator(windows(Span(10, 5)), {"n": wr.count(), "s": wr.sum("x")})
    for key in ("a", "b"):
        op.insert({"start": 1, "end": 4, "x": 7}, key=key)

    assert op.query(key="a", at=6) == {"n": 1, "s": 7}, "[0, 10) is the next to end"
    assert op.query(key="a", at=30) == {"n": None, "s": None}
    assert op.query(key="b") == {"n": 1, "s": 7}
    assert op.query(key="never seen", at=30) == {"n": None, "s": None}
    assert {one.key for one in op.trigger()} == {"a"}
    with pytest.raises(wr.BadInput, match="plain number"):
        op.query(key="b", at=NOON)


def test_keys_without_events_are_forgotten_once_their_windows_are_taken():
    op = wr.Operator(windows(Span(10, 5)), wr.count(), lateness=5)
    op.feed({"start": [0, 90], "end": [3, 95]}, key=["a", "b"])

    early = op.expire(before=60)
    taken = [one.key for one in op.trigger()]

    assert early == [], "windows of a are released, and nobody has taken them"
    assert taken == ["a", "a"]
    assert op.expire() == ["a"]
    assert op.keys() == ["b"]


def test_what_needs_the_events_of_a_window_is_refused():
    with pytest.raises(wr.WindrowError, match="slices keep none"):
        wr.Operator(windows(Span(10, 5)), wr.collect("x"))


def test_a_first_value_that_is_null_has_no_type():
    op = wr.Operator(windows(Span(10, 5)), wr.sum("x"))

    with pytest.raises(wr.WindrowError, match="cannot tell the type of 'x'"):
        op.insert({"start": 1, "end": 2, "x": None})
    with pytest.raises(wr.WindrowError, match="types= has no entry"):
        wr.Operator(windows(Span(10, 5)), wr.sum("x"), types={})


def test_instants_are_datetimes_where_ranges_are_durations():
    window = wr.sliding("15 minutes", every="5 minutes", span=("start", "end"))
    op = wr.Operator(window, wr.count(), lateness="20 minutes")
    day = dt.datetime(2024, 5, 1)  # noqa: DTZ001
    minute = dt.timedelta(minutes=1)
    op.insert({"start": day + 16 * minute, "end": day + 34 * minute})

    (first, *_) = op.trigger(at=day + 45 * minute)

    assert (first.start, first.end, first.value) == (
        day + 5 * minute,
        day + 20 * minute,
        1,
    )


def test_longer_events_get_more_levels_while_the_operator_runs():
    rng = np.random.default_rng(5)
    op = wr.Operator(wr.sliding(40, every=2, span=("start", "end")), wr.max("v"))
    ends = np.sort(rng.integers(0, 100, 3000)) + 1000
    lengths = np.where(np.arange(3000) < 1000, 1, 900)
    values = rng.integers(0, 1000, 3000)
    assert "se_slicing" in op.technique
    with interpreting():
        results = []
        for some in np.array_split(np.arange(3000), 6):
            results += op.feed(
                {"start": (ends - lengths)[some], "end": ends[some], "v": values[some]}
            )
        results += op.trigger(at=5000)

    table = pa.table({"start": ends - lengths, "end": ends, "v": values})
    window = wr.sliding(40, every=2, span=("start", "end"))
    expected = wr.aggregate(table, window, most=wr.max("v")).to_pylist()
    late = {one.start: one.value for one in results}
    open_ones = [row for row in expected if row["window"]["start"] >= ends[1000] - 40]
    assert op.technique.startswith("se_ml_slicing")
    assert [late[row["window"]["start"]] for row in open_ones] == [
        row["most"] for row in open_ones
    ]


@pytest.mark.usefixtures("compiled_lane")
def test_compiled_steps_give_what_plain_python_gives():
    rng = np.random.default_rng(11)
    ends = np.sort(rng.integers(0, 500, 400))
    events = {"start": ends - rng.integers(0, 60, 400), "end": ends,
              "x": rng.integers(-9, 9, 400)}  # fmt: skip
    window = wr.sliding(20, every=3, span=("start", "end"))
    answers = []
    for plain in (False, True):
        op = wr.Operator(window, wr.sum("x"), lateness=60, algorithm="se_ml_slicing")
        if plain:
            with interpreting():
                results = [*op.feed(events), *op.trigger(at=1000)]
        else:
            results = [*op.feed(events), *op.trigger(at=1000)]
        answers.append(results)

    assert answers[0] == answers[1]
    table = pa.table(events)
    expected = wr.aggregate(table, window, x=wr.sum("x"), algorithm="se_slicing")
    assert [one.value for one in answers[0]] == expected["x"].to_pylist()


def test_the_ring_is_a_window_and_the_time_to_postpone_long():
    op = wr.Operator(windows(Span(60, 10)), wr.count(), lateness=100)
    ends = np.arange(0, 50_000, 5)
    with interpreting():
        op.feed({"start": ends - 40, "end": ends})

    assert len(op) == 32, "a power of two above (60 + 100) / 10 slices and some"


def test_the_largest_text_is_refused_where_slices_keep_no_events():
    op = wr.Operator(wr.sliding(15, every=5, span=("start", "end")), wr.max("name"))

    with pytest.raises(wr.UnsupportedType, match="needs the events of a window"):
        op.insert({"start": 1, "end": 18, "name": "z"})


@pytest.mark.parametrize("levels", [False, True])
def test_kernels_count_no_holders_of_arrays(levels):
    operator = wr.Operator(wr.sliding(9, every=3, span=("a", "b")), wr.max("x"))
    operator.insert({"a": 1, "b": 5, "x": 2.0})
    kernel = operator._program.kernels[levels]

    text = kernel._assembly.text().render()

    assert text.count("@njit(") == text.count("_nrt=False") > 5
