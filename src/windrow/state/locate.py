"""Finds where windows begin in the pages of shelves, and what lies behind.

A query is a key and a bound: the first slice of the key that is not below it.  From the
top level down, the entry that holds the bound names the page to look into next:

    level 3    tail    . . A .                 rest 3: entries behind A
    level 2    page A  . B . .    tail . .     rest 2: those behind B; whole tail 2
    level 1    page B  . . x .    tail . . .

So what lies between page B and the tail of level 1 is, in the order of the stream,

    rest 2, rest 3, ..., whole tail of the level below the top, ..., whole tail 2

A row of a table that was read goes by its place among all that were read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.windows.rule import Array

from .shelves import CHILD, KEYS, POSITION, TAIL, TIME, Shelf, column, find_first
from .slice_pages import ID

_KEY_BITS = 40  # of a code made of a table's number and a key's
UNKNOWN = -2  # in place of a page's number


class ReadTable(NamedTuple):
    """A page or a tail that was read; its rows stand from `offset` on."""

    number: int
    offset: int
    table: pa.Table
    is_tail: bool


class Found(NamedTuple):
    """The page of level 1, and the place of the slice, that each query begins at.

    `between` has places of partials between that page and the tail, oldest first; -1
    is none, everywhere.
    """

    pages: Array
    places: Array
    between: Array


@dataclass
class Finder:
    """Reads pages and tails of shelves as they are needed, each once."""

    shelves: Mapping[int, Shelf]
    tables: dict[tuple[int, int, int], ReadTable] = field(default_factory=dict)
    size: int = 0

    def read(self, shelf: int, level: int, page: int) -> ReadTable:
        """A page or a tail of a shelf."""
        key = shelf, level, page
        if key not in self.tables:
            table = self.shelves[shelf].table(level, page)
            is_tail = page == TAIL
            self.tables[key] = ReadTable(len(self.tables), self.size, table, is_tail)
            self.size += len(table)
        return self.tables[key]

    def read_tails(self, shelf: int) -> None:
        """Read the tails of all levels of a shelf."""
        for level in range(1, self.shelves[shelf].levels + 1):
            self.read(shelf, level, TAIL)

    def descend(self, ids: Array, bounds: Array, *, by_time: bool) -> Found:
        """Find where queries begin from the top level down."""
        shelves = ids // KEYS
        tops = np.array([self.shelves[shelf].levels for shelf in shelves], np.int64)
        pages = np.full(len(ids), TAIL)
        top = int(tops.max(initial=1))
        between = np.full((len(ids), 2 * top), -1)
        places = np.full(len(ids), -1)
        for level in range(top, 0, -1):
            mine = np.flatnonzero(tops >= level)
            query = ids[mine], bounds[mine]
            found, behind, children = self._search(
                level, pages[mine], *query, by_time=by_time
            )
            if level == 1:
                places[mine] = found
                break
            between[mine, level - 2] = behind
            paged = mine[pages[mine] != TAIL]
            between[paged, 2 * top - level] = self.tail_starts(level, ids[paged])
            pages[mine] = np.where(found >= 0, children, TAIL)
        return Found(pages, places, between)

    def look_up(
        self, pages: Array, ids: Array, bounds: Array, *, by_time: bool
    ) -> Array:
        """The places of slices at which queries begin, in pages of level 1."""
        return self._search(1, pages, ids, bounds, by_time=by_time)[0]

    def tail_starts(self, level: int, ids: Array) -> Array:
        """The place of each key's first entry in the tail of a level; -1: none."""
        least = np.full(len(ids), -(2**63))
        return self._search(level, np.full(len(ids), TAIL), ids, least, by_time=False)[
            0
        ]

    def page_ends(self, pages: Array, ids: Array) -> tuple[Array, Array]:
        """The last position and time of each key in a page of level 1."""
        if not len(ids):
            return ids, ids
        tables, codes, wanted = self._codes(1, pages, ids)
        last = np.searchsorted(codes, wanted, side="right") - 1
        positions, times = column(tables, POSITION), column(tables, TIME)
        return positions[last], times[last]

    def _search(
        self, level: int, pages: Array, ids: Array, bounds: Array, *, by_time: bool
    ) -> tuple[Array, Array, Array]:
        """Place of the first entry not below a bound, of the one behind, its child."""
        if not len(ids):
            return (np.empty(0, np.int64),) * 3
        tables, codes, wanted = self._codes(level, pages, ids)
        marks = column(tables, TIME if by_time else POSITION)
        found = find_first(codes, marks, wanted, bounds)
        children = column(tables, CHILD)
        behind = np.where(found >= 0, found + 1, -1)
        more = (behind >= 0) & (behind < len(codes))
        more[more] = codes[behind[more]] == wanted[more]
        # the tables of this level stand apart among all that were read
        places = np.concatenate(
            [
                np.arange(read.offset, read.offset + len(read.table))
                for read in self._reads(level, pages, ids)
            ]
        )
        places, children = np.append(places, -1), np.append(children, TAIL)
        return places[found], places[np.where(more, behind, -1)], children[found]

    def _reads(self, level: int, pages: Array, ids: Array) -> list[ReadTable]:
        pairs = np.unique(np.stack([ids // KEYS, pages]), axis=1).T.tolist()
        reads = [self.read(shelf, level, page) for shelf, page in pairs]
        return sorted(reads, key=lambda read: read.number)

    def _codes(
        self, level: int, pages: Array, ids: Array
    ) -> tuple[list[pa.Table], Array, Array]:
        """The tables in question, and entries and queries as table and key at once."""
        reads = self._reads(level, pages, ids)
        codes = [
            (read.number << _KEY_BITS) + read.table.column(ID).to_numpy()
            for read in reads
        ]
        pairs = np.stack([ids // KEYS, pages])
        unique, at = np.unique(pairs, axis=1, return_inverse=True)
        numbers = np.array(
            [self.read(shelf, level, page).number for shelf, page in unique.T.tolist()]
        )
        wanted = (numbers[at.ravel()] << _KEY_BITS) + ids
        return [read.table for read in reads], np.concatenate(codes), wanted
