"""Tests that graphs give the same answers over whole columns as compiled."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.aggregates import find
from windrow.graph import slide_graph, slide_uneven
from windrow.graph.loops.whole_columns import INPUTS
from windrow.kernels import Assembly, Request, product_of
from windrow.loops import Lane

PRODUCTS = [("int", ["sum"]), ("float", ["first", "mean", "max"])]  # with inverse, not


def product(kind: str, names: list[str]):
    return product_of([Request(find(name), kind, (0,)) for name in names])


def agree(both):
    """Compare the columns of all windows in both lanes."""
    columns, compiled = both
    for actual, expected in zip(columns, compiled, strict=True):
        for mine, theirs in zip(actual, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("kind", "names"), PRODUCTS)
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
