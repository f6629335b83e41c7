"""`wr.over` against the oracle: every row keeps its place and sees its own past.

at          1   2   2   5   9
last 3      |-------|               row at 2, closed on both: [-1, 2], with its peer
                |-------|           row at 5: [2, 5]

closed      both [t - d, t]    left [t - d, t)    right (t - d, t]    neither (t - d, t)
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
import strategies
import windrow as wr
from lanes import in_both_lanes
from strategies import part
from windrow.batch import over

TOLERANCE = 1e-9
CLOSED = ("both", "left", "right", "neither")


@st.composite
def frames(draw: Any) -> oracles.Frame:
    """Rows, a duration or everything, with one of the ways to close it."""
    kind = draw(st.sampled_from(["rows", "duration", "duration", "everything"]))
    least = draw(st.sampled_from([None, None, 1, 3]))
    if kind == "everything":
        closed = draw(st.sampled_from(CLOSED))
        return oracles.Frame(closed=closed, min_periods=least)
    way = draw(st.sampled_from(["back", "back", "ahead", "both"]))
    if kind == "rows":
        closed = draw(st.sampled_from(["left", "right"]))
        lengths = st.integers(1, 20)
    else:
        closed = draw(st.sampled_from(CLOSED))
        lengths = st.sampled_from([1, 2, 3, 10, 40, 31 * strategies.YEAR])
    back = 0 if way == "ahead" else draw(lengths)
    ahead = 0 if way == "back" else draw(lengths)
    frame = oracles.Frame(closed=closed, ahead=ahead, min_periods=least)
    return frame._replace(**{kind: back})


def framed(call: Any, frame: oracles.Frame) -> Any:
    """The call with its frame, in the words of the public API."""
    sides: list[Any] = [frame.rows or None, frame.ahead or None]
    if frame.duration is not None:
        lengths = frame.duration, frame.ahead
        sides = [dt.timedelta(seconds=x) if x else None for x in lengths]
    words = {"closed": frame.closed, "min_periods": frame.min_periods}
    return menus.asked(call, last=sides[0], next=sides[1], **words)


def run(columns: Any, calls: Any, *, by: Any = "key", on: Any = "at") -> list[Any]:
    """The new columns of each row, in the order of the input."""
    types = {"key": pa.string(), "at": pa.timestamp("s")}
    table = menus.table_of(columns, types)
    wanted = {label: framed(call, frame) for label, (frame, call) in calls.items()}

    def new_columns() -> list[Any]:
        result = wr.over(table, on=on, by=by, aggregates=wanted)
        kept = result.select(table.column_names)
        assert kept.schema.equals(table.schema)
        assert oracles.alike(kept.to_pydict(), table.to_pydict())
        rows = result.select(list(wanted)).to_pylist()
        return [{name: _plain(value) for name, value in row.items()} for row in rows]

    return in_both_lanes(new_columns)


def _plain(value: Any) -> Any:
    return tuple(value.values()) if isinstance(value, dict) else value


@st.composite
def tables(draw: Any, wanted: Any, *, nulls: bool = True) -> dict[str, list[Any]]:
    """Columns for the calls, with keys and instants."""
    n = draw(st.integers(0, 14))
    columns = {
        "key": draw(strategies.keys)[:n],
        "at": draw(strategies.times(n, nulls=nulls)),
    }
    return {**columns, **draw(menus.columns(wanted, n))}


@pytest.mark.parametrize("name", [*menus.NAMES, *menus.OWN])
@part(0.5)
@given(data=st.data())
def test_each_row_sees_its_own_past_as_the_oracle_does(name, data):
    calls = {"r": (data.draw(frames()), data.draw(menus.calls(name)))}
    columns = data.draw(tables([call for _, call in calls.values()]))

    actual = run(columns, calls)

    expected = oracles.over(menus.rows_of(columns), calls, on="at", keys=["key"])
    assert not oracles.differences(actual, expected, TOLERANCE)


@part(2.0)
@given(data=st.data())
def test_frames_of_every_length_stand_side_by_side(data):
    wanted = data.draw(menus.queries(5))
    calls = {label: (data.draw(frames()), call) for label, call in wanted.items()}
    columns = data.draw(tables(wanted.values()))

    actual = run(columns, calls)

    expected = oracles.over(menus.rows_of(columns), calls, on="at", keys=["key"])
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("by", [None, [], ["key", "text_2"]])
@part(1.0)
@given(data=st.data())
def test_no_key_and_two_keys_are_told_apart(by, data):
    call = ("collect", ("int_1",))
    calls = {"r": (data.draw(frames()), call)}
    columns = data.draw(tables([call, ("max", ("text_2",))]))

    actual = run(columns, calls, by=by)

    expected = oracles.over(menus.rows_of(columns), calls, on="at", keys=by or [])
    assert not oracles.differences(actual, expected, TOLERANCE)


@part(1.0)
@given(data=st.data())
def test_without_a_time_rows_stand_in_arrival_order(data):
    frame = oracles.Frame(rows=data.draw(st.integers(1, 20)))
    calls = {"r": (frame, ("collect", ("int_1",))), "s": (frame, ("sum", ("int_1",)))}
    columns = data.draw(tables([call for _, call in calls.values()]))

    actual = run(columns, calls, on=None)

    expected = oracles.over(menus.rows_of(columns), calls, keys=["key"])
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        # row at        1    2    2    5
        ("both", [1, 111, 111, 1110]),
        ("right", [1, 111, 111, 1000]),
        ("left", [None, 1, 1, 110]),
        ("neither", [None, 1, 1, None]),
    ],
)
def test_closed_says_which_ends_are_in(closed, expected):
    columns = {"at": [1, 2, 2, 5], "int_1": [1, 10, 100, 1000]}
    frame = oracles.Frame(duration=3, closed=closed)

    rows = run(columns, {"r": (frame, ("sum", ("int_1",)))}, by=None)
    actual = [row["r"] for row in rows]

    assert actual == expected


def test_rows_without_a_time_are_peers_of_each_other():
    columns = {"at": [None, 5, None, 6], "int_1": [1, 10, 100, 1000]}
    frame = oracles.Frame(duration=3)

    rows = run(columns, {"r": (frame, ("sum", ("int_1",)))}, by=None)
    actual = [row["r"] for row in rows]

    expected = [101, 10, 101, 1010]
    assert actual == expected


@pytest.mark.usefixtures("compiled_lane")
def test_compiled_answers_equal_the_oracle():
    columns = {
        "key": ["a", "b", None, "a"] * 60,
        "at": [(at * 37) % 90 for at in range(240)],
        "int_1": [(at * 7919) % 23 - 11 for at in range(240)],
        "float_1": [None if at % 7 == 0 else float(at % 11 - 5) for at in range(240)],
    }
    short, long = oracles.Frame(rows=5), oracles.Frame(duration=20, closed="right")
    calls = {
        "s": (short, ("sum", ("int_1",))),
        "m": (long, ("max", ("float_1",))),
        "n": (long, ("count", ())),
        "d": (short, ("count_distinct", ("int_1",))),
    }
    table = menus.table_of(columns, {"key": pa.string(), "at": pa.timestamp("s")})
    wanted = {label: framed(call, frame) for label, (frame, call) in calls.items()}

    result = wr.over(table, on="at", by="key", aggregates=wanted)
    actual = result.select(list(wanted)).to_pylist()

    expected = oracles.over(menus.rows_of(columns), calls, on="at", keys=["key"])
    assert not oracles.differences(actual, expected, TOLERANCE)


def test_durations_are_walked_by_cursors_unless_a_time_is_null(monkeypatch):
    taken = []
    for name in ("slide_regular", "slide_back", "slide_arrays"):
        real = getattr(over, name)

        def spy(*args, name=name, real=real, **options):
            taken.append(name)
            return real(*args, **options)

        monkeypatch.setattr(over, name, spy)
    table = pa.table({"at": pa.array([1, 2, None], pa.timestamp("s")), "x": [1, 2, 3]})
    calls = {"a": wr.sum("x", last="2 seconds"), "b": wr.sum("x", last=2)}

    wr.over(table.slice(0, 2), on="at", aggregates=calls)
    wr.over(table, on="at", aggregates=calls)

    assert taken == ["slide_back", "slide_regular", "slide_arrays", "slide_regular"]


REFUSED = {
    "rows and a duration": (
        lambda: wr.sum("x", last=3, next="1 hour"),
        "give both as durations, or both as numbers of rows",
    ),
    "no rows ahead": (lambda: wr.sum("x", next=0), "cannot look ahead over the next 0"),
    "rows closed on both": (
        lambda: wr.sum("x", next=2, closed="both"),
        "next=2 counts rows",
    ),
    "no periods": (
        lambda: wr.sum("x", last=3, min_periods=0),
        "the number of values below which the result is null",
    ),
    "windows": (
        lambda: wr.aggregate(
            pa.table({"x": [1]}), wr.rows(1), n=wr.sum("x", min_periods=2)
        ),
        "min_periods= belongs to wr.over",
    ),
    "ends of all results at once": (
        lambda: wr.over(
            pa.table({"t": [1], "x": [1]}), on="t", closed="left", n=wr.sum("x", last=2)
        ),
        "each of them has a frame of its own",
    ),
    "operators": (
        lambda: wr.Operator(wr.rows(3), wr.sum(next=2)),
        "an operator knows no rows to come",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_frames_that_say_nothing_are_refused(case):
    build, words = REFUSED[case]

    with pytest.raises(wr.WindrowError, match=words):
        build()
