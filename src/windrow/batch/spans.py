"""Executes a resolved plan of `wr.aggregate` over events with a duration.

    table --check, order--> events --lay out--> slices --techniques--> windows --> table

Events stand in the order of their ends where an aggregate asks for order, else as they
arrived: sorting is the dearest step.  Of two that end at once a point comes last, for
it holds the instant at which the other is over.  Ties stand as they arrived.

    what is wrong with a row         what is done
    start or end is null             left out, as a row without a time is
    end before start                 refused
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.aggregates import Law
from windrow.errors import BadInput
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved
from windrow.plan.spans import Lengths
from windrow.spans import (
    Events,
    LaidEvents,
    NumberedEvents,
    Windows,
    Work,
    fill_buckets,
    number_slices,
)

from .aggregate import Solved, Trim, keep_all
from .assemble import Answer, answer_columns, assemble
from .columns import run_bounds, sort_nulls_first
from .holistic import holistic
from .kernel_inputs import KernelInputs, facts_of, read_inputs
from .sorted_rows import SortedRows, check_room, in_order, is_sorted, times_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SpanJob:
    """The events of a table, laid over slices, ready for a plan to be resolved."""

    table: pa.Table
    plan: Plan
    stream: SortedRows
    laid: LaidEvents

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan: nulls, magnitudes, lengths of events."""
        plan = self.plan
        facts = facts_of(self.table, self.stream, self.table.column_names, plan.sums)
        return replace(facts, spans=lengths_of(self.laid))

    def run(self, resolved: Resolved) -> pa.Table:
        """One row per key and window that an event overlaps."""
        return assemble(self.plan, *solve_spans(self, resolved))


def lengths_of(laid: LaidEvents) -> Lengths:
    """The lengths of events in slices."""
    return Lengths(len(laid.events), len(laid), laid.crossed, laid.pieces)


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
    stream = (rows_in_runs if in_runs else rows_by_key)(table, plan, events)
    starts, lasts = events.starts, events.lasts
    if within is not None:
        starts = np.maximum(starts, within[0])
        lasts = np.maximum(np.minimum(lasts, within[1]), starts)
    starts, lasts = stream.gather(starts), stream.gather(lasts)
    laid = lay_events(Events(starts, lasts, stream.firsts, stream.lasts), plan)
    return SpanJob(table, plan, stream, laid)


def lay_events(events: Events, plan: Plan) -> LaidEvents:
    """Lay events over the slices that all windows of a plan share."""
    return number_events(events, plan).lay()


def number_events(events: Events, plan: Plan) -> NumberedEvents:
    """Number the slices of events, which counts them before they are laid out."""
    check_room(events.starts, plan.longest)
    check_room(events.lasts, plan.longest)
    return number_slices(events, plan.cuts.combs)


def solve_spans(job: SpanJob, resolved: Resolved, trim: Trim = keep_all) -> Solved:
    """The results of each rule; `trim` removes windows before columns are made."""
    plan, laid, stream = job.plan, job.laid, job.stream
    inputs = read_inputs(job.table, stream, resolved.slots)
    all_frames = [laid.windows(rule) for rule in plan.rules]
    outs: list[tuple[Array, ...]] = [()] * len(all_frames)
    for group in resolved.groups:
        windows = [
            Windows(frame, rule.longest, algorithm)
            for frame, rule, algorithm in zip(
                all_frames, plan.rules, group.algorithms, strict=True
            )
        ]
        work = Work(laid, group.request.product, inputs.arrays, group.height)
        results = group.technique.run(work, windows)
        outs = [out + more for out, more in zip(outs, results, strict=True)]
    answers, columns = [], []
    for rule, frame, out in zip(plan.rules, all_frames, outs, strict=True):
        starts = stops = positions = np.empty(0, np.int64)
        if resolved.is_holistic:
            offsets, positions = fill_buckets(laid, frame)
            starts, stops = offsets[:-1], offsets[1:]
        answer = Answer(rule, frame.begins, frame.counts, starts, stops, out)
        (answer,) = trim(stream, [answer])
        answers.append(answer)
        columns.append(_columns(job, resolved, inputs, answer, positions))
    return stream, answers, columns


def _columns(
    job: SpanJob,
    resolved: Resolved,
    inputs: KernelInputs,
    answer: Answer,
    positions: Array,
) -> list[pa.Array]:
    """The columns of all calls in their order, from the groups that they are in."""
    table, stream = job.table, job.stream
    columns: dict[str, pa.Array] = {}
    at = 0
    for group in resolved.groups:
        width = len(group.request.product.out_dtypes)
        part = replace(answer, out=answer.out[at : at + width])
        at += width
        results = answer_columns(
            table, stream, group.calls, inputs.columns, group.request, part
        )
        columns.update(zip((b.name for b in group.calls), results, strict=True))
    for bound in job.plan.calls:
        if bound.name in columns:
            continue
        values = stream.gather_arrow(table.column(bound.columns[0]))
        columns[bound.name] = holistic(
            bound.aggregate.name,
            values.take(pa.array(positions)),
            answer.row_starts,
            answer.row_stops,
            bound.call.options,
        )
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
    lasts = np.empty_like(ends)
    mask = np.empty(0, bool) if known is None else known
    wrong, at, points = _measure(starts, ends, mask, lasts)
    if wrong:
        assert plan.span is not None
        first, last = (table.column(name)[at].as_py() for name in plan.span)
        raise BadInput.because(
            "cannot place an event that ends before it starts",
            f"{wrong:,} row{'s do' if wrong > 1 else ' does'}, the first of them from "
            f"{first} to {last}",
            "filter such rows out, or swap their bounds",
        )
    return SpanTimes(starts, lasts, starts == ends if points else None, known)


@compiled
def _measure(starts, ends, mask, lasts):  # type: ignore[no-untyped-def]
    """Fill `lasts`; count wrong rows, find the first, count points."""
    wrong, at, points = 0, -1, 0
    for i in range(len(starts)):
        lasts[i] = ends[i] - 1
        if ends[i] <= starts[i]:
            lasts[i] = starts[i]
            if ends[i] == starts[i]:
                points += 1
            elif len(mask) == 0 or mask[i]:
                wrong += 1
                at = i if at < 0 else at
    return wrong, at, points


def rows_by_key(table: pa.Table, plan: Plan, events: SpanTimes) -> SortedRows:
    """The events by key, sorted by their ends if an aggregate needs that."""
    lasts, known = events.lasts, events.known
    if not needs_order(plan):
        rows = None if known is None else np.flatnonzero(known)
        return in_order(table, plan.by, rows)
    if known is None and events.points is None and not plan.ties:
        order = None if is_sorted(lasts) else np.argsort(lasts, kind="stable")
        return in_order(table, plan.by, order)
    order = _by_end(table, plan, events, {})
    return in_order(table, plan.by, order if known is None else order[known[order]])


def rows_in_runs(table: pa.Table, plan: Plan, events: SpanTimes) -> SortedRows:
    """The events of a table in which equal keys stand together and no bound is null."""
    assert events.known is None, "rows without a bound were filtered out"
    firsts, lasts = run_bounds(table, plan.by)
    keys = (
        table.select(list(plan.by)).take(pa.array(firsts)) if plan.by else pa.table({})
    )
    place = None
    if needs_order(plan):
        run = np.repeat(np.arange(len(firsts)), lasts - firsts)
        order = _by_end(table, plan, events, {"run": run})
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
    return SortedRows(place, firsts, lasts, keys, None)


def needs_order(plan: Plan) -> bool:
    """Whether an aggregate depends on the order of events."""
    return any(Law.COMMUTATIVE not in bound.aggregate.laws for bound in plan.calls)


def _by_end(
    table: pa.Table, plan: Plan, events: SpanTimes, first: dict[str, Array]
) -> Array:
    """Row numbers by end, points last of those, then by ties, then as they arrived.

    A point's last instant is its end, that of any other event the one before: so by
    last instants, points come first.
    """
    points = np.zeros(len(table), bool) if events.points is None else events.points
    if not plan.ties:
        return np.lexsort((~points, events.lasts, *first.values()))
    columns: dict[str, Any] = {**first, "last": events.lasts, "over": ~points}
    columns |= {f"tie {i}": table.column(name) for i, name in enumerate(plan.ties)}
    return sort_nulls_first(pa.table(columns), list(columns))


__all__ = [
    "SpanJob",
    "SpanTimes",
    "lay_events",
    "lengths_of",
    "needs_order",
    "number_events",
    "open_spans",
    "rows_by_key",
    "rows_in_runs",
    "solve_spans",
    "span_times",
]
