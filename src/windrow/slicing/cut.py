"""Cuts rows into slices: finds where each slice begins, run by run.

    rows    t0 t1 | t2 | t3 t4 t5 | ...        | an edge lies between two rows
    edges   0       2    3          6

Only slices that hold a row exist, so a gap of years costs nothing.  Between two
edges a row costs one comparison; the next edge is computed once a slice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.loops import compiled, ordinals
from windrow.windows import Rule

from .shared import shared_combs
from .slicers import Comb, Slicer

Array = np.ndarray[Any, Any]


def _next_edge(time, periods, phases):  # type: ignore[no-untyped-def]
    least = time - (time - phases[0]) % periods[0] + periods[0]
    for k in range(1, len(periods)):
        least = min(least, time - (time - phases[k]) % periods[k] + periods[k])
    return least


def _cut_columns(  # the same over whole columns
    times: Array,
    firsts: Array,
    lasts: Array,
    periods: Array,
    phases: Array,
    most: float,
) -> tuple[Array, Array] | None:
    pairs = zip(periods, phases, strict=True)
    begins = [times - (times - phase) % period for period, phase in pairs]
    return _cut_where_new(np.maximum.reduce(begins), firsts, lasts, most)


LEAP = 8  # rows of a slice that are passed over with one look


@compiled()
def _walk_times(times, firsts, lasts, periods, phases, edges, runs):  # type: ignore[no-untyped-def]
    """Fill where the slices of rows by time begin; -1 if `edges` has no room for all.

    Bursts have many rows in a slice: of 2M rows in bursts of 50, 1.5 ns a row, where a
    look at each and a first pass that counts took 4.7.
    """
    slices = 0
    for k in range(len(firsts)):
        runs[k] = slices
        i, last, edge = firsts[k], lasts[k], np.int64(0)
        while i < last:
            if i > firsts[k] and len(periods) == 1 and times[i] - periods[0] < edge:
                edge += periods[0]
            else:
                edge = _next_edge(times[i], periods, phases)
            if slices == len(edges):
                return -1
            edges[slices] = i
            slices += 1
            i += 1
            while i + LEAP <= last and times[i + LEAP - 1] < edge:
                i += LEAP
            while i < last and times[i] < edge:
                i += 1
    runs[len(firsts)] = slices
    return slices


def _cut_places(
    firsts: Array, lasts: Array, periods: Array, phases: Array, most: float
) -> tuple[Array, Array] | None:
    places = ordinals(lasts - firsts)
    return _cut_columns(places, firsts, lasts, periods, phases, most)


@compiled()
def _walk_positions(firsts, lasts, periods, phases, edges, runs):  # type: ignore[no-untyped-def]
    """Fill like `_walk_times`; a row's time is its position in the run."""
    slices = 0
    for k in range(len(firsts)):
        runs[k] = slices
        i = firsts[k]
        while i < lasts[k]:
            if slices == len(edges):
                return -1
            edges[slices] = i
            slices += 1
            i = firsts[k] + _next_edge(i - firsts[k], periods, phases)
    runs[len(firsts)] = slices
    return slices


@dataclass(frozen=True)
class Cuts:
    """The places where the stream is cut for all windows of a plan.

    They are the teeth of combs where windows are even, else as the `rules` say.

    >>> cuts = Cuts((Comb(4, 0), Comb(4, 2)))
    >>> cuts.begins(np.array([3, 4, 9])), cuts.ends(np.array([3, 4, 9]))
    (array([2, 4, 8]), array([ 4,  6, 10]))
    """

    combs: tuple[Comb, ...]
    rules: tuple[Rule, ...] = ()

    def begins(self, times: Array) -> Array:
        """The instant at which each time's slice begins: the last edge up to it."""
        edges = [times - (times - comb.phase) % comb.period for comb in self.combs]
        edges += [rule.cut(times) for rule in self.rules]
        begins: Array = np.maximum.reduce(edges)
        return begins

    def ends(self, times: Array) -> Array:
        """The instant at which each time's slice ends: the first edge after it."""
        edges = [
            times - (times - comb.phase) % comb.period + comb.period
            for comb in self.combs
        ]
        edges += [rule.next_cut(times) for rule in self.rules]
        ends: Array = np.minimum.reduce(edges)
        return ends

    def edges(self, least: int, greatest: int, most: int) -> Array | None:
        """All cuts around instants from `least` to `greatest`, in order.

        The first is at or before `least`, the last after `greatest`; None where there
        would be more than `most` slices between them.
        """
        start = int(self.begins(np.array([least]))[0])
        if self.rules:
            edges = [start]
            while edges[-1] <= greatest:
                if len(edges) > most:
                    return None
                edges.append(int(self.ends(np.array([edges[-1]]))[0]))
            return np.array(edges, np.int64)
        stop = int(self.ends(np.array([greatest]))[0])
        if sum((stop - start) // comb.period for comb in self.combs) > most:
            return None
        teeth = [
            np.arange(
                comb.phase + -(-(start - comb.phase) // comb.period) * comb.period,
                stop + 1,
                comb.period,
            )
            for comb in self.combs
        ]
        return teeth[0] if len(teeth) == 1 else np.unique(np.concatenate(teeth))

    def sql(self, column: str) -> str:
        """The expression of `begins` in Spark's SQL, over a column of ticks."""
        edges = [
            f"({column} - pmod({column} - {comb.phase}L, {comb.period}L))"
            for comb in self.combs
        ]
        edges += [rule.cut_sql(column) for rule in self.rules]
        return f"greatest({', '.join(edges)})" if len(edges) > 1 else edges[0]

    def number_sql(self, column: str) -> str:
        """The same as a whole number that Spark can group by quickly (`spread_of`)."""
        number = f"(({self.sql(column)} - {self._first}L) div {self._unit}L)"
        return f"({number} * {spread_of(self._unit)}L)"

    def begin_sql(self, number: str) -> str:
        """The instant at which the slice of a number begins."""
        plain = f"({number} div {spread_of(self._unit)}L)"
        return f"({plain} * {self._unit}L + {self._first}L)"

    @property
    def _first(self) -> int:
        return self.combs[0].phase if self.combs else 0

    @property
    def _unit(self) -> int:
        """What the distance of any two cuts is a multiple of."""
        if self.rules:
            return 1
        phases = [comb.phase - self._first for comb in self.combs]
        return math.gcd(*(comb.period for comb in self.combs), *phases)

    def cut(
        self,
        times: Array | None,
        firsts: Array,
        lasts: Array,
        most: float = math.inf,
    ) -> tuple[Array, Array] | None:
        """The edges of slices in rows, one more than slices, and of runs in slices.

        It is None where there would be more than `most` slices.

        `times` are non-decreasing within each run [first, last) of rows, and the runs
        stand one behind the other; without times, a row's time is its position.  Slice
        j is rows [edges[j], edges[j + 1]); run k is slices [runs[k], runs[k + 1]).
        """
        if self.rules:
            assert times is not None
            return _cut_where_new(self.begins(times), firsts, lasts, most)
        periods = np.array([comb.period for comb in self.combs], np.int64)
        phases = np.array([comb.phase for comb in self.combs], np.int64)
        walk = _walk_positions if times is None else _walk_times
        columns: Callable[..., Any] = _cut_places if times is None else _cut_columns
        at = () if times is None else (times,)
        fixed = (*at, firsts, lasts, periods, phases)
        rows = int((lasts - firsts).sum())
        edges = np.empty(int(min(rows, most)) + 1, np.int64)  # what stays empty is free
        runs = np.empty(len(firsts) + 1, np.int64)

        def fill() -> tuple[Array, Array] | None:
            slices = walk(*fixed, edges[:-1], runs)
            if slices < 0:
                return None
            edges[slices] = lasts[-1] if len(lasts) else 0
            return edges[: slices + 1], runs

        cuts: tuple[Array, Array] | None = walk.either(
            (*fixed, edges, runs), fill, lambda: columns(*fixed, most)
        )
        return cuts


def _cut_where_new(
    begins: Array, firsts: Array, lasts: Array, most: float
) -> tuple[Array, Array] | None:
    """Cut wherever the beginning of the slice, or the run, changes between rows."""
    new = np.ones(len(begins), bool)
    new[1:] = begins[1:] != begins[:-1]
    new[firsts] = True
    if np.count_nonzero(new) > most:
        return None
    before = np.concatenate([[0], np.cumsum(new)])
    last = lasts[-1:] if len(lasts) else np.zeros(1, np.int64)
    return np.append(np.flatnonzero(new), last), np.append(before[firsts], before[last])


SPREAD = 257


def spread_of(unit: int) -> int:
    """What numbers of slices or windows `unit` ticks apart are multiplied by in Spark.

    Its fast map for groups looks at the lowest 16 bits of a hash that adds about 65
    times a key to a number: instants share their lowest bits (a third slower than
    without the map), and numbers of neighbours meet those of neighbouring keys (half
    as fast).  Multiples of 257 do neither; it is odd, so that 65,536 in a row differ
    in 16 bits, and no greater than the unit, so that none leaves 64 bits.

    >>> spread_of(1), spread_of(60), spread_of(1_000_000)
    (1, 59, 257)
    """
    return min(SPREAD, unit - 1 + unit % 2)


def cuts_of(slicer: Slicer, rules: Sequence[Rule]) -> Cuts:
    """The cuts that a slicer makes for windows of those rules."""
    if all(rule.is_even for rule in rules):
        return Cuts(tuple(shared_combs(slicer, [rule.even for rule in rules])))
    return Cuts((), tuple(rules))
