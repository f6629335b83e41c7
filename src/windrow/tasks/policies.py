"""Windows by policy over sorted batches: results as soon as they have fallen due.

    batches   | a a a a | a a a a | a b b |            sorted by key, then time
    stretch             |---------|
    carried        + + +                               of the open key

Of the open key those rows are carried from which policies go on as if they had seen
all: the ones that have not left, and before them the last place at which the trigger
begins anew.

    trigger        begins anew at
    rows           each row whose place is a multiple of their number
    delta          each row that made a result fall due
    time, marks    any row

Results that are out already are found again, and left out.  Where time triggers, the
last rows of the open key are not reported: more may come before that instant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.policy_windows import PolicyJob, PolicyPlaces, open_sorted
from windrow.batch.sorted_rows import rows_in_order
from windrow.loops import TaskLane, running
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.facts import Facts
from windrow.plan.resolve import resolve
from windrow.plan.resolved import ResolvedPolicy

from .sweep import Batches, as_batches, join_rows, stretches


@dataclass(frozen=True)
class PolicyTask:
    """Rows in columns `names` to results in the schema `gives`: keys, places, results.

    `nulls` are the columns that may hold nulls; `lane` is how its kernels run.
    """

    plan: PolicyPlan
    names: tuple[str, ...]
    gives: pa.Schema
    nulls: frozenset[str]
    enough: int
    lane: TaskLane = field(default_factory=TaskLane)

    @cached_property
    def resolved(self) -> ResolvedPolicy:
        """The plan as every task executes it, whatever the rows."""
        return resolve(self.plan, Facts(nulls=self.nulls))

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        rest: pa.Table | None = None
        base = done = carried = 0
        with running(self.lane):
            for table, final in stretches(batches, lambda: max(self.enough, carried)):  # noqa: B023 - called at once
                rows = join_rows(rest, table)
                stream = rows_in_order(rows, self.plan.by, self.plan.clock)
                job = open_sorted(rows, self.plan, stream)
                bases, dones = np.zeros((2, len(stream.firsts)), np.int64)
                bases[0], dones[0] = base, done
                is_open = np.zeros(len(bases), bool)
                is_open[-1] = not final
                places = job.results_after(bases, dones, is_open)
                yield from self._give(job, places)
                base, done = places.bases[-1], places.dones[-1]
                start = int(stream.firsts[-1] + places.carried[-1])
                base += places.carried[-1]
                rest, carried = rows.slice(start), len(rows) - start

    def _give(self, job: PolicyJob, places: PolicyPlaces) -> Iterator[pa.RecordBatch]:
        columns = job.columns(self.resolved, places)
        yield from as_batches(list(columns.values()), self.gives)
