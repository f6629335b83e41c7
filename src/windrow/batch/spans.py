"""Executes a resolved plan of `wr.aggregate` over events with a duration.

    table --check, order--> events --lay out--> slices --techniques--> windows --> table

`span_events.py` reads the events from the table, and sorts them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved
from windrow.plan.spans import Lengths
from windrow.spans import (
    Events,
    Laid,
    Numbered,
    Windows,
    Work,
    fill_buckets,
    number_slices,
)

from .aggregate import Solved, Trim, keep_all
from .assemble import Answer, answer_columns, assemble
from .holistic import holistic
from .kernel_inputs import KernelInputs, facts_of, read_inputs
from .sorted_rows import Stream, check_room
from .span_events import lasting, rows_by_key, rows_in_runs

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class SpanJob:
    """The events of a table, laid over slices, ready for a plan to be resolved."""

    table: pa.Table
    plan: Plan
    stream: Stream
    laid: Laid

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan: nulls, magnitudes, lengths of events."""
        plan = self.plan
        facts = facts_of(self.table, self.stream, self.table.column_names, plan.sums)
        return replace(facts, spans=lengths_of(self.laid))

    def run(self, resolved: Resolved) -> pa.Table:
        """One row per key and window that an event overlaps."""
        return assemble(self.plan, *solve_spans(self, resolved))


def lengths_of(laid: Laid) -> Lengths:
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
    events = lasting(table, plan)
    stream = (rows_in_runs if in_runs else rows_by_key)(table, plan, events)
    starts, lasts = events.starts, events.lasts
    if within is not None:
        starts = np.maximum(starts, within[0])
        lasts = np.maximum(np.minimum(lasts, within[1]), starts)
    starts, lasts = stream.gather(starts), stream.gather(lasts)
    laid = lay_events(Events(starts, lasts, stream.firsts, stream.lasts), plan)
    return SpanJob(table, plan, stream, laid)


def lay_events(events: Events, plan: Plan) -> Laid:
    """Lay events over the slices that all windows of a plan share."""
    return number_events(events, plan).lay()


def number_events(events: Events, plan: Plan) -> Numbered:
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
        work = Work(laid, group.asked.product, inputs.arrays, group.height)
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
        width = len(group.asked.product.out_dtypes)
        part = replace(answer, out=answer.out[at : at + width])
        at += width
        results = answer_columns(
            table, stream, group.calls, inputs.columns, group.asked, part
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


__all__ = [
    "SpanJob",
    "lay_events",
    "lengths_of",
    "number_events",
    "open_spans",
    "solve_spans",
]
