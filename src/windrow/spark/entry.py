"""What `wr.aggregate`, `wr.over` and `wr.explain` do with a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from windrow.aggregates import Call
from windrow.errors import WindowError
from windrow.plan import (
    Explanation,
    Facts,
    OverPlan,
    Plan,
    explain_resolved,
    plan_aggregate,
    plan_over,
    resolve,
)
from windrow.plan.explain_spark import explain_flow, explain_spread, explain_tree
from windrow.plan.flow import Flow, flow_of
from windrow.plan.spread import spread_over
from windrow.plan.tree import Tree, grow_tree
from windrow.windows import Sliding, Window
from windrow.windows.clock import Clock

from .aggregate import aggregate as aggregate_tree
from .over import check_columns
from .over import over as roll_over
from .schema import arrow_schema, nullable, with_instants
from .stream import aggregate as aggregate_stream
from .stream import over as over_stream
from .watermark import check_stream


def aggregate(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> DataFrame:
    """One row per key and window; no job is run."""
    frame, plan, hints = _planned(frame, window, by, calls, **options)
    if frame.isStreaming:
        return aggregate_stream(frame, _flow(frame, plan, **hints))
    return aggregate_tree(frame, _tree(frame, plan, **hints))


def explain(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    show: str = "plan",
    **options: Any,
) -> Explanation:
    """What `aggregate` will do; no job is run."""
    frame, plan, hints = _planned(frame, window, by, calls, **options)
    if show != "plan":
        return explain_resolved(resolve(plan, Facts(nullable(frame))), Facts(), show)
    if frame.isStreaming:
        return explain_flow(_flow(frame, plan, **hints))
    return explain_tree(_tree(frame, plan, **hints))


def over(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> DataFrame:
    """Every row, with new columns over its own past; no job is run."""
    plan, hints = _planned_over(frame, on, by, calls, **options)
    if frame.isStreaming:
        check_columns(frame)
        return over_stream(frame, _flow(frame, plan, **hints))
    return roll_over(frame, plan, spread_over(plan))


def explain_over(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> Explanation:
    """What `over` will do; no job is run."""
    plan, hints = _planned_over(frame, on, by, calls, **options)
    if frame.isStreaming:
        return explain_flow(_flow(frame, plan, **hints))
    return explain_spread(plan, spread_over(plan))


def _planned(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    hints: dict[str, Any],
    **options: Any,
) -> tuple[DataFrame, Plan, dict[str, Any]]:
    windows = window if isinstance(window, (list, tuple)) else [window]
    placed = [one for one in windows if isinstance(one, Sliding)]
    named = {name for one in placed for name in (one.on, *(one.span or ()))} - {None}
    spans = {one.span for one in placed}
    if len(spans) == 1 and len(named) == (1 if None in spans else 2):
        for name in named:
            frame = with_instants(frame, name)
    plan = plan_aggregate(arrow_schema(frame), window, by, calls, **options)
    check_clock(plan.clock)
    return frame, plan, hints


def _planned_over(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    hints: dict[str, Any],
    **options: Any,
) -> tuple[OverPlan, dict[str, Any]]:
    plan = plan_over(arrow_schema(frame), on, by, calls, **options)
    check_clock(plan.clock)
    return plan, hints


def _tree(
    frame: DataFrame, plan: Plan, *, hot: bool, keys: int | None, **_: Any
) -> Tree:
    return grow_tree(plan, nullable(frame), hot=hot, keys=keys)


def _flow(
    frame: DataFrame,
    plan: Plan | OverPlan,
    *,
    late: str,
    buckets: int | None,
    mode: str,
    **_: Any,
) -> Flow:
    delay = check_stream(frame, plan, late)
    return flow_of(
        plan, nullable(frame), delay=delay, late=late, buckets=buckets, mode=mode
    )


def check_clock(clock: Clock | None) -> None:
    """Refuse what Spark's time cannot hold."""
    if clock is not None and clock.tick and clock.tick < 1000:
        raise WindowError.because(
            f"cannot slide over column {clock.column!r} in nanoseconds",
            "Spark's timestamps are whole microseconds",
            "use durations of whole microseconds",
        )
