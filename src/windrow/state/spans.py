"""A bucket of windows over events with a duration, kept from step to step.

    events kept     =====   ==============        as they arrived, in pages
                        ==         =====
    closed, now               |     |
    due                 [---------) |             windows that end in (closed, now]
    out of reach    x x                           no window to come overlaps them

An event comes when it ends, and a window is released at its end plus the time to
postpone, which is the watermark's delay.  So an event is late as a row is: if the slice
in which it ends has been closed.  One that is in time counts in all windows that are
open; where it lasted longer than the delay, it also overlaps windows that are out, and
is counted and given back as late for those.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.assemble import Answer, select_windows
from windrow.batch.sorted_rows import SortedRows, check_room
from windrow.batch.spans import lengths_of, open_spans, solve_spans, span_times
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, resolve

from .codec import StepStats, Store
from .due import due_span, out_of_reach
from .feed import admit, nullable_schema
from .fingerprint import QueryDescription
from .row_pages import RowPages

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SpanBucket:
    """A bucket of `wr.aggregate` whose state is events that last.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end
    (ticks), r0, r1, ... (results in the order of the calls).
    """

    plan: Plan
    query: QueryDescription
    keep_late: bool

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in events, move time on to `now` (ticks), give the windows now due."""
        plan = self.plan
        assert plan.clock is not None
        schema = pa.schema([plan.schema.field(name) for name in plan.reads])
        pages = RowPages.open(store, self.query, schema, plan.by, plan.clock, now)
        pages.add(self._admit(tables, schema, pages.closed, stats))
        for table in self._pass_time(pages):
            stats.rows_out += len(table)
            yield table
        pages.close()
        stats.keys = pages.count_keys()

    def _admit(
        self,
        tables: Sequence[pa.Table],
        schema: pa.Schema,
        closed: int,
        stats: StepStats,
    ) -> pa.Table:
        """The events that some open window overlaps."""
        plain = nullable_schema(schema)
        parts = [plain.empty_table()]
        longest = max(rule.longest for rule in self.plan.rules)
        for table in tables:
            events = span_times(table, self.plan)
            check_room(events.starts, longest)
            check_room(events.lasts, longest)
            late = self.plan.cuts.ends(events.lasts) <= closed
            missed = late | self._has_missed(events.starts, closed)
            if events.known is not None:
                late, missed = late | ~events.known, missed | ~events.known
            keep = self.keep_late
            parts.append(admit(table, plain, late, missed, stats, keep_late=keep))
        return pa.concat_tables(parts).combine_chunks()

    def _has_missed(self, starts: Array, closed: int) -> Array:
        """Whether the first window over each event is out already."""
        ends = [rule.end(rule.first_over(starts)) for rule in self.plan.rules]
        missed: Array = np.min(ends, axis=0) <= closed
        return missed

    def _pass_time(self, pages: RowPages) -> Iterator[pa.Table]:
        """The windows that end in (closed, now]."""
        plan, closed, now = self.plan, pages.closed, pages.now
        spans = [due_span(rule, closed, now) for rule in plan.rules]
        due = [span for span in spans if span is not None]
        if due:
            low, high = min(a for a, _ in due), max(b for _, b in due)
            rows, times = pages.gather(lambda page: page.most >= low)
            events = span_times(rows, plan)
            reached = (events.lasts >= low) & (events.starts < high)
            table = rows.filter(pa.array(reached))
            yield from self._results(table, (low, high), pages)
            pages.settle(times, ~out_of_reach(plan.rules, events.lasts, now))
        pages.drop(lambda p: bool(out_of_reach(plan.rules, np.array([p.most]), now)))

    def _results(
        self, table: pa.Table, reach: tuple[int, int], pages: RowPages
    ) -> Iterator[pa.Table]:
        plan, closed, now = self.plan, pages.closed, pages.now
        if not len(table):
            return

        def trim(_: SortedRows, answers: list[Answer]) -> list[Answer]:
            return [_select_due(answer, closed, now) for answer in answers]

        within = tuple(np.full(len(table), bound) for bound in reach)
        job = open_spans(table, plan, within=(within[0], within[1]))
        resolved = resolve(plan, Facts(spans=lengths_of(job.laid)))
        stream, answers, columns = solve_spans(job, resolved, trim)
        for number, (answer, results) in enumerate(zip(answers, columns, strict=True)):
            if not len(answer.begins):
                continue
            runs = np.repeat(np.arange(len(answer.counts)), answer.counts)
            keys = stream.keys.take(pa.array(runs))
            yield pa.table(
                {
                    **{f"k{i}": keys.column(name) for i, name in enumerate(plan.by)},
                    "q": pa.array(np.full(len(runs), number, np.int32)),
                    "start": pa.array(answer.begins),
                    "end": pa.array(answer.ends),
                    **{f"r{i}": column for i, column in enumerate(results)},
                }
            )


def _select_due(answer: Answer, closed: int, now: int) -> Answer:
    """The windows that end in (closed, now]."""
    ends = answer.ends
    return select_windows(answer, (ends > closed) & (ends <= now))


__all__ = ["SpanBucket"]
