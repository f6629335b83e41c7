"""Events with a duration as a table holds them: their instants, and their order.

Events stand in the order of their ends where an aggregate asks for order, else as they
arrived: sorting is the dearest step.  Of two that end at once a point comes last, for
it holds the instant at which the other is over.  Ties stand as they arrived.

    what is wrong with a row         what is done
    start or end is null             left out, as a row without a time is
    end before start                 refused
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

    `known` says which rows have both bounds: None, all; `points` None: none is one.
    """

    starts: Array
    lasts: Array
    points: Array | None
    known: Array | None


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


def rows_by_key(table: pa.Table, plan: Plan, found: Lasting) -> Stream:
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


def rows_in_runs(table: pa.Table, plan: Plan, found: Lasting) -> Stream:
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


__all__ = ["Lasting", "lasting", "needs_order", "rows_by_key", "rows_in_runs"]
