"""Slides windows over tables of slices that other tasks have folded.

A table of slices has the keys, `pane` (the instant at which the slice begins) and the
columns of the partial, sorted by key and pane.  Several tasks may send the same slice:
its partials are folded into one first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim
from windrow.batch.partials import PANE, Partials, read_partials, write_partials
from windrow.batch.sketches import sketch_columns
from windrow.batch.slices import Job, Slices, merge_alike, slide_slices
from windrow.batch.sorted_rows import SortedRows, rows_in_order
from windrow.loops import as_arrow

from .sweep import Batches, whole_numbers, whole_runs

if TYPE_CHECKING:  # which has these steps in its table
    from .task import Task


def pane_slices(
    task: Task, table: pa.Table, by: Sequence[str]
) -> tuple[Partials, SortedRows, Slices]:
    """The slices of a sorted table, each once, run by run."""
    partials = read_partials(task.tree.request, task.fields, table)
    stream = rows_in_order(table, by, None)
    runs, product = (stream.firsts, stream.lasts), task.tree.request.product
    times = whole_numbers(table, PANE)
    slices, times = merge_alike(product, partials.arrays, runs, times)
    firsts, lasts = slices.bounds
    return partials, replace(stream, firsts=firsts, lasts=lasts, times=times), slices


def merge_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Fold what several tasks have sent of one slice into one."""
    for table in whole_runs(batches, (*task.by, PANE), task.enough):
        partials, stream, slices = pane_slices(task, table, task.by)
        assert slices.partials is not None
        assert stream.times is not None
        runs = np.repeat(np.arange(len(stream.firsts)), stream.lasts - stream.firsts)
        keys = stream.keys.take(as_arrow(runs))
        columns = {name: keys.column(name) for name in task.by}
        columns |= {PANE: as_arrow(stream.times)}
        columns |= write_partials(partials, slices.partials)
        yield from task.batches(pa.table(columns))


def slide_panes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Slide windows over slices by key and time."""

    def solve(table: pa.Table, trim: Trim) -> Solved:
        partials, stream, slices = pane_slices(task, table, task.resolved.plan.by)
        answers = trim(stream, slide_slices(Job(task.resolved, stream, ()), slices))
        request, own = task.tree.request, slices.partials or ()
        columns = []
        for answer in answers:
            bounds = answer.row_starts, answer.row_stops
            sketched = sketch_columns(request, own, *bounds)
            columns.append(task.results(partials, answer.out, sketched))
        return replace(stream, times=None), answers, columns

    yield from task.sweep(batches, solve, lambda rows: whole_numbers(rows, PANE), None)
