"""EVERY decision, taken once, and its explanation.

    bind.py        names and types of calls against a schema
    windows.py     windows, their clock and their rules
    aggregate.py   the plan of wr.aggregate       by_policy.py   over windows by policy
    over.py        the plan of wr.over            operator.py    of wr.Operator
    choose.py      slicer and algorithm           spans.py       techniques for spans
    sharing.py     which windows share one graph
    requests.py    what a kernel is asked for
    resolve.py     finishes a plan with what only data can tell
    tree.py        over many Spark tasks          spread.py      the same for wr.over
    flow.py        over a Spark stream            cql/           of a text
    explain*.py    a resolved plan in words       cards.py       catalogues as tables

A plan is made of windows, aggregates and a schema; `resolve(plan, facts)` finishes it.
Nothing here reads a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from windrow.aggregates import Call
from windrow.windows import Window

from .aggregate import Plan, plan_aggregate
from .by_policy import PolicyPlan, plan_by_policy
from .explain import explain_resolved
from .explanation import Explanation
from .over import OverPlan, plan_over
from .resolve import Facts, resolve
from .sharing_text import check_show, explain_shown


def plan_windows(
    schema: pa.Schema,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    algorithm: str = "auto",
    slicer: str = "auto",
    chunk: int = 0,
) -> Any:
    """The plan of `wr.aggregate` in one process, whatever the window."""
    if isinstance(window, Window) and not window.is_numbered:
        return plan_by_policy(schema, window, by, calls, algorithm=algorithm)  # type: ignore[arg-type]
    return plan_aggregate(
        schema, window, by, calls, algorithm=algorithm, slicer=slicer, chunk=chunk
    )


__all__ = [
    "Explanation",
    "Facts",
    "OverPlan",
    "Plan",
    "PolicyPlan",
    "check_show",
    "explain_resolved",
    "explain_shown",
    "plan_aggregate",
    "plan_over",
    "plan_windows",
    "resolve",
]
