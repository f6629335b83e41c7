"""What one task of a distributed engine runs: Arrow batches in, Arrow batches out.

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

A task is data: it travels to where it runs, and its kernels are made there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Trim, answers_of
from windrow.batch.assemble import Answer
from windrow.batch.fold_rows import PANE, Folding
from windrow.batch.partials import PartialField, partial_fields
from windrow.batch.runs import sorted_stream
from windrow.batch.sorted_rows import Stream, times_of
from windrow.plan.tree import Tree

from .blocks import slide_blocks
from .panes import pane_answers
from .sashes import chunk_sashes, merge_sashes
from .spans import fold_spans, slide_pieces, slide_spans
from .sweep import Found, as_batches, stretches, sweep
from .tumbling import lower_panes

Array = np.ndarray[Any, Any]
Batches = Iterable[pa.RecordBatch]

CHUNK = "__chunk"


@dataclass(frozen=True)
class Task:
    """A step of the tree: `names` are the incoming columns, `gives` the schema out.

    `enough` rows are worth a call of a kernel.
    """

    step: str
    tree: Tree
    by: tuple[str, ...]
    names: tuple[str, ...]
    gives: pa.Schema
    enough: int

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run it over the batches of one partition."""
        named = (batch.rename_columns(list(self.names)) for batch in batches)
        yield from STEPS[self.step](self, named)

    @cached_property
    def fields(self) -> list[PartialField]:
        """The columns of the partial."""
        return partial_fields(self.tree.asked, self.tree.slots)

    @property
    def owned(self) -> tuple[str, int] | None:
        """The key column and the length of chunks that overlap."""
        return (CHUNK, self.tree.chunk) if self.tree.split == "overlap" else None

    def batches(self, columns: dict[str, Any]) -> Iterator[pa.RecordBatch]:
        """Columns as batches of the promised schema."""
        yield from as_batches([columns[name] for name in self.gives.names], self.gives)

    def windows(self, found: Iterable[Found]) -> Iterator[pa.RecordBatch]:
        """Windows as batches: keys, q (the query's number), start, end, results."""
        queries = list(self.tree.plan.rules)
        for one in found:
            if not len(one.begins):
                continue
            keys = one.keys.take(pa.array(one.runs))
            columns: dict[str, Any] = {
                f"k{i}": keys.column(name) for i, name in enumerate(self.by)
            }
            number = queries.index(one.query)
            columns["q"] = pa.array(np.full(len(one.begins), number, np.int32))
            columns["start"], columns["end"] = pa.array(one.begins), pa.array(one.ends)
            columns.update({f"r{i}": column for i, column in enumerate(one.columns)})
            yield from self.batches(columns)


def _fold_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    folding = Folding(plan, task.tree.asked, task.tree.slots)
    for table, _ in stretches(batches, lambda: 4 * task.enough):
        folded = folding.fold(table)
        yield from task.batches({n: folded.column(n) for n in folded.column_names})


def _slide_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    by = (*task.by, CHUNK) if task.owned else task.by
    plan = replace(task.tree.plan, by=by)

    def solve(table: pa.Table, trim: Trim) -> tuple[Stream, list[Answer], Any]:
        return pane_answers(table, plan, task.tree.asked, task.fields, trim)

    def times(table: pa.Table) -> Array:
        return table.column(PANE).to_numpy()  # type: ignore[no-any-return]

    yield from task.windows(
        sweep(batches, plan, solve, times, enough=task.enough, owned=task.owned)
    )


def _lower_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    for table, _ in stretches(batches, lambda: task.enough):
        found = lower_panes(table, plan, task.tree.asked, task.fields)
        yield from task.windows([found])


def _slide_rows(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    by = (*task.by, CHUNK) if task.owned else task.by
    plan = replace(task.tree.plan, by=by)
    clock = plan.clock
    counts = plan.rules[0].counts_rows

    def solve(table: pa.Table, trim: Trim) -> tuple[Stream, list[Answer], Any]:
        stream = sorted_stream(table, by, clock)
        return answers_of(table, plan, stream=stream, trim=trim)

    def times(table: pa.Table) -> Array:
        assert clock is not None
        return times_of(table, clock)[0]

    measure = None if counts else times
    yield from task.windows(
        sweep(batches, plan, solve, measure, enough=task.enough, owned=task.owned)
    )


def _open_sashes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    tables = chunk_sashes(
        batches,
        plan,
        CHUNK,
        task.tree.chunk,
        task.tree.asked,
        task.fields,
        enough=task.enough,
    )
    for table in tables:
        yield from task.batches(
            {name: table.column(name) for name in table.column_names}
        )


def _merge(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    plan = replace(task.tree.plan, by=task.by)
    found = merge_sashes(
        batches,
        plan,
        task.tree.chunk,
        task.tree.asked,
        task.fields,
        enough=task.enough,
    )
    yield from task.windows(found)


def _slide_blocks(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    yield from task.windows(slide_blocks(batches, task.tree.plan, enough=task.enough))


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
