"""FlatFAT, B-Int, FlatFIT and both SlideSides at the edges of their contract.

Windows are answered in stretches (see `watched`), so that a wrong slice, a slice
too many, or a combine out of stream order shows whatever the aggregate.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import monotone_windows
from watched import STRETCH, positions, product_for, run, stretches
from windrow.aggregates import Aggregate
from windrow.aggregates import find as aggregate
from windrow.algorithms import find, slide_arrays, slide_regular
from windrow.kernels import Request, product_of

FAMILY = [
    pytest.param(find(name), id=name)
    for name in ("flat_fat", "b_int", "flat_fit", "slide_side", "slide_side_inv")
]
family = pytest.mark.parametrize("algorithm", FAMILY)

EDGES = {
    "one slice": [(0, 1), (1, 2), (2, 3), (3, 4)],
    "one slice on, a power of two": [(i, i + 4) for i in range(11)],
    "one slice on, not a power of two": [(i, i + 5) for i in range(19)],
    "growing before the first whole one": [(max(0, i - 6), i) for i in range(1, 21)],
    "several slices a slide": [(3 * i, 3 * i + 7) for i in range(12)],
    "a slide as long as the window": [(4 * i, 4 * i + 4) for i in range(5)],
    "a gap": [(0, 3), (1, 4), (9, 12), (10, 14), (40, 41), (40, 44)],
    "the next key": [(0, 3), (1, 4), (2, 5), (5, 6), (5, 7), (6, 8), (8, 9)],
    "an empty window": [(0, 0), (0, 2), (1, 3), (3, 3), (3, 5), (5, 5), (9, 9)],
    "the same window again": [(0, 3), (0, 3), (2, 6), (2, 6), (2, 6), (5, 7)],
    "slices leave and none comes": [(0, 8), (1, 8), (3, 8), (7, 8), (7, 12), (11, 13)],
    "slices leave an inverted buffer": [(0, 4), (3, 7), (5, 7), (6, 7), (6, 10)],
    "a start far from zero": [(1001 + i, 1001 + i + 6) for i in range(16)],
}


@family
@pytest.mark.parametrize("windows", EDGES.values(), ids=EDGES)
def test_each_window_is_made_of_its_own_slices(algorithm, windows):
    actual = stretches(algorithm, windows)

    expected = [window if window[0] < window[1] else None for window in windows]
    assert actual == expected


@family
@given(windows=monotone_windows(70, most=40))
def test_any_windows_of_one_range_are_made_of_their_own_slices(algorithm, windows):
    actual = stretches(algorithm, windows)

    expected = [window if window[0] < window[1] else None for window in windows]
    assert actual == expected


@st.composite
def jumping_windows(draw):
    """Starts anywhere behind each stop, by stop and then by start; gaps and keys."""
    windows, oldest, stop = [], 0, 0
    for _ in range(draw(st.integers(0, 12))):
        if draw(st.integers(0, 5)) == 0:
            oldest = stop = stop + draw(st.integers(0, 5))
        stop += draw(st.integers(0, 3))
        oldest = draw(st.integers(max(oldest, stop - 13), stop))
        starts = draw(st.lists(st.integers(oldest, stop), min_size=1, max_size=5))
        windows += [(start, stop) for start in sorted(starts)]
    return windows


@family
@given(windows=jumping_windows())
def test_any_ranges_in_one_pass_are_made_of_their_own_slices(algorithm, windows):
    actual = stretches(algorithm, windows, many=True)

    expected = [window if window[0] < window[1] else None for window in windows]
    assert actual == expected


@family
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 13])
def test_all_ranges_from_one_to_n_are_answered_in_one_pass(algorithm, n):
    windows = [
        (start, stop) for stop in range(1, 5 * n) for start in range(stop - n, stop)
    ]
    windows = [window for window in windows if window[0] >= 0]

    actual = stretches(algorithm, windows, many=True)

    assert actual == windows


@family
def test_two_far_ranges_share_a_pass_over_many_turns_of_the_boundary(algorithm):
    windows = [(stop - r, stop) for stop in range(16, 200) for r in (16, 7, 2)]

    actual = stretches(algorithm, windows, many=True)

    assert actual == windows


@family
def test_a_window_longer_than_the_stream_is_never_complete(algorithm):
    firsts, lasts = np.array([0, 5]), np.array([5, 9])
    source = (np.array(range(9), object),)

    actual, _ = slide_regular(
        algorithm, product_for(STRETCH), source, firsts, lasts, 300, 1
    )

    assert actual.tolist() == []


@family
def test_leading_windows_of_each_key_are_clipped_at_its_first_row(algorithm):
    firsts, lasts = np.array([0, 5, 6]), np.array([5, 6, 9])
    source = (np.array(range(9), object),)

    actual, _ = slide_regular(
        algorithm, product_for(STRETCH), source, firsts, lasts, 3, lead=True
    )

    expected = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (5, 6), (6, 7), (6, 8), (6, 9)]
    assert actual.tolist() == expected


@family
def test_memory_left_by_a_long_key_does_not_reach_a_short_one(algorithm):
    firsts, lasts = np.array([100, 0, 40]), np.array([140, 9, 50])
    source = (np.array(range(140), object),)

    actual, _ = slide_regular(
        algorithm, product_for(STRETCH), source, firsts, lasts, 6, 2
    )

    expected = [
        (start, start + 6)
        for first, last in zip(firsts, lasts, strict=True)
        for start in range(first, last - 5, 2)
    ]
    assert actual.tolist() == expected


@family
def test_slices_that_no_window_holds_are_never_read(algorithm):
    windows = [(0, 3), (2, 5), (9, 12), (11, 13), (30, 31)]
    read = set()
    watching = Aggregate(
        name="watching",
        lift=lambda at: read.add(at) or (at, at + 1),
        combine=STRETCH.combine,
        inverse=STRETCH.inverse,
        lower=STRETCH.lower,
    )

    run(algorithm, watching, positions(windows), windows)

    assert read == {0, 1, 2, 3, 4, 9, 10, 11, 12, 30}


def test_an_infinity_in_a_prefix_scan_does_not_reach_the_next_key():
    total = Aggregate(
        name="total",
        identity=0.0,
        lift=float,
        combine=lambda older, newer: older + newer,
        inverse=lambda whole, oldest: whole - oldest,
        lower=lambda partial: partial,
    )
    values = [1.0, math.inf, 2.0, 3.0, 4.0, 5.0]

    actual = run(
        find("slide_side_inv"), total, values, [(0, 2), (0, 3), (3, 5), (4, 6)]
    ).answers

    assert actual == [math.inf, math.inf, 7.0, 9.0]


# --- the invariants of the docstrings, after every window ---------------------------


def states(name, windows):
    """After each window: what is kept, [keep, stop), and the kernel's memory."""
    starts = [start for start, _ in windows]
    for count in range(1, len(windows) + 1):
        ran = run(
            find(name), STRETCH, positions(windows), windows, many=True, count=count
        )
        yield min(starts[count - 1 :]), windows[count - 1][1], ran.scratch


@given(windows=jumping_windows())
def test_each_node_of_flat_fat_holds_what_is_kept_below_it(windows):
    for keep, stop, (tree, capacity) in states("flat_fat", windows):
        level, nodes = 0, capacity
        while nodes > 0:
            expected = {}  # where a node is torn the newer block comes last, and wins
            for block in range(keep >> level, ((stop - 1) >> level) + 1):
                older, newer = block << level, (block + 1) << level
                expected[nodes + block % nodes] = (max(older, keep), min(newer, stop))

            actual = {node: tree[0][node] for node in expected if keep < stop}

            assert actual == (expected if keep < stop else {})
            level, nodes = level + 1, nodes // 2


@given(windows=jumping_windows())
def test_each_base_interval_that_is_kept_whole_is_complete(windows):
    for keep, stop, (levels, capacity) in states("b_int", windows):
        level, blocks = 0, capacity
        while blocks > 0:
            whole = range(-(-keep >> level), stop >> level)

            actual = [levels[0][blocks + block % blocks] for block in whole]

            assert actual == [(b << level, (b + 1) << level) for b in whole]
            level, blocks = level + 1, blocks // 2


@given(windows=jumping_windows())
def test_each_pointer_of_flat_fit_says_how_far_its_partial_reaches(windows):
    for keep, stop, (partials, pointers, _) in states("flat_fit", windows):
        for i in range(keep, stop):
            pointer = pointers[i % len(pointers)]

            actual = partials[0][i % len(pointers)]

            assert actual == (i, pointer)
            assert i < pointer <= stop


@given(windows=jumping_windows())
def test_all_suffixes_of_slide_side_reach_one_boundary(windows):
    for keep, stop, (suffix, mask) in states("slide_side", windows):
        if keep == stop:
            continue
        oldest = suffix[0][keep & mask]
        there = oldest is not None and oldest[0] == keep
        boundary = oldest[1] if there else keep

        actual = [suffix[0][i & mask] for i in range(keep, boundary)]

        assert actual == [(i, boundary) for i in range(keep, boundary)]
        assert boundary <= stop


@given(windows=jumping_windows())
def test_all_prefixes_of_slide_side_inv_have_one_origin(windows):
    for keep, stop, (prefix, mask) in states("slide_side_inv", windows):
        if keep == stop:
            continue
        origin = prefix[0][stop & mask][0]

        actual = [prefix[0][i & mask] for i in range(max(keep, origin + 1), stop + 1)]

        assert actual == [(origin, i) for i in range(max(keep, origin + 1), stop + 1)]
        assert origin <= keep


# --- compiled ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["flat_fit"]
    + [
        pytest.param(n, marks=pytest.mark.deep)
        for n in ("flat_fat", "b_int", "slide_side")
    ],
)
def test_order_is_kept_where_several_ranges_run_compiled(name):
    values = np.array([(7 * at) % 11 for at in range(300)])
    ranges = (37, 16, 5, 1)
    windows = [(max(0, stop - r), stop) for stop in range(1, 301, 2) for r in ranges]
    starts, stops = (np.array(column) for column in zip(*windows, strict=True))
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    names = ("first", "last", "arg_max")
    product = product_of([Request(aggregate(each), "int", (0,)) for each in names])

    first, last, arg_max = slide_arrays(
        find(name), product, (values,), starts, stops, keep=keep, query=stops * 0
    )[:3]

    best = [start + int(values[start:stop].argmax()) for start, stop in windows]
    assert first.tolist() == starts.tolist()
    assert last.tolist() == (stops - 1).tolist()
    assert arg_max.tolist() == best


def test_differences_of_prefixes_are_exact_where_several_ranges_run_compiled():
    values = np.array([(7919 * at) % 1009 - 504 for at in range(300)])
    windows = [(max(0, stop - r), stop) for stop in range(1, 301) for r in (37, 16, 1)]
    starts, stops = (np.array(column) for column in zip(*windows, strict=True))
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    product = product_of([Request(aggregate("sum"), "int", (0,))])

    actual = slide_arrays(
        find("slide_side_inv"),
        product,
        (values,),
        starts,
        stops,
        keep=keep,
        query=stops * 0,
    )[0].tolist()

    expected = [int(values[start:stop].sum()) for start, stop in windows]
    assert actual == expected


def test_a_prefix_that_wraps_round_in_64_bits_wraps_back_in_the_difference():
    values = np.full(64, 2**62)
    product = product_of([Request(aggregate("sum"), "int", (0,))])

    actual = slide_regular(
        find("slide_side_inv"), product, (values,), np.array([0]), np.array([64]), 1
    )[0].tolist()

    assert actual == [2**62] * 64
