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

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from windrow.batch.assemble import Answer, select_windows
from windrow.batch.sorted_rows import SortedRows, check_room
from windrow.batch.spans import lengths_of, open_spans, solve_spans, span_times
from windrow.plan.resolve import Facts, resolve
from windrow.windows.rule import Array

from .due import window_table
from .row_pages import RowPages
from .rows import RowBucket


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
