"""Keeps rows in a store as pages, which the bucket's header lists.

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

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np
import pyarrow as pa

from windrow.batch.columns import key_codes
from windrow.batch.sorted_rows import times_of
from windrow.errors import StateError
from windrow.windows.clock import Clock

from .codec import HEADER, Store, pack, unpack
from .feed import nullable_schema
from .fingerprint import QueryDescription, check_same

Array = np.ndarray[Any, Any]

FIRST_PAGE = 2  # 0 is the header, and 1 is kept for what belongs to all pages
MOST_PAGES = 32


class RowPage(NamedTuple):
    """What the header says of a page: times are of its living rows.

    `to_come` is the least of them that is not final yet; `keys` is how many keys they
    have.
    """

    number: int
    rows: int
    dead: int
    least: int
    most: int
    to_come: int | None
    keys: int

    def falls_due(self, now: int) -> bool:
        """Whether a row becomes final when the watermark gets there."""
        return self.to_come is not None and self.to_come < now


def _times_facts(times: Array, since: int) -> dict[str, Any]:
    """What a page says of its times, where all before `since` are final."""
    ahead = times[times >= since]
    to_come = int(ahead.min()) if len(ahead) else None
    return {"least": int(times.min()), "most": int(times.max()), "to_come": to_come}


def _read_page(store: Store, page: RowPage, schema: pa.Schema) -> pa.Table:
    """The rows of a page, all of them and in those columns, or an error."""
    blob = store.get(page.number)
    if blob is None:
        raise _broken(f"page {page.number} of a bucket is not there")
    rows, _ = unpack(blob, "rows")
    if not rows.schema.equals(schema):
        raise _broken(
            f"its rows have the columns {_column_words(rows.schema)}, "
            f"and this query keeps {_column_words(schema)}"
        )
    if len(rows) != page.rows:
        raise _broken(
            f"page {page.number} of a bucket has {len(rows)} rows and not {page.rows}"
        )
    return rows


def _column_words(schema: pa.Schema) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in schema)


def _broken(cause: str) -> StateError:
    return StateError.because(
        "cannot go on from this checkpoint",
        cause,
        "see 'When a checkpoint cannot be read' in docs/streaming.md",
    )


@dataclass
class RowPages:
    """The pages of a bucket during one step.

    `schema` names the columns that are kept; `closed` is the watermark of the step
    before this one, and of a bucket without rows this one's.
    """

    store: Store
    query: QueryDescription
    schema: pa.Schema
    by: Sequence[str]
    clock: Clock
    now: int
    closed: int
    pages: list[RowPage] = field(default_factory=list)
    next: int = FIRST_PAGE
    known: bool = False
    _tables: dict[int, pa.Table] = field(default_factory=dict)
    _living: dict[int, Array] = field(default_factory=dict)
    _unwritten: set[int] = field(default_factory=set)
    _hand: list[RowPage] = field(default_factory=list)

    @classmethod
    def open(
        cls,
        store: Store,
        query: QueryDescription,
        schema: pa.Schema,
        by: Sequence[str],
        clock: Clock,
        now: int,
    ) -> Self:
        """What the store holds for a bucket, which may be nothing."""
        plain = nullable_schema(schema)
        blob = store.get(HEADER)
        if blob is None:
            return cls(store, query, plain, by, clock, now, now)
        _, facts = unpack(blob, "header")
        check_same(facts["spec"], query)
        closed = facts["now"]
        pages = [RowPage(*entry) for entry in facts["pages"]]
        now = max(now, closed)
        return cls(
            store, query, plain, by, clock, now, closed, pages, facts["next"], True
        )

    def add(self, rows: pa.Table) -> None:
        """A page of rows that came; it is written at the end of the step."""
        if len(rows):
            self.pages.append(self._new(rows, self.closed))

    def gather(self, wanted: Callable[[RowPage], bool]) -> tuple[pa.Table, Array]:
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

    def drop(self, dead: Callable[[RowPage], bool]) -> None:
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
            about = _times_facts(left, self.now)
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
            "spec": self.query.words,
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

    def _new(self, rows: pa.Table, since: int) -> RowPage:
        rows = rows.combine_chunks()
        number, self.next = self.next, self.next + 1
        self._tables[number] = rows
        self._unwritten.add(number)
        about = _times_facts(times_of(rows, self.clock)[0], since)
        return RowPage(number, len(rows), 0, keys=self._keys(rows), **about)

    def _keys(self, rows: pa.Table) -> int:
        return len(key_codes(rows, self.by)[1]) if self.by else min(len(rows), 1)

    def _read(self, page: RowPage) -> pa.Table:
        if page.number not in self._tables:
            self._tables[page.number] = _read_page(self.store, page, self.schema)
        return self._tables[page.number]

    def _remove(self, page: RowPage) -> None:
        self.pages.remove(page)
        self._forget(page)

    def _forget(self, page: RowPage) -> None:
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
        groups: list[list[RowPage]] = []
        held = 0
        for page in self.pages:
            held += page.rows - page.dead
            if not groups or held > most:
                groups.append([])
                held = page.rows - page.dead
            groups[-1].append(page)
        self.pages = [self._merge(group) for group in groups]

    def _merge(self, group: Sequence[RowPage]) -> RowPage:
        """One page of the living rows of several; a single one only if worth it."""
        (page, *others) = group
        new = page.number in self._unwritten
        if not others and not (page.dead if new else 2 * page.dead > page.rows):
            return page
        tables = []
        for page in group:
            rows, living = self._read(page), self._living.get(page.number)
            tables.append(rows if living is None else rows.filter(pa.array(living)))
        looked = all(page.number in self._living for page in group)
        for page in group:
            self._forget(page)
        merged = self._new(pa.concat_tables(tables), self.now)
        if looked:
            self._living[merged.number] = np.ones(merged.rows, bool)
        return merged


__all__ = ["MOST_PAGES", "RowPages"]
