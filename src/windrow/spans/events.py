"""Lays events with a duration over the slices that they cross.

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
from dataclasses import replace
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.errors import BadInput
from windrow.slicing import Comb
from windrow.windows import Frames, Rule, frames

from ._numbering import begin, count_bounds, extents, join, number, survey

Array = np.ndarray[Any, Any]

DENSE, SPARE = 4, 1 << 16  # slices for each event, and besides, that may be empty
MOST_SLICES = 1 << 31


@dataclass(frozen=True)
class Events:
    """Events that last from starts[i] to lasts[i]; run k is [firsts[k], stops[k]).

    The events of a run stand in the order of their ends, where order matters.
    """

    starts: Array
    lasts: Array
    firsts: Array
    stops: Array

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def run(self) -> Array:
        """The number of each event's run."""
        return np.repeat(np.arange(len(self.firsts)), self.stops - self.firsts)

    def only(self, mask: Array) -> Events:
        """The events for which `mask` is true, in the same runs."""
        before = np.concatenate([[0], np.cumsum(mask)])
        bounds = before[self.firsts], before[self.stops]
        return Events(self.starts[mask], self.lasts[mask], *bounds)


@dataclass(frozen=True)
class LaidEvents:
    """Events over slices; event i crosses firsts[i] ... lasts[i], both included.

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

    def survey(self) -> tuple[int, int, int, bool]:
        """Slices reached back over in all, pieces, the longest reach, and in order.

        Pieces are the events, neighbours that cross the same slices counted once; in
        order they are if none ends in an earlier slice than the one before it.
        """
        total, pieces, most, in_order = survey(self.firsts, self.lasts)
        return int(total), int(pieces), int(most), bool(in_order)

    @property
    def distinct(self) -> int:
        """The number of events, all that cross the same slices counted once."""
        codes = self.firsts * len(self) + self.lasts  # fewer than 2**31 slices
        codes.sort()
        return min(len(codes), 1) + int(np.count_nonzero(codes[1:] != codes[:-1]))

    def only(self, mask: Array) -> LaidEvents:
        """The events for which `mask` is true, over the same slices."""
        firsts, lasts = self.firsts[mask], self.lasts[mask]
        return replace(self, events=self.events.only(mask), firsts=firsts, lasts=lasts)

    def windows(self, rule: Rule) -> Frames:
        """The windows that an event overlaps, as runs of slices."""
        at = self.touched
        if at is None:
            edges = np.arange(len(self) + 1)
            return frames(rule, self.begins, edges, self.runs)
        runs = np.searchsorted(at, self.runs)
        edges = np.arange(len(at) + 1)
        dense = frames(rule, self.begins[at], edges, runs)
        stops = at[dense.stops - 1] + 1
        return Frames(at[dense.starts], stops, dense.begins, dense.counts)


@dataclass(frozen=True)
class NumberedEvents:
    """Events whose slices are counted, but are not laid out as arrays yet.

    `stretch` is the number of each event's stretch of slices (empty: there is one).
    Stretch n begins with slice lows[n], holds instant since[n], has sizes[n] slices
    and belongs to run owner[n].
    """

    events: Events
    combs: tuple[Array, Array]
    firsts: Array
    lasts: Array
    stretch: Array
    lows: Array
    sizes: Array
    since: Array
    owner: Array
    whole: bool

    @property
    def slices(self) -> int:
        """The number of slices that will be laid out."""
        return int(self.sizes.sum(dtype=float))

    def lay(self) -> LaidEvents:
        """Number the slices from 0 on, run by run, and find where they begin."""
        _check(self.slices, MOST_SLICES)
        firsts, lasts = self.firsts, self.lasts
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        moved = offsets[:-1] - self.lows
        if len(self.stretch):
            distance = moved[self.stretch]
            firsts, lasts = firsts + distance, lasts + distance
        else:
            assert not moved.any(), "one run is counted from its first slice on"
        begins = begin(self.since, offsets, *self.combs)
        numbers = np.arange(len(self.events.firsts) + 1)
        runs = offsets[np.searchsorted(self.owner, numbers)]
        touched = None if self.whole else _touched(firsts, lasts, len(begins))
        return LaidEvents(self.events, firsts, lasts, begins, runs, touched)


def number_slices(events: Events, combs: Sequence[Comb]) -> NumberedEvents:
    """Count the slices that events cross."""
    none = np.empty(0, np.int64)
    periods = np.array([comb.period for comb in combs])
    phases = np.array([comb.phase for comb in combs])
    teeth = (periods, phases)
    if not len(events):
        return NumberedEvents(events, teeth, *(none,) * 7, whole=True)
    origin, most = int(events.starts.min()), int(events.lasts.max())
    _check(sum((most - origin) // comb.period + 1 for comb in combs), 1 << 62)
    since_origin = origin - (origin - phases) % periods
    firsts = number(events.starts, *teeth, since_origin)
    lasts = number(events.lasts, *teeth, since_origin)
    count, bounds = len(events.firsts), (events.firsts, events.stops)
    lows, highs, since = extents(events.starts, firsts, lasts, *bounds)
    sizes = highs - lows + 1
    if sizes.sum(dtype=float) <= DENSE * len(events) + SPARE:
        stretch = events.run if count > 1 else none
        return NumberedEvents(events, teeth, firsts, lasts, stretch, lows, sizes, since,
                        np.arange(count), whole=False)  # fmt: skip
    run = events.run
    order = np.lexsort((firsts, run))
    stretch, lows, sizes, since, owner = join(order, events.starts, firsts, lasts, run)
    return NumberedEvents(events, teeth, firsts, lasts, stretch, lows, sizes, since,
                    owner, whole=True)  # fmt: skip


def _check(slices: int, most: int) -> None:
    if slices >= most:
        raise BadInput.because(
            f"cannot lay events over {slices:,} slices",
            "they last too long, or lie too far apart, for the step of the window",
            "look for a bound that was mistyped, or use a longer step",
        )


def _touched(firsts: Array, lasts: Array, slices: int) -> Array | None:
    """The slices that an event crosses; None if all are crossed."""
    begun, ended = count_bounds(firsts, lasts, slices)
    begun[1:] -= ended[:-1]
    crossed = np.cumsum(begun) > 0
    return None if crossed.all() else np.flatnonzero(crossed)
