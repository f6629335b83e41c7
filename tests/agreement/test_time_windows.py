"""Tests time windows without arrays of bounds, for every algorithm and in every lane.

gapless   each slide holds a row: the loop for even windows, clipped at both ends
gaps      cursors walk the slices, and stretches of equal windows are answered once
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from strategies import part
from windrow.aggregates import find
from windrow.algorithms import CATALOGUE, slide_regular
from windrow.batch import slices
from windrow.kernels import Request, product_of
from windrow.loops import Lane, interpreting, pinned

NAMES = [algorithm.name for algorithm in CATALOGUE]
AGGREGATES = {"f": ("first", ("v",)), "s": ("sum", ("v",)), "n": ("count", ())}
SELECTIVE = {"m": ("max", ("v",))}


def calls_for(name):
    """Calls that the algorithm suits; `first` tells when the order is wrong."""
    if name == "slick_deque":
        return {"m": wr.max("v")}, SELECTIVE
    if name.endswith("_inv") or name == "subtract_on_evict":
        only = {"s": AGGREGATES["s"], "n": AGGREGATES["n"]}
        return {"s": wr.sum("v"), "n": wr.count()}, only
    calls = {"f": wr.first("v"), "s": wr.sum("v"), "n": wr.count()}
    return calls, AGGREGATES


@st.composite
def tables(draw, steps):
    """A table of a few keys, and a window; the steps of times decide on gaps."""
    slide = draw(st.integers(1, 4))
    spec = oracles.Time(slide * draw(st.integers(1, 9)), slide, draw(st.integers(0, 5)))
    rows = []
    for key in range(draw(st.integers(1, 3))):
        at = draw(st.integers(-20, 20))
        for _ in range(draw(st.integers(1, 12))):
            rows.append({"key": key, "at": at, "v": draw(st.integers(-9, 9))})
            at += draw(st.sampled_from(steps)) if steps else slide
    return rows, spec


def answers(rows, spec, calls, **options):
    columns = {n: [row[n] for row in rows] for n in ("key", "at", "v")}
    window = wr.sliding(spec.range, every=spec.slide, offset=spec.offset, on="at")
    table = wr.aggregate(
        pa.table(columns), window, by="key", aggregates=calls, **options
    )
    flat = table.flatten().rename_columns(["key", "start", "end", *calls])
    return flat.to_pylist()


def in_each_lane(rows, spec, calls, name):
    """By the algorithm's own loops, and over columns, where there is no algorithm."""
    with interpreting():
        yield answers(rows, spec, calls, algorithm=name)
    with pinned(Lane.COLUMNS):
        yield answers(rows, spec, calls)


@pytest.mark.parametrize("name", NAMES)
@part(0.1)
@given(data=st.data())
def test_windows_over_times_with_gaps(name, data):
    rows, spec = data.draw(tables([0, 1, 1, 3, 30]))
    calls, menu = calls_for(name)
    expected = oracles.aggregate(rows, ["key"], [spec], menu)

    for actual in in_each_lane(rows, spec, calls, name):
        assert not oracles.differences(actual, _single(expected))


@pytest.mark.parametrize("name", NAMES)
@part(0.1)
@given(data=st.data())
def test_windows_over_times_without_a_gap(name, data):
    rows, spec = data.draw(tables(data.draw(st.sampled_from([None, [0, 1]]))))
    calls, menu = calls_for(name)
    expected = oracles.aggregate(rows, ["key"], [spec], menu)

    for actual in in_each_lane(rows, spec, calls, name):
        assert not oracles.differences(actual, _single(expected))


def _single(rows):
    return [{k: v for k, v in row.items() if k != "query"} for row in rows]


@pytest.mark.parametrize(
    ("name", "aggregate", "steps"),
    [
        pytest.param(
            name,
            aggregate,
            steps,
            id=f"{name}-{aggregate}-{steps}",
            marks=() if name == "two_stacks_lite" else pytest.mark.deep,
        )
        for name, aggregate in [("pba", "first"), ("two_stacks_lite", "sum")]
        for steps in ([1], [0, 1], [1, 1, 90])
    ]
    + [
        pytest.param("sba", aggregate, steps, marks=pytest.mark.deep)
        for aggregate in ("first", "max")
        for steps in ([1], [0, 1], [1, 1, 90])
    ],
)
def test_compiled_loops_give_the_windows_of_the_oracle(name, aggregate, steps):
    rng = np.random.default_rng(len(name) + len(steps))
    times = np.cumsum(rng.choice(steps, 900))
    rows = [
        {"key": int(k), "at": int(t), "v": int(v)}
        for k in range(3)
        for t, v in zip(times[k * 250 :], rng.integers(-99, 99, 900), strict=False)
    ]
    spec = oracles.Time(40, 1, 0)
    calls = {"a": getattr(wr, aggregate)("v")}

    with pinned(Lane.COMPILED):
        actual = answers(rows, spec, calls, algorithm=name)

    expected = oracles.aggregate(rows, ["key"], [spec], {"a": (aggregate, ("v",))})
    assert not oracles.differences(actual, _single(expected))


def test_slices_without_a_gap_take_the_even_loop_and_others_the_cursors(monkeypatch):
    taken = []
    for name in ("slide_regular", "slide_numbers", "slide_arrays"):
        real = getattr(slices, name)

        def spy(*args, name=name, real=real, **options):
            taken.append(name)
            return real(*args, **options)

        monkeypatch.setattr(slices, name, spy)
    rows = [{"key": 0, "at": t, "v": t} for t in range(50)]
    spec, calls = oracles.Time(5, 1, 0), {"m": wr.max("v")}

    answers(rows, spec, calls)
    answers(rows[:20] + rows[30:], spec, calls)
    answers(rows[:20] + rows[30:], oracles.Time(5, 2, 0), calls)

    assert taken == ["slide_regular", "slide_numbers", "slide_numbers"]


@pytest.mark.parametrize(
    ("kept", "algorithm", "bounds"),
    [
        (lambda t: True, "sba", "by arithmetic, run by run: no slide is without a row"),
        (
            lambda t: t != 20,
            "two_stacks_lite",
            "a cursor for each end walks",
        ),
    ],
)
def test_explain_names_the_algorithm_and_the_loop_that_run(kept, algorithm, bounds):
    times = [t for t in range(50) if kept(t)]
    table = pa.table({"at": times, "v": [float(t) for t in times]})
    window = wr.sliding(9, every=1, on="at")

    text = str(wr.explain(table, window, m=wr.max("v")))

    assert f"algorithm  {algorithm}: " in text
    assert f"bounds     {bounds}" in text


@pytest.mark.parametrize("lead", [False, True])
@pytest.mark.parametrize("trail", [False, True])
@pytest.mark.parametrize("lane", [Lane.COLUMNS, Lane.COMPILED])
def test_windows_at_both_ends_of_a_run_are_clipped(lead, trail, lane):
    values = -np.arange(23, dtype=np.float64)  # the oldest is the greatest
    firsts, lasts = np.array([0, 3, 4]), np.array([3, 4, 23])
    width = 7
    product = product_of([Request(find("max"), "float", (0,))])

    out = slide_regular(
        next(a for a in CATALOGUE if a.name == "sba"),
        product,
        (values,),
        firsts,
        lasts,
        width,
        lead=lead,
        trail=trail,
        lane=lane,
    )

    expected = [
        -max(start, first)
        for first, last in zip(firsts, lasts, strict=True)
        for start in range(first - width + 1, last)
        if (lead or start >= first) and (trail or start + width <= last)
    ]
    assert list(out[0]) == expected
