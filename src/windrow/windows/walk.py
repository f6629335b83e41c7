"""Counts the windows that hold an input, as loops that walk instants meet them.

    instants      0   10  20      50  60          range 30, slide 10
    windows      -20 .. 20        30 .. 60        9, at most 3 inputs in one

Unlike `numbers.py` nothing is written for each input: a cursor for each end of a window
follows the instants.
"""

# mypy: disable-error-code="no-untyped-call"
# what columns of kernels lift has no annotations: their names mean nothing there

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from windrow.loops import compiled, lower_bound

from .numbers import first_brought
from .rule import Array, Even


def _walk_columns(
    instants: Array,
    firsts: Array,
    lasts: Array,
    range_: int,
    slide: int,
    shift: int,
    counts: Array,
) -> int:
    oldest = (instants - shift - range_) // slide + 1
    newest = (instants - shift) // slide
    brought = np.maximum(newest - first_brought(oldest, newest, firsts) + 1, 0)
    before = np.append(0, np.cumsum(brought))
    counts[:] = before[lasts] - before[firsts]
    runs = np.repeat(np.arange(len(firsts)), lasts - firsts)
    lows = lower_bound(newest, firsts, lasts, runs, oldest)
    return int((np.arange(1, len(lows) + 1) - lows).max(initial=1))


@compiled(columns=_walk_columns)
def count_walked(instants, firsts, lasts, range_, slide, shift, counts):  # type: ignore[no-untyped-def]
    """Count the windows of each run; return the most inputs that one of them holds."""
    widest = np.int64(1)
    for k in range(len(firsts)):
        start = stop = firsts[k]
        begin, windows = shift, np.int64(0)
        while start < lasts[k]:
            instant = instants[start]
            if windows == 0 or instant >= begin + range_:
                begin = shift + ((instant - shift - range_) // slide + 1) * slide
            stop = max(start, stop)
            while stop < lasts[k] and instants[stop] < begin + range_:
                stop += 1
            widest = max(widest, stop - start)
            windows += 1
            begin += slide
            while start < lasts[k] and instants[start] < begin:
                start += 1
        counts[k] = windows
    return widest


def count_windows(
    instants: Array, firsts: Array, lasts: Array, lists: Sequence[Even]
) -> tuple[Array, int]:
    """Count the windows of each list and run, and the most inputs in one of them.

    Where no gap in a run is longer than a window, each window between the first and the
    last holds an input: only the longest windows are walked.
    """
    counts = np.empty((len(lists), len(firsts)), np.int64)
    gaps = np.diff(instants)
    gaps[firsts[1:] - 1] = 0
    widest, longest = 1, max(lists, default=None)
    for q, even in enumerate(lists):
        if even == longest or gaps.max(initial=0) > even.range:
            most = count_walked(instants, firsts, lasts, *even, counts[q])
            widest = max(widest, int(most))
            continue
        oldest = (instants[firsts] - even.shift - even.range) // even.slide
        counts[q] = (instants[lasts - 1] - even.shift) // even.slide - oldest
    return counts, widest
