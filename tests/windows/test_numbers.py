"""Tests windows found from slices against windows listed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import part
from windrow.loops import Lane, interpreting, pinned
from windrow.windows import Even, Periodic, is_gapless, number_windows
from windrow.windows.gaps import count_slides


@st.composite
def streams(draw):
    """Runs of instants, and a rule: range, slide and shift of any proportion."""
    slide = draw(st.integers(1, 7))
    range_ = slide * draw(st.integers(1, 5)) + draw(st.sampled_from([0, 0, 1, 3]))
    shift = draw(st.integers(-9, 9))
    steps = st.lists(st.sampled_from([0, 1, 1, 2, 5, 40]), min_size=1, max_size=9)
    runs = draw(st.lists(steps, max_size=4))
    instants = [np.cumsum(run) + draw(st.integers(-30, 30)) for run in runs]
    lasts = np.cumsum([len(run) for run in runs]).astype(np.int64)
    firsts = lasts - np.array([len(run) for run in runs], np.int64)
    times = np.concatenate([np.empty(0, np.int64), *instants]).astype(np.int64)
    return Periodic(0, "", Even(range_, slide, shift)), times, firsts, lasts


def listed(rule, times, firsts, lasts):
    """Every window of each run that holds an instant, by trying all of them."""
    range_, slide, shift = rule.even
    windows, counts = [], []
    for first, last in zip(firsts, lasts, strict=True):
        before = len(windows)
        low = (times[first] - shift - range_) // slide - 1
        for number in range(low, (times[last - 1] - shift) // slide + 2):
            begin = shift + number * slide
            inside = [
                i for i in range(first, last) if begin <= times[i] < begin + range_
            ]
            if inside:
                windows.append((inside[0], inside[-1] + 1, begin))
        counts.append(len(windows) - before)
    return windows, counts


def each_lane():
    """Whole columns, the loops as plain Python, and the loops compiled."""
    yield pinned(Lane.COLUMNS)
    yield interpreting()
    yield pinned(Lane.COMPILED)


@part(0.3)
@given(streams())
def test_windows_are_found_from_slices_in_every_lane(stream):
    rule, times, firsts, lasts = stream
    expected, counts = listed(rule, times, firsts, lasts)

    for lane in each_lane():
        with lane:
            windows = number_windows(rule, times, firsts, lasts)
            starts, stops = windows.bounds()
            begins, numbers = windows.begins(), windows.numbers()

        actual = list(zip(starts, stops, begins, strict=True))
        assert actual == expected
        assert list(windows.counts) == counts
        assert list(rule.begin(numbers)) == list(begins)
        assert windows.widest == max([b - a for a, b, _ in expected], default=1)


@part(0.3)
@given(streams(), st.integers(-9, 9), st.integers(-9, 9))
def test_numbers_can_be_bounded(stream, least, most):
    rule, times, firsts, lasts = stream
    everything, _ = listed(rule, times, firsts, lasts)
    low, high = rule.begin(least), rule.begin(most)

    for lane in each_lane():
        with lane:
            windows = number_windows(rule, times, firsts, lasts, least, most)
            bounds = zip(*windows.bounds(), windows.begins(), strict=True)

        assert list(bounds) == [w for w in everything if low <= w[2] <= high]


@part(0.3)
@given(streams())
def test_a_gap_is_a_slide_without_an_instant(stream):
    rule, times, firsts, lasts = stream
    slides = (times - rule.even.shift) // rule.even.slide
    runs = [slides[a:b] for a, b in zip(firsts, lasts, strict=True)]
    whole = rule.even.range % rule.even.slide == 0
    expected = whole and bool(runs) and all((np.diff(run) <= 1).all() for run in runs)

    for lane in each_lane():
        with lane:
            assert is_gapless(rule, times, firsts, lasts) == expected
    if len(firsts):
        counts = count_slides(rule, times, firsts, lasts)
        assert list(counts) == [run[-1] - run[0] + 1 for run in runs]


@pytest.mark.parametrize("lane", [Lane.COLUMNS, Lane.COMPILED])
def test_instants_at_the_ends_of_64_bits_leave_a_gap(lane):
    rule = Periodic(0, "", Even(10, 10, 0))
    times = np.array([-(2**63) + 100, 2**63 - 100])

    with pinned(lane):
        gapless = is_gapless(rule, times, np.array([0]), np.array([2]))
        windows = number_windows(rule, times, np.array([0]), np.array([2]))

    assert not gapless
    assert windows.counts.sum() == 2
