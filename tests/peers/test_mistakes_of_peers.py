"""One test for each mistake that was found in the code of other libraries.

They are cheap to make, and hide well behind tests that feed rising, positive,
distinct, finite values at a slide that divides the range.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import oracles
import windrow as wr
from windrow.aggregates import find
from windrow.algorithms import BY_NAME, Shape, kernel_text, slide_regular
from windrow.algorithms import CATALOGUE as ALGORITHMS
from windrow.kernels import Request, product_of
from windrow.loops import interpreting

EPSILON = float(np.finfo(np.float64).eps)


def named(*aggregates: str) -> Any:
    """Every algorithm with every one of those aggregates that it suits."""
    return pytest.mark.parametrize(
        ("algorithm", "aggregate"),
        [
            pytest.param(one.name, name, id=f"{one.name}-{name}")
            for one in ALGORITHMS
            for name in aggregates
            if one.suits(find(name).laws)
        ],
    )


def slide(
    values: Any, window: Any, aggregate: Any, algorithm: str = "auto"
) -> list[Any]:
    """`wr.slide` over an Arrow column, interpreted, as a list with None for null."""
    with interpreting():
        column = pa.array(values)
        return wr.slide(column, window, aggregate, algorithm=algorithm).to_pylist()


# --- a wrong identity -------------------------------------------------------------


@named("max", "max_count", "range")
def test_windows_of_negative_values_never_answer_with_zero(algorithm, aggregate):
    values = [-5.0, -1e-300, -7.0, -7.0, -1e308, -2.0]

    actual = slide(values, wr.rows(3, partial=True), aggregate, algorithm)

    expected = oracles.slide(values, 3, 1, aggregate, partial=True)
    assert actual == expected


@named("min", "min_count")
def test_windows_of_infinities_answer_with_infinity(algorithm, aggregate):
    values = [math.inf, math.inf, math.nan, math.inf]

    actual = slide(values, wr.rows(2, partial=True), aggregate, algorithm)

    expected = oracles.slide(values, 2, 1, aggregate, partial=True)
    assert not oracles.differences(actual, expected)


def test_a_geometric_mean_starts_from_one_and_not_from_zero():
    values = [4.0, 9.0, 1.0, 0.25]

    actual = slide(values, wr.rows(2), "geometric_mean")

    expected = [6.0, 3.0, 0.5]
    assert not oracles.differences(actual, expected, 1e-15)


def test_a_geometric_mean_of_huge_values_does_not_overflow():
    values = [1e308, 1e308, 1e300, -1.0, 0.0]

    actual = slide(values, wr.rows(2), "geometric_mean")

    expected = [1e308, 1e304, math.nan, math.nan]
    assert not oracles.differences(actual, expected, 1e-12)


# --- a maximum that is wrong for one output in w, or stale --------------------------


@named("max", "min", "arg_max")
def test_every_output_is_right_where_the_extreme_stands_at_each_place(
    algorithm, aggregate
):
    # one spike after another, w + 1 apart, so that it enters, crosses and leaves
    # windows at every phase of a chunk of w
    width = 8
    values = [-100 if at % (width + 1) == 0 else -200 - at for at in range(90)]

    actual = slide(values, wr.rows(width), aggregate, algorithm)

    others = values if aggregate == "arg_max" else None
    expected = oracles.slide(values, width, 1, aggregate, others=others)
    assert actual == expected


@named("max", "arg_max", "last", "max_count")
def test_a_maximum_leaves_with_its_row_on_falling_input(algorithm, aggregate):
    values = list(range(60, 0, -1))

    actual = slide(values, wr.rows(7), aggregate, algorithm)

    others = values if aggregate == "arg_max" else None
    expected = oracles.slide(values, 7, 1, aggregate, others=others)
    assert actual == expected


# --- a slide that does not divide the range --------------------------------------


@pytest.mark.parametrize("slicer", ["panes", "pairs", "cutty"])
@pytest.mark.parametrize(("length", "every"), [(7, 3), (10, 4), (5, 2), (9, 8), (3, 2)])
def test_windows_are_right_where_the_slide_does_not_divide_the_range(
    slicer, length, every
):
    rows = [{"at": at, "v": (at * 7919) % 13 - 6} for at in range(70) if at % 5]
    table = pa.table({"at": [r["at"] for r in rows], "v": [r["v"] for r in rows]})
    calls = {"s": ("sum", ("v",)), "m": ("max", ("v",)), "f": ("first", ("v",))}

    with interpreting():
        window = wr.sliding(length, every=every, on="at")
        wanted = {"s": wr.sum("v"), "m": wr.max("v"), "f": wr.first("v")}
        result = wr.aggregate(table, window, slicer=slicer, **wanted)
    actual = [{"query": 0, **row.pop("window"), **row} for row in result.to_pylist()]

    expected = oracles.aggregate(rows, [], [oracles.Time(length, every)], calls)
    assert actual == expected


# --- an endless loop on a gap in time -----------------------------------------------


@pytest.mark.parametrize("slicer", ["panes", "pairs", "cutty"])
def test_a_gap_of_a_thousand_years_is_crossed_at_once(slicer):
    # 3e10 slides of a second fit into the gap: walking them would take hours
    gap = 1000 * 365 * 86_400
    table = pa.table({"at": [-gap, 0, 1, gap], "v": [1, 2, 3, 4]})
    window = wr.sliding(3, every=1, on="at")

    began = time.perf_counter()
    with interpreting():
        result = wr.aggregate(table, window, s=wr.sum("v"), slicer=slicer)
    took = time.perf_counter() - began

    actual = [(row["window"]["start"], row["s"]) for row in result.to_pylist()]
    expected = [
        *((start, 1) for start in range(-gap - 2, -gap + 1)),
        (-2, 2), (-1, 5), (0, 5), (1, 3),
        *((start, 4) for start in range(gap - 2, gap + 1)),
    ]  # fmt: skip
    assert actual == expected
    assert took < 20


# --- a tie that picks another value than the naive path -----------------------------


@named("arg_max", "arg_min", "first", "last")
def test_of_equal_values_the_first_is_picked_by_every_algorithm(algorithm, aggregate):
    values = [2, 1, 2, 2, 1, 1, 2, 1, 1, 2, 2, 2]
    who = list("abcdefghijkl")
    table = pa.table({"v": values, "who": who})
    columns = ("v", "who") if aggregate.startswith("arg") else ("who",)

    with interpreting():
        call = getattr(wr, aggregate)(*columns)
        result = wr.aggregate(table, wr.rows(4), w=call, algorithm=algorithm)
    actual = result["w"].to_pylist()

    if aggregate.startswith("arg"):
        expected = oracles.slide(values, 4, 1, aggregate, others=who)
    else:
        expected = oracles.slide(who, 4, 1, aggregate)
    assert actual == expected


# --- a fast path that no test proves was taken --------------------------------------


@pytest.mark.parametrize(
    "algorithm",
    [one for one in ALGORITHMS if one.stride is not None],
    ids=lambda a: a.name,
)
def test_the_fast_path_is_in_the_kernel_of_slide_one(algorithm):
    name = "sum" if algorithm.suits(find("sum").laws) else "max"
    product = product_of([Request(find(name), "int", (0,))])

    fast = kernel_text(algorithm, product, Shape("rows", "regular", fast=True))
    slow = kernel_text(algorithm, product, Shape("rows", "regular"))

    assert "def stride(" in fast
    assert "stride(source, first, count, width, at, scratch, out)" in fast
    assert "def stride(" not in slow


@pytest.mark.parametrize(("step", "taken"), [(1, True), (2, False)])
def test_slide_regular_takes_the_fast_path_at_slide_one_only(monkeypatch, step, taken):
    # `windrow.algorithms._run` is where the choice is made; the spy sees its shape
    module = slide_regular.__globals__
    seen = []
    kernel_assembly = module["kernel_assembly"]

    def spy(algorithm, product, shape):
        seen.append(shape.fast)
        return kernel_assembly(algorithm, product, shape)

    monkeypatch.setitem(module, "kernel_assembly", spy)
    product = product_of([Request(find("sum"), "int", (0,))])

    with interpreting():
        slide_regular(
            BY_NAME["sba"],
            product,
            (np.arange(50),),
            np.array([0]),
            np.array([50]),
            4,
            step,
        )

    assert seen == [taken]


# --- NaN, infinities and huge values that stay behind -------------------------------


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf, 1e308, -1e308])
@pytest.mark.parametrize(
    "aggregate", ["sum", "mean", "variance", "stddev", "max", "min"]
)
@pytest.mark.parametrize("width", [1, 4, 9])
def test_what_has_left_cannot_be_seen_in_a_later_window(poison, aggregate, width):
    values = [float((at * 7) % 5) for at in range(40)]
    values[3] = values[17] = values[18] = poison

    actual = slide(values, wr.rows(width), aggregate)

    clean = [
        (at, got)
        for at, got in enumerate(actual)
        if poison not in values[at : at + width]
        and not any(math.isnan(value) for value in values[at : at + width])
    ]
    expected = [
        (at, oracles.lower(aggregate, values[at : at + width])) for at, _ in clean
    ]
    assert len(clean) > 5
    assert not oracles.differences(clean, expected, 1e-12)


@pytest.mark.parametrize("aggregate", ["sum", "mean", "variance"])
def test_what_has_left_an_earlier_frame_cannot_be_seen_in_time_windows(aggregate):
    values = [1.0, math.inf, 2.0, math.nan, 3.0, 1e308, 4.0, 5.0]
    table = pa.table({"at": range(0, 80, 10), "v": values})

    with interpreting():
        window = wr.sliding(20, every=5, on="at")
        result = wr.aggregate(table, window, r=getattr(wr, aggregate)("v"))
    actual = result["r"].to_pylist()

    rows = [{"at": 10 * i, "v": v} for i, v in enumerate(values)]
    calls = {"r": (aggregate, ("v",))}
    answers = oracles.aggregate(rows, [], [oracles.Time(20, 5)], calls)
    expected = [row["r"] for row in answers]
    assert not oracles.differences(actual, expected, 1e-12)


# --- sums that drift --------------------------------------------------------------


@pytest.mark.parametrize("width", [1_000, 100_000])
def test_a_float_sum_over_ten_million_values_does_not_drift(width):
    # Any order of n - 1 additions errs by at most (n - 1) eps sum|x|.  A window is
    # a suffix and a prefix of chunks added in rows: its own length bounds the error,
    # however long the stream is, and in practice rounding is a walk: c is 4 sqrt(n).
    rng = np.random.default_rng(2021)
    values = rng.normal(size=10_000_000) * 10.0 ** rng.integers(-8, 9, 10_000_000)
    bound = 4 * math.sqrt(width) * EPSILON / 2

    sums = wr.slide(values, wr.rows(width), "sum")

    for at in np.linspace(0, len(sums) - 1, 60).astype(int).tolist():
        inside = values[at : at + width]
        error = abs(float(sums[at]) - math.fsum(inside))
        assert error <= bound * float(np.abs(inside).sum())


def test_the_last_sum_does_not_remember_a_large_value_long_gone():
    values = np.full(2_000_000, 0.1)
    values[0] = 1e17

    sums = wr.slide(values, wr.rows(1_000), "sum")

    assert float(sums[-1]) == pytest.approx(100.0, abs=1e-10)
    assert float(sums[1]) == pytest.approx(100.0, abs=1e-10)
