"""Folds and slides events with a duration, as steps of a task.

fold_spans     events                    ->  slices of two parts, or pieces
slide_spans    events by key and start   ->  windows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.batch.aggregate import Solved, Trim
from windrow.batch.columns import array_runs
from windrow.batch.kernel_inputs import KernelInputs, read_inputs
from windrow.batch.partials import Folding, Partials, write_partials
from windrow.batch.sorted_rows import in_order, times_of
from windrow.batch.spans import (
    lengths_of,
    number_events,
    open_spans,
    solve_spans,
    span_times,
)
from windrow.loops import as_arrow
from windrow.plan.facts import Facts
from windrow.plan.resolve import resolve
from windrow.plan.spans import choose_one
from windrow.slicing import fold
from windrow.spans import Events, HeldParts, LaidEvents, Work, held, parts_of
from windrow.windows.rule import Array

from .span_pieces import FIRST, GOES, LAST, pack, packs
from .sweep import Batches, stretches, whole_numbers

if TYPE_CHECKING:  # which has these steps in its table
    from .task import Task


def fold_spans(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Fold events before they are shuffled."""
    plan = replace(task.tree.plan, by=task.by)
    folding = SpanFolding(plan, task.tree.request, task.tree.slots)
    for table, _ in stretches(batches, lambda: task.enough):
        pieces = folding.fold(table)
        if packs(task.tree, task.fields):
            pieces = pack(pieces, plan, task.fields)
        yield from task.batches(pieces)


def slide_spans(task: Task, batches: Batches) -> Iterator[pa.RecordBatch]:
    """Slide windows over events, by the technique for the lengths in each stretch."""
    plan = task.resolved.plan

    def within(table: pa.Table) -> tuple[Array, Array] | None:
        """The instants that windows which begin in a row's chunk can cover."""
        if task.chunks is None:
            return None
        name, length = task.chunks
        low = whole_numbers(table, name) * length
        return low, low + (length + plan.longest - 1)

    def solve(table: pa.Table, trim: Trim) -> Solved:
        job = open_spans(table, plan, in_runs=True, within=within(table))
        facts = Facts(nulls=None, spans=lengths_of(job.laid))
        return solve_spans(job, resolve(plan, facts), trim)

    yield from task.sweep(
        batches,
        solve,
        lambda table: times_of(table, plan.start_clock)[0],
        lambda table: span_times(table, plan).lasts,
    )


ROOM = 2  # slices, empty ones too, that may be laid out for each event


@dataclass(frozen=True)
class _Rows:
    """The rows of a folded table: run, slices, part, and partial of each."""

    runs: Array
    firsts: Array
    lasts: Array
    goes: Array
    partials: tuple[Array, ...]


class SpanFolding(Folding):
    """Folds events with a duration into slices of two parts, or into pieces."""

    def fold(self, table: pa.Table) -> pa.Table:
        """The fewer of slices and pieces, by key (k0, k1, ...) and first slice."""
        return self.fold_into(table, "fewer")

    def fold_into(self, table: pa.Table, kind: str) -> pa.Table:
        """Fold into "slices" or "pieces", or the "fewer" of them."""
        plan = self.plan
        bounds = span_times(table, plan)
        order = None if bounds.known is None else np.flatnonzero(bounds.known)
        stream = in_order(table, plan.by, order)
        starts, lasts = stream.gather(bounds.starts), stream.gather(bounds.lasts)
        events = Events(starts, lasts, stream.firsts, stream.lasts)
        source = read_inputs(table, stream, self.slots)
        sliced = None if kind == "pieces" else self._slices(events, kind)
        rows = (
            self._pieces(events, source)
            if sliced is None
            else self._parts(*sliced, source)
        )
        ranked = {
            index: source.columns[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        partials = Partials(pa.table({}), self.fields, rows.partials, ranked)
        keys = stream.keys.take(as_arrow(rows.runs))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(plan.by)},
                FIRST: as_arrow(rows.firsts),
                LAST: as_arrow(rows.lasts),
                GOES: as_arrow(rows.goes),
                **write_partials(partials, rows.partials),
            }
        )

    def _slices(self, events: Events, kind: str) -> tuple[LaidEvents, HeldParts] | None:
        """The slices and their parts; None if there would be fewer pieces.

        A technique that the user named gets pieces, which all techniques work on.
        """
        fewer = kind == "fewer"
        if fewer and self.plan.algorithm != "auto":
            return None
        slices = number_events(events, self.plan)
        if fewer and slices.slices > ROOM * len(events):
            return None
        laid = slices.lay()
        laws = Law.IDEMPOTENT | Law.COMMUTATIVE
        parts = held(laid, one_part=laws in self.request.product.laws)
        return None if fewer and len(parts) > laid.distinct else (laid, parts)

    def _parts(self, laid: LaidEvents, parts: HeldParts, source: KernelInputs) -> _Rows:
        request = self.request
        group = choose_one(request, lengths_of(laid), "auto", 0)
        work = Work(laid, request.product, source.arrays, group.height, lane=None)
        ends, goes = parts_of(work, group.technique)
        slices = np.concatenate([parts.ends, parts.goes])
        order = np.argsort(slices, kind="stable")
        slices = slices[order]
        partials = tuple(field[parts.ends] for field in ends)
        if goes:
            tails = [field[parts.goes] for field in goes]
            pairs = zip(partials, tails, strict=True)
            partials = tuple(np.concatenate(pair)[order] for pair in pairs)
        runs = np.searchsorted(laid.runs, slices, side="right") - 1
        begins = laid.begins[slices]
        return _Rows(runs, begins, begins, order >= len(parts.ends), partials)

    def _pieces(self, events: Events, source: KernelInputs) -> _Rows:
        run = events.run
        firsts, lasts = (
            self.plan.cuts.begins(t) for t in (events.starts, events.lasts)
        )
        order = np.lexsort((lasts, firsts, run))
        run, firsts, lasts = run[order], firsts[order], lasts[order]
        opens, stops = array_runs(run, firsts, lasts)
        ordered = tuple(array[order] for array in source.arrays)
        partials = fold(self.request.product, ordered, opens, stops)
        goes = np.zeros(len(opens), bool)
        return _Rows(run[opens], firsts[opens], lasts[opens], goes, partials)
