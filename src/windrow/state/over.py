"""`wr.over` on a stream: each row comes out once, with columns over its own past.

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
from windrow.batch.sorted_rows import Stream, check_room, stream_of
from windrow.plan.over import OverPlan
from windrow.plan.resolve import Facts, ResolvedOver, resolve

from .admit import admit
from .due import LEAST
from .row_pages import RowPages
from .row_windows import Rows, Spans, parts, span
from .rows import as_arrived
from .store import Store, Told

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class RollBucket:
    """A bucket of `wr.over`.

    Out come s0, s1, ... (all columns of the row), r0, r1, ... (results in the order
    of the calls).
    """

    plan: OverPlan
    spec: dict[str, Any]
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
        self, store: Store, fed: list[pa.Table], now: int, told: Told
    ) -> Iterator[pa.Table]:
        """Take in rows, move time on to `now` (ticks), give the rows behind it."""
        plan = self.plan
        assert plan.clock is not None
        schema = plan.schema
        pages = RowPages.open(store, self.spec, schema, plan.by, plan.clock, now)
        rows, times = admit(
            fed,
            schema,
            plan.clock,
            lambda times: times < pages.closed,
            told,
            keep_late=self.keep_late,
        )
        check_room(times, self.ticks or 0)
        pages.add(rows)
        for table in self._rolled(pages):
            told.rows_out += len(table)
            yield table
        if not self.before:
            pages.drop(lambda page: not self._reachable(page.most, pages.now))
        pages.close()
        told.keys = pages.count_keys()

    def _rolled(self, pages: RowPages) -> Iterator[pa.Table]:
        """The rows whose time lies in [closed, now)."""
        plan, now = self.plan, pages.now
        if not pages.falls_due():
            return
        kept, times, final = pages.gather_final()
        table = kept.filter(pa.array(final))
        stream = stream_of(table, plan.by, plan.clock, plan.ties)
        assert stream.times is not None
        picked = np.flatnonzero(stream.times >= pages.closed)
        yield from self._results(Rows.of(table, stream, self.resolved.slots), picked)
        living = np.ones(len(kept), bool)
        living[final] = as_arrived(stream, self._needed(stream, now))
        pages.settle(times, living)

    def _results(self, rows: Rows, picked: Array) -> Iterator[pa.Table]:
        spans: list[Spans] = []
        for part in self.resolved.frames:
            starts, stops = look_back(rows.stream, part.frame)
            algorithm = None if part.choice is None else part.choice.algorithm
            spans.append(
                span(
                    rows,
                    part.calls,
                    part.asked,
                    algorithm,
                    starts[picked],
                    stops[picked],
                )
            )
        order = rows.stream.order
        for stretch in parts(len(picked)):
            places = picked[stretch]
            came = rows.table.take(pa.array(places if order is None else order[places]))
            columns = {f"s{i}": column for i, column in enumerate(came.columns)}
            found: dict[str, pa.Array] = {}
            for one in spans:
                results = one.columns(stretch)
                names = [bound.name for bound in one.calls]
                found.update(zip(names, results, strict=True))
            for i, bound in enumerate(self.plan.calls):
                columns[f"r{i}"] = found[bound.name]
            yield pa.table(columns)

    def _needed(self, stream: Stream, now: int) -> Array:
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
