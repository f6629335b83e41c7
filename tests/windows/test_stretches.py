"""Tests which windows in a row hold the same slices, against the definition."""

from __future__ import annotations

from itertools import groupby
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from windrow.windows import list_stretches

Slice = tuple[int, int]


def by_definition(runs: list[list[Slice]]) -> list[tuple[int, int, int, int]]:
    """First slice, one past the last, first window, number of windows, one by one."""
    found, before = [], 0
    for slices in runs:
        least = min((oldest for oldest, _ in slices), default=0)
        most = max((newest for _, newest in slices), default=-1)
        held = []
        for window in range(least, most + 1):
            own = [j for j, (low, high) in enumerate(slices) if low <= window <= high]
            held.append(
                (window, (before + own[0], before + own[-1] + 1) if own else None)
            )
        for bounds, some in groupby(held, key=lambda entry: entry[1]):
            windows = [window for window, _ in some]
            if bounds is not None:
                found.append((*bounds, windows[0], len(windows)))
        before += len(slices)
    return found


@st.composite
def runs_of_slices(draw: Any) -> list[list[Slice]]:
    """Runs of slices whose windows never fall: gaps, ties and negative numbers."""
    overlap = draw(st.integers(1, 9))
    runs = []
    for _ in range(draw(st.integers(0, 4))):
        steps = draw(st.lists(st.sampled_from([0, 1, 1, 2, 5, 40]), max_size=8))
        newest = draw(st.integers(-50, 50)) + np.cumsum(steps, dtype=np.int64)
        runs.append([(int(n) - overlap + 1, int(n)) for n in newest])
    return runs


@given(runs_of_slices())
def test_stretches_are_the_windows_that_hold_the_same_slices(runs):
    slices = [entry for run in runs for entry in run]
    oldest, newest = np.array(slices, np.int64).reshape(-1, 2).T
    lasts = np.cumsum([len(run) for run in runs], dtype=np.int64)
    firsts = lasts - np.array([len(run) for run in runs], np.int64)

    found = list_stretches(oldest, newest, firsts, lasts)

    assert list(zip(*(array.tolist() for array in found), strict=True)) == (
        by_definition(runs)
    )


def test_numbers_as_large_as_instants_are_told_apart():
    far = 2**62
    oldest, newest = np.array([-far, far - 1]), np.array([-far + 2, far + 1])

    found = list_stretches(oldest, newest, np.array([0, 1]), np.array([1, 2]))

    assert [array.tolist() for array in found] == [
        [0, 1], [1, 2], [-far, far - 1], [3, 3]
    ]  # fmt: skip
