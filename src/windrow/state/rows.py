"""Buckets that keep rows in pages: of time windows, and of events with a duration.

    tables that came --late?--> page of rows --watermark--> results now due
    pages of earlier steps --------------------^  |
    pages, header      <--------------------------+  rows that later results can reach

Rows themselves are needed where aggregates have no partial of bounded size: collect,
concat, count_distinct, or a user's functions that could not be compiled.  A window
comes out once, when the watermark passes its end.  A row whose slice has been closed
counts in windows that are not out, or is late for all, as is asked for.  A key is gone
when its last window is out.

    rows            . . . . . . . . . .          as they arrived, in pages
    events          =====   ==============
    closed, now               |     |
    due                 [---------) |            windows that end in (closed, now]
                          [---------)
    out of reach    x x x                        no window to come holds them

An event comes when it ends, and a window is released at its end plus the time to
postpone, which is the watermark's delay.  So an event is late as a row is: if the slice
in which it ends has been closed.  One that is in time counts in all windows that are
open; where it lasted longer than the delay, it also overlaps windows that are out, and
is counted and given back as late for those.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.assemble import Answer, select_windows
from windrow.batch.sorted_rows import SortedRows, check_room, times_of
from windrow.batch.spans import lengths_of, open_spans, solve_spans, span_times
from windrow.plan.aggregate import Plan
from windrow.plan.facts import Facts
from windrow.plan.resolve import resolve
from windrow.plan.resolved import Resolved
from windrow.plan.table import TablePlan
from windrow.slicing import BY_NAME, cuts_of
from windrow.windows.rule import Array

from .codec import StepStats, Store, nullable_schema
from .due import KernelRows, due_by_time, due_span, out_of_reach, window_table
from .fingerprint import QueryDescription
from .late import tell_late
from .row_pages import RowPages


@dataclass(frozen=True)
class PagedBucket(ABC):
    """A bucket whose state is rows.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end
    (ticks), r0, r1, ... (results in the order of the calls).
    """

    plan: TablePlan
    query: QueryDescription
    keep_late: bool

    @property
    def former(self) -> PagedBucket | None:
        """The bucket that goes on from state of a layout that is written no more."""
        return None

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
        place = store, self.query, self.schema, self.plan, now
        former = self.former
        pages = RowPages.open(*place, None if former is None else former.query)
        bucket = former if former and pages.query is former.query else self
        pages.add(self._admit(tables, pages.closed, stats))
        for table in bucket.results(pages):
            stats.rows_out += len(table)
            yield table
        pages.close(keep=bucket.keeps_header(pages))
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

    def keeps_header(self, _: RowPages) -> bool:
        """Whether the header outlives the last row."""
        return False

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


@dataclass(frozen=True)
class RowBucket(PagedBucket):
    """A bucket of `wr.aggregate` whose state is the rows of open time windows.

    With `count_late` rows whose slice is closed count in windows that are not out.
    """

    plan: Plan
    count_late: bool = False

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), inputs="ranges")

    def keeps_header(self, _: RowPages) -> bool:
        """A row that counts in windows to come must find out which these are."""
        return self.count_late

    @property
    def longest(self) -> int:
        """The length of the longest window."""
        return max(rule.longest for rule in self.plan.rules)

    def find_late(self, table: pa.Table, closed: int) -> tuple[Array, Array]:
        """Which rows count in no window, and which have missed one."""
        late, _ = super().find_late(table, closed)
        if not self.count_late:
            return late, late
        assert self.plan.clock is not None
        times, known = times_of(table, self.plan.clock)
        missed, late = tell_late(self.plan.rules, times, closed)
        return (late, missed) if known is None else (late | ~known, missed | ~known)

    def is_late(self, times: Array, closed: int) -> Array:
        """Whether the slice of each instant is closed."""
        # a slice of Cutty outlives windows that end in it: its rows would miss them
        plan = self.plan
        whole = plan.slicer.whole_windows
        cuts = plan.cuts if whole else cuts_of(BY_NAME["pairs"], plan.rules)
        late: Array = cuts.ends(times) <= closed
        return late

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The windows that end in (closed, now]."""
        rules, now = self.plan.rules, pages.now
        reach = due_span(rules, pages.closed, now)
        if reach is not None:
            low, high = reach
            lasting = self.plan.span is not None  # may begin long before its time
            rows = pages.gather(
                lambda page: page.most >= low and (lasting or page.least < high)
            )
            firsts, lasts = self.instants(rows)
            table = rows.filter(pa.array((lasts >= low) & (firsts < high)))
            if len(table):
                yield from self.slide(table, reach, pages)
            pages.settle(~out_of_reach(rules, lasts, now))
        pages.drop(lambda p: bool(out_of_reach(rules, np.array([p.most]), now)))

    def instants(self, rows: pa.Table) -> tuple[Array, Array]:
        """The first and the last instant of each row."""
        assert self.plan.clock is not None
        times, _ = times_of(rows, self.plan.clock)
        return times, times

    def slide(
        self, table: pa.Table, _: tuple[int, int], pages: RowPages
    ) -> Iterator[pa.Table]:
        """The windows over the rows within reach that are due."""
        rows = KernelRows.of(table, self.plan, self.resolved.slots)
        for number, rule in enumerate(self.plan.rules):
            due = due_by_time(rows.stream, rule, pages.closed, pages.now)
            yield from rows.windows(self.resolved, number, due)


@dataclass(frozen=True)
class SpanBucket(RowBucket):
    """A bucket of `wr.aggregate` whose state is events that last."""

    def find_late(self, table: pa.Table, closed: int) -> tuple[Array, Array]:
        """Which events no open window overlaps, and which have missed a window."""
        events, rules = span_times(table, self.plan), self.plan.rules
        check_room(events.starts, self.longest)
        check_room(events.lasts, self.longest)
        late = self.plan.cuts.ends(events.lasts) <= closed
        if self.count_late:
            late = out_of_reach(rules, events.lasts, closed)
        if events.known is not None:
            late = late | ~events.known
        first_ends = [rule.end(rule.first_over(events.starts)) for rule in rules]
        return late, late | (np.min(first_ends, axis=0) <= closed)

    def instants(self, rows: pa.Table) -> tuple[Array, Array]:
        """The first and the last instant of each event."""
        events = span_times(rows, self.plan)
        return events.starts, events.lasts

    def slide(
        self, table: pa.Table, reach: tuple[int, int], pages: RowPages
    ) -> Iterator[pa.Table]:
        """The windows over the events within reach that are due."""

        def trim(_: SortedRows, answers: list[Answer]) -> list[Answer]:
            return [
                select_windows(answer, (ends > pages.closed) & (ends <= pages.now))
                for answer in answers
                for ends in [answer.ends]
            ]

        low, high = (np.full(len(table), bound) for bound in reach)
        job = open_spans(table, self.plan, within=(low, high))
        resolved = resolve(self.plan, Facts(spans=lengths_of(job.laid)))
        stream, answers, columns = solve_spans(job, resolved, trim)
        for number, (answer, results) in enumerate(zip(answers, columns, strict=True)):
            if len(answer.begins):
                keys = stream.keys.take(pa.array(answer.runs))
                yield window_table(keys, number, answer.begins, answer.ends, results)
