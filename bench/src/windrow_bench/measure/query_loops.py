"""LightSaber's queries as loops by hand: one each, for its columns and nothing else.

    rows --> panes of a second, key by key --> windows slide over panes

Totals of floats are never subtracted, here as there: a window is the suffix of one lap
and the prefix of the next.  Only windows that hold a row come out.
"""

# mypy: disable-error-code="no-untyped-def,untyped-decorator"

from __future__ import annotations

import numpy as np
from numba import njit

SECOND = 1_000_000


@njit(error_model="numpy", nogil=True)
def count_views(times, ads, kinds, campaign_of, first, counts):
    """YSB: views by campaign and 10 seconds; campaign_of[ad] < 0: none."""
    for i in range(len(times)):
        if kinds[i] == 0:
            campaign = campaign_of[ads[i]]
            if campaign >= 0:
                counts[campaign, times[i] // (10 * SECOND) - first] += 1


@njit(error_model="numpy", nogil=True)
def total_panes(times, keys, values, first, counts, totals):
    """CM1 and SG1: counts and totals by key and second."""
    for i in range(len(times)):
        pane = times[i] // SECOND - first
        counts[keys[i], pane] += 1
        totals[keys[i], pane] += values[i]


@njit(error_model="numpy", nogil=True)
def slide_totals(counts, totals, width, mean, key, end, value):
    """CM1 and SG1: windows of `width` panes; gives how many hold a row."""
    found = 0
    keys, panes = counts.shape
    suffixes = np.zeros(width + 1)
    for k in range(keys):
        held, prefix = 0, 0.0
        for pane in range(panes + width - 1):
            place = pane % width
            if place == 0:
                suffix = 0.0
                for j in range(width - 1, -1, -1):
                    if 0 <= pane - width + j < panes:
                        suffix = totals[k, pane - width + j] + suffix
                    suffixes[j] = suffix
                prefix = 0.0
            if pane < panes:
                held += counts[k, pane]
                prefix += totals[k, pane]
            if pane >= width:
                held -= counts[k, pane - width]
            if held > 0:
                total = suffixes[place + 1] + prefix
                key[found], end[found] = k, pane + 1
                value[found] = total / held if mean else total
                found += 1
    return found


@njit(error_model="numpy", nogil=True)
def speed_panes(
    times, highway, direction, position, speed, first, miles, counts, totals
):
    """LRB1: counts and totals of speed by segment and second."""
    for i in range(len(times)):
        pane = times[i] // SECOND - first
        road = np.int64(highway[i]) * 2 + direction[i]
        segment = road * miles + position[i] // 5280
        counts[segment, pane] += 1
        totals[segment, pane] += speed[i]


@njit(error_model="numpy", nogil=True)
def slow_segments(counts, totals, width, key, end, value):
    """LRB1: windows with a mean below 40; whole numbers are taken off exactly."""
    found = 0
    keys, panes = counts.shape
    for k in range(keys):
        held, total = 0, 0
        for pane in range(panes + width - 1):
            if pane < panes:
                held += counts[k, pane]
                total += totals[k, pane]
            if pane >= width:
                held -= counts[k, pane - width]
                total -= totals[k, pane - width]
            if held > 0 and total / held < 40.0:
                key[found], end[found], value[found] = k, pane + 1, total / held
                found += 1
    return found
