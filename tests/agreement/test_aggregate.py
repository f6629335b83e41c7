"""`wr.aggregate` against the oracle: rows, keys, windows and results.

        at   0    5    10   15   20
             |---------|                window of range 10, slide 5
                  |---------|
                       |---------|

Floats agree to 1e-9, relative and absolute; all else is equal.
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
from strategies import part, range_and_slide
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.loops import interpreting

TOLERANCE = 1e-9
CLOCKS: dict[str, pa.DataType] = {
    "number": pa.int64(),
    "seconds": pa.timestamp("s"),
    "microseconds": pa.timestamp("us"),
    "nanoseconds": pa.timestamp("ns"),
    "zoned": pa.timestamp("ms", tz="Europe/Berlin"),
}


def on_clock(clock: str, instants: list[Any]) -> pa.Array:
    """Instants in seconds as a column of that clock."""
    if clock == "number":
        return pa.array(instants, pa.int64())
    return (
        pa.array(instants, pa.timestamp("s"))
        .cast(pa.timestamp(CLOCKS[clock].unit))
        .cast(CLOCKS[clock])
    )


def time_window(clock: str, spec: oracles.Time, **more: Any) -> Any:
    """The oracle's window in the words of the public API."""
    if clock == "number":
        lengths: list[Any] = [spec.range, spec.slide, spec.offset]
    else:
        lengths = [dt.timedelta(seconds=one) for one in spec[:3]]
    return wr.sliding(
        lengths[0],
        every=lengths[1],
        offset=lengths[2],
        on="at",
        name=spec.query,
        **more,
    )


def count_window(spec: oracles.Count) -> Any:
    """The oracle's window in the words of the public API."""
    return wr.rows(
        spec.range, every=spec.slide, partial=spec.partial, on=spec.on, name=spec.query
    )


@st.composite
def time_specs(draw: Any) -> oracles.Time:
    """A time window, sometimes moved off the epoch."""
    length, slide = draw(range_and_slide())
    return oracles.Time(length, slide, draw(st.sampled_from([0, 0, 1, -7, 1000])))


@st.composite
def count_specs(draw: Any) -> oracles.Count:
    """A count window, sometimes answered while it is partly filled."""
    length, slide = draw(range_and_slide(12))
    return oracles.Count(length, slide, draw(st.booleans()))


@st.composite
def tables(draw: Any, wanted: Any, *, nulls: bool = True) -> dict[str, list[Any]]:
    """Columns for the calls, with keys and instants."""
    n = draw(st.integers(0, 14))
    columns = {
        "key": draw(strategies.keys)[:n],
        "at": draw(strategies.times(n, nulls=nulls)),
    }
    return {**columns, **draw(menus.columns(wanted, n))}


def run(
    columns: Any, window: Any, calls: Any, *, clock: str, by: Any = "key", **how: Any
):
    """The public API's answer, as flat rows."""
    plain = {name: values for name, values in columns.items() if name != "at"}
    table = menus.table_of(plain, {"key": pa.string()})
    table = table.append_column("at", on_clock(clock, columns["at"]))
    wanted = {label: menus.asked(call) for label, call in calls.items()}
    return in_both_lanes(
        lambda: menus.flat(wr.aggregate(table, window, by=by, aggregates=wanted, **how))
    )


def single(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The oracle's rows for one window: without `query`."""
    return [{k: v for k, v in row.items() if k != "query"} for row in rows]


@pytest.mark.parametrize("name", menus.NAMES)
@part(0.5)
@given(data=st.data())
def test_time_windows_of_each_key_equal_the_oracle(name, data):
    calls = {"r": data.draw(menus.calls(name))}
    columns = data.draw(tables(calls.values()))
    spec = data.draw(time_specs())
    clock = data.draw(st.sampled_from(list(CLOCKS)))

    actual = run(columns, time_window(clock, spec), calls, clock=clock)

    rows = menus.rows_of(columns)
    expected = single(oracles.aggregate(rows, ["key"], [spec], calls))
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("name", menus.NAMES)
@part(0.5)
@given(data=st.data())
def test_count_windows_of_each_key_equal_the_oracle(name, data):
    calls = {"r": data.draw(menus.calls(name))}
    columns = data.draw(tables(calls.values()))
    spec = data.draw(count_specs())

    actual = run(columns, count_window(spec), calls, clock="number")

    rows = menus.rows_of(columns)
    expected = single(oracles.aggregate(rows, ["key"], [spec], calls))
    assert not oracles.differences(actual, expected, TOLERANCE)


@part(2.0)
@given(data=st.data())
def test_many_aggregates_share_one_pass_without_mixing(data):
    calls = data.draw(menus.queries(6))
    columns = data.draw(tables(calls.values()))
    spec = data.draw(st.one_of(time_specs(), count_specs()))
    timed = isinstance(spec, oracles.Time)
    window = time_window("microseconds", spec) if timed else count_window(spec)

    actual = run(columns, window, calls, clock="microseconds")

    rows = menus.rows_of(columns)
    expected = single(oracles.aggregate(rows, ["key"], [spec], calls))
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("kind", ["time", "count"])
@part(1.5)
@given(data=st.data())
def test_a_list_of_windows_comes_out_in_long_form(kind, data):
    calls = data.draw(menus.queries(2))
    columns = data.draw(tables(calls.values()))
    specs = data.draw(
        st.lists(
            time_specs() if kind == "time" else count_specs(), min_size=1, max_size=4
        )
    )
    named = data.draw(st.booleans())
    if named:
        specs = [spec._replace(query=f"w{index}") for index, spec in enumerate(specs)]
    windows = [
        time_window("number", spec) if kind == "time" else count_window(spec)
        for spec in specs
    ]

    actual = run(columns, windows, calls, clock="number")

    rows = menus.rows_of(columns)
    expected = oracles.aggregate(rows, ["key"], specs, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("by", [None, [], ["key"], ["key", "text_2"], ["int_2", "key"]])
@part(0.5)
@given(data=st.data())
def test_no_key_one_key_and_two_keys_with_nulls_are_grouped_alike(by, data):
    calls = {"n": ("count", ()), "s": ("sum", ("int_1",)), "f": ("first", ("int_1",))}
    columns = data.draw(
        tables([*calls.values(), ("max", ("text_2",)), ("max", ("int_2",))])
    )
    spec = data.draw(time_specs())

    actual = run(columns, time_window("number", spec), calls, clock="number", by=by)

    rows = menus.rows_of(columns)
    expected = single(oracles.aggregate(rows, by or [], [spec], calls))
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("slicer", ["panes", "pairs", "cutty"])
@part(1.5)
@given(data=st.data())
def test_every_slicer_gives_the_same_answers(slicer, data):
    calls = data.draw(menus.queries(2))
    columns = data.draw(tables(calls.values()))
    specs = data.draw(st.lists(time_specs(), min_size=1, max_size=3))
    windows = [time_window("number", spec) for spec in specs]

    actual = run(columns, windows, calls, clock="number", slicer=slicer)

    rows = menus.rows_of(columns)
    expected = oracles.aggregate(rows, ["key"], specs, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("slicer", ["panes", "pairs", "cutty"])
@part(1.0)
@given(data=st.data())
def test_every_slicer_gives_the_same_answers_over_count_windows(slicer, data):
    calls = data.draw(menus.queries(2))
    columns = data.draw(tables(calls.values()))
    specs = data.draw(st.lists(count_specs(), min_size=1, max_size=3))

    windows = [count_window(spec) for spec in specs]
    actual = run(columns, windows, calls, clock="number", slicer=slicer)

    rows = menus.rows_of(columns)
    expected = oracles.aggregate(rows, ["key"], specs, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)


@pytest.mark.parametrize("algorithm", [one.name for one in ALGORITHMS])
@part(1.0)
@given(data=st.data())
def test_every_algorithm_that_is_named_gives_the_same_answers(algorithm, data):
    needs = next(one.needs for one in ALGORITHMS if one.name == algorithm)
    able = [
        n for n in ("sum", "max", "first", "bit_xor") if needs in getattr(wr, n).laws
    ]
    calls = {"r": (data.draw(st.sampled_from(able)), ("int_1",))}
    columns = data.draw(tables(calls.values()))
    columns["int_1"] = [0 if value is None else value for value in columns["int_1"]]
    specs = data.draw(st.lists(time_specs(), min_size=1, max_size=3))
    windows = [time_window("number", spec) for spec in specs]
    slicer = data.draw(st.sampled_from(["auto", "panes", "pairs", "cutty"]))

    with interpreting():  # `test_algorithms.py` compiles each
        actual = run(
            columns, windows, calls, clock="number", algorithm=algorithm, slicer=slicer
        )

    rows = menus.rows_of(columns)
    expected = oracles.aggregate(rows, ["key"], specs, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)


@part(1.0)
@given(data=st.data())
def test_rows_windows_go_by_the_column_they_are_on(data):
    calls = {"r": ("collect", ("int_1",)), "f": ("first", ("int_1",))}
    columns = data.draw(tables(calls.values(), nulls=False))
    spec = data.draw(count_specs())._replace(on="at")

    actual = run(columns, count_window(spec), calls, clock="seconds")

    rows = menus.rows_of(columns)
    expected = single(oracles.aggregate(rows, ["key"], [spec], calls))
    assert not oracles.differences(actual, expected, TOLERANCE)


def test_integer_sums_are_exact_up_to_the_last_bit_of_64():
    most = 2**63 - 1
    table = pa.table({"x": [most, -1, most - 5, 3, 2, -(2**63)]})

    with interpreting():
        result = wr.aggregate(table, wr.rows(2, every=2), s=wr.sum("x"))
    actual = result["s"].to_pylist()

    expected = [most - 1, most - 2, 2 - 2**63]
    assert actual == expected


def test_an_integer_sum_past_64_bits_is_refused_with_its_value():
    table = pa.table({"x": [2**63 - 1, 1, 0, 0]})

    with interpreting(), pytest.raises(wr.SumOverflow) as refused:
        wr.aggregate(table, wr.rows(2, every=2), s=wr.sum("x"))

    assert str(2**63) in str(refused.value)
    assert "Hint:" in str(refused.value)


@pytest.mark.parametrize("name", menus.NAMES)
def test_no_rows_in_give_no_rows_out_and_all_columns(name):
    aggregate = getattr(wr, name)
    kind = "text" if aggregate.accepts == "text" else "int"
    columns = [f"{kind}_1", f"{kind}_2"][: max(aggregate.columns[0], 0)]
    types = {"int": pa.int64(), "text": pa.string()}
    table = pa.table(
        {
            "key": pa.array([], pa.string()),
            "at": pa.array([], pa.timestamp("us")),
            **{one: pa.array([], types[kind]) for one in columns},
        }
    )
    window = wr.sliding("1 minute", every="7 seconds", on="at")

    with interpreting():
        result = wr.aggregate(table, window, by="key", r=aggregate(*columns))

    assert result.num_rows == 0
    assert result.column_names == ["key", "window", "r"]


@pytest.mark.usefixtures("compiled_lane")
def test_compiled_and_interpreted_answers_are_the_same():
    columns = {
        "key": ["a", "b", None, "a"] * 60,
        "at": [(at * 37) % 400 for at in range(240)],
        "int_1": [(at * 7919) % 23 - 11 for at in range(240)],
        "float_1": [None if at % 7 == 0 else float(at % 11 - 5) for at in range(240)],
    }
    calls = {
        "s": ("sum", ("int_1",)),
        "m": ("mean", ("float_1",)),
        "v": ("variance", ("float_1",)),
        "x": ("max", ("float_1",)),
        "w": ("arg_max", ("float_1", "int_1")),
        "d": ("count_distinct", ("int_1",)),
    }
    specs = [oracles.Time(60, 7), oracles.Time(100, 50), oracles.Time(9, 1)]
    table = pa.table(columns)
    wanted = {label: menus.asked(call) for label, call in calls.items()}

    windows = [time_window("number", spec) for spec in specs]
    actual = menus.flat(wr.aggregate(table, windows, by="key", aggregates=wanted))

    expected = oracles.aggregate(menus.rows_of(columns), ["key"], specs, calls)
    assert not oracles.differences(actual, expected, TOLERANCE)
