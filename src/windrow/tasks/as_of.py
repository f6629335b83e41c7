"""Computes `wr.as_of` on sorted batches of labels and events: each label once.

    batches   | e e L e | e L e L | e e L |            sorted by key, then time
    carried         + +                                events that later labels may see
    yielded       L         L   L                      labels, with their features

Labels never see each other, so that they are taken apart from events before anything is
counted.  Where events at a label's own instant count, or later ones, labels of the open
key wait while more of these may come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import slide_arrays
from windrow.batch.as_of import open_as_of, open_in_order
from windrow.batch.assemble import seen_columns
from windrow.batch.columns import run_bounds
from windrow.batch.kernel_inputs import read_inputs
from windrow.batch.partials import partial_columns, read_partials
from windrow.batch.sorted_rows import rows_in_order, times_of
from windrow.loops import TaskLane, as_arrow, running
from windrow.plan.as_of import AsOfPlan
from windrow.plan.as_of_chunks import LabelChunks
from windrow.plan.facts import Facts
from windrow.plan.frame import Frame
from windrow.plan.resolve import resolve
from windrow.plan.resolved import ResolvedFrame, ResolvedOver
from windrow.slicing import fold
from windrow.windows import find_frames

from .as_of_chunks import (
    LAST_ROWS,
    LENGTH,
    LOW,
    SIDE,
    TIME,
    MergedFrames,
    middle_of,
    unpack,
)
from .sweep import Batches, as_batches, join_rows, stretches, whole_numbers

Array = np.ndarray[Any, Any]

IS_LABEL = "windrow is label"


@dataclass(frozen=True)
class AsOfTask:
    """The task of `wr.as_of`, from columns `names` to the schema `gives`.

    Columns are those that the plan reads of events, under their names, and others of
    labels; those that are `passed` are given back before the features.
    Where keys are cut into `chunks`, a row of each chunk of a hot key has its SIDE.
    """

    plan: AsOfPlan
    names: tuple[str, ...]
    passed: tuple[str, ...]
    gives: pa.Schema
    enough: int
    chunks: LabelChunks | None = None
    lane: TaskLane = field(default_factory=TaskLane)

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        solver = None if self.chunks is None else ChunkSolver(self.chunks)
        resolved = resolve(self.plan, Facts())
        rest: pa.Table | None = None
        carried = 0
        with running(self.lane):
            for table, final in stretches(batches, lambda: max(self.enough, carried)):  # noqa: B023 - called at once
                rows = join_rows(rest, table)
                waits = None if final else self._waits(rows)
                for part in self._apart(rows, waits):
                    yield from self._answer(*part, resolved, solver)
                rest = None if final else self._carry(rows, waits)
                carried = 0 if rest is None else len(rest)

    def _apart(
        self, rows: pa.Table, waits: Array | None
    ) -> list[tuple[pa.Table, Array, Array | None]]:
        """Rows of whole keys and of chunks apart, labels that are due, and sides."""
        due = np.asarray(rows.column(IS_LABEL))
        if waits is not None:
            due = due & ~waits
        if self.chunks is None:
            return [(rows, due, None)]
        is_side = rows.column(SIDE).is_valid().to_numpy()
        if not is_side.any():
            return [(rows, due, None)]
        firsts, lasts = run_bounds(rows, self.plan.by)
        is_cut = np.add.reduceat(is_side, firsts) > 0
        cut = np.repeat(is_cut, lasts - firsts)
        return [
            (rows.filter(pa.array(some)), due[some], sides)
            for some, sides in ((~cut, None), (cut, is_side[cut]))
        ]

    def _answer(
        self,
        rows: pa.Table,
        due: Array,
        sides: Array | None,
        resolved: ResolvedOver,
        solver: ChunkSolver | None,
    ) -> Iterator[pa.RecordBatch]:
        """The labels that are due, with their features."""
        if not due.any():
            return
        is_event = ~np.asarray(rows.column(IS_LABEL))
        if sides is None or solver is None:
            job = open_in_order(rows, due, is_event, self.plan)
            features = job.run(resolved)
        else:
            is_event &= ~sides
            read = rows.select(self.plan.reads)
            labels, events = (read.filter(pa.array(mask)) for mask in (due, is_event))
            runs = np.cumsum(sides)[is_event] - 1
            features = solver.columns(
                labels, events, runs, rows.filter(pa.array(sides))
            )
        own = rows.select(list(dict.fromkeys(self.passed))).filter(pa.array(due))
        passed = (own.column(name) for name in self.passed)
        columns = [*passed, *(features[bound.name] for bound in self.plan.calls)]
        yield from as_batches(columns, self.gives)

    def _waits(self, rows: pa.Table) -> Array | None:
        """Which rows are labels of the open key that may see events to come."""
        plan = self.plan
        near = max(frame.interval[1] for frame in plan.frames)
        after = max(frame.ahead if frame.counts_rows else 0 for frame in plan.frames)
        if near <= plan.delay and not after:
            return None
        first = int(run_bounds(rows, plan.by)[0][-1])
        rows = rows.slice(first)
        times, has_time = self._times(rows)
        waits = times > times[-1] + plan.delay - near
        if after:
            is_event = ~np.asarray(rows.column(IS_LABEL))
            place = np.searchsorted(times[is_event], times - plan.delay + near)
            waits |= is_event.sum() - place < after
        if has_time is not None:
            waits &= has_time
        return np.concatenate([np.zeros(first, bool), waits])

    def _carry(self, rows: pa.Table, waits: Array | None) -> pa.Table | None:
        """The events of the open key that later labels see, and labels that wait."""
        first = int(run_bounds(rows, self.plan.by)[0][-1])
        rows = rows.slice(first)
        is_label = np.asarray(rows.column(IS_LABEL))
        is_event = ~is_label
        times, _ = self._times(rows)
        now, kept = int(times[-1]), np.zeros(len(rows), bool)
        if waits is not None:
            kept = waits[first:] & is_label
            now = min(now, int(times[kept].min(initial=now)))
        asks = now - self.plan.delay
        needed = is_event & (times >= asks - self.plan.reach[0])
        most = max(frame.most for frame in self.plan.frames)
        if most:
            behind = is_event.sum() - np.cumsum(is_event)
            later = is_event & (times >= asks)  # a label at that instant leaves it out
            needed |= is_event & (behind < most + later.sum())
        needed |= kept
        if self.chunks is not None:
            needed |= rows.column(SIDE).is_valid().to_numpy()
        return rows.filter(pa.array(needed)) if needed.any() else None

    def _times(self, rows: pa.Table) -> tuple[Array, Array | None]:
        assert self.plan.clock is not None
        return times_of(rows, self.plan.clock)


@dataclass(frozen=True)
class ChunkSolver:
    """Computes features in chunks of hot keys; keys of a plan end with the chunk."""

    chunks: LabelChunks

    @cached_property
    def frames(self) -> MergedFrames:
        """The merged frames."""
        return MergedFrames(self.chunks)

    def columns(
        self, labels: pa.Table, events: pa.Table, runs: Array, sides: pa.Table
    ) -> dict[str, Any]:
        """The features of labels.

        Event i is in a chunk whose side is row `runs[i]` of `sides`.
        """
        chunks, by = self.chunks, list(self.chunks.plan.by)
        own = unpack(sides.column(SIDE).combine_chunks())
        times, _ = times_of(events, chunks.plan.clock)  # type: ignore[arg-type]
        lows, lengths = (whole_numbers(own, name) for name in (LOW, LENGTH))
        columns: dict[str, Any] = {}
        merged, alone = [], list(chunks.copied)
        for number, frame in enumerate(self.frames.resolved.frames):
            there = np.flatnonzero(own.column(f"{number}"))
            if len(there):
                merged.append((number, frame, there))
            else:  # nothing is between its ends: all its events are here
                alone.append(frame.frame)
        if alone:
            columns |= self._by_rows(labels, events, tuple(alone))
        if chunks.counted:
            counts = []
            for i, blob in enumerate(own.column(LAST_ROWS)):
                before = unpack([blob])
                keys = sides.select(by).take(as_arrow(np.full(len(before), i)))
                of = {
                    name: keys if name in by else before for name in events.column_names
                }
                counts.append(pa.table({name: of[name].column(name) for name in of}))
            after = events.filter(pa.array(times >= lows[runs] + chunks.near))
            both = pa.concat_tables([*counts, after])
            columns |= self._by_rows(labels, both, chunks.counted)
        for number, frame, there in merged:
            bounds = middle_of(frame.frame, lows, lows + lengths)
            low, high = (edge[runs] for edge in bounds)
            outside = events.filter(pa.array((times < low) | (times >= high)))
            chosen = as_arrow(there)
            middles = sides.select(by).take(chosen)
            at = (bounds[1] - 1 if frame.frame.is_everything else bounds[0])[there]
            middles = middles.append_column(TIME, as_arrow(at))
            parts = self.frames.of(own.take(chosen), number)
            for name in parts.column_names:
                middles = middles.append_column(name, parts.column(name))
            columns |= self._merged(labels, outside, middles, number, frame)
        return columns

    def _by_rows(
        self, labels: pa.Table, events: pa.Table, frames: tuple[Frame, ...]
    ) -> dict[str, Any]:
        plan = self.chunks.part(frames)
        return open_as_of(labels, events, plan, 1).run(resolve(plan, Facts()))

    def _merged(
        self,
        labels: pa.Table,
        events: pa.Table,
        middles: pa.Table,
        number: int,
        resolved: ResolvedFrame,
    ) -> dict[str, Any]:
        """The features of a frame over events, and middles in their midst."""
        plan, layout = self.chunks.part((resolved.frame,)), self.frames.layouts[number]
        rows = rows_in_order(events, plan.by, plan.clock)
        assert plan.clock is not None
        assert rows.times is not None
        inputs = read_inputs(events, rows, layout.slots)
        each = np.arange(len(events))
        product = resolved.request.product
        lifted = fold(product, inputs.arrays, each, each + 1)
        columns = {name: events.column(name) for name in plan.by}
        columns |= {TIME: as_arrow(rows.times)}
        columns |= layout.columns(events, rows, inputs, lifted)
        alone = pa.table(columns)
        both = pa.concat_tables([alone, middles.select(alone.column_names)])
        clock = replace(plan.clock, column=TIME, factor=1)
        job = open_as_of(labels, both, replace(plan, clock=clock, ties=()), 1)
        partials = read_partials(resolved.request, layout.fields, both)
        arrays = tuple(job.rows.gather(values) for values in partials.arrays)
        assert job.rows.times is not None
        assert resolved.choice is not None
        asks, frame = job.asks, resolved.frame
        about = asks.runs, asks.instants, asks.frames, *frame.interval, frame.most
        bounds = find_frames(job.rows.times, *about)
        work = resolved.choice.algorithm, product, arrays, *bounds
        out = slide_arrays(*work, leaf="slices", lane=resolved.choice.lane)
        results = partial_columns(resolved.calls, resolved.request, partials, out)
        names = (bound.name for bound in resolved.calls)
        scattered = map(job.labels.scatter, results)
        return seen_columns(plan, dict(zip(names, scattered, strict=True)))
