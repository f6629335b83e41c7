"""Executing the plan of `wr.aggregate` for events with a duration, in one process.

    table --check, order--> events --lay out--> slices --techniques--> windows --> table

What is read off the table, and in which order, is in `lasting.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Law
from windrow.plan.bind import Bound
from windrow.plan.plan import Plan
from windrow.plan.requests import Asked
from windrow.plan.spans import Group, Lengths, choose_groups
from windrow.spans import (
    Events,
    Laid,
    Numbered,
    Windows,
    Work,
    fill_buckets,
    number_slices,
)

from .aggregate import Trim, whole
from .assemble import Answer, answer_columns, assemble
from .holistic import holistic
from .kernel_inputs import Source, source_of
from .sorted_rows import Stream, check_room
from .span_events import lasting, rows_by_key, rows_in_runs

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Spread:
    """A plan with the events it runs on, laid over slices, and who computes what."""

    plan: Plan
    stream: Stream
    laid: Laid
    source: Source
    groups: list[Group]

    @property
    def lengths(self) -> Lengths:
        """How long the events are."""
        return lengths_of(self.laid)

    @property
    def holistic(self) -> list[Bound]:
        """The calls that need the events of each window, not a partial."""
        return [b for b in self.plan.calls if Law.HOLISTIC in b.aggregate.laws]


def aggregate_spans(table: pa.Table, plan: Plan) -> pa.Table:
    """One row per key and window that an event overlaps."""
    stream, answers, columns = span_answers(spread(table, plan), table)
    return assemble(plan, stream, answers, columns)


def lengths_of(laid: Laid) -> Lengths:
    """How long events are, in slices."""
    return Lengths(len(laid.events), len(laid), laid.crossed, laid.pieces)


def spread(
    table: pa.Table,
    plan: Plan,
    *,
    in_runs: bool = False,
    within: tuple[Array, Array] | None = None,
) -> Spread:
    """Lay the events of a table over slices, and choose the techniques.

    With `in_runs` the rows of a key stand together already, and keys stay as they
    are.  `within` are, for each row, the instants between which anybody asks: an event
    is cut off there.
    """
    found = lasting(table, plan)
    stream = (rows_in_runs if in_runs else rows_by_key)(table, plan, found)
    starts, lasts = found.starts, found.lasts
    if within is not None:
        starts = np.maximum(starts, within[0])
        lasts = np.maximum(np.minimum(lasts, within[1]), starts)
    starts, lasts = stream.gather(starts), stream.gather(lasts)
    laid = laid_out(Events(starts, lasts, stream.firsts, stream.lasts), plan)
    source = source_of(table, stream, plan.calls)
    most = int((stream.lasts - stream.firsts).max(initial=0))

    def ask(calls: Sequence[Bound]) -> Asked:
        return source.ask(calls, most)

    groups = choose_groups(
        plan.calls, ask, lengths_of(laid), plan.algorithm, plan.chunk
    )
    return Spread(plan, stream, laid, source, groups)


def laid_out(events: Events, plan: Plan) -> Laid:
    """Events over the slices that all windows of a plan share."""
    return numbered(events, plan).lay()


def numbered(events: Events, plan: Plan) -> Numbered:
    """The same before any slice is laid out: how many there will be is known."""
    longest = max(query.even.range for query in plan.rules)
    check_room(events.starts, longest)
    check_room(events.lasts, longest)
    return number_slices(events, plan.cuts.combs)


def span_answers(
    found: Spread, table: pa.Table, trim: Trim = whole
) -> tuple[Stream, list[Answer], list[list[pa.Array]]]:
    """The results of each query, one Arrow column per call.

    `trim` leaves out windows before their results are turned into columns.
    """
    plan, laid, stream = found.plan, found.laid, found.stream
    framed = [laid.windows(query) for query in plan.rules]
    outs: list[tuple[Array, ...]] = [()] * len(framed)
    for group in found.groups:
        product = group.asked.product
        windows = [
            Windows(frame, query.even.range, plan.choice(query, product).algorithm)
            for query, frame in zip(plan.rules, framed, strict=True)
        ]
        work = Work(laid, product, found.source.arrays, group.height)
        made = group.technique.run(work, windows)
        outs = [out + more for out, more in zip(outs, made, strict=True)]
    answers, columns = [], []
    for query, frame, out in zip(plan.rules, framed, outs, strict=True):
        starts = stops = positions = np.empty(0, np.int64)
        if found.holistic:
            offsets, positions = fill_buckets(laid, frame)
            starts, stops = offsets[:-1], offsets[1:]
        answer = Answer(query, frame.begins, frame.counts, starts, stops, out)
        (answer,) = trim(stream, [answer])
        answers.append(answer)
        columns.append(_columns(found, table, answer, positions))
    return stream, answers, columns


def _columns(
    found: Spread, table: pa.Table, answer: Answer, positions: Array
) -> list[pa.Array]:
    """The columns of all calls in their order, whichever group they are of."""
    made: dict[str, pa.Array] = {}
    at = 0
    for group in found.groups:
        width = len(group.asked.product.out_dtypes)
        mine = replace(answer, out=answer.out[at : at + width])
        at += width
        results = answer_columns(
            table, found.stream, group.calls, found.source.columns, group.asked, mine
        )
        made.update(zip((b.name for b in group.calls), results, strict=True))
    for bound in found.holistic:
        values = found.stream.gather_arrow(table.column(bound.columns[0]))
        made[bound.name] = holistic(
            bound.aggregate.name,
            values.take(pa.array(positions)),
            answer.row_starts,
            answer.row_stops,
            bound.call.options,
        )
    return [made[bound.name] for bound in found.plan.calls]


__all__ = [
    "Spread",
    "aggregate_spans",
    "laid_out",
    "lengths_of",
    "numbered",
    "span_answers",
    "spread",
]
