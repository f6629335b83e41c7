"""Executes resolved plans in one process: a table in, a table out.

    tables.py          reads a user's table, returns one of the same library
    sorted_rows.py     rows by key and time
    keys.py            keys as small whole numbers
    kernel_inputs.py   columns as kernel inputs, and facts for the planner: columns.py
    aggregate.py       windows                     slices.py     cuts and slides
    cells.py           rows folded where they stand, if there are few keys
    over.py            every row over its own past
    as_of.py           labels over the events before their instants
    spans.py           events with a duration
    policy_windows.py  windows by policy           slide.py      one array
    assemble.py        results as a table: results.py
    holistic.py        results of rows: distinct.py, order_statistics.py
    sketches.py        approximate aggregates, whose partial is an object
    partials.py        partials as columns of a table: tiles.py
    relation.py        filters, joins and select lists of CQL: expressions.py
    row_loop.py        filters, joins and computed columns of CQL within the loop of
                       cells: loop_texts.py, loop_joins.py

A call opens a job, whose `facts` complete the plan, and runs it:

    job = open_job(table, plan);  job.run(resolve(plan, job.facts))

This package makes no choices and never calls the planner.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windrow._later import load_later
from windrow.loops import thread_count
from windrow.plan.aggregate import Plan
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.over import OverPlan

from .tables import (
    check_result_names,
    give,
    give_with,
    library,
    read,
    schema_of,
)

if TYPE_CHECKING:
    from .as_of import open_as_of
    from .slide import slide_inputs, slide_results

# A call loads the job that it runs, and none of the others.
_load = __getattr__ = load_later(
    __name__,
    {
        "open_as_of": ".as_of",
        "open_over": ".over",
        "open_policy": ".policy_windows",
        "open_spans": ".spans",
        "open_windows": ".aggregate",
        "slide_inputs": ".slide",
        "slide_results": ".slide",
    },
)


def open_job(
    table: pa.Table, plan: Plan | OverPlan | PolicyPlan, threads: object = None
) -> Any:
    """Prepare a table for a plan, as a job with `facts` and `run(resolved)`.

    Without `threads` it runs on all cores, if there are many rows.
    """
    count = thread_count(threads, len(table))
    if isinstance(plan, OverPlan):
        return _load("open_over")(table, plan, count)
    if isinstance(plan, PolicyPlan):
        return replace(_load("open_policy")(table, plan), threads=count)
    if plan.span is not None:
        return replace(_load("open_spans")(table, plan), threads=count)
    return _load("open_windows")(table, plan, count)


__all__ = [
    "check_result_names",
    "give",
    "give_with",
    "library",
    "open_as_of",
    "open_job",
    "read",
    "schema_of",
    "slide_inputs",
    "slide_results",
]
