"""The steps of tasks over events with a duration.

fold_spans     events                    ->  slices of two parts, or pieces
slide_pieces   these by key and start    ->  windows
slide_spans    events by key and start   ->  windows
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim
from windrow.batch.sorted_rows import times_of
from windrow.batch.span_events import lasting
from windrow.batch.spans import lengths_of, open_spans, solve_spans
from windrow.plan.resolve import Facts, resolve

from .fold_spans import SpanFolding
from .packed_pieces import pack, packs, unpacked
from .span_pieces import FIRST, LAST, instants, solve_pieces
from .sweep import stretches, sweep

if TYPE_CHECKING:  # which has these steps in its table
    from .task import Task

Array = np.ndarray[Any, Any]
Batches = Iterable[pa.RecordBatch]


def fold_spans(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Events folded before they are shuffled."""
    plan = replace(task.tree.plan, by=task.by)
    folding = SpanFolding(plan, task.tree.asked, task.tree.slots)
    for table, _ in stretches(batches, lambda: task.enough):
        folded = folding.fold(table)
        if packs(task.tree, task.fields):
            folded = pack(folded, plan, task.fields)
        yield from task.batches({n: folded.column(n) for n in folded.column_names})


def slide_pieces(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Windows from what was folded."""
    resolved = task.resolved(*(task.owned or ())[:1])

    if packs(task.tree, task.fields):
        batches = unpacked(batches, task.by, task.fields)

    def solve(table: pa.Table, trim: Trim) -> Solved:
        return solve_pieces(table, resolved, task.fields, trim)

    yield from task.windows(
        sweep(
            batches,
            resolved.plan,
            solve,
            lambda table: instants(table, FIRST),
            enough=task.enough,
            owned=task.owned,
            lasts=lambda table: instants(table, LAST),
        )
    )


def slide_spans(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Windows from events; how long these are is asked in each stretch."""
    plan = task.resolved(*(task.owned or ())[:1]).plan
    nulls = Facts(nulls=None)

    def within(table: pa.Table) -> tuple[Array, Array] | None:
        """What the windows that begin in a row's chunk can see of it."""
        if task.owned is None:
            return None
        low = instants(table, task.owned[0]) * task.tree.chunk
        return low, low + (task.tree.chunk + plan.longest - 1)

    def solve(table: pa.Table, trim: Trim) -> Solved:
        job = open_spans(table, plan, in_runs=True, within=within(table))
        facts = replace(nulls, spans=lengths_of(job.laid))
        return solve_spans(job, resolve(plan, facts), trim)

    yield from task.windows(
        sweep(
            batches,
            plan,
            solve,
            lambda table: times_of(table, plan.start_clock)[0],
            enough=task.enough,
            owned=task.owned,
            lasts=lambda table: lasting(table, plan).lasts,
        )
    )


__all__ = ["fold_spans", "slide_pieces", "slide_spans"]
