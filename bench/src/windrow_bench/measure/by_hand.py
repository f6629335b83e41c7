"""Loops that are written for one query each: what generated code is held against.

views       Yahoo's query: filter, look up, count, in one pass and nothing between
sums        a running sum, from which the oldest value is taken off
minima      two stacks: suffixes of the last lap, a running minimum of this one
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.loops import compiled

Array = np.ndarray[Any, Any]


@compiled()
def views(times, ads, kinds, view, campaign_of, length, first, counts):  # type: ignore[no-untyped-def]
    """Events of one kind by window and campaign; campaign_of[ad] < 0: none."""
    for i in range(len(times)):
        if kinds[i] == view:
            campaign = campaign_of[ads[i]]
            if campaign >= 0:
                counts[times[i] // length - first, campaign] += 1


@compiled()
def sums(values, width, out):  # type: ignore[no-untyped-def]
    """out[i] is the sum of values[i : i + width]."""
    total = values[0]
    for i in range(1, width):
        total += values[i]
    out[0] = total
    for i in range(1, len(out)):
        total += values[i + width - 1] - values[i - 1]
        out[i] = total


@compiled()
def minima(values, width, suffixes, out):  # type: ignore[no-untyped-def]
    """out[i] is the least of values[i : i + width]; `suffixes` has room for width."""
    for begin in range(0, len(out), width):
        least = values[begin + width - 1]
        suffixes[width - 1] = least
        for j in range(width - 2, -1, -1):
            least = min(values[begin + j], least)
            suffixes[j] = least
        out[begin] = least
        if begin + 1 == len(out):
            return
        least = values[begin + width]
        for j in range(1, min(width, len(out) - begin)):
            least = min(least, values[begin + width + j - 1])
            out[begin + j] = min(suffixes[j], least)


__all__ = ["minima", "sums", "views"]
