"""Runs one step of a tree as a task: Arrow batches in, Arrow batches out.

    fold_rows     rows                        ->  slices, folded before the shuffle
    fold_keys     rows by key and time        ->  slices, each once
    merge_panes   slices by key and time      ->  slices, each once
    slide_panes   slices by key and time      ->  windows
    slide_stretches  the same                 ->  windows, those that are alike once
    slide_rows    rows by key and time        ->  windows
    slide_blocks  rows in blocks, no key      ->  count windows
    open_sashes   slices by key and chunk     ->  sashes
    merge         sashes by key and window    ->  windows
    fold_spans    events with a duration      ->  slices of two parts, or pieces
    slide_pieces  pieces by key and start     ->  windows
    slide_spans   events by key and start     ->  windows

A task is data: it is pickled and sent to a worker, with the machine code of its kernels
where the driver has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property
from types import MappingProxyType

import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.aggregate import Solved, Trim, solve_windows
from windrow.batch.partials import (
    Folding,
    PartialField,
    Partials,
    partial_columns,
    partial_fields,
)
from windrow.batch.sorted_rows import rows_in_order, times_of
from windrow.loops import TaskLane, as_arrow, running
from windrow.plan.resolved import Resolved
from windrow.plan.tree import Tree
from windrow.state.due import window_table
from windrow.windows.rule import Array

from .blocks import slide_blocks
from .sashes import (
    merge_panes,
    merge_sashes,
    open_sashes,
    slide_panes,
    slide_stretches,
)
from .span_pieces import slide_pieces
from .spans import fold_spans, slide_spans
from .sweep import (
    CHUNK,
    Batches,
    Solve,
    Times,
    WindowRows,
    as_batches,
    stretches,
    sweep,
    whole_runs,
)


@dataclass(frozen=True)
class Task:
    """One step of a tree, from columns `names` to the schema `gives`.

    `enough` is the number of rows for which a call of a kernel pays; `lane` is how its
    kernels run.
    """

    step: str
    tree: Tree
    by: tuple[str, ...]
    names: tuple[str, ...]
    gives: pa.Schema
    enough: int
    lane: TaskLane = field(default_factory=TaskLane)

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        with running(self.lane):
            yield from STEPS[self.step](self, batches)

    @cached_property
    def fields(self) -> list[PartialField]:
        """The fields of the partial, with their columns."""
        return partial_fields(self.tree.request, self.tree.slots)

    @property
    def chunks(self) -> tuple[str, int] | None:
        """The key column and the length of overlapping chunks, if there are any."""
        return (CHUNK, self.tree.chunk) if self.tree.split == "overlap" else None

    @cached_property
    def resolved(self) -> Resolved:
        """The plan with the keys as this task calls them, and chunks as one of them."""
        resolved = self.tree.resolved
        by = (*self.by, *([CHUNK] if self.chunks else []))
        return replace(resolved, plan=replace(resolved.plan, by=by))

    def results(
        self,
        partials: Partials,
        out: tuple[Array, ...],
        sketched: Mapping[str, pa.Array] = MappingProxyType({}),
    ) -> list[pa.Array]:
        """The column of each call, from the output of a kernel over partials."""
        calls, request = self.tree.plan.calls, self.tree.request
        return partial_columns(calls, request, partials, out, sketched)

    def batches(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Yield a table as batches of the task's schema."""
        yield from as_batches(table.select(self.gives.names).columns, self.gives)

    def windows(self, answers: Iterable[WindowRows]) -> Iterator[pa.RecordBatch]:
        """Yield windows as batches: keys, q (rule number), start, end, results."""
        rules = list(self.tree.plan.rules)
        for rows in answers:
            if len(rows.begins):
                keys = rows.keys.select(list(self.by)).take(as_arrow(rows.runs))
                windows = rules.index(rows.rule), rows.begins, rows.ends
                yield from self.batches(window_table(keys, *windows, rows.columns))

    def sweep(
        self, batches: Batches, solve: Solve, times: Times | None, lasts: Times | None
    ) -> Iterator[pa.RecordBatch]:
        """Yield every window of sorted batches once, as batches."""
        plan, enough, chunks = self.resolved.plan, self.enough, self.chunks
        rows = sweep(batches, plan, solve, times, lasts, enough=enough, chunks=chunks)
        yield from self.windows(rows)


def _fold_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    folding = Folding(plan, task.tree.request, task.tree.slots)
    for table, _ in stretches(batches, lambda: 4 * task.enough):
        yield from task.batches(folding.fold(table))


def _fold_keys(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    folding = Folding(plan, task.tree.request, task.tree.slots)
    for table in whole_runs(batches, task.by, task.enough):
        yield from task.batches(folding.fold(table))


def _slide_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = task.resolved.plan

    def solve(table: pa.Table, trim: Trim) -> Solved:
        stream = rows_in_order(table, plan.by, plan.clock)
        return solve_windows(table, task.resolved, stream, trim=trim)

    def times(table: pa.Table) -> Array:
        assert plan.clock is not None
        return times_of(table, plan.clock)[0]

    yield from task.sweep(batches, solve, None if plan.counts_rows else times, None)


STEPS: dict[str, Callable[[Task, Batches], Iterator[pa.RecordBatch]]] = {
    "fold_rows": _fold_rows,
    "fold_keys": _fold_keys,
    "merge_panes": merge_panes,
    "slide_panes": slide_panes,
    "slide_stretches": slide_stretches,
    "slide_rows": _slide_rows,
    "slide_blocks": slide_blocks,
    "open_sashes": open_sashes,
    "merge": merge_sashes,
    "fold_spans": fold_spans,
    "slide_pieces": slide_pieces,
    "slide_spans": slide_spans,
}

__all__ = ["CHUNK", "STEPS", "Task"]
