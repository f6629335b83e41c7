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
def number(times, periods, phases, teeth, out):
    """Find the number of each instant's slice: the edges from `teeth` up to it.

    Neighbours are mostly of one slice, which costs two comparisons and no division.
    """
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
        out[i] = number


@compiled
def extents(starts, firsts, lasts, froms, stops, lows, highs, since):
    """Find the first and last slice of each run, and its first instant."""
    for k in range(len(froms)):
        low, high, least = firsts[froms[k]], lasts[froms[k]], starts[froms[k]]
        for i in range(froms[k] + 1, stops[k]):
            low = min(low, firsts[i])
            high = max(high, lasts[i])
            least = min(least, starts[i])
        lows[k], highs[k], since[k] = low, high, least


@compiled
def join(order, starts, firsts, lasts, run, piece, lows, sizes, since, owner):
    """Count stretches of slices without a gap; fill the arrays if they have room."""
    pieces = 0
    high = np.int64(0)
    for n in range(len(order)):
        i = order[n]
        fresh = n == 0 or run[i] != run[order[n - 1]] or firsts[i] > high + 1
        if fresh:
            pieces += 1
            high = lasts[i]
        else:
            high = max(high, lasts[i])
        if len(piece) > 0:
            k = pieces - 1
            if fresh:
                lows[k], since[k], owner[k] = firsts[i], starts[i], run[i]
            since[k] = min(since[k], starts[i])
            sizes[k] = high - lows[k] + 1
            piece[i] = k
    return pieces


@compiled
def move(stretch, moved, numbers):
    """Give the numbers of slices, each moved as far as its stretch is."""
    out = np.empty_like(numbers)
    for i in range(len(numbers)):
        out[i] = numbers[i] + moved[stretch[i]]
    return out


@compiled
def begin(since, offsets, periods, phases, begins):
    """Find where slices begin; one between equal edges of two combs is empty."""
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
                other = edge - (edge - phases[c]) % periods[c] + periods[c]
                after = min(after, other)
            for c in range(len(periods)):
                if (after - phases[c]) % periods[c] == 0 and j < offsets[k + 1]:
                    begins[j] = after
                    j += 1
            edge = after


@compiled
def count_pieces(firsts, lasts):
    """Count the events that cross other slices than the event before them."""
    pieces = min(len(firsts), 1)
    for i in range(1, len(firsts)):
        if firsts[i] != firsts[i - 1] or lasts[i] != lasts[i - 1]:
            pieces += 1
    return pieces


@compiled
def crossing(firsts, lasts, begun, ended):
    """Count the events that begin in each slice, and those that end in it."""
    for i in range(len(firsts)):
        begun[firsts[i]] += 1
        ended[lasts[i]] += 1


@compiled
def mark(firsts, lasts, change):
    """Add 1 where an event begins to cross slices, -1 where it has ceased to."""
    for i in range(len(firsts)):
        change[firsts[i]] += 1
        change[lasts[i] + 1] -= 1


__all__ = [
    "begin",
    "count_pieces",
    "crossing",
    "extents",
    "join",
    "mark",
    "move",
    "number",
]
