"""Events with a duration, laid over the slices that they cross.

    slices     0     1     2     3     4     5     6
    edges      |     |     |     |     |     |     |
    event a      =======                              firsts[a] = 0   lasts[a] = 1
    event b            =                              firsts[b] = 1   lasts[b] = 1
    event c                          ===========      firsts[c] = 4   lasts[c] = 6

An event lives through the instants starts[i] ... lasts[i], both of them included: a
point has one.  Slice 2 is touched by nothing.  Where slices would outnumber events
by far, only stretches without a gap are numbered, so that a gap of years costs
nothing:

    numbers    0     1                 2     3     4

A slice that is touched lies in a window that comes out, so that there are never more
than two of them for each row of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow._compiled import compiled
from windrow.errors import BadInput
from windrow.slicing import Comb
from windrow.windows.frames import Frames, frames

Array = np.ndarray[Any, Any]

DENSE, SPARE = 4, 1 << 16  # slices for each event, and besides, that may be empty
MOST_SLICES = 1 << 31


@dataclass(frozen=True)
class Events:
    """Event i lives from starts[i] to lasts[i]; run k is events [firsts[k], stops[k]).

    Those of a run stand in the order of their ends, where anybody asks for order.
    """

    starts: Array
    lasts: Array
    firsts: Array
    stops: Array

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def run(self) -> Array:
        """The run of each event."""
        return np.repeat(np.arange(len(self.firsts)), self.stops - self.firsts)


@dataclass(frozen=True)
class Laid:
    """Event i crosses the slices firsts[i] ... lasts[i], both of them included.

    Slice j begins at instant begins[j]; run k has slices [runs[k], runs[k + 1]).
    `touched` are the slices that an event crosses; None: all of them.
    """

    events: Events
    firsts: Array
    lasts: Array
    begins: Array
    runs: Array
    touched: Array | None

    def __len__(self) -> int:
        return len(self.begins)

    @property
    def crossed(self) -> float:
        """How many slices an event crosses, on average."""
        if not len(self.events):
            return 0.0
        return float(np.mean(self.lasts - self.firsts)) + 1.0

    @property
    def pieces(self) -> int:
        """Events less those that cross the same slices as their neighbour."""
        return int(_pieces(self.firsts, self.lasts))

    def windows(self, range_: int, slide: int, shift: int) -> Frames:
        """The windows that an event overlaps, as runs of slices."""
        at = self.touched
        if at is None:
            edges = np.arange(len(self) + 1)
            return frames(self.begins, edges, self.runs, range_, slide, shift)
        runs = np.searchsorted(at, self.runs)
        edges = np.arange(len(at) + 1)
        found = frames(self.begins[at], edges, runs, range_, slide, shift)
        stops = at[found.stops - 1] + 1
        return Frames(at[found.starts], stops, found.begins, found.counts)


def lay_out(events: Events, combs: Sequence[Comb]) -> Laid:
    """Number the slices that events cross, run by run."""
    none = np.empty(0, np.int64)
    if not len(events):
        return Laid(events, none, none, none, np.zeros(1, np.int64), None)
    periods = np.array([comb.period for comb in combs])
    phases = np.array([comb.phase for comb in combs])
    origin, most = int(events.starts.min()), int(events.lasts.max())
    _check(sum((most - origin) // comb.period + 1 for comb in combs), 1 << 62)
    teeth = origin - (origin - phases) % periods
    firsts, lasts = (np.empty(len(events), np.int64) for _ in range(2))
    _number(events.starts, periods, phases, teeth, firsts)
    _number(events.lasts, periods, phases, teeth, lasts)
    pieces = len(events.firsts)
    lows, highs, since = (np.empty(pieces, np.int64) for _ in range(3))
    _extents(events.starts, firsts, lasts, events.firsts, events.stops,
             lows, highs, since)  # fmt: skip
    owner = np.arange(pieces)
    sizes = highs - lows + 1
    sparse = sizes.sum(dtype=float) > DENSE * len(events) + SPARE
    if sparse:
        order = np.lexsort((firsts, events.run))
        pieces = _join(order, events.starts, firsts, lasts, events.run, none, none,
                       none, none, none)  # fmt: skip
        lows, sizes, since, owner = (np.empty(pieces, np.int64) for _ in range(4))
        piece = np.empty(len(events), np.int64)
        _join(order, events.starts, firsts, lasts, events.run,
              piece, lows, sizes, since, owner)  # fmt: skip
    else:
        piece = events.run if pieces > 1 else none
    _check(int(sizes.sum(dtype=float)), MOST_SLICES)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    moved = offsets[:-1] - lows
    if len(piece):
        _move(piece, moved, firsts, lasts)
    else:
        assert not moved.any(), "one run is counted from its first slice on"
    begins = np.empty(offsets[-1], np.int64)
    _begin(since, offsets, periods, phases, begins)
    runs = offsets[np.searchsorted(owner, np.arange(len(events.firsts) + 1))]
    touched = None if sparse else _touched(firsts, lasts, len(begins))
    return Laid(events, firsts, lasts, begins, runs, touched)


def _check(slices: int, most: int) -> None:
    if slices >= most:
        raise BadInput.because(
            f"cannot lay events over {slices:,} slices",
            "they last too long, or lie too far apart, for the step of the window",
            "look for a bound that was mistyped, or use a longer step",
        )


def _touched(firsts: Array, lasts: Array, slices: int) -> Array | None:
    change = np.zeros(slices + 1, np.int64)
    _mark(firsts, lasts, change)
    there = np.cumsum(change[:-1]) > 0
    return None if there.all() else np.flatnonzero(there)


@compiled
def _number(times, periods, phases, teeth, out):
    """The number of each instant's slice: edges at or before it, counted from `teeth`.

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
def _extents(starts, firsts, lasts, froms, stops, lows, highs, since):
    """The first and last slice of each run, and its first instant."""
    for k in range(len(froms)):
        low, high, least = firsts[froms[k]], lasts[froms[k]], starts[froms[k]]
        for i in range(froms[k] + 1, stops[k]):
            low = min(low, firsts[i])
            high = max(high, lasts[i])
            least = min(least, starts[i])
        lows[k], highs[k], since[k] = low, high, least


@compiled
def _join(order, starts, firsts, lasts, run, piece, lows, sizes, since, owner):
    """Stretches of slices without a gap; fills the arrays if they have room."""
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
def _move(piece, moved, firsts, lasts):
    for i in range(len(piece)):
        firsts[i] += moved[piece[i]]
        lasts[i] += moved[piece[i]]


@compiled
def _begin(since, offsets, periods, phases, begins):
    """Where slices begin; where two combs have the same edge, a slice is empty."""
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
def _pieces(firsts, lasts):
    pieces = min(len(firsts), 1)
    for i in range(1, len(firsts)):
        if firsts[i] != firsts[i - 1] or lasts[i] != lasts[i - 1]:
            pieces += 1
    return pieces


@compiled
def _mark(firsts, lasts, change):
    for i in range(len(firsts)):
        change[firsts[i]] += 1
        change[lasts[i] + 1] -= 1


__all__ = ["Events", "Laid", "lay_out"]
