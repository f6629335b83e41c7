"""Which windows one after the other hold the same slices: stretches.

    slices             a       b           c           range 3, slide 1
    oldest, newest    0 2     2 4        9 11
    events            0 a in, 2 b in, 3 a out, 5 b out, 9 c in, 12 c out
    stretches         [0, 2) a   [2, 3) a b   [3, 5) b   [9, 12) c

A slice enters at its oldest window, and has left at the one after its newest.  From one
event to the next all windows have one result.  Where a row lies in many windows and
rows are far apart, stretches are far fewer than windows: with a row every ten slides,
two events for ten windows.
"""

# mypy: disable-error-code="no-untyped-call"
# what columns of kernels lift has no annotations: their names mean nothing there

from __future__ import annotations

import numpy as np

from windrow.loops import lower_bound


def list_stretches(oldest, newest, firsts, lasts):  # type: ignore[no-untyped-def]
    """First slice, one past the last, first window and number of windows of each.

    Slice j lies in windows oldest[j] to newest[j], and neither falls within a run
    [first, last); runs follow each other without a gap.  The events of a run are two
    sorted lists merged: an entry is placed by counting those that have left before it,
    and what leaves stands in the places between.
    """
    slices = np.arange(len(oldest))
    runs = np.repeat(np.arange(len(firsts)), lasts - firsts)
    enters = slices + lower_bound(newest, firsts, lasts, runs, oldest)
    numbers, entered = (
        np.empty(2 * len(slices), np.int64),
        np.zeros(2 * len(slices), bool),
    )
    entered[enters] = True
    numbers[enters], numbers[~entered] = oldest, newest + 1
    stops = np.cumsum(entered)
    starts = np.arange(1, len(stops) + 1) - stops
    counts = np.zeros_like(numbers)
    counts[:-1] = np.diff(numbers)  # after the last event of a run nothing is held
    some = np.flatnonzero((counts > 0) & (starts < stops))
    return starts[some], stops[some], numbers[some], counts[some]
