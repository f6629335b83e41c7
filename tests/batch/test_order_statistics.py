"""Tests values by their order against sorted lists, by every method."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from lanes import in_lane
from windrow.batch.holistic import holistic
from windrow.loops import Lane, pinned
from windrow.plan.selection import LEAST_WIDTH
from windrow.selection import (
    CATALOGUE,
    COUNTING,
    RANKED_BITS,
    SORTED_BLOCKS,
    select,
    sorted_blocks,
)

METHODS = (SORTED_BLOCKS, RANKED_BITS, COUNTING)
SHAPES = {
    "falling": lambda n: np.arange(n)[::-1] * 1.0,
    "rising": lambda n: np.arange(n) * 1.0,
    "tied": lambda n: np.arange(n) % 3 * 1.0,
    "same": np.ones,
    "saw": lambda n: np.arange(n) * 7919 % 101 - 50.0,
    "far off": lambda n: 1e12 + np.arange(n) * 7919 % 1009 * 1e-3,
    "heavy": lambda n: np.exp(np.arange(n) * 7919 % 1401 - 700.0),
    "nearly tied": lambda n: np.where(  # some are a little less than the one before
        np.arange(n) % 20 == 1,
        (np.arange(n) - 1) * 7919 % 3001 * 10 - 1e-7,
        np.arange(n) * 7919 % 3001 * 10.0,
    ),
    "two sides": lambda n: np.where(np.arange(n) % 2, 1e9, -1e9) + np.arange(n),
}


def places(values, starts, stops, targets, steps):
    """The values at indices of each window, by definition; None where there is none."""
    found = []
    for table in targets:
        for a, b in zip(starts, stops, strict=True):
            ordered = sorted(values[a:b], key=oracles.rank)
            first = table[b - a]
            found.append(
                [
                    ordered[first + s] if first >= 0 and first + s < b - a else None
                    for s in range(steps)
                ]
            )
    return found


def selected(method, values, starts, stops, targets, steps):
    rows = select(method, values, starts, stops, targets, steps)
    flat = rows.reshape(-1, steps).tolist()
    return [[None if row < 0 else values[row].item() for row in line] for line in flat]


def any_windows(rng, rows, count):
    starts = np.sort(rng.integers(0, rows + 1, count))
    return starts, np.maximum(starts, np.sort(rng.integers(0, rows + 1, count)))


def even_windows(runs, width, complete):
    """Windows of rows that move on by one, over runs of those lengths."""
    starts, stops, first = [], [], 0
    for length in runs:
        for end in range(width if complete else 1, length + 1):
            starts.append(first + max(end - width, 0))
            stops.append(first + end)
        first += length
    return np.array(starts, np.int64), np.array(stops, np.int64)


def tables(rng, longest, count):
    """Indices by number of values, some out of reach."""
    n = np.arange(longest + 1)
    shares = rng.random(count)[:, None]
    indices = np.floor(shares * n).astype(np.int64)
    return np.where(rng.random(indices.shape) < 0.1, -1, indices)


LANES = ["interpreted", Lane.COLUMNS]


@pytest.mark.parametrize("method", [RANKED_BITS, COUNTING], ids=lambda m: m.name)
@given(
    seed=st.integers(0, 2**32),
    kinds=st.sampled_from([1, 3, 4000]),
    rows=st.sampled_from([0, 1, 2, 90]),
    steps=st.sampled_from([1, 2, 5]),
)
def test_any_windows_by_definition(method, seed, kinds, rows, steps):
    rng = np.random.default_rng(seed)
    values = rng.integers(-kinds, kinds, rows)
    starts, stops = any_windows(rng, rows, 40)
    targets = tables(rng, int((stops - starts).max()), 2)

    expected = places(values.tolist(), starts, stops, targets, steps)

    for lane in LANES:
        work = method, values, starts, stops, targets, steps
        assert in_lane(lane, lambda work=work: selected(*work)) == expected


@given(
    seed=st.integers(0, 2**32),
    width=st.sampled_from([1, 2, 3, 8, 31, 70]),
    runs=st.lists(st.sampled_from([1, 5, 31, 32, 100]), min_size=1, max_size=4),
    complete=st.booleans(),
    steps=st.sampled_from([1, 2, 3]),
)
def test_even_windows_in_sorted_blocks_by_definition(
    seed, width, runs, complete, steps
):
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.5, 0.0, 2.0, math.inf, -math.inf, math.nan], sum(runs))
    mixed = np.where(rng.random(len(values)) < 0.5, rng.random(len(values)), values)
    starts, stops = even_windows(runs, width, complete)
    if not len(starts):
        return
    targets = tables(rng, int((stops - starts).max()), 2)

    expected = places(mixed.tolist(), starts, stops, targets, steps)

    for lane in LANES:
        work = SORTED_BLOCKS, mixed, starts, stops, targets, steps
        actual = in_lane(lane, lambda work=work: selected(*work))
        assert oracles.alike(actual, expected)


@pytest.mark.parametrize("shape", SHAPES)
def test_compiled_methods_agree_on_streams_of_every_shape(shape):
    values = SHAPES[shape](3000)
    for width in (9, 200):
        starts, stops = even_windows([2000, 1000], width, complete=False)
        targets = np.stack([np.arange(width + 1) // 2, np.arange(width + 1) - 1])
        with pinned(Lane.COLUMNS):
            expected = selected(RANKED_BITS, values, starts, stops, targets, 2)
        for method in (SORTED_BLOCKS, RANKED_BITS):
            with pinned(Lane.COMPILED):
                actual = selected(method, values, starts, stops, targets, 2)
            assert actual == expected
        if shape in ("tied", "same", "saw"):
            whole = values.astype(np.int64)
            with pinned(Lane.COMPILED):
                actual = selected(COUNTING, whole, starts, stops, targets, 2)
            assert actual == expected


def test_few_members_among_many_ranks_are_found_over_any_gap():
    rng = np.random.default_rng(5)
    values = rng.permutation(300_000).astype(np.float64)
    starts = np.arange(0, 299_990, 7_000)
    stops = starts + 3
    targets = np.array([[-1, 0, 1, 1]])

    with pinned(Lane.COMPILED):
        actual = selected(RANKED_BITS, values, starts, stops, targets, 2)

    assert actual == places(values.tolist(), starts, stops, targets, 2)


NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, math.inf, -math.inf, math.nan])


@pytest.mark.parametrize("lane", LANES)
@given(
    values=st.lists(st.one_of(NUMBERS, st.none(), st.floats(width=32)), max_size=40),
    seed=st.integers(0, 2**32),
)
def test_distances_from_the_median_by_definition(lane, values, seed):
    starts, stops = any_windows(np.random.default_rng(seed), len(values), 20)
    column = pa.array(values, pa.float64())

    actual = in_lane(lane, lambda: holistic("mad", column, starts, stops, {}))

    windows = [values[a:b] for a, b in zip(starts, stops, strict=True)]
    expected = [oracles.lower("mad", window) for window in windows]
    assert oracles.alike(actual.to_pylist(), expected, 1e-9)


def test_the_planner_chooses_by_type_range_nulls_and_frames():
    n = 64
    table = pa.table(
        {
            "x": np.linspace(0.0, 1.0, n),
            "holes": [None, *np.linspace(0.0, 1.0, n - 1)],
            "small": np.arange(n) % 5,
            "large": np.arange(n) * 10**6,
            "at": np.arange(n),
        }
    )
    chosen = {}
    for label, last in (("rows", 9), ("time", "9")):
        names = ("x", "holes", "small", "large")
        calls = {f"m_{c}": wr.median(c, last=last) for c in names}
        text = str(wr.explain(table, on="at", aggregates=calls))
        for line in text.splitlines():
            if line.startswith("  order"):
                names, _, method = line[13:].partition(" by ")
                for name in names.split(", "):
                    chosen[label, name[7:-1]] = method.split()[0]

    assert chosen == {
        ("rows", "x"): "sorted_blocks",
        ("rows", "holes"): "ranked_bits",
        ("rows", "small"): "counting",
        ("rows", "large"): "sorted_blocks",
        ("time", "x"): "ranked_bits",
        ("time", "holes"): "ranked_bits",
        ("time", "small"): "counting",
        ("time", "large"): "ranked_bits",
    }


def test_blocks_are_walked_where_the_plan_says_so(monkeypatch):
    asked = []

    def spy(place):
        def walk(*work):
            asked.append((place, work[1]))
            return sorted_blocks.walk_trains(*work)

        monkeypatch.setattr(f"windrow.{place}.walk_trains", walk)

    moving, any_frames = "batch.order_statistics", "selection.by_index"
    spy(moving)
    spy(any_frames)
    values, width = np.random.default_rng(0).random(100), LEAST_WIDTH
    table = pa.table({"at": np.arange(100), "x": values})

    wr.slide(values, wr.rows(width), "median")
    wr.slide(values, wr.rows(width - 1), "median")
    wr.over(table, on="at", m=wr.median("x", last=width))

    assert asked == [(moving, width), (any_frames, width)]


@pytest.mark.parametrize("lane", Lane)
@pytest.mark.parametrize("shape", ["saw", "nearly tied", "heavy", "odd"])
def test_windows_that_move_on_by_one_give_the_quantiles_of_their_rows(
    lane, shape, monkeypatch
):
    monkeypatch.setattr("windrow.batch.order_statistics.PIECE", 50)
    odd = np.array([math.nan, 1.0, -math.inf, 2.0, math.inf, 1e308, -1e308, -0.0])
    values = odd[np.arange(700) * 7919 % 8] if shape == "odd" else SHAPES[shape](700)
    calls = {
        "median": wr.median(),
        "high": wr.quantile(q=0.9),
        "middle": wr.quantile(q=0.3, interpolation="midpoint"),
    }

    for width in (9, 64, 700, 701):
        with pinned(lane):
            actual = wr.slide(values, wr.rows(width), calls, threads=2)
        starts = np.arange(max(701 - width, 0))
        for name, call in calls.items():
            frames = starts, starts + width
            options = dict(call.options)
            with pinned(Lane.COLUMNS):
                column = pa.array(values)
                kind = call.aggregate.name
                expected = holistic(kind, column, *frames, options, method=RANKED_BITS)
            np.testing.assert_array_equal(actual[name], expected.to_numpy())


def test_each_method_has_a_card():
    assert len({method.name for method in CATALOGUE}) == len(CATALOGUE)
    for method in CATALOGUE:
        card = (method.title, method.serves, method.time, method.space, method.source)
        assert all(word.strip() for word in card)
