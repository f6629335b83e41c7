"""Buckets of time windows over rows, and over events with a duration.

    rows            . . . . . . . . . .          as they arrived, in pages
    events          =====   ==============
    closed, now               |     |
    due                 [---------) |            windows that end in (closed, now]
                          [---------)
    out of reach    x x x                        no window to come holds them

Rows themselves are needed where aggregates have no partial of bounded size: collect,
concat, count_distinct, or a user's functions that could not be compiled.  A window
comes out once, when the watermark passes its end.  A row is late if its slice has been
closed.  A key is gone when its last window is out.

An event comes when it ends, and a window is released at its end plus the time to
postpone, which is the watermark's delay.  So an event is late as a row is: if the slice
in which it ends has been closed.  One that is in time counts in all windows that are
open; where it lasted longer than the delay, it also overlaps windows that are out, and
is counted and given back as late for those.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow.batch.assemble import Answer, select_windows
from windrow.batch.sorted_rows import SortedRows, check_room, times_of
from windrow.batch.spans import lengths_of, open_spans, solve_spans, span_times
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved, resolve
from windrow.slicing import BY_NAME, cuts_of
from windrow.windows.rule import Array

from .due import KernelRows, due_by_time, due_span, out_of_reach, window_table
from .paged_bucket import PagedBucket
from .row_pages import RowPages


@dataclass(frozen=True)
class RowBucket(PagedBucket):
    """A bucket of `wr.aggregate` whose state is the rows of open time windows."""

    plan: Plan

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), inputs="ranges")

    @property
    def longest(self) -> int:
        """The length of the longest window."""
        return max(rule.longest for rule in self.plan.rules)

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
