"""Which slices each window covers, as start and stop arrays.

    times of slices     0   10  20      50  60
    range 30, slide 10
    window [-20, 10)    |-|                         first window that holds an event
    window [-10, 20)    |----|
    window [  0, 30)    |--------|
    window [ 10, 40)        |----|
    ...                                             none in the gap but those that
    window [ 30, 60)                    |-|         reach over its ends

Only what needs the bounds of each window has them made: graphs, several ranges in one
pass, holistic aggregates, tails.  All else walks the numbers (`numbers.py`).  For count
windows the time of a slice is its position in the run, and only complete windows come
out unless `partial` is asked for.
"""

from __future__ import annotations

import numpy as np

from windrow._later import dataclass
from windrow.loops import compiled, lower_bound

from .numbers import number_windows
from .rule import Array, Rule


@dataclass(frozen=True)
class Frames:
    """Window i covers slices [starts[i], stops[i]) and begins at instant begins[i].

    `counts[k]` windows belong to run k, and they follow each other.  With tails,
    rows [tail_starts[i], tail_stops[i]) come after the slices.  `ends` are there where
    bounds are no arithmetic.
    """

    starts: Array
    stops: Array
    begins: Array
    counts: Array
    tail_starts: Array | None = None
    tail_stops: Array | None = None
    ends: Array | None = None


def _search_tails(  # the same over whole columns
    times: Array,
    edges: Array,
    runs: Array,
    counts: Array,
    range_: int,
    begins: Array,
    stops: Array,
    tail_starts: Array,
    tail_stops: Array,
) -> None:
    owners = np.repeat(np.arange(len(counts)), counts)
    firsts, lasts = edges[runs[:-1]], edges[runs[1:]]
    limits = begins + range_
    if len(times):
        rows = lower_bound(times, firsts, lasts, owners, limits)
    else:
        rows = np.minimum(lasts[owners], firsts[owners] + limits)
    rows = np.maximum(rows, edges[stops - 1])
    last = np.minimum(np.searchsorted(edges, rows, side="right") - 1, stops)
    stops[:] = np.maximum(last, runs[:-1][owners])
    tail_starts[:], tail_stops[:] = edges[stops], rows


@compiled(columns=_search_tails)
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
    rule: Rule, times: Array | None, edges: Array, runs: Array, *, tails: bool = False
) -> Frames:
    """The windows over slices cut at `edges`; without times, places of rows count.

    With `tails` the slices were cut at window starts alone, and each window gets
    the rows of its last, unfinished slice.
    """
    firsts, lasts = runs[:-1], runs[1:]
    least = most = None
    if times is None:
        heads = np.repeat(edges[firsts], lasts - firsts)
        instants = edges[:-1] - heads
    else:
        instants = times[edges[:-1]]
    if rule.is_complete:
        lengths = np.repeat(edges[lasts] - edges[firsts], lasts - firsts)
        least, most = rule.last_over(-1) + 1, rule.first_over(lengths) - 1
    windows = number_windows(rule, instants, firsts, lasts, least, most)
    starts, stops = windows.bounds()
    if not rule.is_even:
        numbers = windows.numbers()
        bounds = starts, stops, rule.begin(numbers), windows.counts
        return Frames(*bounds, ends=rule.end(numbers))
    begins, counts = windows.begins(), windows.counts
    if not tails:
        return Frames(starts, stops, begins, counts)
    clock = np.empty(0, np.int64) if times is None else times
    ends = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    _tails(clock, edges, runs, counts, rule.even.range, begins, stops, *ends)
    return Frames(np.minimum(starts, stops), stops, begins, counts, *ends)


def find_frames(
    times: Array,
    runs: tuple[Array, Array],
    asks: Array,
    frames: tuple[Array, Array],
    far: int,
    near: int,
    most: int,
    ahead: int = 0,
) -> tuple[Array, Array]:
    """The rows [start, stop) of each ask's frame, which `run_back` would walk.

    Run k has the rows runs[0][k] to runs[1][k] and the asks frames[0][k] to
    frames[1][k]; both rise.  A frame is [ask + far, ask + near), or the last `most`
    rows before ask + near; with `ahead` also so many from there on, or only these.
    """
    owners = np.repeat(np.arange(len(runs[0])), frames[1] - frames[0])
    stops = lower_bound(times, runs[0], runs[1], owners, asks + near)
    if most > 0 or ahead:
        starts = np.maximum(stops - most, runs[0][owners])
        return starts, np.minimum(stops + ahead, runs[1][owners])
    return lower_bound(times, runs[0], runs[1], owners, asks + far), stops


def list_windows(
    rule: Rule,
    times: Array,
    firsts: Array,
    lasts: Array,
    least: int | None = None,
    most: int | None = None,
) -> tuple[Array, Array, Array]:
    """Every window that holds one of the instants: first row, one past last, number.

    Instants rise within each run [first, last); `least` and `most` bound the numbers.
    """
    windows = number_windows(rule, times, firsts, lasts, least, most)
    return *windows.bounds(), windows.numbers()
