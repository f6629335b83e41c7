"""What a query is, in words that its state remembers.

State means something to the query that wrote it only.  Its header holds this
description, and another query that finds it is refused with what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from windrow.errors import StateError
from windrow.plan.aggregate import Plan
from windrow.plan.over import OverPlan


def describe(plan: Plan | OverPlan, *, buckets: int, layout: str) -> dict[str, Any]:
    """What must stay the same as long as the state is kept.

    `layout` is how the state is kept, which follows from the rest, unless a later
    version decides otherwise.
    """
    types = {name: str(plan.schema.field(name).type) for name in plan.reads}
    found: dict[str, Any] = {
        "the aggregates": [
            f"{bound.name}={bound.call.label} of {', '.join(map(str, bound.types))}"
            for bound in plan.calls
        ],
        "the keys": [f"{name} {types[name]}" for name in plan.by],
        "the time column": plan.clock.column if plan.clock is not None else None,
        "ties=": list(plan.ties),
        "the number of buckets": buckets,
        "the layout of the state": layout,
    }
    if isinstance(plan, Plan):
        found["the windows"] = [str(query.text) for query in plan.rules]
        found["the slicer"] = plan.slicer.name
        if plan.span is not None:
            found["the span"] = list(plan.span)
    else:
        found["the frames"] = [f"{f.text} {f.closed}" for f in plan.frames]
    return found


def check_same(kept: Mapping[str, Any], mine: Mapping[str, Any]) -> None:
    """Refuse state that another query wrote."""
    if kept == mine:
        return
    differs = [
        f"{what} {_said(kept.get(what))} there and {_said(mine.get(what))} here"
        for what in dict.fromkeys([*kept, *mine])
        if kept.get(what) != mine.get(what)
    ]
    raise StateError.because(
        "cannot go on from this checkpoint",
        f"another query wrote it: {'; '.join(differs)}",
        "start this query with a checkpoint of its own, or run the one that wrote it",
    )


def _said(value: Any) -> str:
    if isinstance(value, list):
        return f"are {', '.join(value)}" if value else "are none"
    return "is none" if value is None else f"is {value}"


__all__ = ["check_same", "describe"]
