"""Slides windows over slices that other tasks have folded, whole or by sashes.

A table of slices has the keys, `pane` (the instant at which the slice begins) and the
columns of the partial, sorted by key and pane.  Several tasks may send the same slice:
its partials are folded into one first.

Windows in a row that hold the same slices may leave a task as one row, a stretch:

    windows   [0 1 2 3 4][5 6][7 8 9 ...     in brackets those of the same slices
    rows      0 to 4     5 to 6              keys, `start` and `last`, results

What is behind the task repeats a row for each window from `start` to `last`.

Windows longer than a chunk of time are merged from sashes, their parts in each chunk:

    chunks    |   c       |   c + 1   |   c + 2   |
    window          |-----|-----------|----|
                    opening   total     closing       (lcs, chunk, csa in PBA's words)

`open_sashes` reads the slices of one chunk at a time.  It yields a sash for each
window that opens or closes in it, and the chunk's total for every chunk in which a
window over all of it opens.  They are sent `to` the chunk in which the window opens,
where `merge_sashes` combines them:

    window == opening . totals of the chunks between . closing

`part`, the number of the chunk, keeps the sashes of a window in stream order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.batch.aggregate import Solved, Trim
from windrow.batch.columns import array_runs
from windrow.batch.partials import PANE, Partials, read_partials, write_partials
from windrow.batch.sketches import sketch_columns
from windrow.batch.slices import Job, Slices, merge_alike, slide_slices
from windrow.batch.sorted_rows import SortedRows, rows_in_order
from windrow.loops import as_arrow
from windrow.slicing import fold
from windrow.windows import Rule, list_stretches
from windrow.windows.frames import frames
from windrow.windows.rule import Array

from .sweep import (
    CHUNK,
    Batches,
    Stretch,
    WindowRows,
    open_stretches,
    whole_numbers,
    whole_runs,
)

if TYPE_CHECKING:  # which has these steps in its table
    from .task import Task

TO, PART, QUERY, BEGIN = "to", "part", "query", "begin"
TOTAL = -(2**63)  # in `begin`: a chunk's total, sorted before all windows


def pane_slices(
    task: Task, table: pa.Table, by: Sequence[str], *, packed: bool = False
) -> tuple[Partials, SortedRows, Slices]:
    """The slices of a sorted table, each once, run by run."""
    partials = read_partials(task.tree.request, task.fields, table, packed=packed)
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
        by = task.resolved.plan.by
        partials, stream, slices = pane_slices(task, table, by, packed=True)
        answers = trim(stream, slide_slices(Job(task.resolved, stream, ()), slices))
        request, own = task.tree.request, slices.partials or ()
        columns = []
        for answer in answers:
            bounds = answer.row_starts, answer.row_stops
            sketched = sketch_columns(request, own, *bounds)
            columns.append(task.results(partials, answer.out, sketched))
        return replace(stream, times=None), answers, columns

    yield from task.sweep(batches, solve, lambda rows: whole_numbers(rows, PANE), None)


def slide_stretches(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Slide windows over slices by key and time, a row for those that are alike."""
    plan, enough, chunks = task.resolved.plan, task.enough, task.chunks
    times = lambda rows: whole_numbers(rows, PANE)  # noqa: E731
    for rows, stretch in open_stretches(
        batches, plan, times, None, enough=enough, chunks=chunks
    ):
        table = _answer_stretch(task, rows, stretch)
        if len(table):
            yield from task.batches(table)


def _answer_stretch(task: Task, table: pa.Table, stretch: Stretch) -> pa.Table:
    """The windows of a stretch that are complete."""
    resolved, (rule,) = task.resolved, task.tree.plan.rules
    partials, stream, slices = pane_slices(task, table, resolved.plan.by)
    instants, runs = stream.times, slices.bounds
    numbers = rule.first_over(instants), rule.last_over(instants)
    starts, stops, firsts, counts = list_stretches(*numbers, *runs)  # type: ignore[no-untyped-call]
    owners = np.searchsorted(runs[1], starts, side="right")
    least, past = stretch.numbers(stream, rule)
    lasts = np.minimum(firsts + counts, past[owners]) - 1
    firsts = np.maximum(firsts, least[owners])
    some = firsts <= lasts
    starts, stops, owners = starts[some], stops[some], owners[some]
    choice, source = resolved.choice(0), slices.partials or ()
    work = choice.algorithm, resolved.product, source, starts, stops
    out = slide_arrays(*work, leaf="slices", lane=choice.lane)
    keys = stream.keys.select(list(task.by)).take(as_arrow(owners))
    first, last = (as_arrow(rule.begin(own[some])) for own in (firsts, lasts))
    columns = [*keys.columns, first, *task.results(partials, out), last]
    return pa.table(columns, names=task.gives.names)


def open_sashes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Make sashes and totals from slices sorted by keys, chunk and pane."""
    for table in whole_runs(batches, (*task.by, CHUNK), task.enough):
        for sashes in _sashes(task, table):
            yield from task.batches(sashes)


def _sashes(task: Task, table: pa.Table) -> Iterator[pa.Table]:
    product, length = task.tree.request.product, task.tree.chunk
    partials, stream, slices = pane_slices(task, table, (*task.by, CHUNK))
    source = slices.partials
    assert source is not None
    numbers = whole_numbers(stream.keys, CHUNK)
    bounds = slices.runs[:-1], slices.runs[1:]
    totals = fold(product, source, *bounds, leaf="slices")

    def rows(
        query: int, runs: Array, to: Array, begins: Array, out: tuple[Array, ...]
    ) -> pa.Table:
        keys = stream.keys.select(list(task.by)).take(as_arrow(runs))
        columns = {name: keys.column(name) for name in task.by}
        columns |= {TO: as_arrow(to), PART: as_arrow(numbers[runs])}
        columns[QUERY] = as_arrow(np.full(len(runs), query, np.int32))
        columns[BEGIN] = as_arrow(begins)
        return pa.table({**columns, **write_partials(partials, out)})

    for index, rule in enumerate(task.tree.plan.rules):
        frame = frames(rule, stream.times, slices.edges, slices.runs)
        runs = np.repeat(np.arange(len(numbers)), frame.counts)
        opens = frame.begins // length
        closes = (frame.begins + rule.longest - 1) // length
        is_sash = (numbers[runs] == opens) | (numbers[runs] == closes)
        bounds = frame.starts[is_sash], frame.stops[is_sash]
        choice = task.tree.resolved.choice(index)
        work = choice.algorithm, product, source, *bounds
        out = slide_arrays(*work, leaf="slices", raw=True, lane=choice.lane)
        yield rows(index, runs[is_sash], opens[is_sash], frame.begins[is_sash], out)
        runs, to = _spans(numbers, rule, length)
        out = tuple(field[runs] for field in totals)
        yield rows(index, runs, to, np.full(len(runs), TOTAL), out)


def _spans(numbers: Array, rule: Rule, length: int) -> tuple[Array, Array]:
    """The earlier chunks in which a window over all of a run opens, for each run."""
    # the last instant of a window that opens in chunk c: (c + 1) * length + range - 2
    most = (length + rule.longest - 2) // length
    runs = np.repeat(np.arange(len(numbers)), max(most - 1, 0))
    back = np.tile(np.arange(1, max(most, 1)), len(numbers))
    return runs, numbers[runs] - back


def merge_sashes(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Merge windows from sashes sorted by keys, `to`, `query`, `begin`, `part`."""
    for table in whole_runs(batches, (*task.by, TO), task.enough):
        yield from task.windows(_merge(task, table))


def _merge(task: Task, table: pa.Table) -> Iterator[WindowRows]:
    request, recompute = task.tree.request, find_algorithm("recompute")
    stream = rows_in_order(table, (*task.by, TO), None)
    run = np.repeat(np.arange(len(stream.firsts)), stream.lasts - stream.firsts)
    query, begin, part = (whole_numbers(table, name) for name in (QUERY, BEGIN, PART))
    partials = read_partials(request, task.fields, table)
    for index, rule in enumerate(task.tree.plan.rules):
        sash = np.flatnonzero((begin != TOTAL) & (query == index))
        total = np.flatnonzero((begin == TOTAL) & (query == index))
        to = whole_numbers(table, TO)[total]
        middles = _middles(task, rule, partials, total, run[total], to, part[total])
        pairs = zip((run, begin, part, *partials.arrays), middles, strict=True)
        runs, begins, parts, *arrays = (
            np.concatenate([array[sash], extra]) for array, extra in pairs
        )
        order = np.lexsort((parts, begins, runs))
        runs, begins = runs[order], begins[order]
        starts, stops = array_runs(runs, begins)
        source = tuple(array[order] for array in arrays)
        bounds = source, starts, stops
        work = recompute, request.product, *bounds
        out = slide_arrays(*work, leaf="slices", lane=None)
        runs, begins, ends = runs[starts], begins[starts], begins[starts] + rule.longest
        results = task.results(partials, out)
        yield WindowRows(rule, runs, stream.keys, begins, ends, results)


def _middles(
    task: Task,
    rule: Rule,
    partials: Partials,
    totals: Array,
    run: Array,
    to: Array,
    part: Array,
) -> tuple[Array, ...]:
    """Run, begin, part and partial of the middle of every window that has one.

    The middle is all chunks between opening and closing.  The windows of a chunk close
    in one of two chunks, so that at most two middles are folded for each chunk.
    """
    product, length = task.tree.request.product, task.tree.chunk
    none = np.empty(0, np.int64)
    middles = [(none, none, none, *(array[:0] for array in partials.arrays))]
    for first, last in zip(*array_runs(run), strict=True):
        order = first + np.argsort(part[first:last], kind="stable")
        chunk = int(to[first])
        base = chunk * length
        least = rule.last_over(base - 1) + 1
        begins = rule.begin(np.arange(least, rule.last_over(base + length - 1) + 1))
        closes = (begins + rule.longest - 1) // length
        source = tuple(array[totals[order]] for array in partials.arrays)
        for close in np.unique(closes):
            inside = int(np.searchsorted(part[order], close))
            if not inside:
                continue
            windows = begins[closes == close]
            bounds = np.zeros(1, int), np.array([inside])
            partial = fold(product, source, *bounds, leaf="slices")
            count = len(windows)
            head = np.full(count, run[first]), windows, np.full(count, chunk + 1)
            middles.append((*head, *(np.repeat(field, count) for field in partial)))
    return tuple(np.concatenate(arrays) for arrays in zip(*middles, strict=True))
