"""`wr.as_of` against its definition: a plain walk over the events of each label.

    label at t, closed left, delay d      events at [t - d - last, t - d)

The oracle of this file shares nothing with the engine but the meaning of aggregates.
"""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import windrow as wr
from lanes import in_both_lanes
from strategies import part
from windrow.batch import as_of

WORDS = ("last", "closed", "next", "min_periods")
CLOSED = ("left", "right", "both", "neither")
TYPES = {"key": pa.string(), "sub": pa.int64(), "at": pa.timestamp("s")}
KEYS = st.sampled_from(["a", "b", None])


def seen(
    events: list[Any], now: int, last: Any, closed: str, ahead: Any = None
) -> list[Any]:
    """The events around an instant, by definition.

    `last` and `ahead` are seconds, rows or None.
    """
    late_in, early_in = closed in ("right", "both"), closed in ("left", "both")
    timed = [event for event in events if event["at"] is not None]
    ordered = sorted(timed, key=lambda event: event["at"])  # stable: as they arrived
    before = [e for e in ordered if e["at"] < now or (late_in and e["at"] == now)]
    if last is None and ahead is None:
        return before
    if isinstance(last, int) or isinstance(ahead, int):
        back = before[-last:] if last else []
        return back + ordered[len(before) : len(before) + (ahead or 0)]
    then = now - (last.total_seconds() if last else 0)
    until = now + (ahead.total_seconds() if ahead else 0)
    return [
        e
        for e in ordered
        if then < e["at"] < until
        or (early_in and e["at"] == then)
        or (late_in and e["at"] == until)
    ]


def expected_rows(labels: Any, events: Any, calls: Any, by: Any, delay: int) -> Any:
    """The features of each label, in the order of the labels."""
    rows = []
    for label in labels:
        own = [e for e in events if all(e[key] == label[key] for key in by)]
        features: dict[str, Any] = {}
        for name, (call, last, closed, ahead, least) in calls.items():
            now = label["at"]
            inside = [] if now is None else seen(own, now - delay, last, closed, ahead)
            found = oracles.results(inside, {name: call})
            if oracles.values_of(inside, call) < (least or 0):
                found = {name: None}
            features.update(found)
        rows.append(features)
    return rows


LENGTHS = [None, 1, 2, 5, *(dt.timedelta(seconds=s) for s in (1, 3, 10, 10**9))]


@st.composite
def questions(draw: Any, name: str) -> Any:
    """A call, how far back and ahead it looks, what is closed, and how few will do."""
    last = draw(st.sampled_from(LENGTHS))
    ahead = None
    if draw(st.booleans()):
        kind = (
            draw(st.sampled_from([int, dt.timedelta])) if last is None else type(last)
        )
        lengths = [x for x in LENGTHS if isinstance(x, kind)]
        ahead = draw(st.sampled_from(lengths))
    counts = isinstance(last, int) or isinstance(ahead, int)
    closed = draw(st.sampled_from(CLOSED[:2] if counts else CLOSED))
    least = draw(st.sampled_from([None, None, 1, 2]))
    return draw(menus.calls(name)), last, closed, ahead, least


def tables(draw: Any, calls: Any) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    """Columns of labels and of events."""
    instants = st.one_of(st.integers(0, 12), st.none())
    n, m = draw(st.integers(0, 8)), draw(st.integers(0, 14))

    def several(strategy: Any, count: int) -> list[Any]:
        return draw(st.lists(strategy, min_size=count, max_size=count))

    subs = st.sampled_from([1, 2])
    labels = {"key": several(KEYS, n), "sub": several(subs, n),
              "at": several(instants, n), "id": list(range(n))}  # fmt: skip
    events = {"key": several(KEYS, m), "sub": several(subs, m),
              "at": several(instants, m), **draw(menus.columns(calls, m))}  # fmt: skip
    return labels, events


@pytest.mark.parametrize("name", menus.NAMES)
@part(0.5)
@given(data=st.data())
def test_features_of_labels_equal_the_definition(name, data):
    by = data.draw(st.sampled_from([[], ["key"], ["key", "sub"]]))
    delay = data.draw(st.sampled_from([0, 0, 2]))
    default = data.draw(st.sampled_from(["left", "right"]))
    calls = {
        "r": data.draw(questions(name)),
        "n": (("count", ()), 3, default, None, None),
    }
    labels, events = tables(data.draw, [call for call, *_ in calls.values()])
    label_table = menus.table_of(labels, {**TYPES, "id": pa.int64()})
    event_table = menus.table_of(events, TYPES)
    asked = {
        "r": menus.asked(
            calls["r"][0], **dict(zip(WORDS, calls["r"][1:], strict=True))
        ),
        "n": wr.count(last=3),
    }

    def answers() -> list[Any]:
        result = wr.as_of(
            label_table,
            event_table,
            at="at",
            on="at",
            by=by,
            closed=default,
            delay=dt.timedelta(seconds=delay) if delay else None,
            aggregates=asked,
        )
        assert result.select(label_table.column_names).equals(label_table)
        rows = result.select(["r", "n"]).to_pylist()
        return [
            {k: tuple(v.values()) if isinstance(v, dict) else v for k, v in row.items()}
            for row in rows
        ]

    actual = in_both_lanes(answers)

    rows = menus.rows_of(labels), menus.rows_of(events)
    expected = expected_rows(*rows, calls, by, delay)
    assert not oracles.differences(actual, expected, 1e-9)


EVENTS = pa.table({"ts": [1, 5, 5, 9], "card": [7, 7, 7, 7], "x": [10, 20, 30, 40]})
LABELS = pa.table({"t": [5, 9, 4, None], "card": [7, 7, 8, 7], "id": [1, 2, 3, 4]})
ORDER = {"at": "t", "on": "ts", "by": "card"}


@pytest.mark.parametrize(
    ("closed", "expected"),
    [("left", [1, 2]), ("right", [2, 1]), ("both", [3, 3]), ("neither", [0, 0])],
)
def test_shifting_labels_to_a_boundary_changes_what_closed_says(closed, expected):
    done = wr.as_of(LABELS, EVENTS, **ORDER, n=wr.count(last="4", closed=closed))

    assert done["n"].to_pylist()[:2] == expected


@pytest.mark.parametrize(
    ("closed", "before", "at", "after"),
    [("left", 1, 1, 10), ("right", 1, 10, 10), ("both", 1, 11, 10),
     ("neither", 1, None, 10)],
)  # fmt: skip
def test_a_microsecond_at_a_boundary_changes_what_closed_says(
    closed, before, at, after
):
    micros, hour, noon = pa.timestamp("us"), 3_600_000_000, 43_200_000_000
    events = pa.table({"ts": pa.array([noon - hour, noon], micros), "x": [1, 10]})
    labels = pa.table({"t": pa.array([noon - 1, noon, noon + 1], micros)})
    spent = wr.sum("x", last="1 hour", closed=closed)

    done = wr.as_of(labels, events, at="t", on="ts", spent=spent)

    assert done["spent"].to_pylist() == [before, at, after]


UNITS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}


@pytest.mark.parametrize("closed", ["left", "right", "both", "neither"])
@pytest.mark.parametrize("fine", UNITS)
@pytest.mark.parametrize("coarse", UNITS)
def test_labels_and_events_may_have_instants_of_two_units(coarse, fine, closed):
    second, length = UNITS["s"], 2 * UNITS["s"]
    near = [second * k + e for k in range(1, 6) for e in (-1, 0, 1, 999, 1_000_000)]
    instants = {
        unit: sorted({ns // size * size for ns in near}) for unit, size in UNITS.items()
    }
    labels, events = (
        [ns // UNITS[unit] for ns in instants[unit]] for unit in (coarse, fine)
    )
    values = [1 << k for k in range(len(events))]
    label_table = pa.table({"t": pa.array(labels, pa.timestamp(coarse))})
    event_table = pa.table({"ts": pa.array(events, pa.timestamp(fine)), "x": values})
    ask = wr.sum("x", last="2 seconds", closed=closed)

    done = wr.as_of(label_table, event_table, at="t", on="ts", s=ask)

    def is_in(event: int, label: int) -> bool:
        since = label - length < event or (
            closed in ("left", "both") and event == label - length
        )
        return since and (
            event < label or (closed in ("right", "both") and event == label)
        )

    pairs = list(zip(instants[fine], values, strict=True))
    held = [[x for ns, x in pairs if is_in(ns, label)] for label in instants[coarse]]
    assert done["s"].to_pylist() == [sum(each) if each else None for each in held]


def test_unknown_keys_and_missing_instants_give_zero_and_null():
    done = wr.as_of(LABELS, EVENTS, **ORDER, n=wr.count(), most=wr.max("x"))

    assert done.select(["n", "most"]).to_pylist()[2:] == [{"n": 0, "most": None}] * 2


def test_events_after_each_label_change_nothing():
    future = pa.table({"ts": [9, 10, 99], "card": [7, 7, 8], "x": [1000, 1000, 1000]})
    features = {"s": wr.sum("x"), "two": wr.collect("x", last=2)}

    before = wr.as_of(LABELS, EVENTS, **ORDER, aggregates=features)
    after = wr.as_of(
        LABELS, pa.concat_tables([EVENTS, future]), **ORDER, aggregates=features
    )

    assert after.equals(before)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_other_libraries_come_back_as_they_are(library):
    module = pytest.importorskip(library)
    make = (lambda t: t.to_pandas()) if library == "pandas" else module.from_arrow

    labels = make(LABELS.slice(0, 3))
    done = wr.as_of(labels, make(EVENTS), **ORDER, n=wr.count(last=2))

    assert type(done).__module__.startswith(library)
    assert list(done.columns) == ["t", "card", "id", "n"]
    assert list(done["n"]) == [1, 2, 0]


def test_parts_give_what_the_whole_gives(monkeypatch):
    dice = random.Random(3)
    events = pa.table(
        {
            "ts": [dice.randrange(1000) for _ in range(3000)],
            "card": [dice.randrange(40) for _ in range(3000)],
            "x": [dice.random() for _ in range(3000)],
        }
    )
    labels = events.select(["ts", "card"]).slice(0, 500).rename_columns(["t", "card"])
    features = {"s": wr.sum("x", last="100"), "d": wr.collect("x", last=3),
                "m": wr.max("x"), "who": wr.arg_max("x", "ts", last="50")}  # fmt: skip
    whole = wr.as_of(labels, events, **ORDER, aggregates=features)
    monkeypatch.setattr(as_of, "PART", 200)

    parted = [
        wr.as_of(labels, events, **ORDER, aggregates=features, threads=threads)
        for threads in (1, 2)
    ]

    assert [part.to_pylist() for part in parted] == [whole.to_pylist()] * 2


REFUSED = {
    "labels without the key": (
        lambda: wr.as_of(LABELS.drop("card"), EVENTS, **ORDER, n=wr.count()),
        "the labels have no such column",
    ),
    "keys of two types": (
        lambda: wr.as_of(
            LABELS.set_column(1, "card", pa.array(["7"] * 4)),
            EVENTS,
            **ORDER,
            n=wr.count(),
        ),
        "of type string in the labels and int64 in the events",
    ),
    "times of two types": (
        lambda: wr.as_of(
            LABELS.set_column(0, "t", pa.array([1] * 4, pa.timestamp("s"))),
            EVENTS,
            **ORDER,
            n=wr.count(),
        ),
        "cast one of them to the type and the time zone of the other",
    ),
    "a feature named as a label's column": (
        lambda: wr.as_of(LABELS, EVENTS, **ORDER, id=wr.count()),
        "has a column of that name already",
    ),
    "ends that nobody knows": (
        lambda: wr.as_of(LABELS, EVENTS, **ORDER, closed="Right", n=wr.count()),
        "cannot close a frame on 'Right'",
    ),
    "a negative delay": (
        lambda: wr.as_of(LABELS, EVENTS, **ORDER, delay="-1 s", n=wr.count()),
        "would let the future in",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_before_work(case):
    build, words = REFUSED[case]

    with pytest.raises(wr.WindrowError, match=words):
        build()


def test_explain_says_how_labels_look_back():
    text = str(wr.explain(EVENTS, labels=LABELS, **ORDER, n=wr.count(last="4")))

    assert text.startswith("as_of\n")
    assert "labels     at t; never events themselves" in text
    assert "one window a label" in text


def test_frames_of_labels_are_walked_by_cursors(monkeypatch):
    taken = []
    real = as_of.slide_back

    def spy(*args, **options):
        taken.append(options["most"])
        return real(*args, **options)

    monkeypatch.setattr(as_of, "slide_back", spy)
    monkeypatch.setattr(as_of, "slide_arrays", None)

    wr.as_of(LABELS, EVENTS, **ORDER, n=wr.count(last="4"), five=wr.sum("x", last=5))

    assert taken == [0, 5]
