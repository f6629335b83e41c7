"""Executes a resolved plan of `wr.aggregate` over events with a duration.

    table --check, order--> events --lay out--> slices --techniques--> windows --> table

Events stand in the order of their ends where an aggregate asks for order, else as they
arrived: sorting is the dearest step.  Of two that end at once a point comes last, for
it holds the instant at which the other is over.  Rows with a null bound are left out.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import Law
from windrow.loops import Lane, as_arrow
from windrow.loops.sort import is_sorted, places_of
from windrow.plan.aggregate import Plan
from windrow.plan.facts import Facts
from windrow.plan.resolved import Resolved
from windrow.plan.spans import Lengths
from windrow.spans import (
    Events,
    LaidEvents,
    NumberedEvents,
    Windows,
    Work,
    fill_buckets,
    measure,
    number_slices,
)

from .aggregate import Solved, Trim, keep_all
from .assemble import Answer, answer_columns, assemble, column_of_rows
from .columns import sort_nulls_first
from .kernel_inputs import KernelInputs, TableJob, read_inputs
from .sorted_rows import (
    SortedRows,
    before_its_start,
    check_room,
    in_order,
    rows_in_runs,
    times_of,
)

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SpanJob(TableJob):
    """Computes one row per key and window that an event overlaps."""

    plan: Plan
    laid: LaidEvents

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan: also the lengths of events."""
        return replace(super().facts, spans=lengths_of(self.laid, ring=True))

    def run(self, resolved: Resolved) -> pa.Table:
        """The windows as a table."""
        return assemble(self.plan, *solve_spans(self, resolved))


def lengths_of(laid: LaidEvents, *, ring: bool = False) -> Lengths:
    """The lengths of events in slices.

    Without `ring` their order is not told.  Tasks do without: which kernels they call
    is found out ahead, on rows that are too few for a ring.
    """
    events, slices = len(laid.events), len(laid)
    total, pieces, reach, in_order = laid.survey()
    crossed = total / events + 1.0 if events else 0.0
    return Lengths(events, slices, crossed, pieces, reach, ring and in_order)


def open_spans(
    table: pa.Table,
    plan: Plan,
    *,
    in_runs: bool = False,
    within: tuple[Array, Array] | None = None,
) -> SpanJob:
    """Lay the events of a table over slices.

    With `in_runs` the rows of a key stand together already.  `within` are the first and
    the last instant that matter, for each row: events are clipped to them.
    """
    events = span_times(table, plan)
    rows = (_sort_runs if in_runs else _sort_events)(table, plan, events)
    starts, lasts = events.starts, events.lasts
    if within is not None:
        starts = np.maximum(starts, within[0])
        lasts = np.maximum(np.minimum(lasts, within[1]), starts)
    sides = rows.gather(starts), rows.gather(lasts), rows.firsts, rows.lasts
    return SpanJob(table, plan, rows, number_events(Events(*sides), plan).lay())


def number_events(events: Events, plan: Plan) -> NumberedEvents:
    """Number the slices of events: those that all windows of a plan share."""
    check_room(events.starts, plan.longest)
    check_room(events.lasts, plan.longest)
    return number_slices(events, plan.cuts.combs)


def solve_spans(job: SpanJob, resolved: Resolved, trim: Trim = keep_all) -> Solved:
    """The results of each rule; `trim` removes windows before columns are made."""
    plan, laid, rows = job.plan, job.laid, job.rows
    inputs = read_inputs(job.table, rows, resolved.slots)
    all_frames = [laid.windows(rule) for rule in plan.rules]
    lengths = [rule.longest for rule in plan.rules]
    outs: list[tuple[Array, ...]] = [()] * len(all_frames)
    lane = None if plan.algorithm == "auto" else Lane.COMPILED
    for group in resolved.groups:
        windows = list(map(Windows, all_frames, lengths, group.algorithms))
        product = group.request.product
        ring, reach = group.ring, group.reach
        work = Work(laid, product, inputs.arrays, group.height, lane=lane, ring=ring,
                    reach=reach)  # fmt: skip
        results = group.technique.run(work, windows)
        outs = [out + more for out, more in zip(outs, results, strict=True)]
    answers: list[Answer] = []
    columns = []
    for rule, frame, out in zip(plan.rules, all_frames, outs, strict=True):
        starts = stops = positions = np.empty(0, np.int64)
        if resolved.is_holistic:
            offsets, positions = fill_buckets(laid, frame)
            starts, stops = offsets[:-1], offsets[1:]
        answer = Answer(rule, frame.begins, frame.counts, starts, stops, out)
        answers += trim(rows, [answer])
        columns.append(_columns(job, resolved, inputs, answers[-1], positions))
    return rows, answers, columns


def _columns(
    job: SpanJob,
    resolved: Resolved,
    inputs: KernelInputs,
    answer: Answer,
    positions: Array,
) -> list[pa.Array]:
    """The columns of all calls in their order, from the groups that they are in."""
    table, rows, reads = job.table, job.rows, inputs.columns
    columns: dict[str, pa.Array] = {}
    outs = iter(answer.out)
    for group in resolved.groups:
        width = len(group.request.product.out_dtypes)
        part = replace(answer, out=tuple(islice(outs, width)))
        results = answer_columns(table, rows, group.calls, reads, group.request, part)
        columns.update(zip((b.name for b in group.calls), results, strict=True))
    for bound in job.plan.calls:
        if bound.name in columns:
            continue
        values = [
            rows.gather_arrow(table.column(name)).take(as_arrow(positions))
            for name in bound.columns
        ]
        bounds = answer.row_starts, answer.row_stops
        columns[bound.name] = column_of_rows(bound, values, *bounds, resolved.request)
    return [columns[bound.name] for bound in job.plan.calls]


@dataclass(frozen=True)
class SpanTimes:
    """The first and the last instant of each row, and which of them are points.

    `known` is true for rows with both bounds (None: all); no `points`: there are none.
    """

    starts: Array
    lasts: Array
    points: Array | None
    known: Array | None


def span_times(table: pa.Table, plan: Plan) -> SpanTimes:
    """The instants of events in ticks; an event that ends before it starts is refused.

    The end is not part of an event, except of a point, which is one instant.
    """
    assert plan.clock is not None
    starts, has_start = times_of(table, plan.start_clock)
    ends, has_end = times_of(table, plan.clock)
    masks = [mask for mask in (has_start, has_end) if mask is not None]
    known = np.logical_and.reduce(masks) if masks else None
    mask = np.empty(0, bool) if known is None else known
    lasts, wrong, at, points = measure(starts, ends, mask)
    if wrong:
        assert plan.span is not None
        raise before_its_start(table, plan.span, wrong, at)
    return SpanTimes(starts, lasts, starts == ends if points else None, known)


def _sort_events(table: pa.Table, plan: Plan, events: SpanTimes) -> SortedRows:
    """The events by key, sorted by their ends if an aggregate needs that."""
    lasts, known = events.lasts, events.known
    if not _needs_order(plan):
        order = None if known is None else np.flatnonzero(known)
    elif known is None and events.points is None and not plan.ties:
        order = None if is_sorted(lasts) else np.argsort(lasts, kind="stable")
    else:
        order = _by_end(table, plan, events)
        order = order if known is None else order[known[order]]
    return in_order(table, plan.by, order)


def _sort_runs(table: pa.Table, plan: Plan, events: SpanTimes) -> SortedRows:
    """The events of a table in which equal keys stand together and no bound is null."""
    assert events.known is None, "rows without a bound were filtered out"
    rows = rows_in_runs(table, plan.by)
    if not _needs_order(plan):
        return rows
    run = np.repeat(np.arange(len(rows.firsts)), rows.lengths)
    order = _by_end(table, plan, events, run=run)
    return replace(rows, place=places_of(order, len(order)))


def _needs_order(plan: Plan) -> bool:
    return any(Law.COMMUTATIVE not in bound.aggregate.laws for bound in plan.calls)


def _by_end(table: pa.Table, plan: Plan, events: SpanTimes, **first: Array) -> Array:
    """Row numbers by `first` and end, points last, then by ties, then as they arrived.

    A point's last instant is its end, that of any other event the one before: so by
    last instants, points come first.
    """
    points = np.zeros(len(table), bool) if events.points is None else events.points
    if not plan.ties:
        return np.lexsort((~points, events.lasts, *first.values()))
    columns: dict[str, Any] = {**first, "last": events.lasts, "over": ~points}
    columns |= {f"tie {i}": table.column(name) for i, name in enumerate(plan.ties)}
    return sort_nulls_first(pa.table(columns), list(columns))
