"""A bucket of `wr.over`: each row comes out once, with columns over its own past.

    rows kept      + + + + | . . . | . . .       + out already, . still to come
    closed, now            |       |
    out                      . . .               time in [closed, now)
    looked back at   |-------|

A row comes out once its time is behind the watermark: then its peers at the same
instant are all there, and no row can come before it.  Kept are the rows still to
come, those that a later row's duration can reach, and for a frame of n rows the last
n - 1 of each key, which stay for ever, since more rows of it may come.  With durations
alone a key is gone when its rows are out of reach.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow.batch.over import look_back
from windrow.plan.over import OverPlan
from windrow.plan.resolve import Facts, ResolvedOver, resolve
from windrow.windows.rule import Array

from .codec import nullable_schema
from .due import LEAST, KernelRows, result_parts
from .paged_bucket import PagedBucket
from .row_pages import RowPages


@dataclass(frozen=True)
class RollBucket(PagedBucket):
    """A bucket of `wr.over`.

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
        """The longest duration that a row looks back over."""
        return max(frame.ticks or 0 for frame in self.plan.frames)

    @property
    def before(self) -> int:
        """The most rows before itself that a row counts back to."""
        return max((frame.rows or 1) - 1 for frame in self.plan.frames)

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
            needed = rows.behind <= self.before
            if any(frame.ticks is not None for frame in self.plan.frames):
                needed |= rows.stream.times >= max(pages.now - self.longest, LEAST)
            pages.settle_final(rows.as_arrived(needed))
        if not self.before:
            pages.drop(lambda page: page.most < pages.now - self.longest)

    def _roll(self, rows: KernelRows, is_due: Array) -> Iterator[pa.Table]:
        """The rows that are due, with their columns."""
        due, order = np.flatnonzero(is_due), rows.stream.order
        answers = []
        for frame in self.resolved.frames:
            starts, stops = look_back(rows.stream, frame.frame)
            bounds = starts[due], stops[due]
            answers.append((frame, rows.slide(frame.request, frame.choice, *bounds)))
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
            for i, bound in enumerate(self.plan.calls):
                columns[f"r{i}"] = results[bound.name]
            yield pa.table(columns)
