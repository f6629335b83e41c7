"""Answers of shared passes, beside each window's definition and each window alone."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import sliding_window_view

import windrow as wr
from counting import counted, objects
from windrow.aggregates import find
from windrow.graph import slide_graph, slide_uneven
from windrow.kernels import Request, product_of


def windows_of(most: int, *ranges: tuple[int, int]) -> st.SearchStrategy:
    """Range and slide, the slide no longer than the range."""
    widths = st.one_of(*(st.integers(*pair) for pair in ranges))
    return widths.flatmap(lambda r: st.tuples(st.just(r), st.integers(1, min(r, most))))


WINDOWS = st.lists(
    windows_of(7, (1, 40), (64, 200), (500, 2600)), min_size=2, max_size=50
)
CUTS = st.lists(st.integers(0, 5000), max_size=4)
NUMBERS = st.tuples(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 63, 700, 5000]))
NEAR = windows_of(5, (1, 9), (64, 70), (120, 140), (190, 260))
FEWER = st.lists(NEAR, min_size=2, max_size=12)


def runs_of(cuts: list[int], n: int) -> tuple[np.ndarray, np.ndarray]:
    edges = np.array(sorted({0, n, *(cut for cut in cuts if cut < n)}), np.int64)
    return edges[:-1], edges[1:]


def defined(values, firsts, lasts, window, function):
    range_, slide = window
    return [
        function(values[i : i + range_])
        for first, last in zip(firsts, lasts, strict=True)
        for i in range(int(first), int(last) - range_ + 1, slide)
    ]


def viewed(values, firsts, lasts, window, function):
    """The same by numpy, for long runs."""
    range_, slide = window
    parts = [
        function(sliding_window_view(values[a:b], range_)[::slide], axis=1)
        for a, b in zip(firsts, lasts, strict=True)
        if b - a >= range_
    ]
    return np.concatenate(parts) if parts else np.empty(0, values.dtype)


def product(name: str, kind: str):
    return product_of([Request(find(name), kind, (0,))])


@given(WINDOWS, NUMBERS, CUTS)
def test_sums_of_whole_numbers(windows, numbers, cuts):
    seed, n = numbers
    column = np.random.default_rng(seed).integers(-(2**61), 2**61, n)
    runs = runs_of(cuts, n)
    got = slide_graph(product("sum", "int"), (column,), *runs, windows)
    for window, (out, *_) in zip(windows, got, strict=True):
        np.testing.assert_array_equal(out, viewed(column, *runs, window, np.sum))


@given(WINDOWS, NUMBERS, CUTS)
def test_least_of_floats_with_nans_and_infinities(windows, numbers, cuts):
    seed, n = numbers
    rng = np.random.default_rng(seed)
    odd = [0.0, -0.0, np.inf, -np.inf, np.nan]
    column = np.where(rng.random(n) < 0.01, rng.choice(odd, n), rng.random(n))
    runs = runs_of(cuts, n)
    got = slide_graph(product("min", "float"), (column,), *runs, windows)
    for window, (out, *_) in zip(windows, got, strict=True):
        expected = viewed(
            np.where(np.isnan(column), np.inf, column), *runs, window, np.min
        )
        holes = viewed(~np.isnan(column), *runs, window, np.any)
        np.testing.assert_array_equal(
            out, np.where(holes, expected, np.nan) if len(out) else expected
        )


@given(WINDOWS, NUMBERS, CUTS)
def test_partials_of_several_fields(windows, numbers, cuts):
    seed, n = numbers
    column = np.random.default_rng(seed).integers(0, 4, n).astype(np.float64)
    runs = runs_of(cuts, n)
    requests = [Request(find(name), "float", (0,)) for name in ("max", "sum", "count")]
    got = slide_graph(product_of(requests), (column,), *runs, windows)
    for window, out in zip(windows, got, strict=True):
        np.testing.assert_array_equal(out[0], viewed(column, *runs, window, np.max))
        np.testing.assert_array_equal(out[1], viewed(column, *runs, window, np.sum))


@given(FEWER, st.integers(0, 600), st.lists(st.integers(0, 600), max_size=3))
def test_order_is_kept_where_it_matters(windows, n, cuts):
    runs = runs_of(cuts, n)
    values = [(i,) for i in range(n)]
    _, tuples = counted(lambda a, b: a + b, identity=())
    got = slide_graph(tuples, (objects(values),), *runs, windows)
    for window, (out, *_) in zip(windows, got, strict=True):
        expected = defined(list(range(n)), *runs, window, tuple)
        assert out.tolist() == expected


@given(FEWER, st.integers(0, 600), st.lists(st.integers(0, 600), max_size=3))
def test_differences_hold_where_every_part_can_be_taken_off(windows, n, cuts):
    values = list(range(7, n + 7))
    runs = runs_of(cuts, n)
    _, sums = counted(lambda a, b: a + b, identity=0, inverse=lambda a, b: a - b)
    got = slide_graph(sums, (objects(values),), *runs, windows, undo=True)
    for window, (out, *_) in zip(windows, got, strict=True):
        assert out.tolist() == defined(values, *runs, window, sum)


@pytest.mark.parametrize("width", [1, 2, 3, 64, 4095, 4096, 4097, 9000])
@pytest.mark.parametrize("kind", ["int", "float"])
def test_one_window_alone(width, kind):
    values = np.random.default_rng(width).integers(-99, 99, 20_000)
    column = values.astype(np.float64) if kind == "float" else values
    name = "sum" if kind == "int" else "min"
    runs = np.array([0, 4500]), np.array([4500, 20_000])
    ((out, *_),) = slide_graph(product(name, kind), (column,), *runs, [(width, 1)])
    function = np.sum if name == "sum" else np.min
    views = [
        function(sliding_window_view(column[a:b], width), axis=1)
        for a, b in zip(*runs, strict=True)
        if b - a >= width
    ]
    np.testing.assert_array_equal(out, np.concatenate(views))


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)),
    st.booleans(),
)
def test_windows_that_are_not_equally_long(moves, undo):
    """Stops never fall; starts may pass them (a gap), windows may be empty."""
    values = list(range(1, 60))
    bounds, expected = [], []
    for one in moves or [[]]:
        starts, stops, start, stop = [], [], 0, 0
        for a, b in one:
            start, stop = min(start + a, 59), min(stop + b, 59)
            stop = max(start, stop)
            starts.append(start)
            stops.append(stop)
        bounds.append((np.array(starts, np.int64), np.array(stops, np.int64)))
        expected.append([values[a:b] for a, b in zip(starts, stops, strict=True)])
    column = np.array(values, np.int64)
    name, function = ("sum", sum) if undo else ("max", max)
    got = slide_uneven(product(name, "int"), (column,), bounds, leaf="rows")
    for (out, *_), windows in zip(got, expected, strict=True):
        assert [int(x) for x, w in zip(out, windows, strict=True) if w] == [
            function(w) for w in windows if w
        ]


AGGREGATES = {
    "whole": {"s": wr.sum("x"), "c": wr.count(), "m": wr.mean("x")},
    "mixed": {"s": wr.sum("x"), "top": wr.max("y"), "f": wr.first("y")},
    "holistic": {"s": wr.sum("x"), "d": wr.count_distinct("x")},
}


@st.composite
def tables(draw):
    n = draw(st.integers(0, 700))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    holes = rng.random(n) < 0.2
    return pa.table(
        {
            "k": rng.integers(0, 3, n),
            "t": np.sort(rng.integers(0, 300, n)),
            "x": pa.array(rng.integers(-9, 9, n), mask=holes),
            "y": rng.integers(-50, 50, n) / 4,
        }
    )


def own_rows(table: pa.Table, number: int) -> pa.Table:
    return table.filter(pc.equal(table["query"], number)).drop(["query"])


@pytest.mark.parametrize(
    ("name", "algorithms"),
    [
        ("whole", ["auto"]),
        ("mixed", ["auto"]),
        ("holistic", ["auto", "gag"]),  # compiled, as any graph asked for by name
        pytest.param("whole", ["gag"], marks=pytest.mark.deep),
        pytest.param("mixed", ["gag"], marks=pytest.mark.deep),
    ],
)
@given(
    tables(),
    st.lists(windows_of(30, (1, 20), (64, 120)), min_size=1, max_size=50),
    st.sampled_from(["rows", "partial", "time"]),
    st.data(),
)
def test_a_shared_plan_gives_what_each_query_gives_alone(
    name, algorithms, table, ranges, kind, data
):
    algorithm = data.draw(st.sampled_from(algorithms))
    make = {
        "rows": lambda r, s: wr.rows(r, every=s),
        "partial": lambda r, s: wr.rows(r, every=s, partial=True),
        "time": lambda r, s: wr.sliding(r, every=s, on="t"),
    }[kind]
    windows = [make(r, s) for r, s in ranges]
    calls = AGGREGATES[name]
    shared = wr.aggregate(table, windows, by="k", algorithm=algorithm, **calls)
    for number, window in enumerate(windows):
        alone = wr.aggregate(table, window, by="k", **calls)  # over columns
        assert own_rows(shared, number).equals(alone)


@pytest.mark.parametrize("per_key", [900, 40])
def test_windows_of_several_keys_come_key_by_key(per_key):
    """Keys with many windows are put in order piece by piece, others row by row."""
    n = 3 * per_key
    table = pa.table({"k": np.arange(n) % 3, "t": np.arange(n) // 3, "x": np.arange(n)})
    windows = [wr.rows(9, name="short"), wr.rows(20, name="long")]

    shared = wr.aggregate(table, windows, by="k", s=wr.sum("x"))

    expected = [
        wr.aggregate(
            table.filter(pc.equal(table["k"], k)), window, by="k", s=wr.sum("x")
        )
        for k in range(3)
        for window in windows
    ]
    assert shared.drop(["query"]).equals(pa.concat_tables(expected))
    assert shared["query"][per_key - 9].as_py() == "short"
    assert shared["query"][per_key - 8].as_py() == "long"
