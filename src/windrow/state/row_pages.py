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
from typing import NamedTuple, Self

import numpy as np
import pyarrow as pa

from windrow.batch.keys import key_codes
from windrow.batch.sorted_rows import times_of
from windrow.loops import keep_way
from windrow.plan.table import TablePlan
from windrow.windows.rule import Array

from .codec import FIRST_PAGE, HEADER, Store, pack, read_rows, unpack
from .fingerprint import QueryDescription, check_same, is_laid_out_as

MOST_PAGES = 32


class RowPage(NamedTuple):
    """What the header says of a page: times are of its living rows.

    `to_come` is the least that is not final yet, `keys` how many keys they have.
    """

    number: int
    rows: int
    dead: int
    least: int
    most: int
    to_come: int | None
    keys: int


def _bounds(times: Array, since: int) -> tuple[int, int, int | None]:
    """Least, most and `to_come` of a page, where all before `since` are final."""
    ahead = times[times >= since]
    to_come = int(ahead.min()) if len(ahead) else None
    return int(times.min()), int(times.max()), to_come


@dataclass
class RowPages:
    """The pages of a bucket during one step.

    `schema` names the columns of the rows; `closed` is the watermark of the step
    before this one, and of a bucket without rows this one's; `way` is how its kernels
    run, which must not change; `kept_keys` are those that are kept beside the rows.
    """

    store: Store
    query: QueryDescription
    schema: pa.Schema
    plan: TablePlan
    now: int
    closed: int
    way: str
    pages: list[RowPage] = field(default_factory=list)
    next: int = FIRST_PAGE
    known: bool = False
    kept_keys: int = 0
    _tables: dict[int, pa.Table] = field(default_factory=dict)
    _living: dict[int, Array] = field(default_factory=dict)
    _unwritten: set[int] = field(default_factory=set)
    _gathered: list[RowPage] = field(default_factory=list)
    _gathered_times: Array = field(default_factory=lambda: np.empty(0, np.int64))

    @classmethod
    def open(
        cls,
        store: Store,
        query: QueryDescription,
        schema: pa.Schema,
        plan: TablePlan,
        now: int,
        former: QueryDescription | None = None,
    ) -> Self:
        """What the store holds for a bucket, which may be nothing.

        If it is laid out as in the `former` description, the pages are that one's.
        """
        blob = store.get(HEADER)
        if blob is None:
            return cls(
                store, query, schema, plan, now, now, keep_way(None, is_new=True)
            )
        _, facts = unpack(blob, "header")
        if former is not None and is_laid_out_as(facts["spec"], former):
            query = former
        check_same(facts["spec"], query)
        now, closed = max(now, facts["now"]), facts["now"]
        way = keep_way(facts.get("way"), is_new=False)
        place = store, query, schema, plan, now, closed, way
        pages = [RowPage(*entry) for entry in facts["pages"]]
        return cls(*place, pages, facts["next"], True)

    def add(self, rows: pa.Table) -> None:
        """A page of rows that came; it is written at the end of the step."""
        if len(rows):
            self.pages.append(self._new(rows, self.closed))

    def gather(self, wanted: Callable[[RowPage], bool]) -> pa.Table:
        """The rows of those pages, as they arrived."""
        self._gathered = [page for page in self.pages if wanted(page)]
        tables = [self._read(page) for page in self._gathered]
        rows = pa.concat_tables([self.schema.empty_table(), *tables]).combine_chunks()
        self._gathered_times = self._times(rows)
        return rows

    def gather_final(self) -> pa.Table | None:
        """The final rows, if some become so in this step, of pages that have any."""
        to_come = [page.to_come for page in self.pages if page.to_come is not None]
        if min(to_come, default=self.now) >= self.now:
            return None
        return self.gather_seen()

    def gather_seen(self) -> pa.Table:
        """All rows behind the watermark, of pages that have any."""
        rows = self.gather(lambda page: page.least < self.now)
        return rows.filter(pa.array(self._gathered_times < self.now))

    @property
    def has_new(self) -> bool:
        """Whether rows came in this step."""
        return bool(self._unwritten)

    @property
    def final_times(self) -> Array:
        """The times of the final rows that were gathered."""
        return self._gathered_times[self._gathered_times < self.now]

    def drop(self, dead: Callable[[RowPage], bool]) -> None:
        """Remove pages that are known to be dead as a whole."""
        for page in [page for page in self.pages if dead(page)]:
            self._remove(page)

    def settle_final(self, needed: Array) -> None:
        """Note which of the final rows are alive; those to come are."""
        living = self._gathered_times >= self.now
        living[~living] = needed
        self.settle(living)

    def settle(self, living: Array) -> None:
        """Note which of the rows gathered are alive; remove pages where none is."""
        at = 0
        for page in self._gathered:
            mine = living[at : at + page.rows]
            left = self._gathered_times[at : at + page.rows][mine]
            at += page.rows
            if not len(left):
                self._remove(page)
                continue
            self._living[page.number] = mine
            dead, keys = page.rows - len(left), page.keys
            if dead > page.dead:
                keys = self._count_keys(self._alive(page))
            about = (page.number, page.rows, dead, *_bounds(left, self.now), keys)
            self.pages[self.pages.index(page)] = RowPage(*about)

    def close(self, *, keep: bool = False) -> None:
        """Write pages and header; without pages only one to `keep` stays."""
        self._tidy()
        for number in sorted(self._unwritten):
            self.store.put(number, pack(self._tables[number], "rows", small=True))
        if self.pages or keep:
            if not self.known or self.now > self.closed or self._unwritten:
                step = {"spec": self.query.words, "way": self.way, "now": self.now}
                facts = {**step, "pages": self.pages, "next": self.next}
                self.store.put(HEADER, pack(pa.table({}), "header", facts, small=True))
        elif self.known:
            self.store.remove(HEADER)

    def count_keys(self) -> int:
        """Distinct keys of the living rows.

        Of pages that were not looked at in this step only the one with most keys is
        counted: others may have the same ones.
        """
        looked = [page for page in self.pages if page.number in self._living]
        counts = [page.keys for page in self.pages if page not in looked]
        counts.append(self.kept_keys)
        if looked:
            rows = pa.concat_tables([self._alive(page) for page in looked])
            counts.append(self._count_keys(rows))
        return max(counts)

    def _new(self, rows: pa.Table, since: int) -> RowPage:
        rows = rows.combine_chunks()
        number, self.next = self.next, self.next + 1
        self._tables[number] = rows
        self._unwritten.add(number)
        bounds = _bounds(self._times(rows), since)
        return RowPage(number, len(rows), 0, *bounds, self._count_keys(rows))

    def _times(self, rows: pa.Table) -> Array:
        assert self.plan.clock is not None
        return times_of(rows, self.plan.clock)[0]

    def _count_keys(self, rows: pa.Table) -> int:
        by = self.plan.by
        return len(key_codes(rows, by)[1]) if by else min(len(rows), 1)

    def _read(self, page: RowPage) -> pa.Table:
        if page.number not in self._tables:
            rows = read_rows(self.store, page.number, self.schema, page.rows)
            self._tables[page.number] = rows
        return self._tables[page.number]

    def _alive(self, page: RowPage) -> pa.Table:
        """The rows of a page that are alive, as far as it was looked at."""
        rows, living = self._read(page), self._living.get(page.number)
        return rows if living is None else rows.filter(pa.array(living))

    def _remove(self, page: RowPage) -> None:
        self.pages.remove(page)
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
        many = len(self.pages) > MOST_PAGES
        new = any(page.dead and page.number in self._unwritten for page in self.pages)
        if not (many or new or 2 * dead > rows):
            return
        most = (rows - dead) // (MOST_PAGES // 4) if many else 0
        groups: list[list[RowPage]] = []
        size = 0
        for page in self.pages:
            size += page.rows - page.dead
            if not groups or size > most:
                groups.append([])
                size = page.rows - page.dead
            groups[-1].append(page)
        self.pages = [self._merge(group) for group in groups]

    def _merge(self, group: Sequence[RowPage]) -> RowPage:
        """One page of the living rows of several; a single one only if worth it."""
        (page, *others) = group
        new = page.number in self._unwritten
        if not others and not (page.dead if new else 2 * page.dead > page.rows):
            return page
        looked = all(page.number in self._living for page in group)
        rows = pa.concat_tables([self._alive(page) for page in group])
        for page in group:
            self._remove(page)
        merged = self._new(rows, self.now)
        if looked:
            self._living[merged.number] = np.ones(merged.rows, bool)
        return merged
