"""Batches of rows through the window's memory, stretch by stretch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.algorithms import CATALOGUE, Stepwise, find
from windrow.operator import array_feed

STRETCHES = ["sba", "pba", "two_stacks_lite", "subtract_on_evict"]
STEPWISE = [one.name for one in CATALOGUE if one.steps is not None]


def windows(values: list[Any], range_: int, fold: Any) -> list[Any]:
    return [fold(values[i : i + range_]) for i in range(len(values) - range_ + 1)]


def fed(operator: wr.Operator, values: np.ndarray, cuts: list[int]) -> list[Any]:
    """The results of batches that end at such places, and the bounds they have."""
    found = [
        result
        for batch in np.split(values, sorted(cuts))
        for result in operator.feed(batch)
    ]
    if found:
        range_ = found[0].end
        bounds = [(result.start, result.end) for result in found]
        ends = range(range_, len(values) + 1)
        assert bounds == [(end - range_, end) for end in ends]
    return [result.value for result in found]


def streams(elements: Any) -> Any:
    return st.lists(elements, min_size=1, max_size=150)


CUTS = st.lists(st.integers(0, 150), max_size=4)


@pytest.mark.parametrize("algorithm", STEPWISE)
@given(
    values=streams(st.integers(-(10**15), 10**15)), cuts=CUTS, range_=st.integers(1, 40)
)
def test_whole_numbers(algorithm, values, cuts, range_):
    fold = max if algorithm == "slick_deque" else sum
    how = {"algorithm": algorithm, "nulls": False}  # so that lanes are taken
    operator = wr.Operator(wr.rows(range_), fold.__name__, **how)

    found = fed(operator, np.array(values), cuts)

    assert found == windows(values, range_, fold)
    assert operator.query() == fold(values[-range_:])


def largest(window: list[float]) -> float:
    return math.nan if any(map(math.isnan, window)) else max(window)


@pytest.mark.parametrize("algorithm", STRETCHES[:3])
@given(values=streams(st.floats()), cuts=CUTS, range_=st.integers(1, 40))
def test_floats_of_any_kind(algorithm, values, cuts, range_):
    operator = wr.Operator(wr.rows(range_), "max", algorithm=algorithm, nulls=False)

    found = fed(operator, np.array(values), cuts)

    expected = windows(values, range_, largest)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("algorithm", STRETCHES[:3])
@given(values=streams(st.integers(-9, 9)), cuts=CUTS, range_=st.integers(1, 40))
def test_what_does_not_commute(algorithm, values, cuts, range_):
    """The first of the largest remainders: the value that it belongs to."""
    pair = wr.Aggregate(
        name="first_largest",
        lift=lambda value: (value % 7, value),
        combine=lambda older, newer: newer if newer[0] > older[0] else older,
        lower=lambda partial: partial[1],
    )
    operator = wr.Operator(wr.rows(range_), pair, algorithm=algorithm, nulls=False)

    found = fed(operator, np.array(values), cuts)

    assert found == windows(values, range_, lambda own: max(own, key=lambda v: v % 7))


TEXT = wr.Aggregate(  # a window's text is its values, in their order, and no others
    name="text",
    lift=lambda value: f"{int(value)} ",
    combine=lambda older, newer: older + newer,
    inverse=lambda whole, oldest: whole.removeprefix(oldest),
    lower=lambda partial: partial,
)


@pytest.mark.filterwarnings("ignore:text runs as plain Python")
@pytest.mark.parametrize("capacity", [None, 256])
@pytest.mark.parametrize("range_", [1, 2, 3, 9, 30, 64])
@pytest.mark.parametrize("algorithm", STRETCHES)
def test_each_window_is_its_values_in_their_order(algorithm, range_, capacity):
    """A side that is swapped or left out shows, or a place that is not the window's."""
    how = {"algorithm": algorithm, "nulls": False, "capacity": capacity}
    operator = wr.Operator(wr.rows(range_), TEXT, **how)
    values = list(range(100, 500))

    found = fed(operator, np.array(values), [20, 21, 60, 61, 90, 190, 333])

    texts = windows(values, range_, lambda own: "".join(f"{v} " for v in own))
    assert found == texts
    assert operator.query() == texts[-1]


@pytest.mark.filterwarnings("ignore:text runs as plain Python")
@pytest.mark.parametrize("algorithm", STRETCHES)
def test_events_that_leave_before_the_window_is_full(algorithm):
    operator = wr.Operator(wr.rows(200), TEXT, algorithm=algorithm, nulls=False)
    kept: list[int] = []
    for come, gone in [(10, 10), (20, 15), (7, 0), (60, 30), (9, 51), (70, 3)]:
        values = np.arange(100, 100 + come)
        assert not len(operator.feed(values))
        kept += values.tolist()
        assert operator.query() == "".join(f"{value} " for value in kept)
        for _ in range(gone):
            operator.evict()
        kept = kept[gone:]

    assert operator.query() == "".join(f"{value} " for value in kept)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_window_of_one_row_is_that_row(compiled, monkeypatch):
    """Taking the row before it off would leave an infinity behind."""
    if compiled:
        monkeypatch.setenv("WINDROW_COMPILE", "always")
    how = {"algorithm": "subtract_on_evict", "nulls": False}
    operator = wr.Operator(wr.rows(1), "sum", **how)
    values = [1e300, 0.1, math.inf, 2.0, -math.inf, 0.3] * 3

    found = fed(operator, np.array(values), [1, 2, 9])

    assert found == values


@pytest.mark.parametrize("algorithm", STRETCHES)
@given(values=streams(st.integers(-9, 9)), cuts=CUTS, data=st.data())
def test_events_by_hand_between_batches(algorithm, values, cuts, data):
    """Evictions leave a window that is not full, and chunks of any length."""
    operator = wr.Operator(wr.rows(12), "sum", algorithm=algorithm)
    kept: list[int] = []
    for batch in np.split(np.array(values), sorted(cuts)):
        some = data.draw(st.integers(0, len(kept)))
        for _ in range(some):
            operator.evict()
        kept = kept[some:]
        operator.insert(5)
        kept = [*kept, 5][-12:]
        assert operator.query() == sum(kept)
        operator.feed(batch)
        kept = [*kept, *batch.tolist()][-12:]
        assert operator.query() == sum(kept)
        assert len(operator) == len(kept)


@pytest.mark.parametrize(
    "algorithm",
    [
        "sba",
        "subtract_on_evict",
        # test_feed.py and test_compiled.py have machine code of these
        pytest.param("pba", marks=pytest.mark.deep),
        pytest.param("two_stacks_lite", marks=pytest.mark.deep),
    ],
)
def test_machine_code_over_lanes_and_ends_of_the_ring(algorithm, compiled_lane):
    values = np.random.default_rng(1).integers(-50, 50, 9_000)
    totals = np.concatenate([[0], np.cumsum(values)])
    operator = wr.Operator(wr.rows(700), "sum", algorithm=algorithm, nulls=False)

    found = fed(operator, values, [700, 701, 1_700, 2_700, 2_750, 6_000])

    assert found == (totals[700:] - totals[:-700]).tolist()


@pytest.mark.parametrize("algorithm", STRETCHES)
def test_an_algorithm_slides_over_stretches(algorithm, monkeypatch):
    """Its own loop answers full windows, and no call of `whole` for each event."""
    steps = find(algorithm).steps
    assert isinstance(steps, Stepwise)
    assert steps.slide_rows is not None
    operator = wr.Operator(wr.rows(50), "max" if algorithm != STRETCHES[3] else "sum",
                           algorithm=algorithm)  # fmt: skip
    operator.feed(np.arange(60))
    program = operator._windows[None].program
    plain, calls = program.steps.kernel.plain, []
    whole = plain.whole
    monkeypatch.setattr(plain, "whole", lambda *given: calls.append(1) or whole(*given))

    results = operator.feed(np.arange(200))

    assert len(results) == 200
    assert len(calls) <= 20, "at the borders of pba's chunks only"


@pytest.mark.parametrize("algorithm", STRETCHES)
def test_a_window_is_filled_by_stretches(algorithm, monkeypatch):
    """No step is taken for each event before the first result."""
    operator = wr.Operator(wr.rows(500), "sum", algorithm=algorithm, nulls=False)
    operator.feed(np.arange(3))
    plain, calls = operator._windows[None].program.steps.kernel.plain, []
    insert = plain.insert
    monkeypatch.setattr(
        plain, "insert", lambda *given: calls.append(1) or insert(*given)
    )

    results = operator.feed(np.arange(3, 502))

    assert [result.value for result in results] == [
        sum(range(i, i + 500)) for i in range(3)
    ]
    assert len(calls) <= 5, "where a chunk begins, and the first result"


def test_arrays_that_are_no_plain_numbers_go_the_long_way():
    operator = wr.Operator(wr.rows(3), "sum", types={"value": "int64"}, nulls=False)
    values = np.arange(20)
    operator.feed(values[:5])
    locked = values[5:8].copy()
    locked.flags.writeable = False
    ways = [values[5:11:2], locked, values[5:8].astype(">i8"), values[5:8].tolist()]

    sums = [[each.value for each in operator.feed(batch)] for batch in ways]

    assert sums == [[12, 16, 21], [21, 20, 18], [18, 18, 18], [18, 18, 18]]
    assert array_feed.is_numbers(locked)
