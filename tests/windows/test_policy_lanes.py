"""Tests that both lanes find the same rows for windows by policy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.loops import Lane, pinned
from windrow.windows.policy_numbers import (
    BY_HAND,
    COUNT,
    DELTA,
    PUNCTUATION,
    TIME,
    PolicyColumns,
    PolicyNumbers,
    policy_frames,
)

KINDS = (BY_HAND, COUNT, TIME, DELTA, PUNCTUATION)


@pytest.mark.parametrize("evict", KINDS)
@pytest.mark.parametrize("trigger", KINDS)
@given(
    st.lists(st.sampled_from([0, 1, 2, 9, 60]), max_size=5),
    st.integers(0, 2**32),
    st.integers(1, 12),
    st.integers(1, 9),
)
def test_the_rows_of_results_are_the_same(evict, trigger, sizes, seed, range_, every):
    """Runs stand with gaps between; times begin anew in each, and may be negative."""
    rng = np.random.default_rng(seed)
    lasts = np.cumsum([size + 2 for size in sizes]).astype(np.int64)
    firsts = lasts - np.array(sizes, np.int64)
    rows = int(lasts.max(initial=0))
    times, marks = np.zeros(rows, np.int64), np.zeros(rows)
    for first, last in zip(firsts, lasts, strict=True):
        times[first:last] = np.cumsum(rng.integers(0, 5, last - first)) - 40
        marks[first:last] = np.cumsum(rng.integers(0, 7, last - first)) / 2
    flags = rng.random(rows) < 0.2
    policies = PolicyNumbers(
        evict, trigger, range_, every, furthest=range_ / 2, step=every / 2
    )
    columns = PolicyColumns(times, marks, marks * 2 / 3, flags)
    both = []
    for lane in (Lane.COLUMNS, Lane.COMPILED):
        with pinned(lane):
            both.append(policy_frames(policies, columns, firsts, lasts))

    for name in ("starts", "stops", "begins", "counts"):
        actual, expected = (getattr(frames, name) for frames in both)
        np.testing.assert_array_equal(actual, expected)
