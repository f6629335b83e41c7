"""Answers windows over slices by position, and puts new slices on their shelves.

    old slices          |  page . . . |   between   |  tail  |   fresh slices
    window                  |---------|-------------|--------|-----|
                             suffix         rest  (with the tail)   prefix

A window that begins among old slices is three places: the suffix at its first slice,
the rest up to the last step, and a prefix of the slices that this step brings.  A
window that lies in fresh slices is slid over them.  Either way the cost is that of what
comes.

Places are numbers in one set of arrays, which grows as partials are combined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_arrays
from windrow.algorithms.pba_scans import merge
from windrow.batch.columns import array_runs
from windrow.batch.partials import PartialLayout
from windrow.loops import arrays
from windrow.plan.choose import Choice
from windrow.windows.rule import Array

from .locate import UNKNOWN, Finder
from .pieces import Fields, PartialPlaces, Pieces
from .shelves import (
    CHILD,
    KEYS,
    PAGE_ROWS,
    POSITION,
    RULE,
    TAIL,
    TIME,
    Shelf,
    column,
    run_starts,
)
from .slice_pages import ID

_, _FRONTS, _OPEN, _FRESH = range(4)  # groups of pieces; first what was read


class FreshSlices(NamedTuple):
    """Slices of this step: run k, [firsts[k], lasts[k]), is of key `ids[k]`.

    `table` has ID, CHILD, POSITION, TIME and partials.  Where `open[k]`, the first
    slice goes on from one that a step before left incomplete.
    """

    ids: Array
    firsts: Array
    lasts: Array
    open: Array
    table: pa.Table


class DueFrames(NamedTuple):
    """Windows of a rule: window i of run `runs[i]` ends before fresh slice `stops[i]`.

    It begins at fresh slice `starts[i]`, or where it `reaches` back, at the first slice
    whose position, or time, is not below `bounds[i]`.
    """

    runs: Array
    bounds: Array
    starts: Array
    stops: Array
    reaches: Array
    by_time: bool


class Front(NamedTuple):
    """The fronts of some keys for a rule, and the places of what lies between; -1."""

    rule: Array
    ids: Array
    pages: Array
    positions: Array
    times: Array
    between: Array


@dataclass
class PositionStep:
    """One step of the keys in `fresh`, whose shelves are all there."""

    layout: PartialLayout
    choice: Choice
    shelves: Mapping[int, Shelf]
    fresh: FreshSlices
    frames: Sequence[DueFrames]

    def __post_init__(self) -> None:
        empty = self.fresh.table.slice(0, 0)
        for shelf in self.shelves.values():
            if shelf.tail is None:
                shelf.tail = empty
        opens = self._take_open()
        self.finder = Finder(self.shelves)
        found = [self._find(number) for number in range(len(self.frames))]
        self._read_full()
        fronts = [s.fronts for s in self.shelves.values() if s.fronts is not None]
        groups = [[r.table for r in self.finder.tables.values()], fronts, opens]
        groups.append([self.fresh.table])
        self.pieces = Pieces(self.layout, groups, np.sort(self.fresh.ids))
        self.partials = PartialPlaces(self.pieces.product, self.pieces.partials.arrays)
        self.fresh_places = self.pieces.group(_FRESH)
        self._close_open()
        self._scan_tails()
        runs = self.fresh.firsts, self.fresh.lasts
        self._prefixes = self.partials.prefixes(self.fresh_places, *runs)
        front_places = self.pieces.group(_FRONTS)
        self.front_places = np.where(self.pieces.some[front_places], front_places, -1)
        self.places: list[tuple[Array, ...]] = []
        self.moved: list[Front] = []
        for number, one in enumerate(found):
            self._join(number, *one)

    def _take_open(self) -> list[pa.Table]:
        """Take the open slices of keys that go on out of tails, in order of runs."""
        fresh, taken = self.fresh, []
        ids = fresh.ids[fresh.open]
        for shelf in self.shelves.values():
            mine = ids[ids // KEYS == shelf.number]
            if len(mine):
                assert shelf.tail is not None
                tail_ids = shelf.tail.column(ID).to_numpy()
                lasts = np.searchsorted(tail_ids, mine, side="right") - 1
                taken.append(shelf.tail.take(pa.array(lasts)))
                is_open = np.zeros(len(tail_ids), bool)
                is_open[lasts] = True
                shelf.tail = shelf.tail.filter(pa.array(~is_open))
        return taken

    def _close_open(self) -> None:
        """Put what was open before the first fresh slice of its key."""
        places = self.pieces.group(_OPEN)
        if not len(places):
            return
        runs = np.flatnonzero(self.fresh.open)
        order = np.argsort(self.fresh.ids[runs])
        runs = runs[order]
        places = places[np.argsort(self.pieces.ids[places])]
        firsts = self.fresh_places[self.fresh.firsts[runs]]
        both = self.partials.chain(np.stack([places, firsts], axis=1))
        self.fresh_places[self.fresh.firsts[runs]] = both
        whole = tuple(field[self.fresh_places] for field in self.partials.fields)
        self.fresh_places = self.partials.add(whole) + np.arange(len(whole[0]))

    def _fronts(self, number: int) -> tuple[Array, ...]:
        """Keys, pages, ends and rows of the fronts of a rule, by key."""
        tables = [s.fronts for s in self.shelves.values() if s.fronts is not None]
        rows = np.flatnonzero(column(tables, RULE) == number)
        names = ID, CHILD, POSITION, TIME
        ids, pages, positions, times = (column(tables, name)[rows] for name in names)
        order = np.argsort(ids)
        values = ids, pages, positions, times, rows
        return tuple(value[order] for value in values)

    def _find(self, number: int) -> tuple[Array, ...]:
        """Page and first slice of each query of a rule; what is known of the rest."""
        frames = self.frames[number]
        queries = np.flatnonzero(frames.reaches)
        ids, bounds = self.fresh.ids[frames.runs[queries]], frames.bounds[queries]
        front_ids, front_pages, positions, times, rows = self._fronts(number)
        at = run_starts(front_ids, ids)
        ends = np.append(times if frames.by_time else positions, -(2**63))
        held = (at >= 0) & (bounds <= ends[at])
        pages = np.where(held, np.append(front_pages, UNKNOWN)[at], UNKNOWN)
        front = np.where(held, np.append(rows, -1)[at], -1)
        begins = self._tail_marks(ids, by_time=frames.by_time)
        in_tail = bounds >= begins + frames.by_time
        levels = {number: shelf.levels for number, shelf in self.shelves.items()}
        flat = np.array([levels[shelf] == 1 for shelf in (ids // KEYS).tolist()], bool)
        pages[(pages == UNKNOWN) & (in_tail | flat)] = TAIL
        places = np.full(len(ids), -1)
        between = np.full((len(ids), 1), -1)
        lost = pages == UNKNOWN
        if lost.any():
            found = self.finder.descend(ids[lost], bounds[lost], by_time=frames.by_time)
            pages[lost], places[lost] = found.pages, found.places
            between = np.full((len(ids), found.between.shape[1]), -1)
            between[lost] = found.between
        known = ~lost
        query = pages[known], ids[known], bounds[known]
        places[known] = self.finder.look_up(*query, by_time=frames.by_time)
        return queries, ids, pages, places, between, front

    def _tail_marks(self, ids: Array, *, by_time: bool) -> Array:
        """Where the tail of level 1 begins for each key; far away if it is empty."""
        tables = [shelf.tail for _, shelf in sorted(self.shelves.items())]
        tail_ids = column(tables, ID)
        marks = np.append(column(tables, TIME if by_time else POSITION), 2**62)
        return marks[run_starts(tail_ids, ids)]

    def _read_full(self) -> None:
        """Read the tails of shelves that fill a page, and the first of all others."""
        for number, shelf in self.shelves.items():
            self.finder.read(number, 1, TAIL)
            assert shelf.tail is not None
            fresh = int(
                (self.fresh.table.column(ID).to_numpy() // KEYS == number).sum()
            )
            if len(shelf.tail) + fresh > PAGE_ROWS:
                self.finder.read_tails(number)

    def _scan_tails(self) -> None:
        """Where the suffix of each row stands: pages hold it, tails are scanned."""
        total = self.finder.size
        self._suffixes = np.append(np.arange(total), -1)
        tails = [read for read in self.finder.tables.values() if read.is_tail]
        rows = [np.arange(r.offset, r.offset + len(r.table)) for r in tails]
        numbers = [np.full(len(r.table), r.number) for r in tails]
        places = np.concatenate(rows)
        firsts, lasts = array_runs(np.concatenate(numbers), self.pieces.ids[places])
        self._suffixes[places] = self.partials.suffixes(places, firsts, lasts)

    def _join(
        self,
        number: int,
        queries: Array,
        ids: Array,
        pages: Array,
        places: Array,
        between: Array,
        front: Array,
    ) -> None:
        """The three places of each window that reaches back, and the fronts now."""
        frames = self.frames[number]
        firsts, lasts = array_runs(ids, pages)
        groups = np.repeat(np.arange(len(firsts)), lasts - firsts)
        chains = self._suffixes[between[firsts]]
        held = front[firsts] >= 0
        chains[held, 0] = self.front_places[front[firsts][held]]
        rest = self.partials.chain(chains)
        paged = pages[firsts] != TAIL
        tails = np.full(len(firsts), -1)
        tails[paged] = self._suffixes[self.finder.tail_starts(1, ids[firsts][paged])]
        both = self.partials.chain(np.stack([np.where(paged, rest, -1), tails], axis=1))
        stops, begins = frames.stops[queries], self.fresh.firsts[frames.runs[queries]]
        newest = np.where(stops > begins, self._prefixes + stops - 1, -1)
        self.places.append((self._suffixes[places], both[groups], newest))
        last = np.append(ids[firsts][1:] != ids[firsts][:-1], True)[: len(firsts)]
        last &= paged
        who, where = ids[firsts][last], pages[firsts][last]
        positions, times = self.finder.page_ends(where, who)
        rule = np.full(len(who), number)
        self.moved.append(Front(rule, who, where, positions, times, rest[last]))

    def results(self, number: int) -> Fields:
        """The windows of a rule, lowered: one array for each output."""
        frames, product = self.frames[number], self.pieces.product
        fields = self.partials.fields
        out = arrays(product.out_dtypes, len(frames.runs))
        old, new = np.flatnonzero(frames.reaches), np.flatnonzero(~frames.reaches)
        merged = merge(product, fields, *self.places[number])
        fresh = tuple(field[self.fresh_places] for field in fields)
        bounds = frames.starts[new], frames.stops[new]
        work = self.choice.algorithm, product, fresh, *bounds
        slid = slide_arrays(*work, leaf="slices", lane=self.choice.lane)
        for field, older, newer in zip(out, merged, slid, strict=True):
            field[old], field[new] = older, newer
        return out
