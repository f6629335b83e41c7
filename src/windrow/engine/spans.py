"""Executing the plan of `wr.aggregate` for events with a duration, in one process.

    table --check, order--> events --lay out--> slices --techniques--> windows --> table

Events stand in the order of their ends where an aggregate asks for order, else as they
arrived: sorting is the dearest step.  Of two that end at once a point comes last, for
it holds the instant at which the other is over.  Ties stand as they arrived.

    what is wrong with a row         what is done
    start or end is null             left out, as a row without a time is
    end before start                 refused
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.aggregates import Law
from windrow.errors import BadInput
from windrow.plan.bind import Bound
from windrow.plan.plan import Plan
from windrow.plan.requests import Asked
from windrow.plan.spanning import Group, Lengths, choose_groups
from windrow.slicing import shared_combs
from windrow.spanning import Events, Laid, Windows, Work, fill_buckets, lay_out

from .assemble import Answer, answer_columns, assemble
from .batch import Trim, whole
from .holistic import holistic
from .keys import sort_nulls_first
from .runs import run_bounds
from .sources import Source, source_of
from .stream import Stream, check_room, in_order, is_sorted, times_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Lasting:
    """The first and the last instant of each row, and which of them are points.

    `known` says which rows have both bounds: None, all; `points` None: none is one.
    """

    starts: Array
    lasts: Array
    points: Array | None
    known: Array | None


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
    stream = (_in_runs if in_runs else _by_key)(table, plan, found)
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
    longest = max(query.range for query in plan.queries)
    check_room(events.starts, longest)
    check_room(events.lasts, longest)
    triples = [query.triple for query in plan.queries]
    return lay_out(events, shared_combs(plan.slicer, triples))


def lasting(table: pa.Table, plan: Plan) -> Lasting:
    """The instants of events in ticks; an event that ends before it starts is refused.

    The end is not in the event, but for a point, which is one instant.
    """
    assert plan.clock is not None
    starts, has_start = times_of(table, plan.start_clock)
    ends, has_end = times_of(table, plan.clock)
    both = [known for known in (has_start, has_end) if known is not None]
    known = np.logical_and.reduce(both) if both else None
    lasts = np.empty_like(ends)
    wrong, at, points = _measure(starts, ends, np.empty(0, bool) if known is None
                                 else known, lasts)  # fmt: skip
    if wrong:
        assert plan.span is not None
        first, last = (table.column(name)[at].as_py() for name in plan.span)
        raise BadInput.because(
            "cannot place an event that ends before it starts",
            f"{wrong:,} row{'s do' if wrong > 1 else ' does'}, the first of them from "
            f"{first} to {last}",
            "filter such rows out, or swap their bounds",
        )
    return Lasting(starts, lasts, starts == ends if points else None, known)


@compiled
def _measure(starts, ends, known, lasts):  # type: ignore[no-untyped-def]
    """The last instants; how many rows end before they start, which is the first."""
    wrong, at, points = 0, -1, 0
    for i in range(len(starts)):
        lasts[i] = ends[i] - 1
        if ends[i] <= starts[i]:
            lasts[i] = starts[i]
            if ends[i] == starts[i]:
                points += 1
            elif len(known) == 0 or known[i]:
                wrong += 1
                at = i if at < 0 else at
    return wrong, at, points


def _by_key(table: pa.Table, plan: Plan, found: Lasting) -> Stream:
    """Rows by key, in the order of ends where anybody can tell, or as they came."""
    there = None if found.known is None else np.flatnonzero(found.known)
    if not needs_order(plan):
        return in_order(table, plan.by, there)
    if there is None and found.points is None and not plan.ties:
        lasts = found.lasts
        order = None if is_sorted(lasts) else np.argsort(lasts, kind="stable")
        return in_order(table, plan.by, order)
    order = _by_end(table, plan, found, {})
    known = found.known
    return in_order(table, plan.by, order if known is None else order[known[order]])


def _in_runs(table: pa.Table, plan: Plan, found: Lasting) -> Stream:
    """Rows whose keys stand together, none without its bounds."""
    assert found.known is None, "rows without a bound were filtered out"
    firsts, lasts = run_bounds(table, plan.by)
    keys = (
        table.select(list(plan.by)).take(pa.array(firsts)) if plan.by else pa.table({})
    )
    place = None
    if needs_order(plan):
        run = np.repeat(np.arange(len(firsts)), lasts - firsts)
        order = _by_end(table, plan, found, {"run": run})
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
    return Stream(place, firsts, lasts, keys, None)


def needs_order(plan: Plan) -> bool:
    """Whether some aggregate can tell in which order it sees events."""
    return any(Law.COMMUTATIVE not in bound.aggregate.laws for bound in plan.calls)


def _by_end(
    table: pa.Table, plan: Plan, found: Lasting, first: dict[str, Array]
) -> Array:
    """Rows by end, points after what is over by then, then by ties, then as they came.

    An event that is over at an instant has its last one before it.
    """
    points = np.zeros(len(table), bool) if found.points is None else found.points
    if not plan.ties:
        return np.lexsort((~points, found.lasts, *first.values()))
    ends = {**first, "last": found.lasts, "over": ~points}
    named = {f"tie {i}": table.column(name) for i, name in enumerate(plan.ties)}
    whole_table = pa.table({**{n: pa.array(v) for n, v in ends.items()}, **named})
    return sort_nulls_first(whole_table, [*ends, *named])


def span_answers(
    found: Spread, table: pa.Table, trim: Trim = whole
) -> tuple[Stream, list[Answer], list[list[pa.Array]]]:
    """The results of each query, one Arrow column per call.

    `trim` leaves out windows before their results are turned into columns.
    """
    plan, laid, stream = found.plan, found.laid, found.stream
    framed = [laid.windows(*query.triple) for query in plan.queries]
    outs: list[tuple[Array, ...]] = [()] * len(framed)
    for group in found.groups:
        product = group.asked.product
        windows = [
            Windows(frame, query.range, plan.choice(query, product).algorithm)
            for query, frame in zip(plan.queries, framed, strict=True)
        ]
        work = Work(laid, product, found.source.arrays, group.height)
        made = group.technique.run(work, windows)
        outs = [out + more for out, more in zip(outs, made, strict=True)]
    answers, columns = [], []
    for query, frame, out in zip(plan.queries, framed, outs, strict=True):
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
    "lasting",
    "lengths_of",
    "needs_order",
    "span_answers",
    "spread",
]
