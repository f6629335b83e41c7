"""Numbers slices: which of them events cross, and where each begins.

    instants      3     9       10  14
    slices     |     |     |     |     |
    numbers    0     1     2     3             edges at or before the instant, counted
                                               from an origin that all events share

Slices are numbered over all runs, one behind the other.
"""

from __future__ import annotations

import numpy as np

from windrow._compiled import compiled


@compiled
def number(times, periods, phases, teeth):
    """Find the number of each instant's slice: the edges from `teeth` up to it.

    Neighbours are mostly of one slice, which costs two comparisons and no division.
    """
    numbers = np.empty(len(times), np.int64)
    low, high, number = np.int64(1), np.int64(0), np.int64(0)
    for i in range(len(times)):
        time = times[i]
        if time < low or time >= high:
            number = np.int64(0)
            for c in range(len(periods)):
                edge = time - (time - phases[c]) % periods[c]
                number += (edge - teeth[c]) // periods[c]
                low = edge if c == 0 else max(low, edge)
                after = edge + periods[c]
                high = after if c == 0 else min(high, after)
        numbers[i] = number
    return numbers


@compiled
def extents(starts, firsts, lasts, froms, stops):
    """Find the first and last slice of each run, and its first instant."""
    extent = np.empty((3, len(froms)), np.int64)
    for k in range(len(froms)):
        low, high, least = firsts[froms[k]], lasts[froms[k]], starts[froms[k]]
        for i in range(froms[k] + 1, stops[k]):
            low = min(low, firsts[i])
            high = max(high, lasts[i])
            least = min(least, starts[i])
        extent[0, k], extent[1, k], extent[2, k] = low, high, least
    return extent


@compiled
def join(order, starts, firsts, lasts, run, piece, lows, sizes, since, owner):
    """Find stretches of slices without a gap, and give their number."""
    k, high = np.int64(-1), np.int64(0)
    for n in range(len(order)):
        i = order[n]
        fresh = n == 0 or run[i] != run[order[n - 1]] or firsts[i] > high + 1
        if fresh:
            k += 1
            lows[k], since[k], owner[k] = firsts[i], starts[i], run[i]
        high = lasts[i] if fresh else max(high, lasts[i])
        since[k] = min(since[k], starts[i])
        sizes[k] = high - lows[k] + 1
        piece[i] = k
    return k + 1


@compiled
def begin(since, offsets, periods, phases):
    """Find where slices begin; one between equal edges of two combs is empty."""
    begins = np.empty(offsets[-1], np.int64)
    for k in range(len(since)):
        edge = since[k] - (since[k] - phases[0]) % periods[0]
        for c in range(1, len(periods)):
            edge = max(edge, since[k] - (since[k] - phases[c]) % periods[c])
        j = offsets[k]
        begins[j] = edge
        j += 1
        while j < offsets[k + 1]:
            after = edge - (edge - phases[0]) % periods[0] + periods[0]
            for c in range(1, len(periods)):
                after = min(after, edge - (edge - phases[c]) % periods[c] + periods[c])
            for c in range(len(periods)):
                if (after - phases[c]) % periods[c] == 0 and j < offsets[k + 1]:
                    begins[j] = after
                    j += 1
            edge = after
    return begins


@compiled
def count_bounds(firsts, lasts, slices):
    """Count the events that begin in each slice, and those that end in it."""
    begun, ended = np.zeros(slices, np.int64), np.zeros(slices, np.int64)
    for i in range(len(firsts)):
        begun[firsts[i]] += 1
        ended[lasts[i]] += 1
    return begun, ended
