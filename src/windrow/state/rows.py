"""Windows over rows that are kept from step to step.

    rows kept       . . . . . . . . . .          as they arrived, in pages
    closed, now               |     |
    due                 [---------) |            windows that end in (closed, now]
                          [---------)
    out of reach    x x x                        no window to come holds them

Two kinds of windows need the rows themselves:

- Time windows whose aggregates have no partial of bounded size: collect, concat,
  count_distinct, or a user's functions that could not be compiled.  A window comes
  out once, when the watermark passes its end.  A row is late if its slice has been
  closed.  A key is gone when its last window is out.
- Count windows.  Rows of a key are numbered in order of time, ties, arrival, once
  their time is behind the watermark: then nothing can come before them.  A window
  comes out when its last row has its number, and a row is late if its time is behind
  the watermark of the step before.  The last rows of a key and its count stay for
  ever, since more rows of it may come.  With partial=True windows that are clipped
  at the beginning come out as soon as all their rows are final; none is clipped at
  the end, for a stream has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.sorted_rows import Stream, check_room, stream_of
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved, resolve
from windrow.slicing import BY_NAME, cuts_of
from windrow.windows import Rule

from .admit import admit
from .due import Due, due_by_count, due_by_time, due_span, least_needed, out_of_reach
from .row_counts import add_to_tally
from .row_pages import RowPages
from .row_windows import Rows, parts, span
from .store import Store, Told

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RowBucket:
    """A bucket of `wr.aggregate` whose state is rows.

    Out come k0, k1, ... (keys), q (the query's number), start, end (ticks, or
    positions in the key), r0, r1, ... (results in the order of the calls).
    """

    plan: Plan
    spec: dict[str, Any]
    keep_late: bool

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), alone=True)

    @property
    def is_counted(self) -> bool:
        """Whether windows count rows."""
        return self.plan.rules[0].counts_rows

    def step(
        self, store: Store, fed: list[pa.Table], now: int, told: Told
    ) -> Iterator[pa.Table]:
        """Take in rows, move time on to `now` (ticks), give the windows now due."""
        plan = self.plan
        assert plan.clock is not None
        schema = pa.schema([plan.schema.field(name) for name in plan.reads])
        pages = RowPages.open(store, self.spec, schema, plan.by, plan.clock, now)
        rows, times = admit(
            fed,
            schema,
            plan.clock,
            lambda times: self._late(times, pages.closed),
            told,
            keep_late=self.keep_late,
        )
        if not self.is_counted:
            check_room(times, max(query.even.range for query in plan.rules))
        pages.add(rows)
        give = self._count_rows if self.is_counted else self._pass_time
        for table in give(pages):
            told.rows_out += len(table)
            yield table
        pages.close(keep=self.is_counted and (pages.known or bool(pages.pages)))
        told.keys = pages.count_keys()

    def _late(self, times: Array, closed: int) -> Array:
        if self.is_counted:
            return times < closed
        # a slice of Cutty outlives windows that end in it: its rows would miss them
        plan = self.plan
        whole = plan.slicer.whole_windows
        cuts = plan.cuts if whole else cuts_of(BY_NAME["pairs"], plan.rules)
        late: Array = cuts.ends(times) <= closed
        return late

    def _pass_time(self, pages: RowPages) -> Iterator[pa.Table]:
        """The time windows that end in (closed, now]."""
        plan, closed, now = self.plan, pages.closed, pages.now
        reach = {query: due_span(query, closed, now) for query in plan.rules}
        spans = [one for one in reach.values() if one is not None]
        if spans:
            start, stop = min(a for a, _ in spans), max(b for _, b in spans)
            kept, times = pages.gather(lambda p: p.least < stop and p.most >= start)
            table = kept.filter(pa.array((times >= start) & (times < stop)))
            stream = stream_of(table, plan.by, plan.clock, plan.ties)
            if len(table):
                found = Rows.of(table, stream, self.resolved.slots)
                for query in [query for query in plan.rules if reach[query]]:
                    due = due_by_time(stream, query, closed, now)
                    yield from self._results(found, query, due)
            pages.settle(times, ~out_of_reach(plan.rules, times, now))
        pages.drop(lambda p: bool(out_of_reach(plan.rules, np.array([p.most]), now)))

    def _count_rows(self, pages: RowPages) -> Iterator[pa.Table]:
        """The count windows whose last row came to lie behind `now`."""
        plan = self.plan
        if not pages.falls_due():
            return
        kept, times, final = pages.gather_final()
        table = kept.filter(pa.array(final))
        stream = stream_of(table, plan.by, plan.clock, plan.ties)
        assert stream.times is not None
        new = np.add.reduceat(
            (stream.times >= pages.closed).astype(np.int64), stream.firsts
        )
        before, known = add_to_tally(pages.store, plan.by, stream.keys, new)
        found = Rows.of(table, stream, self.resolved.slots)
        for query in plan.rules:
            due = due_by_count(stream, query, before, known)
            yield from self._results(found, query, due)
        living = np.ones(len(kept), bool)
        living[final] = self._needed(stream, known)
        pages.settle(times, living)

    def _needed(self, stream: Stream, known: Array) -> Array:
        """Which final rows a window still to come can hold, in the table's order."""
        left = known - least_needed(self.plan.rules, known)
        sizes = stream.lasts - stream.firsts
        behind = np.repeat(stream.lasts, sizes) - np.arange(len(stream))
        return as_arrived(stream, behind <= np.repeat(left, sizes))

    def _results(self, rows: Rows, query: Rule, due: Due) -> Iterator[pa.Table]:
        plan = self.plan
        number = plan.rules.index(query)
        asked, choice = self.resolved.asked, self.resolved.choices[number]
        algorithm = None if choice is None else choice.algorithm
        found = span(rows, plan.calls, asked, algorithm, due.starts, due.stops)
        for part in parts(len(due)):
            keys = rows.stream.keys.take(pa.array(due.runs[part]))
            columns = {f"k{i}": keys.column(name) for i, name in enumerate(plan.by)}
            columns["q"] = pa.array(np.full(len(due.runs[part]), number, np.int32))
            columns["start"] = pa.array(due.begins[part])
            columns["end"] = pa.array(due.ends[part])
            results = enumerate(found.columns(part))
            yield pa.table({**columns, **{f"r{i}": column for i, column in results}})


def as_arrived(stream: Stream, values: Array) -> Array:
    """From stream order to the order of the table."""
    if stream.order is None:
        return values
    arrived = np.empty_like(values)
    arrived[stream.order] = values
    return arrived


__all__ = ["RowBucket", "as_arrived"]
