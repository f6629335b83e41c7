"""Rows kept in a store as pages, listed in the bucket's header.

    header     up to `now` all is out | page 7, page 9, page 10 | the next is 11
    page 7     40 rows, 9 of them dead     times 12 .. 95, from 60 on still to come
    page 9      3 rows                     times 80 .. 81
    page 10    ...

A step that brings rows writes one page, and reads only those pages whose times
concern it.  Pages stand in the order of arrival and so do the rows in each, whatever
is merged: ties are broken by it.  Between two steps

    the rows of a page == those that came in its steps, less some that are dead
    dead rows          <= half of all rows, and at most MOST_PAGES pages

where a dead row is one that no later result can reach, as far as the page has been
looked at since.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pyarrow as pa

from windrow.batch.keys import key_codes
from windrow.batch.sorted_rows import times_of
from windrow.windows.clock import Clock

from .codec import pack, unpack
from .fingerprint import check_same
from .page import Page, read_page, span_of
from .store import HEADER, Store

Array = np.ndarray[Any, Any]

FIRST_PAGE = 2  # 0 is the header, and 1 is kept for what belongs to all pages
MOST_PAGES = 32


@dataclass
class RowPages:
    """The pages of a bucket during one step.

    `schema` names the columns that are kept; `closed` is the watermark of the step
    before this one, and of a bucket without rows this one's.
    """

    store: Store
    spec: Mapping[str, Any]
    schema: pa.Schema
    by: Sequence[str]
    clock: Clock
    now: int
    closed: int
    pages: list[Page] = field(default_factory=list)
    next: int = FIRST_PAGE
    known: bool = False
    _tables: dict[int, pa.Table] = field(default_factory=dict)
    _living: dict[int, Array] = field(default_factory=dict)
    _unwritten: set[int] = field(default_factory=set)
    _hand: list[Page] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        store: Store,
        spec: Mapping[str, Any],
        schema: pa.Schema,
        by: Sequence[str],
        clock: Clock,
        now: int,
    ) -> Self:
        """What the store holds for a bucket, which may be nothing."""
        plain = pa.schema([(one.name, one.type) for one in schema])
        blob = store.get(HEADER)
        if blob is None:
            return cls(store, spec, plain, by, clock, now, now)
        _, facts = unpack(blob, "header")
        check_same(facts["spec"], spec)
        closed = facts["now"]
        pages = [Page(*entry) for entry in facts["pages"]]
        now = max(now, closed)
        return cls(
            store, spec, plain, by, clock, now, closed, pages, facts["next"], True
        )

    def add(self, rows: pa.Table) -> None:
        """A page of rows that came; it is written at the end of the step."""
        if len(rows):
            self.pages.append(self._new(rows, self.closed))

    def gather(self, wanted: Callable[[Page], bool]) -> tuple[pa.Table, Array]:
        """The rows of those pages as they arrived, and their times in ticks."""
        self._hand = [page for page in self.pages if wanted(page)]
        tables = [self._read(page) for page in self._hand]
        rows = pa.concat_tables([self.schema.empty_table(), *tables]).combine_chunks()
        return rows, times_of(rows, self.clock)[0]

    def falls_due(self) -> bool:
        """Whether a row becomes final in this step."""
        return any(page.falls_due(self.now) for page in self.pages)

    def gather_final(self) -> tuple[pa.Table, Array, Array]:
        """The rows of pages that have final ones, their times, and which are."""
        rows, times = self.gather(lambda page: page.least < self.now)
        return rows, times, times < self.now

    def drop(self, dead: Callable[[Page], bool]) -> None:
        """Remove pages that are known to be dead as a whole."""
        for page in [page for page in self.pages if dead(page)]:
            self._remove(page)

    def settle(self, times: Array, living: Array) -> None:
        """Note which of the rows gathered are alive; remove pages where none is."""
        at = 0
        for page in self._hand:
            mine = living[at : at + page.rows]
            left = times[at : at + page.rows][mine]
            at += page.rows
            if not len(left):
                self._remove(page)
                continue
            self._living[page.number] = mine
            place = self.pages.index(page)
            dead, keys = page.rows - len(left), page.keys
            if dead > page.dead:
                keys = self._keys(self._read(page).filter(pa.array(mine)))
            about = span_of(left, self.now)
            self.pages[place] = page._replace(dead=dead, keys=keys, **about)

    def close(self, *, keep: bool = False) -> None:
        """Write what is new, and the header; with `keep`, also for no page at all."""
        self._tidy()
        for number in sorted(self._unwritten):
            self.store.put(number, pack(self._tables[number], "rows", small=True))
        if not self.pages and not keep:
            if self.known:
                self.store.remove(HEADER)
            return
        if self.known and self.now == self.closed and not self._unwritten:
            return
        facts = {
            "spec": self.spec,
            "now": self.now,
            "pages": self.pages,
            "next": self.next,
        }
        self.store.put(HEADER, pack(pa.table({}), "header", facts, small=True))

    def count_keys(self) -> int:
        """Distinct keys of the living rows.

        Of pages that were not looked at in this step only the one with most keys is
        counted: others may have the same ones.
        """
        looked = [page for page in self.pages if page.number in self._living]
        others = [page.keys for page in self.pages if page.number not in self._living]
        tables = [
            self._tables[page.number].filter(pa.array(self._living[page.number]))
            for page in looked
        ]
        mine = self._keys(pa.concat_tables(tables)) if tables else 0
        return max([mine, *others])

    def _new(self, rows: pa.Table, since: int) -> Page:
        rows = rows.combine_chunks()
        number, self.next = self.next, self.next + 1
        self._tables[number] = rows
        self._unwritten.add(number)
        about = span_of(times_of(rows, self.clock)[0], since)
        return Page(number, len(rows), 0, keys=self._keys(rows), **about)

    def _keys(self, rows: pa.Table) -> int:
        return len(key_codes(rows, self.by)[1]) if self.by else min(len(rows), 1)

    def _read(self, page: Page) -> pa.Table:
        if page.number not in self._tables:
            self._tables[page.number] = read_page(self.store, page, self.schema)
        return self._tables[page.number]

    def _remove(self, page: Page) -> None:
        self.pages.remove(page)
        self._forget(page)

    def _forget(self, page: Page) -> None:
        if page.number in self._unwritten:
            self._unwritten.remove(page.number)
        else:
            self.store.remove(page.number)
        self._living.pop(page.number, None)

    def _tidy(self) -> None:
        """Merge neighbours where pages are many; rewrite those with many dead rows.

        A new page has rows that are dead at once where they came out in this step.
        """
        rows = sum(page.rows for page in self.pages)
        dead = sum(page.dead for page in self.pages)
        new = any(page.dead and page.number in self._unwritten for page in self.pages)
        many = len(self.pages) > MOST_PAGES
        if not (many or new or 2 * dead > rows):
            return
        most = (rows - dead) // (MOST_PAGES // 4) if many else 0
        groups: list[list[Page]] = []
        held = 0
        for page in self.pages:
            held += page.rows - page.dead
            if not groups or held > most:
                groups.append([])
                held = page.rows - page.dead
            groups[-1].append(page)
        self.pages = [self._merged(group) for group in groups]

    def _merged(self, group: Sequence[Page]) -> Page:
        """One page of the living rows of several; a single one only if worth it."""
        (page, *others) = group
        new = page.number in self._unwritten
        if not others and not (page.dead if new else 2 * page.dead > page.rows):
            return page
        tables = []
        for one in group:
            rows, living = self._read(one), self._living.get(one.number)
            tables.append(rows if living is None else rows.filter(pa.array(living)))
        looked = all(one.number in self._living for one in group)
        for one in group:
            self._forget(one)
        made = self._new(pa.concat_tables(tables), self.now)
        if looked:
            self._living[made.number] = np.ones(made.rows, bool)
        return made


__all__ = ["MOST_PAGES", "RowPages"]
