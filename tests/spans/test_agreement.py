"""Every technique and aggregate against the definition: fold what overlaps.

        at   0    5    10   15   20
             |---------|                window of range 10, slide 5
          =======   =        =======    events: in every window that they overlap

Floats agree to 1e-9, relative and absolute; all else is equal.  What the planner can
choose is run twice: loops as plain Python, and over whole columns.
"""

from __future__ import annotations

from contextlib import contextmanager
from unittest import mock

import plain_spans
import pyarrow as pa
import pytest
import random_spans as spans
from hypothesis import given
from hypothesis import strategies as st
from plain_spans import Span

import menus
import oracles
import windrow as wr
from strategies import part
from windrow.aggregates import Law, find
from windrow.batch import spans as batch_spans
from windrow.loops import Lane, interpreting, pinned
from windrow.spans import CATALOGUE, Work

TOLERANCE = 1e-9
CALLS = {
    "count": ("count", ()),
    "total": ("sum", ("int_1",)),
    "most": ("max", ("int_1",)),
    "spread": ("range", ("int_1",)),
    "first": ("first", ("int_1",)),
    "who": ("arg_max", ("int_1", "int_2")),
    "any": ("any", ("truth_1",)),
    "mean": ("mean", ("float_1",)),
}
PAIRS = [
    pytest.param(technique, name, id=f"{technique.name}-{name}")
    for technique in CATALOGUE
    for name, call in CALLS.items()
    if technique.suits(find(call[0]).laws)
    and not (name == "mean" and Law.INVERTIBLE in technique.needs)  # floats drift
]


HAVE_COLUMNS = ("se_slicing", "se_ml_slicing", "starts_and_ends", "selective_sweeping")


@contextmanager
def over_columns():
    """Run all loops over whole columns, those of techniques asked for by name too."""

    def work(*parts, lane, **how):
        return Work(*parts, lane=None, **how)

    with mock.patch.object(batch_spans, "Work", work), pinned(Lane.COLUMNS):
        yield


def check(actual, expected):
    assert oracles.differences(actual, expected, TOLERANCE) == []


def run(columns, window, calls, *, by="key", **how):
    table, aggregates = spans.arrow(columns), spans.asked(calls)
    with interpreting():
        answer = menus.flat(
            wr.aggregate(table, window, by=by, aggregates=aggregates, **how)
        )
    if how.get("algorithm", "se_slicing") in HAVE_COLUMNS:
        with over_columns():
            same = wr.aggregate(table, window, by=by, aggregates=aggregates, **how)
        check(menus.flat(same), answer)
    return answer


@pytest.mark.parametrize("name", menus.NAMES)
@part(0.4)
@given(data=st.data())
def test_each_aggregate_equals_the_definition(name, data):
    calls = {"r": data.draw(menus.calls(name))}
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window))

    actual = run(columns, spans.window_of(window), calls)

    rows = menus.rows_of(columns)
    check(actual, spans.single(plain_spans.aggregate(rows, ["key"], [window], calls)))


@pytest.mark.parametrize(("technique", "name"), PAIRS)
@part(0.4)
@given(data=st.data())
def test_each_technique_equals_the_definition(technique, name, data):
    calls = {"r": CALLS[name]}
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window))

    actual = run(columns, spans.window_of(window), calls, algorithm=technique.name)

    rows = menus.rows_of(columns)
    check(actual, spans.single(plain_spans.aggregate(rows, ["key"], [window], calls)))


@part(0.5)
@given(data=st.data())
def test_levels_of_any_height_equal_the_definition(data):
    calls = {"n": CALLS["count"], "total": CALLS["total"], "most": CALLS["most"]}
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window))
    height = data.draw(st.integers(1, 20))
    how = {"algorithm": "se_ml_slicing", "chunk": height}

    actual = run(columns, spans.window_of(window), calls, **how)

    rows = menus.rows_of(columns)
    check(actual, spans.single(plain_spans.aggregate(rows, ["key"], [window], calls)))


@given(data=st.data())
def test_one_level_equals_se_slicing(data):
    calls = {"most": CALLS["most"], "total": CALLS["total"]}
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window))

    flat = run(columns, spans.window_of(window), calls, algorithm="se_slicing")
    one = run(
        columns, spans.window_of(window), calls, algorithm="se_ml_slicing", chunk=1
    )

    assert one == flat


@given(data=st.data())
def test_several_windows_share_the_slices(data):
    calls = data.draw(menus.queries(3))
    windows = [
        data.draw(spans.spans())._replace(query=f"w{i}")
        for i in range(data.draw(st.integers(1, 3)))
    ]
    columns = data.draw(spans.tables(calls.values(), windows[0]))

    actual = run(columns, [spans.window_of(one) for one in windows], calls)

    rows = menus.rows_of(columns)
    check(actual, plain_spans.aggregate(rows, ["key"], windows, calls))


@given(data=st.data())
def test_long_events_among_several_aggregates(data):
    """Each group of calls goes its own way, and the columns come back in order."""
    names = ["count", "total", "most", "first", "mean", "who", "any", "spread"]
    calls = {name: CALLS[name] for name in data.draw(st.permutations(names))}
    n = data.draw(st.integers(1, 6))
    starts = data.draw(st.lists(st.integers(0, 30), min_size=n, max_size=n))
    lengths = data.draw(st.lists(st.integers(60, 400), min_size=n, max_size=n))
    columns = {
        "key": ["a"] * n,
        "start": starts,
        "end": [a + b for a, b in zip(starts, lengths, strict=True)],
        **data.draw(menus.columns(calls.values(), n)),
    }
    window = Span(7, 3)

    actual = run(columns, spans.window_of(window), calls)

    rows = menus.rows_of(columns)
    check(actual, spans.single(plain_spans.aggregate(rows, ["key"], [window], calls)))


@pytest.mark.parametrize("technique", CATALOGUE, ids=lambda one: one.name)
def test_compiled_loops_equal_the_definition(technique):
    """400 events of all lengths, two keys, a step that does not divide the range."""
    window, n = Span(25, 10), 400
    name = "most" if Law.SELECTIVE in technique.needs else "total"
    calls = {"r": CALLS[name]}
    columns = {
        "key": ["ab"[i % 2] for i in range(n)],
        "start": [(i * 7919) % 1000 for i in range(n)],
        "int_1": [(i * 31) % 97 - 40 for i in range(n)],
    }
    columns["end"] = [s + (i * i) % 83 for i, s in enumerate(columns["start"])]

    answer = wr.aggregate(
        spans.arrow(columns),
        spans.window_of(window),
        by="key",
        aggregates=spans.asked(calls),
        algorithm=technique.name,
    )

    rows = menus.rows_of(columns)
    expected = plain_spans.aggregate(rows, ["key"], [window], calls)
    check(menus.flat(answer), spans.single(expected))


@pytest.mark.parametrize(
    "bound",
    [pa.int32(), pa.timestamp("s"), pa.timestamp("ns"), pa.timestamp("us", "UTC")],
    ids=str,
)
def test_bounds_of_any_clock_give_the_same_windows(bound):
    window, calls = Span(10, 4), {"n": CALLS["count"], "f": CALLS["first"]}
    columns = {
        "key": ["a"] * 5,
        "start": [0, 3, 8, 8, 11],
        "end": [9, 3, 8, 30, 12],
        "int_1": [1, 2, 3, 4, 5],
    }
    table = spans.arrow(columns, bound)
    given_as = spans.window_of(window, seconds=pa.types.is_timestamp(bound))

    answer = wr.aggregate(table, given_as, by="key", aggregates=spans.asked(calls))

    rows = menus.rows_of(columns)
    expected = plain_spans.aggregate(rows, ["key"], [window], calls)
    check(menus.flat(answer), spans.single(expected))


def _larger(a, b):
    if a >= b:
        return a
    return b


def test_a_users_aggregate_without_identity_meets_empty_slices():
    """No event ends in the slices that a long one crosses: they hold nothing."""
    biggest = wr.Aggregate(
        name="biggest",
        lift=lambda v: v,
        combine=_larger,
        lower=lambda p: p,
        laws="commutative",
    )
    columns = {"key": ["a"] * 3, "start": [0, 1, 300], "end": [200, 2, 301],
               "int_1": [5, 9, -4]}  # fmt: skip
    window = Span(60, 5)

    answer = wr.aggregate(
        spans.arrow(columns), spans.window_of(window), by="key", r=biggest("int_1")
    )

    rows = menus.rows_of(columns)
    calls = {"r": ("max", ("int_1",))}
    expected = plain_spans.aggregate(rows, ["key"], [window], calls)
    check(menus.flat(answer), spans.single(expected))


def test_what_does_not_commute_sees_events_in_the_order_of_their_ends():
    table = pa.table(
        {"start": [0, 5, 3, 9], "end": [9, 6, 9, 9], "who": ["a", "b", "c", "d"]}
    )
    window = wr.sliding(20, span=("start", "end"))

    answer = wr.aggregate(table, window, all=wr.collect("who"), last=wr.last("who"))

    # b ends first; a and c end together and stand as they came; the point d is last
    assert answer["all"].to_pylist() == [["b", "a", "c", "d"]]
    assert answer["last"].to_pylist() == ["d"]


def test_of_two_with_the_same_last_instant_the_point_ends_first():
    """[0, 10) ends at 10 and the point 9 at 9, though 9 is the last of both."""
    table = pa.table({"start": [0, 9, 10], "end": [10, 9, 10], "who": ["a", "b", "c"]})
    window = wr.sliding(20, span=("start", "end"))

    answer = wr.aggregate(table, window, all=wr.collect("who"), f=wr.first("who"))

    assert answer["all"].to_pylist() == [["b", "a", "c"]]
    assert answer["f"].to_pylist() == ["b"]
