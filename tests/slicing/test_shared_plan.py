"""Where the stream is cut, and what several windows share."""

import itertools
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from windrow.slicing import CATALOGUE, Cuts, composite_slide, find, share, shared_combs
from windrow.slicing.shared import MOST_EDGES

PANES, PAIRS, CUTTY = (find(name) for name in ("panes", "pairs", "cutty"))


def test_the_shared_plan_of_slickdeque_figure_7():
    # Q1: range 6, slide 2; Q2: range 8, slide 4 (SlickDeque, Example 1)
    windows = [(6, 2, 0), (8, 4, 0)]

    plan = share(PAIRS, windows)

    assert plan is not None
    assert plan.composite == 4
    assert plan.edges == (2, 4)
    assert plan.lengths == (2, 2)
    assert plan.answers == ((0,), (0, 1))
    assert plan.partials == (3, 4)
    assert plan.width == 4


def test_pairs_cut_twice_a_slide_where_the_slide_does_not_divide():
    # SlickDeque 2.1: f2 = range % slide, f1 = slide - f2
    plan = share(PAIRS, [(10, 3, 0)])

    assert plan is not None
    assert sorted(plan.lengths) == [10 % 3, 3 - 10 % 3]
    assert plan.partials == (7,)


def test_panes_are_as_long_as_the_greatest_common_divisor():
    plan = share(PANES, [(10, 4, 0)])

    assert plan is not None
    assert set(plan.lengths) == {math.gcd(10, 4)}
    assert plan.partials == (5,)


def test_cutty_cuts_at_starts_alone_and_has_half_the_slices_of_pairs():
    cutty, pairs = share(CUTTY, [(10, 3, 0)]), share(PAIRS, [(10, 3, 0)])

    assert cutty is not None
    assert pairs is not None
    assert cutty.lengths == (3,)
    assert len(pairs.lengths) == 2 * len(cutty.lengths)


def test_slides_without_a_common_divisor_share_a_long_composite_slide():
    plan = share(PAIRS, [(77, 7, 0), (77, 11, 0), (78, 13, 0)])

    assert plan is not None
    assert plan.composite == 7 * 11 * 13
    assert sum(plan.lengths) == plan.composite


def test_a_composite_slide_too_long_to_lay_out_is_not_laid_out():
    primes = [(10_007, 10_007, 0), (10_009, 10_009, 0), (10_037, 10_037, 0)]

    assert share(PAIRS, primes) is None
    assert len(shared_combs(PAIRS, primes)) == 3


windows = st.tuples(st.integers(1, 30), st.integers(1, 12), st.integers(-20, 20)).map(
    lambda w: (max(w[0], w[1]), w[1], w[2])
)


@given(st.lists(windows, min_size=1, max_size=4))
def test_every_start_and_every_end_of_a_window_is_an_edge_of_panes_and_pairs(chosen):
    for slicer in (PANES, PAIRS):
        plan = share(slicer, chosen)
        if plan is None:  # too long to lay out
            assert composite_slide(slicer, chosen) > MOST_EDGES / 8
            continue

        residues = {edge % plan.composite for edge in plan.edges}
        for range_, slide, shift in chosen:
            for k in range(-3, 4):
                assert (shift + k * slide) % plan.composite in residues
                assert (shift + k * slide + range_) % plan.composite in residues


@given(
    st.lists(windows, min_size=1, max_size=3),
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=40).map(sorted),
)
def test_rows_of_a_slice_are_in_the_same_windows(chosen, times):
    clock = np.array(times, np.int64)
    ends = np.array([len(times)])
    for slicer in CATALOGUE:
        if not slicer.whole_windows:
            continue

        edges, runs = Cuts(tuple(shared_combs(slicer, chosen))).cut(
            clock, np.array([0]), ends
        )

        assert runs.tolist() == [0, len(edges) - 1]
        for low, high in itertools.pairwise(edges):
            members = {_windows_of(time, chosen) for time in times[low:high]}
            assert len(members) == 1


def _windows_of(time, chosen):
    return tuple(
        ((time - shift - range_) // slide, (time - shift) // slide)
        for range_, slide, shift in chosen
    )
