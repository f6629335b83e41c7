"""Slides windows over events with a duration that tasks have folded into pieces.

    keys | first and last: where slices begin | goes | partial

    a piece       the partial of all events over the slices first ... last
    `ends`        a piece of one slice: the events that end in it
    `goes`        the events that overlap that slice and go on beyond it

Some tasks send pieces and some send slices, of the same key too.  Pieces are events
with a partial for a value, so that all techniques work on them; where there are `goes`
as well, pieces are made into slices of two parts, and the parts are combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim
from windrow.batch.assemble import Answer
from windrow.batch.columns import array_runs, plain_array, run_bounds
from windrow.batch.partials import PartialField, read_partials
from windrow.batch.sorted_rows import rows_in_runs
from windrow.batch.spans import lengths_of, number_events
from windrow.loops import Lane, as_arrow, as_numpy
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import slide_algorithms
from windrow.plan.spans import choose_one
from windrow.plan.tree import Tree
from windrow.spans import (
    Events,
    LaidEvents,
    Windows,
    Work,
    add_goes,
    parts_of,
    slide_parts,
)
from windrow.windows.rule import Array

from .sweep import Batches, whole_numbers, whole_runs

if TYPE_CHECKING:  # which has this step in its table
    from .task import Task

Fields = tuple[Array, ...]

FIRST, LAST, GOES = "__first", "__last", "__goes"


def slide_pieces(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Slide windows over folded events."""
    if packs(task.tree, task.fields):
        batches = unpacked(batches, task.by, task.fields)

    def solve(table: pa.Table, trim: Trim) -> Solved:
        return _solve(task, table, trim)

    yield from task.sweep(
        batches,
        solve,
        lambda table: whole_numbers(table, FIRST),
        lambda table: whole_numbers(table, LAST),
    )


def _solve(task: Task, table: pa.Table, trim: Trim) -> Solved:
    """The windows of each rule over pieces, with a column for each call."""
    plan, request = task.resolved.plan, task.tree.request
    partials = read_partials(request, task.fields, table)
    stream = rows_in_runs(table, plan.by)
    starts, lasts = (whole_numbers(table, name) for name in (FIRST, LAST))
    events = Events(starts, lasts, stream.firsts, stream.lasts)
    laid = number_events(events, plan).lay()
    all_frames = [laid.windows(rule) for rule in plan.rules]
    sliders = slide_algorithms(plan, request.product)
    windows = [
        Windows(frame, rule.longest, algorithm)
        for rule, frame, algorithm in zip(plan.rules, all_frames, sliders, strict=True)
    ]
    goes = as_numpy(table.column(GOES).combine_chunks())
    outs = _outs(task, laid, partials.arrays, goes, windows)
    none = np.empty(0, np.int64)
    answers = [
        Answer(rule, frame.begins, frame.counts, none, none, out)
        for rule, frame, out in zip(plan.rules, all_frames, outs, strict=True)
    ]
    answers = trim(stream, answers)
    return stream, answers, [task.results(partials, answer.out) for answer in answers]


def _outs(
    task: Task, laid: LaidEvents, source: Fields, goes: Array, windows: list[Windows]
) -> list[Fields]:
    """The kernel outputs for each rule."""
    plan, request = task.tree.plan, task.tree.request
    product = request.product
    if not goes.any():
        group = choose_one(request, lengths_of(laid), plan.algorithm, plan.chunk)
        lane = None if plan.algorithm == "auto" else Lane.COMPILED
        work = Work(laid, product, source, group.height, "slices", lane)
        return group.technique.run(work, windows)
    pieces, tails = laid.only(~goes), laid.firsts[goes]
    group = choose_one(request, lengths_of(pieces), "auto", 0)
    values = tuple(field[~goes] for field in source)
    work = Work(pieces, product, values, group.height, "slices", None)
    parts = parts_of(work, group.technique)
    add_goes(work, parts, tuple(field[goes] for field in source), tails)
    return [slide_parts(work, parts, window) for window in windows]


BLOCK, PACKED = "__block", "__rows"

PACK = 64  # rows in one: Spark's batches have 10,000 rows, whatever their size
SLIDES = 256  # slides in a block


def packs(tree: Tree, fields: Sequence[PartialField]) -> bool:
    """Whether folded rows are packed for the shuffle."""
    plain = all(field.ranked is None and not field.payloads for field in fields)
    return plain and tree.split == "none"


def pack(table: pa.Table, plan: Plan, fields: Sequence[PartialField]) -> pa.Table:
    """Pack rows sorted by key and first slice into fewer rows: keys, block, bytes."""
    firsts = whole_numbers(table, FIRST)
    block = firsts // (SLIDES * min(rule.step for rule in plan.rules))
    keys = [f"k{i}" for i in range(len(plan.by))]
    opens = _opens(run_bounds(table, keys)[0], block)
    names = [FIRST, LAST, GOES, *(field.name for field in fields)]
    rows = np.empty((len(table), len(names)), np.int64)
    for i, name in enumerate(names):
        values = as_numpy(table.column(name).combine_chunks())
        rows[:, i] = values.view(np.int64) if values.dtype == float else values
    edges = np.append(opens, len(table)) * (8 * len(names))
    assert edges[-1] < 1 << 31, "a stretch is shorter"
    buffers = [None, pa.py_buffer(edges.astype(np.int32)), pa.py_buffer(rows)]
    return pa.table(
        {
            **{name: table.column(name).take(as_arrow(opens)) for name in keys},
            BLOCK: as_arrow(block[opens]),
            PACKED: pa.Array.from_buffers(pa.binary(), len(opens), buffers),
        }
    )


def _opens(runs: Array, block: Array) -> Array:
    """The rows at which a key, a block, or the next PACK rows begin."""
    is_first = np.zeros(len(block), bool)
    is_first[array_runs(block)[0]] = True
    is_first[runs] = True
    groups = np.flatnonzero(is_first)
    sizes = np.diff(groups, append=len(block))
    within = np.arange(len(block)) - np.repeat(groups, sizes)
    return np.flatnonzero(within % PACK == 0)


def unpacked(
    batches: Iterable[pa.RecordBatch], by: Sequence[str], fields: Sequence[PartialField]
) -> Iterator[pa.RecordBatch]:
    """Unpack rows by key and block, so that no block is in two batches."""
    for table in whole_runs(batches, (*by, BLOCK), 1):
        yield from _unpack(table, by, fields).to_batches()


def _unpack(
    table: pa.Table, by: Sequence[str], fields: Sequence[PartialField]
) -> pa.Table:
    packed = plain_array(table.column(PACKED)).cast(pa.binary())
    _, offsets, data = packed.buffers()
    start = packed.offset
    edges = np.frombuffer(offsets, np.int32)[start : start + len(packed) + 1]
    width = 8 * (3 + len(fields))
    rows = np.frombuffer(data, np.int8)[edges[0] : edges[-1]].view(np.int64)
    rows = rows.reshape(-1, width // 8)
    source = np.repeat(np.arange(len(packed)), np.diff(edges) // width)
    columns: dict[str, Any] = {
        name: table.column(name).take(as_arrow(source)) for name in by
    }
    kinds = ["int64", "int64", "bool", *(field.dtype for field in fields)]
    names = [FIRST, LAST, GOES, *(field.name for field in fields)]
    for i, (name, kind) in enumerate(zip(names, kinds, strict=True)):
        values = np.ascontiguousarray(rows[:, i])
        as_float = kind == "float64"
        own = values.view(np.float64) if as_float else values.astype(kind)
        columns[name] = as_arrow(own)
    return pa.table(columns).combine_chunks()
