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
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.over import look_back
from windrow.batch.sorted_rows import SortedRows, check_room, sort_rows
from windrow.plan.over import OverPlan
from windrow.plan.resolve import Facts, ResolvedOver, resolve

from .codec import StepStats, Store
from .due import LEAST, KernelRows, RangeResults, result_parts, slide_ranges
from .feed import admit_rows
from .fingerprint import QueryDescription
from .row_pages import RowPages
from .rows import as_arrived

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RollBucket:
    """A bucket of `wr.over`.

    Out come s0, s1, ... (all columns of the row), r0, r1, ... (results in the order
    of the calls).
    """

    plan: OverPlan
    query: QueryDescription
    keep_late: bool

    @property
    def ticks(self) -> int | None:
        """The longest duration that a row looks back over."""
        return max(
            (f.ticks for f in self.plan.frames if f.ticks is not None), default=None
        )

    @property
    def before(self) -> int:
        """The most rows before itself that a row counts back to."""
        return max(
            (f.rows - 1 for f in self.plan.frames if f.rows is not None), default=0
        )

    @cached_property
    def resolved(self) -> ResolvedOver:
        """The plan as every step executes it, whatever the rows."""
        return resolve(self.plan, Facts())

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in rows, move time on to `now` (ticks), give the rows behind it."""
        plan = self.plan
        assert plan.clock is not None
        schema = plan.schema
        pages = RowPages.open(store, self.query, schema, plan.by, plan.clock, now)
        rows, times = admit_rows(
            tables,
            schema,
            plan.clock,
            lambda times: times < pages.closed,
            stats,
            keep_late=self.keep_late,
        )
        check_room(times, self.ticks or 0)
        pages.add(rows)
        for table in self._roll(pages):
            stats.rows_out += len(table)
            yield table
        if not self.before:
            pages.drop(lambda page: not self._reachable(page.most, pages.now))
        pages.close()
        stats.keys = pages.count_keys()

    def _roll(self, pages: RowPages) -> Iterator[pa.Table]:
        """The rows whose time lies in [closed, now)."""
        plan, now = self.plan, pages.now
        if not pages.falls_due():
            return
        rows, times, final = pages.gather_final()
        table = rows.filter(pa.array(final))
        stream = sort_rows(table, plan.by, plan.clock, plan.ties)
        assert stream.times is not None
        picked = np.flatnonzero(stream.times >= pages.closed)
        inputs = KernelRows.of(table, stream, self.resolved.slots)
        yield from self._results(inputs, picked)
        living = np.ones(len(rows), bool)
        living[final] = as_arrived(stream, self._needed(stream, now))
        pages.settle(times, living)

    def _results(self, rows: KernelRows, picked: Array) -> Iterator[pa.Table]:
        frames: list[RangeResults] = []
        for frame in self.resolved.frames:
            starts, stops = look_back(rows.stream, frame.frame)
            algorithm = None if frame.choice is None else frame.choice.algorithm
            frames.append(
                slide_ranges(
                    rows,
                    frame.calls,
                    frame.request,
                    algorithm,
                    starts[picked],
                    stops[picked],
                )
            )
        order = rows.stream.order
        for part in result_parts(len(picked)):
            places = picked[part]
            own = rows.table.take(pa.array(places if order is None else order[places]))
            columns = {f"s{i}": column for i, column in enumerate(own.columns)}
            results: dict[str, pa.Array] = {}
            for frame_results in frames:
                names = [bound.name for bound in frame_results.calls]
                results.update(zip(names, frame_results.columns(part), strict=True))
            for i, bound in enumerate(self.plan.calls):
                columns[f"r{i}"] = results[bound.name]
            yield pa.table(columns)

    def _needed(self, stream: SortedRows, now: int) -> Array:
        """Which final rows a row still to come can look back at, in stream order."""
        assert stream.times is not None
        behind = np.repeat(stream.lasts, stream.lasts - stream.firsts)
        numbered: Array = behind - np.arange(len(stream)) <= self.before
        if self.ticks is not None:
            numbered |= stream.times >= max(now - self.ticks, LEAST)
        return numbered

    def _reachable(self, time: int, now: int) -> bool:
        """Whether a row of that time is to come, or in the duration of one that is."""
        return time >= now - (self.ticks or 0)


__all__ = ["RollBucket"]
