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

import numpy as np

from windrow.loops import compiled, lower_bound, ordinals

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


def _time(times, edges, base, j):  # type: ignore[no-untyped-def]
    """The instant of the first row of slice j: its time, or its place in the run."""
    return times[edges[j]] if len(times) > 0 else edges[j] - edges[base]


def _list_even(  # what `_walk` counts and fills, over whole columns
    times: Array,
    edges: Array,
    runs: Array,
    range_: int,
    slide: int,
    shift: int,
    complete: bool,
) -> tuple[Array, Array, Array, Array]:
    firsts, lasts = runs[:-1], runs[1:]
    lengths = edges[lasts] - edges[firsts]
    instants = times[edges[:-1]] if len(times) else edges[:-1]
    if not len(times):
        instants = instants - np.repeat(edges[firsts], lasts - firsts)
    oldest = (instants - shift - range_) // slide + 1
    newest = (instants - shift) // slide
    starts, stops, numbers = _between(oldest, newest, firsts, lasts)
    begins = shift + numbers * slide
    owners = np.searchsorted(lasts, starts, side="right")
    if complete:
        whole = (begins >= 0) & (begins + range_ <= lengths[owners])
        starts, stops, begins = starts[whole], stops[whole], begins[whole]
        owners = owners[whole]
    return starts, stops, begins, np.bincount(owners, minlength=len(firsts))


@compiled()
def _walk(
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
                stop = begin + range_
                window += 1
                if complete and (begin < 0 or stop > length):
                    continue
                if len(starts) > 0:
                    while low < end and _time(times, edges, base, low) < begin:
                        low += 1
                    high = max(high, low)
                    while high < end and _time(times, edges, base, high) < stop:
                        high += 1
                    starts[at], stops[at], begins[at] = low, high, begin
                at += 1
        counts[k] = at - begun
    return at


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
    if not rule.is_even:
        assert times is not None
        assert not tails
        return _uneven(rule, times[edges[:-1]], runs)
    range_, slide, shift = rule.even
    clock = np.empty(0, np.int64) if times is None else times
    fixed = (clock, edges, runs, range_, slide, shift, rule.is_complete)
    counts, none = np.zeros(len(runs) - 1, np.int64), np.empty(0, np.int64)

    def walk() -> tuple[Array, Array, Array, Array]:
        total = _walk(*fixed, none, none, none, counts)
        lists = [np.empty(total, np.int64) for _ in range(3)]
        if total:
            _walk(*fixed, *lists, counts)
        return lists[0], lists[1], lists[2], counts

    starts, stops, begins, counts = _walk.either(
        (*fixed, none, none, none, counts), walk, lambda: _list_even(*fixed)
    )
    total = len(starts)
    if not tails:
        return Frames(starts, stops, begins, counts)
    tail_starts, tail_stops = np.empty(total, np.int64), np.empty(total, np.int64)
    _tails(clock, edges, runs, counts, range_, begins, stops, tail_starts, tail_stops)
    starts = np.minimum(starts, stops)
    return Frames(starts, stops, begins, counts, tail_starts, tail_stops)


def _uneven(rule: Rule, times: Array, runs: Array) -> Frames:
    """The windows of a rule that is no arithmetic, over slices at those instants."""
    firsts, lasts = runs[:-1], runs[1:]
    starts, stops, numbers = list_windows(rule, times, firsts, lasts)
    counts = np.bincount(
        np.searchsorted(lasts, starts, side="right"), minlength=len(firsts)
    )
    return Frames(starts, stops, rule.begin(numbers), counts, ends=rule.end(numbers))


def list_windows(
    rule: Rule,
    times: Array,
    firsts: Array,
    lasts: Array,
    least: int = -(2**63),
    most: int = 2**63 - 1,
) -> tuple[Array, Array, Array]:
    """Every window that holds one of the instants: first row, one past last, number.

    Instants rise within each run [first, last); only windows numbered from `least` to
    `most` come.  Row i is the first of those windows that it is in and the row before
    it is not, and the last of those that the row after it is not in.
    """
    oldest, newest = rule.first_over(times), rule.last_over(times)
    return _between(oldest, newest, firsts, lasts, least, most)


def _between(
    oldest: Array,
    newest: Array,
    firsts: Array,
    lasts: Array,
    least: int = -(2**63),
    most: int = 2**63 - 1,
) -> tuple[Array, Array, Array]:
    """The windows of rows of which each lies in windows oldest[i] to newest[i]."""
    after_previous = np.empty_like(newest)  # the first window without the row before
    after_previous[1:] = newest[:-1] + 1
    after_previous[firsts] = -(2**63)
    before_next = np.empty_like(oldest)  # the last window without the row after
    before_next[:-1] = oldest[1:] - 1
    before_next[lasts - 1] = 2**63 - 1
    oldest, newest = np.maximum(oldest, least), np.minimum(newest, most)
    starts, numbers = _listed(np.maximum(oldest, after_previous), newest)
    ends, _ = _listed(oldest, np.minimum(newest, before_next))
    return starts, ends + 1, numbers


def _listed(lows: Array, highs: Array) -> tuple[Array, Array]:
    """lows[i], ..., highs[i] for each i, one behind the other, and their i."""
    counts = np.maximum(highs - lows + 1, 0)
    owners = np.repeat(np.arange(len(counts)), counts)
    return owners, lows[owners] + ordinals(counts)
