"""Cuts windows into stretches that use about as many rows as there is memory for.

    rows       . . . . . . . . . . . . . . .
    windows    |-----|                            first stretch: rows 0 to 4
                 |-----|
                   |-----|                        second stretch: rows 2 to 6
                     |-----|

A stretch has twice the rows of its first window or more, so that no row is in more
than about two of them: work over the rows of stretches does not grow with windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LEAST = 1 << 18  # rows of a stretch, and its windows, if there are as many


def stretches(starts: Array, stops: Array) -> Iterator[tuple[slice, slice]]:
    """The windows of each stretch, and their rows; bounds never fall."""
    low = 0
    while low < len(starts):
        size = max(LEAST, 2 * int(stops[low] - starts[low]))
        high = int(np.searchsorted(stops, starts[low] + size, side="right"))
        high = min(max(high, low + 1), low + size, len(starts))
        yield slice(low, high), slice(int(starts[low]), int(stops[low:high].max()))
        low = high
