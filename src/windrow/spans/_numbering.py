"""Numbers slices: the instants of events, their slices, and where each begins.

    instants      3     9       10  14
    slices     |     |     |     |     |
    numbers    0     1     2     3             edges at or before the instant, counted
                                               from an origin that all events share

Slices are numbered over all runs, one behind the other.
"""

from __future__ import annotations

import numpy as np

from windrow.loops import compiled, ordinals


def _measure_columns(starts, ends, mask):
    lasts = np.where(ends > starts, ends - 1, starts)
    wrong = np.flatnonzero((ends < starts) & (mask if len(mask) else True))
    at = int(wrong[0]) if len(wrong) else -1
    return lasts, len(wrong), at, int(np.count_nonzero(starts == ends))


@compiled(columns=_measure_columns)
def measure(starts, ends, mask):
    """Find the last instants; count wrong rows, find the first one, count points.

    A row that ends before it starts is wrong, unless `mask` is false for it.
    """
    lasts = np.empty_like(ends)
    wrong, at, points = 0, -1, 0
    for i in range(len(starts)):
        lasts[i] = ends[i] - 1
        if ends[i] <= starts[i]:
            lasts[i] = starts[i]
            if ends[i] == starts[i]:
                points += 1
            elif len(mask) == 0 or mask[i]:
                wrong += 1
                at = i if at < 0 else at
    return lasts, wrong, at, points


def _number_columns(times, periods, phases, teeth):
    numbers = np.zeros(len(times), np.int64)
    for period, phase, tooth in zip(periods, phases, teeth, strict=True):
        numbers += (times - (times - phase) % period - tooth) // period
    return numbers


@compiled(columns=_number_columns)
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


def _extent_columns(starts, firsts, lasts, froms, _):
    """The same; runs hold an event each, and stand one behind the other."""
    low, high = np.minimum.reduceat(firsts, froms), np.maximum.reduceat(lasts, froms)
    return np.stack([low, high, np.minimum.reduceat(starts, froms)])


@compiled(columns=_extent_columns)
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


def _join_columns(order, starts, firsts, lasts, run):
    """The same; the highest slice so far in a run is found by its rank in all runs."""
    count = len(order)
    owner, low = run[order], firsts[order]
    by_last = np.argsort(lasts[order])
    rank = np.empty(count, np.int64)
    rank[by_last] = np.arange(count)
    high = lasts[order[by_last]][np.maximum.accumulate(owner * count + rank) % count]
    fresh = np.ones(count, bool)
    fresh[1:] = (owner[1:] != owner[:-1]) | (low[1:] > high[:-1] + 1)
    stretch = np.empty(count, np.int64)
    stretch[order] = np.cumsum(fresh) - 1
    begins = np.flatnonzero(fresh)
    sizes = np.maximum.reduceat(high, begins) - low[begins] + 1
    since = np.minimum.reduceat(starts[order], begins)
    return stretch, low[begins], sizes, since, owner[begins]


@compiled(columns=_join_columns)
def join(order, starts, firsts, lasts, run):
    """Find stretches of slices without a gap.

    They are the number of each event's stretch; and of each stretch the first slice,
    the number of slices, the first instant, and the run.
    """
    stretch, lows = np.empty_like(firsts), np.empty_like(firsts)
    sizes, since = np.empty_like(firsts), np.empty_like(firsts)
    owner = np.empty_like(firsts)
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
        stretch[i] = k
    count = k + 1
    return (stretch, lows[:count].copy(), sizes[:count].copy(), since[:count].copy(),
            owner[:count].copy())  # fmt: skip


def _begin_columns(since, offsets, periods, phases):
    """The same: the teeth of all combs from each stretch's first edge on, sorted."""
    sizes = np.diff(offsets)
    edges = [since - (since - phase) % period
             for period, phase in zip(periods, phases, strict=True)]  # fmt: skip
    first = np.maximum.reduce(edges)
    if len(periods) == 1:
        return np.repeat(first, sizes) + ordinals(sizes) * periods[0]
    rate = (1.0 / periods).sum()  # so many teeth an instant, less one for each comb
    room = ((sizes - 1 + len(periods)) / rate * (1 + 1e-12)).astype(np.int64) + 2
    values, owners = [first], [np.arange(len(since))]
    for period, phase in zip(periods, phases, strict=True):
        tooth = first - (first - phase) % period + period
        counts = np.maximum((first + room - tooth) // period + 1, 0)
        values.append(np.repeat(tooth, counts) + ordinals(counts) * period)
        owners.append(np.repeat(owners[0], counts))
    begins, owner = np.concatenate(values), np.concatenate(owners)
    order = np.lexsort((begins, owner))
    teeth = np.searchsorted(owner[order], np.arange(len(since)))
    return begins[order[np.repeat(teeth, sizes) + ordinals(sizes)]]


@compiled(columns=_begin_columns)
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


def _count_columns(firsts, lasts, slices):
    return np.bincount(firsts, minlength=slices), np.bincount(lasts, minlength=slices)


@compiled(columns=_count_columns)
def count_bounds(firsts, lasts, slices):
    """Count the events that begin in each slice, and those that end in it."""
    begun, ended = np.zeros(slices, np.int64), np.zeros(slices, np.int64)
    for i in range(len(firsts)):
        begun[firsts[i]] += 1
        ended[lasts[i]] += 1
    return begun, ended


def _survey_columns(firsts, lasts):
    crossed = lasts - firsts
    changes = (firsts[1:] != firsts[:-1]) | (lasts[1:] != lasts[:-1])
    pieces = min(len(firsts), 1) + int(np.count_nonzero(changes))
    in_order = not (lasts[1:] < lasts[:-1]).any()
    return int(crossed.sum()), pieces, int(crossed.max(initial=0)), in_order


@compiled(columns=_survey_columns)
def survey(firsts, lasts):
    """Measure events: slices that they reach back over, all together and the most.

    Between the two is the number of pieces, neighbours that cross the same slices
    counted once; the last tells whether no event ends before its neighbour.
    """
    total, pieces, most, in_order = 0, min(len(firsts), 1), 0, True
    for i in range(len(firsts)):
        total += lasts[i] - firsts[i]
        most = max(most, lasts[i] - firsts[i])
        if i > 0:
            if firsts[i] != firsts[i - 1] or lasts[i] != lasts[i - 1]:
                pieces += 1
            if lasts[i] < lasts[i - 1]:
                in_order = False
    return total, pieces, most, in_order
