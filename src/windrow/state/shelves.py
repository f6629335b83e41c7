"""Shelves of blobs: slices by position, in pages of suffixes on levels.

A shelf holds the slices of 32 keys.  New slices stand in its tail; a full tail becomes
a page, in which a slice has the suffix from itself to the last of its key:

    slices of a key     a b c d e f g h i j k l m n o
    level 1, pages      abc bc c | def ef f | ghi hi i | jkl kl l |  tail  m n o
    level 2, pages      abcdef def          | tail  ghi jkl
    level 3                                   tail  abcdef

and one entry of the next level, the total of its key, which names the page as its
child.  So a window that begins in a page is at most two places on each level, whatever
its range, and windows of any range share all pages.  Each entry knows the last position
and the last time below it, by which windows find where they begin.

    front    where a window of a key begins: page, and the total of what lies between
             that page and the tail, so that most steps need no level but the first

Blobs of a shelf are found by arithmetic: shelf, level, page.  Keys of a shelf come at
different rates, so that a page may be needed for a few of its rows: pages are looked at
in turn, and written again without those that nobody needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.windows.rule import Array

from .codec import Store, pack, read_blob, unpack
from .slice_pages import SOME

KEYS = 32  # of a shelf
PAGE_ROWS = 2048
TAIL = -1  # in place of a page's number
RULE, CHILD, POSITION, TIME = "rule", "child", "position", "time"


def address(shelf: int, level: int, page: int) -> int:
    """The number of a blob, behind those of pages of rows."""
    return (shelf + 1) << 40 | level << 34 | (page + 1)


def shelves_of(ids: Array) -> list[int]:
    """The shelves of those keys."""
    return np.unique(ids // KEYS).tolist()  # type: ignore[no-any-return]


@dataclass
class Level:
    """The pages of a level: runs of numbers, and how many rows they have in all.

    `next` is the number of the next page, `looked` the one that was last looked at for
    rows that nobody needs.
    """

    runs: list[list[int]] = field(default_factory=list)
    next: int = 0
    rows: int = 0
    looked: int = -1

    def add(self) -> int:
        """A new page; its number."""
        page, self.next = self.next, self.next + 1
        if self.runs and self.runs[-1][1] == page:
            self.runs[-1][1] = self.next
        else:
            self.runs.append([page, self.next])
        return page

    def drop(self, page: int) -> None:
        """Forget a page."""
        at = next(i for i, (_, stop) in enumerate(self.runs) if page < stop)
        start, stop = self.runs[at]
        halves = [[start, page], [page + 1, stop]]
        self.runs[at : at + 1] = [half for half in halves if half[0] < half[1]]

    def pages(self) -> list[int]:
        """The numbers of all pages."""
        return [page for start, stop in self.runs for page in range(start, stop)]

    def after(self, page: int) -> int | None:
        """The first page behind another; from the end back to the first."""
        for start, stop in self.runs:
            if page + 1 < stop:
                return max(start, page + 1)
        return self.runs[0][0] if self.runs else None


@dataclass
class Shelf:
    """One shelf: the tail of level 1, the fronts of its keys, and which pages it has.

    `below[l]` are the pages of level l + 1; the top level has a tail alone.
    """

    store: Store
    number: int
    tail: pa.Table | None = None
    fronts: pa.Table | None = None
    below: list[Level] = field(default_factory=list)

    @classmethod
    def read(cls, store: Store, number: int) -> Shelf:
        """What the store has of a shelf, which may be nothing."""
        blob = store.get(address(number, 1, TAIL))
        if blob is None:
            return cls(store, number)
        table, facts = unpack(blob, "slices")
        is_front = table.column(RULE).to_numpy() >= 0
        tail = table.filter(pa.array(~is_front)).drop_columns([RULE, SOME])
        fronts = table.filter(pa.array(is_front))
        levels = [Level(*level) for level in facts["levels"]]
        return cls(store, number, tail, fronts, levels)

    @property
    def levels(self) -> int:
        """How many levels there are."""
        return len(self.below) + 1

    def table(self, level: int, page: int) -> pa.Table:
        """A page, or the tail of a level."""
        if level == 1 and page == TAIL:
            assert self.tail is not None
            return self.tail
        return read_blob(self.store, address(self.number, level, page), "suffixes")

    def put(self, level: int, page: int, table: pa.Table) -> None:
        """Write a page, or a tail of a level above the first."""
        number = address(self.number, level, page)
        self.store.put(number, pack(table, "suffixes", small=True))

    def add_page(self, level: int, table: pa.Table) -> int:
        """Write a new page; its number."""
        if level > len(self.below):
            self.below.append(Level())
        page = self.below[level - 1].add()
        self.put(level, page, table)
        self.below[level - 1].rows += len(table)
        return page

    def trim_page(self, level: int, page: int, table: pa.Table, keep: Array) -> None:
        """Remove rows of a page that nobody needs: all, or where it is worth it."""
        rows, about = int(keep.sum()), self.below[level - 1]
        if not rows:
            self.store.remove(address(self.number, level, page))
            about.drop(page)
        elif 2 * rows < len(table):
            self.put(level, page, table.filter(pa.array(keep)))
        else:
            return
        about.rows -= len(table) - rows

    def write(self, tail: pa.Table, fronts: pa.Table) -> None:
        """Write tail, fronts and which pages there are."""
        count = len(tail)
        tail = tail.append_column(RULE, pa.array(np.full(count, -1, np.int32)))
        tail = tail.append_column(SOME, pa.array(np.ones(count, bool)))
        table = pa.concat_tables([tail, fronts.select(tail.column_names)])
        facts = {"levels": [list(vars(level).values()) for level in self.below]}
        blob = pack(table.combine_chunks(), "slices", facts, small=True)
        self.store.put(address(self.number, 1, TAIL), blob)

    def clear(self) -> None:
        """Remove all blobs."""
        for number, level in enumerate(self.below):
            for page in level.pages():
                self.store.remove(address(self.number, number + 1, page))
            self.store.remove(address(self.number, number + 2, TAIL))
        if self.tail is not None:
            self.store.remove(address(self.number, 1, TAIL))


def column(tables: Iterable[pa.Table], name: str) -> Array:
    """A column of all tables, one under the other."""
    arrays = [table.column(name).to_numpy() for table in tables]
    return np.concatenate([np.empty(0, np.int64), *arrays])


def find_first(ids: Array, bounds: Array, wanted_ids: Array, wanted: Array) -> Array:
    """The first entry of each wanted key whose bound is not below that wanted.

    Entries stand by key, and bounds of a key do not fall; -1: there is none.
    """
    every: Any = np.concatenate([ids, wanted_ids])
    is_entry = np.arange(len(every)) < len(ids)
    order = np.lexsort((is_entry, np.concatenate([bounds, wanted]), every))
    entry = is_entry[order]
    before = np.empty(len(every), np.int64)
    before[order] = np.cumsum(entry) - entry
    found = before[len(ids) :]
    there = found < len(ids)
    there[there] = ids[found[there]] == wanted_ids[there]
    return np.where(there, found, -1)


def run_starts(ids: Array, wanted_ids: Array) -> Array:
    """Where the entries of each wanted key begin; -1: there are none."""
    at = np.searchsorted(ids, wanted_ids)
    there = at < len(ids)
    there[there] = ids[at[there]] == wanted_ids[there]
    return np.where(there, at, -1)
