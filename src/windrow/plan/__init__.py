"""Makes EVERY decision, once, and explains it.

    bind, windows             check calls and windows against a schema
    table                     has what all plans over a table have in common
    aggregate, by_policy      plan wr.aggregate, over numbered windows and by policy
    over, as_of               plan wr.over and wr.as_of, by the frame of each call
    as_of_chunks              says how keys with very many events are cut by time
    label_columns             says whether labels' other columns travel with the events
    operator, cql/            plan wr.Operator and wr.cql
    choose, spans, sharing    choose slicer, algorithm, technique, and what is shared
    cells                     says whether rows are sorted by key
    selection                 chooses how values are found by their order
    features, where           define features once; filter single aggregates
    tiles, tile_kind          plan slices in a table, and say what these are
    tile_windows              plans windows and longer tiles that are made of them
    requests                  puts aggregates as a kernel takes them
    facts                     are what a scan of the rows can tell
    resolve, resolved         finish a plan with them, and hold every choice
    tree, spread, flow        lay a plan out over Spark tasks, and over a stream
    strategy                  takes LightSaber's words for how a tree runs
    stream_clock              says what moves time on a stream
    catalyst                  says which windows need no tasks of ours on Spark
    sketch_sql                says which sketches Spark makes by itself
    explain, explain_spark    write a resolved plan as text, line by explain_lines
    explain_stream            does so for a stream, by what its buckets keep
    explain_choices           has those on how windows are answered
    cards                     prints the catalogues as tables

A plan is made of windows, aggregates and a schema; `resolve(plan, facts)` finishes it.
Nothing here reads a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windrow._later import load_later
from windrow.errors import BadInput
from windrow.windows import Window

from .aggregate import Plan, plan_aggregate
from .by_policy import plan_by_policy
from .facts import Facts
from .over import OverPlan, plan_over
from .resolve import resolve

if TYPE_CHECKING:
    from .as_of import plan_as_of
    from .explain import Explanation, check_not_given, check_show, explain_resolved

__getattr__ = load_later(
    __name__,
    {
        "Explanation": ".explain",
        "check_not_given": ".explain",
        "check_show": ".explain",
        "explain_resolved": ".explain",
        "plan_as_of": ".as_of",
    },
)


def plan_windows(
    schema: pa.Schema, window: Any, by: Any, calls: Any, *, algorithm: str, **cut: Any
) -> Any:
    """The plan of `wr.aggregate` in one process, whatever the window."""
    if isinstance(window, Window) and not window.is_numbered:
        if cut.get("chunk") or cut.get("slicer", "auto") != "auto":
            raise BadInput.because(
                f"cannot cut {window}",
                "such windows follow from the rows, and have neither slices nor chunks",
                "leave slicer= and chunk= out",
            )
        return plan_by_policy(schema, window, by, calls, algorithm=algorithm)  # type: ignore[arg-type]
    return plan_aggregate(schema, window, by, calls, algorithm=algorithm, **cut)


__all__ = [
    "Explanation",
    "Facts",
    "OverPlan",
    "Plan",
    "check_not_given",
    "check_show",
    "explain_resolved",
    "plan_aggregate",
    "plan_as_of",
    "plan_over",
    "plan_windows",
    "resolve",
]
