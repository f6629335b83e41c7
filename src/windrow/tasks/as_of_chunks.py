"""Computes features of labels whose key has so many events that it is cut by time.

    fold     events of a hot key     ->  panes between the borders of all frames
    join     panes of a hot key      ->  a `side` for each chunk: a partial of each
                                         frame's middle, and the last rows before
    solve    labels, events, sides   ->  features: `as_of.py`

Sides travel as bytes, so that rows of events have one column more and not twenty.
What chunks, zones and middles are is said in `plan/as_of_chunks.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import slide_arrays
from windrow.batch.columns import run_bounds
from windrow.batch.kernel_inputs import read_inputs
from windrow.batch.partials import (
    PANE,
    PartialLayout,
    read_partials,
    write_partials,
)
from windrow.batch.sorted_rows import rows_in_order, sort_rows
from windrow.loops import TaskLane, as_arrow, ordinals, running
from windrow.plan.as_of import AsOfPlan
from windrow.plan.as_of_chunks import LabelChunks
from windrow.plan.facts import Facts
from windrow.plan.frame import Frame
from windrow.plan.resolve import resolve
from windrow.slicing import fold

from .sweep import Batches, as_batches, stretches, whole_numbers, whole_runs

Array = np.ndarray[Any, Any]

BASE, LENGTH, TOP = "windrow base", "windrow length", "windrow top"
"""Where the first chunk of a key begins, how long chunks are, and the last one."""
CUT = (BASE, LENGTH, TOP)

PANES, LAST_ROWS, SIDE = "windrow panes", "windrow last rows", "windrow side"
FIRST, LOW, TIME = "windrow first", "windrow low", "windrow time"


def _pack(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def unpack(column: Any) -> pa.Table:
    """The tables of a column of bytes, one behind the other."""
    tables = [pa.ipc.open_stream(blob.as_buffer()).read_all() for blob in column]
    return pa.concat_tables(tables).combine_chunks()


@dataclass(frozen=True)
class MergedFrames:
    """The merged frames of a plan, with the columns of their partials."""

    chunks: LabelChunks

    @cached_property
    def resolved(self) -> Any:
        """The merged frames with their products and algorithms."""
        return resolve(self.chunks.part(self.chunks.merged), Facts())

    @cached_property
    def layouts(self) -> list[PartialLayout]:
        """The columns of each frame's partial."""
        slots = self.resolved.slots
        return [PartialLayout(frame.request, slots) for frame in self.resolved.frames]

    def columns(self, number: int) -> list[str]:
        """The names of a frame's columns where those of all frames stand together."""
        fields = self.layouts[number].fields
        return [f"{number} {name}" for one in fields for name in one.columns]

    def of(self, table: pa.Table, number: int) -> pa.Table:
        """A frame's columns under the names that they have alone."""
        names = self.columns(number)
        short = [name.split(" ", 1)[1] for name in names]
        return table.select(names).rename_columns(short)


@dataclass(frozen=True)
class ChunkTask:
    """A task over events of hot keys, from columns `names` to the schema `gives`."""

    chunks: LabelChunks
    names: tuple[str, ...]
    gives: pa.Schema
    lane: TaskLane = field(default_factory=TaskLane, kw_only=True)

    @property
    def plan(self) -> AsOfPlan:
        """What is computed."""
        return self.chunks.plan

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        by, frames = (*self.plan.by, *CUT), MergedFrames(self.chunks)
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        with running(self.lane):
            for table in self.tables(batches, by):
                yield from self.run(table, by, frames)

    def tables(self, batches: Batches, by: Sequence[str]) -> Iterator[pa.Table]:
        """The rows that are read together."""
        return whole_runs(batches, by, 1)

    def run(
        self, table: pa.Table, by: Sequence[str], frames: MergedFrames
    ) -> Iterator[pa.RecordBatch]:
        """Compute what becomes of some rows."""
        raise NotImplementedError


@dataclass(frozen=True)
class FoldPanesTask(ChunkTask):
    """Folds events of hot keys into panes, and keeps the last rows of each.

    Where order matters, events come sorted by key, pane and time: `in_order`.
    """

    in_order: bool
    enough: int

    def tables(self, batches: Batches, by: Sequence[str]) -> Iterator[pa.Table]:
        """Stretches of rows; where order matters, no pane is in two."""
        if self.in_order:
            return whole_runs(batches, (*by, PANE), self.enough)
        return (rows for rows, _ in stretches(batches, lambda: self.enough))

    def run(
        self, table: pa.Table, by: Sequence[str], frames: MergedFrames
    ) -> Iterator[pa.RecordBatch]:
        """Fold rows into panes: for each key, these and its last rows."""
        plan = self.plan
        if self.in_order:
            rows = rows_in_order(table, (*by, PANE), plan.clock)
        else:
            rows = sort_rows(table, (*by, PANE), plan.clock, plan.ties)
        assert rows.times is not None
        inputs = read_inputs(table, rows, frames.resolved.slots)
        columns = {
            PANE: rows.keys.column(PANE),
            FIRST: as_arrow(rows.times[rows.firsts]),
        }
        for number, frame in enumerate(frames.resolved.frames):
            bounds = rows.firsts, rows.lasts
            folded = fold(frame.request.product, inputs.arrays, *bounds)
            parts = frames.layouts[number].columns(table, rows, inputs, folded)
            columns |= {f"{number} {name}": parts[name] for name in parts}
        panes = pa.table(columns)
        kept = np.minimum(rows.lasts - rows.firsts, self.chunks.rows)
        places = np.repeat(rows.lasts - kept, kept) + ordinals(kept)
        order = rows.order
        last = table.select(plan.reads).take(
            as_arrow(places if order is None else order[places])
        )
        firsts, lasts = run_bounds(rows.keys, by)
        ends = np.concatenate([[0], np.cumsum(kept)])
        packed: dict[str, list[bytes]] = {PANES: [], LAST_ROWS: []}
        for start, stop in zip(firsts.tolist(), lasts.tolist(), strict=True):
            packed[PANES].append(_pack(panes.slice(start, stop - start)))
            rest = last.slice(ends[start], ends[stop] - ends[start])
            packed[LAST_ROWS].append(_pack(rest))
        keys = rows.keys.select(list(by)).take(as_arrow(firsts))
        blobs = [pa.array(packed[name], pa.binary()) for name in packed]
        yield from as_batches([*keys.columns, *blobs], self.gives)


@dataclass(frozen=True)
class JoinPanesTask(ChunkTask):
    """Makes the sides of all chunks of a key from its panes, sorted by key."""

    def run(
        self, table: pa.Table, by: Sequence[str], frames: MergedFrames
    ) -> Iterator[pa.RecordBatch]:
        """Give each chunk of each key its side."""
        for first, last in zip(*run_bounds(table, by), strict=True):
            rows = table.slice(first, last - first)
            sides = self._sides(rows, frames)
            first_row = as_arrow(np.zeros(len(sides), np.int64))
            keys = rows.select(list(self.plan.by)).take(first_row)
            numbers = as_arrow(np.arange(len(sides)))
            columns = [*keys.columns, numbers, pa.array(sides, pa.binary())]
            yield from as_batches(columns, self.gives)

    def _sides(self, rows: pa.Table, frames: MergedFrames) -> list[bytes]:
        """What the task of each chunk has to know, as bytes."""
        chunks = self.chunks
        base, length, top = (whole_numbers(rows, name)[0] for name in CUT)
        lows = base + length * np.arange(top + 1)
        panes = unpack(rows.column(PANES).combine_chunks())
        firsts = [whole_numbers(panes, name) for name in (FIRST, PANE)]
        panes = panes.take(as_arrow(np.lexsort(firsts)))
        begins = whole_numbers(panes, PANE)
        columns = {LOW: as_arrow(lows), LENGTH: as_arrow(np.full(top + 1, length))}
        for number, frame in enumerate(frames.resolved.frames):
            starts, stops = (
                np.searchsorted(begins, edge)
                for edge in middle_of(frame.frame, lows, lows + length)
            )
            starts = np.minimum(starts, stops)
            request, choice = frame.request, frame.choice
            fields, own = frames.layouts[number].fields, frames.of(panes, number)
            partials = read_partials(request, fields, own)
            work = choice.algorithm, request.product, partials.arrays, starts, stops
            out = slide_arrays(*work, leaf="slices", raw=True, lane=choice.lane)
            parts = write_partials(partials, out)
            columns |= {f"{number} {name}": parts[name] for name in parts}
            columns[f"{number}"] = as_arrow(starts < stops)
        table = pa.table(columns)
        last = unpack(rows.column(LAST_ROWS).combine_chunks())
        order = sort_rows(last, (), chunks.plan.clock, chunks.plan.ties)
        assert order.times is not None
        if order.order is not None:
            last = last.take(as_arrow(order.order))
        stops = np.searchsorted(order.times, lows + chunks.near)
        starts = np.maximum(stops - chunks.rows, 0)
        bounds = zip(starts.tolist(), stops.tolist(), strict=True)
        before = pa.array([_pack(last.slice(a, b - a)) for a, b in bounds], pa.binary())
        table = table.append_column(LAST_ROWS, before)
        return [_pack(table.slice(i, 1)) for i in range(len(table))]


def middle_of(frame: Frame, lows: Array, highs: Array) -> tuple[Array, Array]:
    """The instants between which events are in the frame of every label of a chunk."""
    far, near = frame.interval
    ends: Array = lows + near
    if frame.is_everything:
        return np.full(len(lows), -(2**63)), ends
    return np.minimum(highs + far, ends), ends
