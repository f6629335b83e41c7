"""Which slices each window covers, as start and stop arrays.

    times of slices     0   10  20      50  60
    range 30, slide 10
    window [-20, 10)    |-|                         first window that holds an event
    window [-10, 20)    |----|
    window [  0, 30)    |--------|
    window [ 10, 40)        |----|
    ...                                             none in the gap but those that
    window [ 30, 60)                    |-|         reach over its ends

Windows are found from the slices, never by stepping through time, so a gap of
years costs nothing.  A window comes out if it holds a slice.  For count windows
the time of a slice is its position in the run, and only complete windows come out
unless `partial` is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow._compiled import compiled

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Frames:
    """Window i covers slices [starts[i], stops[i]) and begins at instant begins[i].

    `counts[k]` windows belong to run k, and they follow each other.  With tails,
    rows [tail_starts[i], tail_stops[i]) come after the slices.
    """

    starts: Array
    stops: Array
    begins: Array
    counts: Array
    tail_starts: Array | None = None
    tail_stops: Array | None = None


@compiled
def _time(times, edges, base, j):  # type: ignore[no-untyped-def]
    """The instant of the first row of slice j: its time, or its place in the run."""
    return times[edges[j]] if len(times) > 0 else edges[j] - edges[base]


@compiled
def _frame(
    times, edges, runs, range_, slide, shift, complete, starts, stops, begins, counts
):  # type: ignore[no-untyped-def]
    """Count windows per run; fill the other arrays if they have room."""
    at = 0
    for k in range(len(runs) - 1):
        base, end = runs[k], runs[k + 1]
        begun = at
        low = high = base
        length = edges[end] - edges[base]
        window = np.int64(0)
        for j in range(base, end):
            time = _time(times, edges, base, j)
            least = (time - shift - range_) // slide + 1
            window = least if j == base else max(window, least)
            last = (time - shift) // slide
            while window <= last:
                begin = shift + window * slide
                window += 1
                if complete and (begin < 0 or begin + range_ > length):
                    continue
                if len(starts) > 0:
                    while low < end and _time(times, edges, base, low) < begin:
                        low += 1
                    high = max(high, low)
                    while (
                        high < end and _time(times, edges, base, high) < begin + range_
                    ):
                        high += 1
                    starts[at] = low
                    stops[at] = high
                    begins[at] = begin
                at += 1
        counts[k] = at - begun
    return at


@compiled
def _tails(times, edges, runs, counts, range_, begins, stops, tail_starts, tail_stops):  # type: ignore[no-untyped-def]
    """Move each stop back to the last slice that lies wholly inside its window."""
    at = 0
    for k in range(len(runs) - 1):
        base, end = runs[k], runs[k + 1]
        first, last = edges[base], edges[end]
        row = first
        for _ in range(counts[k]):
            limit = begins[at] + range_
            row = max(row, edges[stops[at] - 1])
            if len(times) > 0:
                while row < last and times[row] < limit:
                    row += 1
            else:
                row = min(last, first + limit)
            stop = stops[at]
            while stop > base and edges[stop] > row:
                stop -= 1
            stops[at] = stop
            tail_starts[at] = edges[stop]
            tail_stops[at] = row
            at += 1


def frames(
    times: Array | None,
    edges: Array,
    runs: Array,
    range_: int,
    slide: int,
    shift: int = 0,
    *,
    complete: bool = False,
    tails: bool = False,
) -> Frames:
    """The windows over slices cut at `edges`; `complete` only for count windows.

    With `tails` the slices were cut at window starts alone, and each window gets
    the rows of its last, unfinished slice.
    """
    clock = np.empty(0, np.int64) if times is None else times
    counts = np.zeros(len(runs) - 1, np.int64)
    none = np.empty(0, np.int64)
    fixed = (clock, edges, runs, range_, slide, shift, complete)
    total = _frame(*fixed, none, none, none, counts)
    starts, stops, begins = (np.empty(total, np.int64) for _ in range(3))
    if total:
        _frame(*fixed, starts, stops, begins, counts)
    if not tails:
        return Frames(starts, stops, begins, counts)
    tail_starts, tail_stops = np.empty(total, np.int64), np.empty(total, np.int64)
    _tails(clock, edges, runs, counts, range_, begins, stops, tail_starts, tail_stops)
    starts = np.minimum(starts, stops)
    return Frames(starts, stops, begins, counts, tail_starts, tail_stops)
