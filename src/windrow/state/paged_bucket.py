"""Takes a bucket that keeps rows in pages through a step, whatever its windows.

tables that came --late?--> page of rows --watermark--> results now due
pages of earlier steps --------------------^  |
pages, header      <--------------------------+  rows that later results can reach
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from windrow.batch.sorted_rows import check_room, times_of
from windrow.plan.aggregate import Plan
from windrow.plan.over import OverPlan
from windrow.windows.rule import Array

from .codec import StepStats, Store, nullable_schema
from .fingerprint import QueryDescription
from .row_pages import RowPages


@dataclass(frozen=True)
class PagedBucket(ABC):
    """A bucket whose state is rows; with `keeps_header` it outlives the last of them.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end
    (ticks), r0, r1, ... (results in the order of the calls).
    """

    plan: Plan | OverPlan
    query: QueryDescription
    keep_late: bool

    keeps_header: ClassVar[bool] = False

    @property
    def schema(self) -> pa.Schema:
        """The columns of the rows that are stored; all may be null."""
        return nullable_schema(self.plan.schema, self.plan.reads)

    @property
    def longest(self) -> int:
        """How many ticks a result reaches from a row."""
        return 0

    @abstractmethod
    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The results that fall due in this step; rows out of reach are settled."""

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in rows, move time on to `now` (ticks), give the results now due."""
        pages = RowPages.open(store, self.query, self.schema, self.plan, now)
        pages.add(self._admit(tables, pages.closed, stats))
        for table in self.results(pages):
            stats.rows_out += len(table)
            yield table
        pages.close(keep=self.keeps_header)
        stats.keys = pages.count_keys()

    def _admit(
        self, tables: Sequence[pa.Table], closed: int, stats: StepStats
    ) -> pa.Table:
        """The rows that are not late; those that missed a window count as late rows."""
        schema = self.schema
        parts = [schema.empty_table()]
        for table in tables:
            late, missed = self.find_late(table, closed)
            stats.rows_in += len(table)
            stats.late_rows += int(missed.sum())
            if self.keep_late and missed.any():
                stats.late.append(table.filter(pa.array(missed)))
            rows = table.select(schema.names).cast(schema)
            parts.append(rows.filter(pa.array(~late)) if late.any() else rows)
        return pa.concat_tables(parts).combine_chunks()

    def find_late(self, table: pa.Table, closed: int) -> tuple[Array, Array]:
        """Which rows are late, and which have missed a window: here the same.

        A row without a time is late: nothing that it belongs to is still open.
        """
        assert self.plan.clock is not None
        times, known = times_of(table, self.plan.clock)
        late = self.is_late(times, closed)
        if known is not None:
            late = late | ~known
        check_room(times[~late], self.longest)
        return late, late

    def is_late(self, times: Array, closed: int) -> Array:
        """Whether a row of that time comes after results that it belongs to."""
        late: Array = times < closed
        return late
