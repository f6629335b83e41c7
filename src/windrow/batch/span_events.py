"""Reads events with a duration from a table, and sorts them by their ends.

They are sorted only where an aggregate is not commutative: sorting is the dearest step.
Of two that end at the same time a point comes last, since it holds the instant at which
the other is over.  Ties stay as they arrived.

    start or end is null     the row is left out, as a row without a time is
    end before start         the row is refused
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.aggregates import Law
from windrow.errors import BadInput
from windrow.plan.aggregate import Plan

from .keys import run_bounds, sort_nulls_first
from .sorted_rows import Stream, in_order, is_sorted, times_of

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Lasting:
    """The first and the last instant of each row, and which of them are points.

    `known` is true for rows with both bounds (None: all); no `points`: there are none.
    """

    starts: Array
    lasts: Array
    points: Array | None
    known: Array | None


def lasting(table: pa.Table, plan: Plan) -> Lasting:
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
    return Lasting(starts, lasts, starts == ends if points else None, known)


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


def rows_by_key(table: pa.Table, plan: Plan, events: Lasting) -> Stream:
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


def rows_in_runs(table: pa.Table, plan: Plan, events: Lasting) -> Stream:
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
    return Stream(place, firsts, lasts, keys, None)


def needs_order(plan: Plan) -> bool:
    """Whether an aggregate depends on the order of events."""
    return any(Law.COMMUTATIVE not in bound.aggregate.laws for bound in plan.calls)


def _by_end(
    table: pa.Table, plan: Plan, events: Lasting, first: dict[str, Array]
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


__all__ = ["Lasting", "lasting", "needs_order", "rows_by_key", "rows_in_runs"]
