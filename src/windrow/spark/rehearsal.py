"""Runs tasks on the driver over a few rows, to learn which kernels they need.

    schema of the input  ->  a few rows  ->  task, over whole columns  ->  its kernels

Nothing is compiled and no job is run: kernels are noted as they are called
(`windrow.loops.recording`).  The rows are of two keys, and times rise by a slide:

    key     a a a a a a ... b b b b b b ...
    time    0 1 2 3 4 5 ... 0 1 2 3 4 5 ...      in slides; then with gaps, with ties
    value   . . . o . . ... . . . o . . ...      too, and with nulls too

A kernel that only other data would call is not noted, and then runs over columns.
"""

from __future__ import annotations

import decimal
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from pyarrow import types as pat

from windrow.batch.partials import PANE
from windrow.plan.aggregate import Plan
from windrow.plan.over import OverPlan
from windrow.plan.table import TablePlan
from windrow.state.codec import MemoryStore, StepStats, Store
from windrow.tasks.as_of import AsOfTask
from windrow.tasks.as_of_chunks import ChunkTask
from windrow.tasks.blocks import AT, BLOCK, HALO, TOTAL
from windrow.tasks.over import RollTask
from windrow.tasks.policies import PolicyTask
from windrow.tasks.sashes import BEGIN, PART, QUERY, TO
from windrow.tasks.span_pieces import FIRST, LAST
from windrow.tasks.stream import BLOB, BUCKET, FeedTask, StateTask
from windrow.tasks.task import CHUNK, Task

ROWS = 48  # of each key
SHAPES = ("even", "gaps", "ties", "nulls")
_SAME = {CHUNK: 0, BLOCK: 0, AT: 0, TOTAL: 2 * ROWS, QUERY: 0, BUCKET: 0}
_UPSTREAM = {"merge": "open_sashes", "slide_pieces": "fold_spans"}


def rehearse(
    task: Task | FeedTask | RollTask | AsOfTask | ChunkTask | PolicyTask,
    schema: pa.Schema,
) -> None:
    """Run a task over a few rows of its input schema."""
    for shape in SHAPES:
        for _ in task(_batches(task, schema, shape=shape)):
            pass


def rehearse_state(task: StateTask, feed: FeedTask, schema: pa.Schema) -> None:
    """Run the stateful task of a stream over what is fed from a few rows."""
    plan = _plan_of(feed, task)
    assert plan.clock is not None
    for shape in SHAPES:
        store, times = MemoryStore(), _times(plan, shape=shape)
        batches = _batches(feed, schema, shape=shape, plan=plan)
        rows, ends = pa.Table.from_batches(batches), [*range(0, ROWS, ROWS // 3), ROWS]
        for start, stop in itertools.pairwise(ends):  # each with some of the one before
            places = [i for i in range(2 * ROWS) if start - 4 <= i % ROWS < stop]
            blobs = _blobs(feed, rows.take(pa.array(places)))
            _step_on(task, store, blobs, times[start] * plan.clock.tick)
        _step_on(task, store, [], 4 * times[-1] * plan.clock.tick)


def _blobs(feed: FeedTask, rows: pa.Table) -> list[bytes]:
    batches = feed(rows.to_batches())
    return [blob.as_py() for batch in batches for blob in batch.column(BLOB)]


def _step_on(task: StateTask, store: Store, blobs: list[bytes], now: int) -> None:
    """Take in blobs and move on to an instant in nanoseconds."""
    for _ in task.step(store, blobs, now // 10**6, StepStats()):
        pass


def _plan_of(task: Any, state: StateTask | None = None) -> TablePlan:
    if isinstance(task, Task):
        return task.tree.plan
    if isinstance(task, (RollTask, AsOfTask, ChunkTask, PolicyTask)):
        return task.plan
    bucket: Any = state and state.bucket
    folding = task.folding or getattr(bucket, "folding", None)
    plan: TablePlan = bucket.plan if folding is None else folding.plan
    return plan


def _batches(
    task: Any, schema: pa.Schema, *, shape: str, plan: TablePlan | None = None
) -> list[pa.RecordBatch]:
    """A few rows as a task reads them; those of a later step as an earlier gives it."""
    plan = plan or _plan_of(task)
    names = list(task.names)
    upstream = _UPSTREAM.get(task.step) if isinstance(task, Task) else None
    if upstream is None:
        table = _table(plan, names, schema, shape=shape)
    else:
        before = _before(task, upstream, schema)
        inputs = _input_schema(task, upstream, schema)
        results = before(_batches(before, inputs, shape=shape))
        table = pa.Table.from_batches(results, before.gives)
        for name in names[len(table.column_names) :]:
            table = table.append_column(name, pa.array([0] * len(table)))
    batches: list[pa.RecordBatch] = table.rename_columns(schema.names).to_batches()
    return batches


def _before(task: Task, step: str, schema: pa.Schema) -> Task:
    """The task whose results another reads."""
    gives = pa.schema([field for field in schema if field.name != CHUNK])
    names = _input_schema(task, step, schema).names
    by = task.tree.plan.by if step == "fold_spans" else task.by
    return replace(task, step=step, by=by, names=tuple(names), gives=gives)


def _input_schema(task: Task, step: str, schema: pa.Schema) -> pa.Schema:
    """The columns that the task before reads."""
    plan = task.tree.plan
    if step == "fold_spans":
        return pa.schema([plan.schema.field(name) for name in plan.reads])
    slices = [field for field in schema if field.name not in (TO, PART, QUERY, BEGIN)]
    return pa.schema([*slices, (PANE, pa.int64()), (CHUNK, pa.int64())])


def _table(
    plan: TablePlan, names: Sequence[str], schema: pa.Schema, *, shape: str
) -> pa.Table:
    """A few rows of two keys, under the names that a task gives them."""
    ticks = _times(plan, shape=shape)
    clock, count = plan.clock, 2 * ROWS
    span = getattr(plan, "span", None) or ()
    placed = {*span, *([] if clock is None else [clock.column])}
    by = {*plan.by, *(f"k{i}" for i in range(len(plan.by)))}
    columns: list[pa.Array] = []
    for name, kind in zip(names, schema.types, strict=True):
        word = name.removeprefix("windrow ")
        if word in _SAME and pat.is_integer(kind):
            values: Iterable[Any] = [_SAME[word]] * count
        elif name in by:
            values = [_value(kind, i // ROWS) for i in range(count)]
        elif name in placed:
            assert clock is not None
            length = ROWS // 8 if span and name == span[-1] else 0
            steps = [ticks[i % ROWS] + length * _step(plan) for i in range(count)]
            values = [tick // clock.factor for tick in steps]
        elif name in (PANE, FIRST, LAST):
            values = [ticks[i % ROWS] for i in range(count)]
        elif word == HALO:
            values = [i < 2 for i in range(count)]
        else:
            some = [_value(kind, i % 5) for i in range(count)]
            if pat.is_binary(kind) and _PARTIAL.match(name):
                some = [None] * count  # a sketch or a side, which no kernel reads
            is_null = [shape == "nulls" and i % 7 == 3 for i in range(count)]
            values = [None if n else v for n, v in zip(is_null, some, strict=True)]
        columns.append(_array(list(values), kind))
    return pa.Table.from_arrays(columns, names=list(names))


def _times(plan: TablePlan, *, shape: str) -> list[int]:
    """The instants of a key's rows, in ticks."""
    step = _step(plan)
    if shape == "even":
        return [step * i for i in range(ROWS)]
    peers = 1 if shape == "gaps" else 2
    return [step * (i // peers + i // 8 * 64) for i in range(ROWS)]


def _step(plan: TablePlan) -> int:
    """A slide of the windows, or an eighth of a frame, in ticks."""
    factor = 1 if plan.clock is None else plan.clock.factor
    if isinstance(plan, Plan) and not plan.counts_rows:
        length = min(rule.longest // rule.overlap for rule in plan.rules)
    elif isinstance(plan, OverPlan):
        length = max((frame.ticks or 0) for frame in plan.frames) // 8
    else:
        length = 1
    return max(length // factor, 1) * factor


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pat.is_temporal(kind) and not pat.is_interval(kind):
        bits = pa.int32() if kind.bit_width == 32 else pa.int64()
        return pa.array(values, bits).cast(kind)
    return pa.array(values, kind)


_PARTIAL = re.compile(r"p\d+$|windrow ")

_VALUES: tuple[tuple[Callable[[pa.DataType], bool], Callable[[int], Any]], ...] = (
    (pat.is_boolean, bool),
    (pat.is_integer, int),
    (pat.is_floating, lambda i: i + 0.5),
    (pat.is_decimal, decimal.Decimal),
    (pat.is_temporal, int),
    (pat.is_string, str),
    (pat.is_large_string, str),
    (pat.is_binary, lambda i: b"%d" % i),
)


def _value(kind: pa.DataType, i: int) -> Any:
    """A value of that type; null of a type that no kernel reads."""
    makers = (make for is_of, make in _VALUES if is_of(kind))
    return next(makers, lambda _: None)(i)
