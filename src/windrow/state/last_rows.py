"""Buckets that keep the last rows of each key: of count windows, and of `wr.over`.

    rows kept      + + + + | . . . | . . .       + out already, . still to come
    closed, now            |       |
    out                      . . .               time in [closed, now)
    looked back at   |-------|

A row is final once its time is behind the watermark: then its peers at the same instant
are all there, and no row can come before it.  A row is late if its time is behind the
watermark of the step before.  The last rows that a frame of rows reaches stay for ever,
since more rows of the key may come; with durations alone a key is gone when its rows
are out of reach.

Count windows number the final rows of a key in order of time, ties, arrival.  A window
comes out when its last row has its number, and rows to come go on from the count:

    tally    k0   known          of the key's rows, the last that are kept are
             a    17             numbers known - 1, known - 2, ...
             b     3

With partial=True windows that are clipped at the beginning come out as soon as all
their rows are final; none is clipped at the end, for a stream has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.assemble import seen_columns
from windrow.batch.over import look_back
from windrow.plan.aggregate import Plan
from windrow.plan.as_of import AsOfPlan
from windrow.plan.facts import Facts
from windrow.plan.frame import Frame
from windrow.plan.over import OverPlan
from windrow.plan.resolve import resolve
from windrow.plan.resolved import Resolved, ResolvedOver
from windrow.windows import find_frames
from windrow.windows.rule import Array

from .codec import nullable_schema
from .due import LEAST, KernelRows, due_by_count, first_needed, result_parts
from .key_table import KNOWN, KeyTally
from .row_pages import RowPages
from .rows import PagedBucket


@dataclass(frozen=True)
class CountBucket(PagedBucket):
    """A bucket of `wr.aggregate` whose state is the last rows and count of each key."""

    plan: Plan

    def keeps_header(self, pages: RowPages) -> bool:
        """The numbers of rows go on where they were."""
        return pages.known

    @cached_property
    def resolved(self) -> Resolved:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts(), inputs="ranges")

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The count windows whose last row came to lie behind `now`."""
        plan = self.plan
        table = pages.gather_final()
        if table is None:
            return
        rows = KernelRows.of(table, plan, self.resolved.slots)
        stream = rows.stream
        assert stream.times is not None
        is_new = (stream.times >= pages.closed).astype(np.int64)
        new = np.add.reduceat(is_new, stream.firsts)
        tally = KeyTally.read(pages.store, plan, {KNOWN: 0})
        places = tally.find(stream.keys)
        before = tally.counts[0, places]
        known = tally.counts[0, places] = before + new
        if new.any():
            tally.write(pages.store)
        for number, rule in enumerate(plan.rules):
            due = due_by_count(stream, rule, before, known)
            yield from rows.windows(self.resolved, number, due)
        left = known - first_needed(plan.rules, known)
        needed = rows.behind <= np.repeat(left, stream.lasts - stream.firsts)
        pages.settle_final(rows.as_arrived(needed))


@dataclass(frozen=True)
class RollBucket(PagedBucket):
    """A bucket of `wr.over`; of features, each row is a label at its own instant.

    Out come s0, s1, ... (all columns of the row), r0, r1, ... (results in the order
    of the calls).
    """

    plan: OverPlan

    @property
    def schema(self) -> pa.Schema:
        """All columns of the rows; all may be null."""
        return nullable_schema(self.plan.schema, self.plan.schema.names)

    @property
    def longest(self) -> int:
        """How long before itself a row looks back to."""
        return self.delay + self.plan.reach[0]

    @property
    def delay(self) -> int:
        """How long it takes until an event is known: of features."""
        return self.plan.delay if isinstance(self.plan, AsOfPlan) else 0

    @property
    def before(self) -> int:
        """The most rows before itself that a row counts back to."""
        return max(max(frame.before, frame.most) for frame in self.plan.frames)

    @cached_property
    def resolved(self) -> ResolvedOver:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts())

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The rows whose time lies in [closed, now)."""
        table = pages.gather_final()
        if table is not None:
            rows = KernelRows.of(table, self.plan, self.resolved.slots)
            assert rows.stream.times is not None
            yield from self._roll(rows, rows.stream.times >= pages.closed)
            needed = rows.behind <= self.before + self._not_known(rows, pages.now)
            if any(frame.ticks is not None for frame in self.plan.frames):
                needed |= rows.stream.times >= max(pages.now - self.longest, LEAST)
            pages.settle_final(rows.as_arrived(needed))
        if not self.before:
            pages.drop(lambda page: page.most < pages.now - self.longest)

    def _not_known(self, rows: KernelRows, now: int) -> Array | int:
        """How many rows of its key the next label leaves out, where rows are labels."""
        if not isinstance(self.plan, AsOfPlan):
            return 0
        stream = rows.stream
        assert stream.times is not None
        later = (stream.times >= max(now - self.delay, LEAST)).astype(np.int64)
        return np.repeat(np.add.reduceat(later, stream.firsts), stream.lengths)

    def _bounds(self, rows: KernelRows, frame: Frame) -> tuple[Array, Array]:
        """The rows that each row sees: as one of them, or as a label at its instant."""
        stream = rows.stream
        if not isinstance(self.plan, AsOfPlan):
            return look_back(stream, frame)
        assert stream.times is not None
        runs, asks = (stream.firsts, stream.lasts), stream.times - self.delay
        return find_frames(stream.times, runs, asks, runs, *frame.interval, frame.most)

    def _roll(self, rows: KernelRows, is_due: Array) -> Iterator[pa.Table]:
        """The rows that are due, with their columns."""
        due, order = np.flatnonzero(is_due), rows.stream.order
        answers = []
        for frame in self.resolved.frames:
            starts, stops = self._bounds(rows, frame.frame)
            bounds = starts[due], stops[due]
            answer = rows.slide(frame.request, frame.choice, *bounds)
            answers.append((frame, replace(answer, own=due)))
        for start, stop in result_parts(len(due)):
            places = due[start:stop]
            own = rows.table.take(pa.array(places if order is None else order[places]))
            columns = {f"s{i}": column for i, column in enumerate(own.columns)}
            results: dict[str, pa.Array] = {}
            for frame, answer in answers:
                part = answer.part(slice(start, stop))
                arrays = rows.columns(frame.calls, frame.request, part)
                names = [bound.name for bound in frame.calls]
                results.update(zip(names, arrays, strict=True))
            seen = seen_columns(self.plan, results)
            columns |= {f"r{i}": column for i, column in enumerate(seen.values())}
            yield pa.table(columns)
