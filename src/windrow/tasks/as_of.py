"""Computes `wr.as_of` on sorted batches of labels and events: each label once.

    batches   | e e L e | e L e L | e e L |            sorted by key, then time
    carried         + +                                events that later labels may see
    yielded       L         L   L                      labels, with their features

Labels never see each other, so that they are taken apart from events before anything is
counted.  Where events at a label's own instant count, or later ones, labels of the open
key wait while more of these may come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow._later import dataclass
from windrow.batch.as_of import open_as_of
from windrow.batch.columns import run_bounds
from windrow.batch.sorted_rows import times_of
from windrow.loops import TaskLane, running
from windrow.plan.as_of import AsOfPlan
from windrow.plan.resolve import Facts, ResolvedOver, resolve

from .sweep import Batches, as_batches, join_rows, stretches

Array = np.ndarray[Any, Any]

IS_LABEL = "windrow is label"


@dataclass(frozen=True)
class AsOfTask:
    """The task of `wr.as_of`, from columns `names` to the schema `gives`.

    Columns are those that the plan reads of events, under their names; those of labels
    come after IS_LABEL, `passed` of them, and are given back before the features.
    """

    plan: AsOfPlan
    names: tuple[str, ...]
    passed: int
    gives: pa.Schema
    enough: int
    lane: TaskLane = field(default_factory=TaskLane)

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        resolved = resolve(self.plan, Facts())
        rest: pa.Table | None = None
        carried = 0
        with running(self.lane):
            for table, final in stretches(batches, lambda: max(self.enough, carried)):  # noqa: B023 - called at once
                rows = join_rows(rest, table)
                waits = None if final else self._waits(rows)
                yield from self._answer(rows, waits, resolved)
                rest = None if final else self._carry(rows, waits)
                carried = 0 if rest is None else len(rest)

    def _answer(
        self, rows: pa.Table, waits: pa.Array | None, resolved: ResolvedOver
    ) -> Iterator[pa.RecordBatch]:
        """The labels that do not wait, with their features."""
        is_label = rows.column(IS_LABEL)
        due = is_label if waits is None else pc.and_not(is_label, waits)
        labels, events = rows.filter(due), rows.filter(pc.invert(is_label))
        if not len(labels):
            return
        job = open_as_of(labels, events.select(self.plan.reads), self.plan, 1)
        features = job.run(resolved)
        own = labels.columns[-self.passed :] if self.passed else []
        columns = [*own, *(features[bound.name] for bound in self.plan.calls)]
        yield from as_batches(columns, self.gives)

    def _waits(self, rows: pa.Table) -> pa.Array | None:
        """Which rows are labels of the open key that may see events to come."""
        plan = self.plan
        near = max(frame.interval[1] for frame in plan.frames)
        after = max(frame.ahead if frame.counts_rows else 0 for frame in plan.frames)
        if near <= plan.delay and not after:
            return None
        first = int(run_bounds(rows, plan.by)[0][-1])
        rows = rows.slice(first)
        times, has_time = self._times(rows)
        waits = times > times[-1] + plan.delay - near
        if after:
            is_event = ~np.asarray(rows.column(IS_LABEL))
            place = np.searchsorted(times[is_event], times - plan.delay + near)
            waits |= is_event.sum() - place < after
        if has_time is not None:
            waits &= has_time
        return pa.array(np.concatenate([np.zeros(first, bool), waits]))

    def _carry(self, rows: pa.Table, waits: pa.Array | None) -> pa.Table | None:
        """The events of the open key that later labels see, and labels that wait."""
        first = int(run_bounds(rows, self.plan.by)[0][-1])
        rows = rows.slice(first)
        is_label = np.asarray(rows.column(IS_LABEL))
        is_event = ~is_label
        times, _ = self._times(rows)
        now, kept = int(times[-1]), np.zeros(len(rows), bool)
        if waits is not None:
            kept = np.asarray(waits)[first:] & is_label
            now = min(now, int(times[kept].min(initial=now)))
        asks = now - self.plan.delay
        needed = is_event & (times >= asks - self.plan.reach[0])
        most = max(frame.most for frame in self.plan.frames)
        if most:
            behind = is_event.sum() - np.cumsum(is_event)
            later = is_event & (
                times >= asks
            )  # which a label at that instant leaves out
            needed |= is_event & (behind < most + later.sum())
        needed |= kept
        return rows.filter(pa.array(needed)) if needed.any() else None

    def _times(self, rows: pa.Table) -> tuple[Array, Array | None]:
        assert self.plan.clock is not None
        return times_of(rows, self.plan.clock)
