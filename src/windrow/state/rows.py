"""A bucket of windows over rows, which are kept from step to step.

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
  ever, since more rows of it may come, which go on from the count:

      kept    k0   known          of the key's rows, the last that are kept are
              a    17             numbers known - 1, known - 2, ...
              b     3
  With partial=True windows that are clipped
  at the beginning come out as soon as all their rows are final; none is clipped at
  the end, for a stream has none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import key_codes
from windrow.batch.sorted_rows import SortedRows, check_room, sort_rows
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved, resolve
from windrow.slicing import BY_NAME, cuts_of

from .codec import StepStats, Store, pack, unpack
from .due import (
    DueWindows,
    KernelRows,
    due_by_count,
    due_by_time,
    due_span,
    first_needed,
    out_of_reach,
    result_parts,
    slide_ranges,
)
from .feed import admit_rows
from .fingerprint import QueryDescription
from .row_pages import RowPages

Array = np.ndarray[Any, Any]

TALLY = 1  # its number in the store
KNOWN = "known"


@dataclass(frozen=True)
class RowBucket:
    """A bucket of `wr.aggregate` whose state is rows.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end (ticks,
    or positions in the key), r0, r1, ... (results in the order of the calls).
    """

    plan: Plan
    query: QueryDescription
    keep_late: bool

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), inputs="ranges")

    @property
    def is_counted(self) -> bool:
        """Whether windows count rows."""
        return self.plan.rules[0].counts_rows

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in rows, move time on to `now` (ticks), give the windows now due."""
        plan = self.plan
        assert plan.clock is not None
        schema = pa.schema([plan.schema.field(name) for name in plan.reads])
        pages = RowPages.open(store, self.query, schema, plan.by, plan.clock, now)
        rows, times = admit_rows(
            tables,
            schema,
            plan.clock,
            lambda times: self._is_late(times, pages.closed),
            stats,
            keep_late=self.keep_late,
        )
        if not self.is_counted:
            check_room(times, max(rule.longest for rule in plan.rules))
        pages.add(rows)
        due = self._count_rows if self.is_counted else self._pass_time
        for table in due(pages):
            stats.rows_out += len(table)
            yield table
        pages.close(keep=self.is_counted and (pages.known or bool(pages.pages)))
        stats.keys = pages.count_keys()

    def _is_late(self, times: Array, closed: int) -> Array:
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
        spans = [due_span(rule, closed, now) for rule in plan.rules]
        due = [span for span in spans if span is not None]
        if due:
            start, stop = min(a for a, _ in due), max(b for _, b in due)
            rows, times = pages.gather(lambda p: p.least < stop and p.most >= start)
            table = rows.filter(pa.array((times >= start) & (times < stop)))
            stream = sort_rows(table, plan.by, plan.clock, plan.ties)
            if len(table):
                inputs = KernelRows.of(table, stream, self.resolved.slots)
                for number, rule in enumerate(plan.rules):
                    if spans[number] is not None:
                        windows = due_by_time(stream, rule, closed, now)
                        yield from self._results(inputs, number, windows)
            pages.settle(times, ~out_of_reach(plan.rules, times, now))
        pages.drop(lambda p: bool(out_of_reach(plan.rules, np.array([p.most]), now)))

    def _count_rows(self, pages: RowPages) -> Iterator[pa.Table]:
        """The count windows whose last row came to lie behind `now`."""
        plan = self.plan
        if not pages.falls_due():
            return
        rows, times, final = pages.gather_final()
        table = rows.filter(pa.array(final))
        stream = sort_rows(table, plan.by, plan.clock, plan.ties)
        assert stream.times is not None
        new = np.add.reduceat(
            (stream.times >= pages.closed).astype(np.int64), stream.firsts
        )
        before, known = _add_to_tally(pages.store, plan.by, stream.keys, new)
        inputs = KernelRows.of(table, stream, self.resolved.slots)
        for number, rule in enumerate(plan.rules):
            windows = due_by_count(stream, rule, before, known)
            yield from self._results(inputs, number, windows)
        living = np.ones(len(rows), bool)
        living[final] = self._needed(stream, known)
        pages.settle(times, living)

    def _needed(self, stream: SortedRows, known: Array) -> Array:
        """Which final rows a window still to come can hold, in the table's order."""
        left = known - first_needed(self.plan.rules, known)
        sizes = stream.lasts - stream.firsts
        behind = np.repeat(stream.lasts, sizes) - np.arange(len(stream))
        return as_arrived(stream, behind <= np.repeat(left, sizes))

    def _results(
        self, rows: KernelRows, number: int, due: DueWindows
    ) -> Iterator[pa.Table]:
        plan = self.plan
        request, choice = self.resolved.request, self.resolved.choices[number]
        algorithm = None if choice is None else choice.algorithm
        ranges = slide_ranges(
            rows, plan.calls, request, algorithm, due.starts, due.stops
        )
        for part in result_parts(len(due)):
            keys = rows.stream.keys.take(pa.array(due.runs[part]))
            columns = {f"k{i}": keys.column(name) for i, name in enumerate(plan.by)}
            columns["q"] = pa.array(np.full(len(due.runs[part]), number, np.int32))
            columns["start"] = pa.array(due.begins[part])
            columns["end"] = pa.array(due.ends[part])
            results = enumerate(ranges.columns(part))
            yield pa.table({**columns, **{f"r{i}": column for i, column in results}})


def _add_to_tally(
    store: Store, by: Sequence[str], keys: pa.Table, new: Array
) -> tuple[Array, Array]:
    """The count of each key before and after `new[i]` rows of key i became final."""
    names = [f"k{i}" for i in range(len(by))]
    listed = keys.select(list(by)).rename_columns(names)
    tallied, known = _read_tally(store, names, listed)
    codes, all_keys = _key_codes(tallied, listed, names, len(known), len(new))
    counts = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
    counts[codes[: len(known)]] = known
    mine = codes[len(known) :]
    before = counts[mine]
    after = before + new
    if new.any():
        counts[mine] = after
        there = counts > 0
        columns = {name: all_keys.column(name) for name in names}
        table = pa.table({**columns, KNOWN: counts}).filter(pa.array(there))
        store.put(TALLY, pack(table.combine_chunks(), "rows", small=True))
    return before, after


def _read_tally(
    store: Store, names: Sequence[str], listed: pa.Table
) -> tuple[pa.Table, Array]:
    blob = store.get(TALLY)
    if blob is None:
        return listed.slice(0, 0), np.empty(0, np.int64)
    table, _ = unpack(blob, "rows")
    return table.select(list(names)).cast(listed.schema), table.column(KNOWN).to_numpy()


def _key_codes(
    tallied: pa.Table, listed: pa.Table, names: Sequence[str], old: int, new: int
) -> tuple[Array, pa.Table]:
    """One code for each key of the tally, then each listed; and all keys by code."""
    if not names:
        return np.zeros(old + new, np.int64), pa.table({})
    return key_codes(pa.concat_tables([tallied, listed]).combine_chunks(), names)


def as_arrived(stream: SortedRows, values: Array) -> Array:
    """From stream order to the order of the table."""
    if stream.order is None:
        return values
    arrived = np.empty_like(values)
    arrived[stream.order] = values
    return arrived


__all__ = ["RowBucket", "as_arrived"]
