"""Runs one step of a tree as a task: Arrow batches in, Arrow batches out.

    fold_rows     rows                        ->  slices, folded before the shuffle
    lower_panes   slices in any order         ->  windows that tumble
    slide_panes   slices by key and time      ->  windows
    slide_rows    rows by key and time        ->  windows
    slide_blocks  rows in blocks, no key      ->  count windows
    open_sashes   slices by key and chunk     ->  sashes
    merge         sashes by key and window    ->  windows
    fold_spans    events with a duration      ->  slices of two parts, or pieces
    slide_pieces  pieces by key and start     ->  windows
    slide_spans   events by key and start     ->  windows

A task is data: it is pickled and sent to a worker, which compiles its kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim, solve_windows
from windrow.batch.partials import PANE, Folding, PartialField, partial_fields
from windrow.batch.sorted_rows import rows_in_order, times_of
from windrow.plan.resolve import Resolved
from windrow.plan.tree import Tree

from .blocks import slide_blocks
from .panes import lower_panes, solve_panes
from .sashes import chunk_sashes, merge_sashes
from .spans import fold_spans, slide_pieces, slide_spans
from .sweep import WindowRows, as_batches, stretches, sweep

Array = np.ndarray[Any, Any]
Batches = Iterable[pa.RecordBatch]

CHUNK = "__chunk"


@dataclass(frozen=True)
class Task:
    """One step of a tree, from columns `names` to the schema `gives`.

    `enough` is the number of rows for which a call of a kernel pays.
    """

    step: str
    tree: Tree
    by: tuple[str, ...]
    names: tuple[str, ...]
    gives: pa.Schema
    enough: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        yield from STEPS[self.step](self, batches)

    @cached_property
    def fields(self) -> list[PartialField]:
        """The fields of the partial, with their columns."""
        return partial_fields(self.tree.request, self.tree.slots)

    @property
    def chunks(self) -> tuple[str, int] | None:
        """The key column and the length of overlapping chunks, if there are any."""
        return (CHUNK, self.tree.chunk) if self.tree.split == "overlap" else None

    def batches(self, columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        """Yield columns as batches of the task's schema."""
        yield from as_batches([columns[name] for name in self.gives.names], self.gives)

    def resolved(self, *extra_keys: str) -> Resolved:
        """The plan with the keys as this task calls them."""
        resolved = self.tree.resolved
        return replace(
            resolved, plan=replace(resolved.plan, by=(*self.by, *extra_keys))
        )

    def windows(self, answers: Iterable[WindowRows]) -> Iterator[pa.RecordBatch]:
        """Yield windows as batches: keys, q (rule number), start, end, results."""
        rules = list(self.tree.plan.rules)
        for rows in answers:
            if not len(rows.begins):
                continue
            keys = rows.keys.take(pa.array(rows.runs))
            columns: dict[str, Any] = {
                f"k{i}": keys.column(name) for i, name in enumerate(self.by)
            }
            number = rules.index(rows.rule)
            columns["q"] = pa.array(np.full(len(rows.begins), number, np.int32))
            columns["start"] = pa.array(rows.begins)
            columns["end"] = pa.array(rows.ends)
            columns.update({f"r{i}": column for i, column in enumerate(rows.columns)})
            yield from self.batches(columns)


def _fold_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    folding = Folding(plan, task.tree.request, task.tree.slots)
    for table, _ in stretches(batches, lambda: 4 * task.enough):
        slices = folding.fold(table)
        yield from task.batches({n: slices.column(n) for n in slices.column_names})


def _slide_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    resolved = task.resolved(*([CHUNK] if task.chunks else []))

    def solve(table: pa.Table, trim: Trim) -> Solved:
        return solve_panes(table, resolved, task.fields, trim)

    def times(table: pa.Table) -> Array:
        return table.column(PANE).to_numpy()  # type: ignore[no-any-return]

    yield from task.windows(
        sweep(
            batches, resolved.plan, solve, times, enough=task.enough, chunks=task.chunks
        )
    )


def _lower_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    resolved = task.resolved()
    for table, _ in stretches(batches, lambda: task.enough):
        yield from task.windows([lower_panes(table, resolved, task.fields)])


def _slide_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    resolved = task.resolved(*([CHUNK] if task.chunks else []))
    plan, clock = resolved.plan, resolved.plan.clock

    def solve(table: pa.Table, trim: Trim) -> Solved:
        stream = rows_in_order(table, plan.by, clock)
        return solve_windows(table, resolved, stream, trim=trim)

    def times(table: pa.Table) -> Array:
        assert clock is not None
        return times_of(table, clock)[0]

    measure = None if plan.counts_rows else times
    yield from task.windows(
        sweep(batches, plan, solve, measure, enough=task.enough, chunks=task.chunks)
    )


def _open_sashes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    tables = chunk_sashes(
        batches,
        task.resolved(),
        CHUNK,
        task.tree.chunk,
        task.fields,
        enough=task.enough,
    )
    for table in tables:
        yield from task.batches(
            {name: table.column(name) for name in table.column_names}
        )


def _merge(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    yield from task.windows(
        merge_sashes(
            batches,
            task.resolved(),
            task.tree.chunk,
            task.fields,
            enough=task.enough,
        )
    )


def _slide_blocks(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    resolved = task.tree.resolved
    yield from task.windows(slide_blocks(batches, resolved, enough=task.enough))


STEPS: dict[str, Callable[[Task, Batches], Iterator[pa.RecordBatch]]] = {
    "fold_rows": _fold_rows,
    "lower_panes": _lower_panes,
    "slide_panes": _slide_panes,
    "slide_rows": _slide_rows,
    "slide_blocks": _slide_blocks,
    "open_sashes": _open_sashes,
    "merge": _merge,
    "fold_spans": fold_spans,
    "slide_pieces": slide_pieces,
    "slide_spans": slide_spans,
}
