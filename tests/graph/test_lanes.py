"""Tests that graphs give the same answers over whole columns as compiled."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part
from windrow.aggregates import find
from windrow.graph import slide_graph, slide_uneven, slide_walked
from windrow.graph.loops.whole_columns import INPUTS
from windrow.kernels import Assembly, Request, product_of
from windrow.loops import Lane
from windrow.windows import Even

PRODUCTS = [("int", ["sum"]), ("float", ["first"])]  # with inverse, not
PRODUCTS += [pytest.param("float", ["first", "mean", "max"], marks=pytest.mark.deep)]


def product(kind: str, names: list[str]):
    return product_of([Request(find(name), kind, (0,)) for name in names])


def agree(both):
    """Compare the columns of all windows in both lanes."""
    columns, compiled = both
    for actual, expected in zip(columns, compiled, strict=True):
        for mine, theirs in zip(actual, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("kind", "names"), PRODUCTS)
@part(0.5)
@given(
    st.lists(
        st.tuples(st.sampled_from([1, 2, 5, 64, 70, 300]), st.integers(1, 4)),
        min_size=1,
        max_size=20,
    ),
    st.lists(st.sampled_from([0, 1, 4, 90, 400, INPUTS, 2 * INPUTS]), max_size=6),
)
def test_even_windows_of_runs_with_gaps_between(kind, names, windows, sizes):
    windows = windows if len(windows) > 1 else [(windows[0][0], 1)]
    lasts = np.cumsum([size + 3 for size in sizes]).astype(np.int64)
    firsts = lasts - np.array(sizes, np.int64)
    rng = np.random.default_rng(len(sizes))
    values = rng.integers(-99, 99, int(lasts.max(initial=0)) + 1)
    column = values / 4 if kind == "float" else values
    work = product(kind, names), (column,), firsts, lasts, windows
    agree([slide_graph(*work, lane=lane) for lane in Lane])


@pytest.mark.parametrize(("kind", "names"), PRODUCTS)
@part(0.5)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30),
        min_size=1,
        max_size=5,
    )
)
def test_uneven_windows_of_several_lists(kind, names, moves):
    bounds = []
    for own in moves:
        steps = np.array(own, np.int64).reshape(-1, 2)
        starts, stops = np.minimum(np.cumsum(steps, axis=0), 99).T
        bounds.append((starts, np.maximum.accumulate(np.maximum(starts, stops))))
    column = np.random.default_rng(1).integers(-99, 99, 100).astype(f"{kind}64")
    work = product(kind, names), (column,), bounds
    both = [slide_uneven(*work, leaf="rows", lane=lane) for lane in Lane]
    filled = [
        [tuple(f[b > a] for f in out) for out, (a, b) in zip(outs, bounds, strict=True)]
        for outs in both
    ]
    agree(filled)


@pytest.mark.parametrize(("kind", "names"), PRODUCTS)
@part(0.5)
@given(
    st.lists(
        st.tuples(st.integers(1, 90), st.integers(1, 40), st.integers(-9, 9)),
        min_size=1,
        max_size=5,
    ),
    st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=60), min_size=1),
)
def test_windows_that_are_walked_by_instants(kind, names, lists, steps):
    """Gaps of all lengths, several runs; windows that share and those that do not."""
    evens = [Even(max(range_, slide), slide, shift) for range_, slide, shift in lists]
    sizes = np.array([len(run) for run in steps])
    lasts = np.cumsum(sizes)
    firsts = lasts - sizes
    instants = np.concatenate([np.cumsum(run) - 30 for run in steps])
    column = np.random.default_rng(1).integers(-99, 99, lasts[-1]).astype(f"{kind}64")
    work = product(kind, names), (column,), instants, firsts, lasts, evens
    columns, compiled = (slide_walked(*work, leaf="rows", lane=lane) for lane in Lane)
    for even, mine, theirs in zip(evens, columns, compiled, strict=True):
        rule = [
            begin
            for a, b in zip(firsts, lasts, strict=True)
            for begin in begins_over(instants[a:b], even)
        ]
        assert mine.begins.tolist() == theirs.begins.tolist() == rule
        assert mine.counts.tolist() == theirs.counts.tolist()
    agree([[list_.out for list_ in lists_] for lists_ in (columns, compiled)])


def begins_over(instants, even):
    """Where windows begin that hold an instant, by trying each."""
    low = (instants[0] - even.shift) // even.slide - even.range // even.slide - 2
    high = (instants[-1] - even.shift) // even.slide + 1
    begins = [even.shift + k * even.slide for k in range(low, high)]
    return [b for b in begins if any(b <= t < b + even.range for t in instants)]


@pytest.mark.parametrize(("algorithm", "lanes"), [("auto", {True}), ("gag", {False})])
@pytest.mark.parametrize(
    "windows",
    [
        [wr.rows(100), wr.rows(150)],
        [wr.sliding(100, every=10, on="t"), wr.sliding(150, every=7, on="t")],
    ],
)
def test_a_graph_asked_for_by_name_is_compiled(monkeypatch, windows, algorithm, lanes):
    table = pa.table({"t": np.arange(900), "x": np.arange(900) % 7})
    taken = set()
    run = Assembly.run

    def seen(assembly, *arguments):
        if "graph" in assembly.what:
            taken.add(assembly.lane(arguments) is Lane.COLUMNS)
        run(assembly, *arguments)

    monkeypatch.setenv("WINDROW_COMPILE", "never")
    monkeypatch.setattr(Assembly, "run", seen)

    wr.aggregate(table, windows, s=wr.sum("x"), algorithm=algorithm)

    assert taken == lanes
