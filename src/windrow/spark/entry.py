"""What `wr.aggregate`, `wr.over` and `wr.explain` do with a Spark DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame

from windrow.aggregates import Call
from windrow.errors import BadInput, WindowError
from windrow.plan import Explanation, OverPlan, plan_aggregate, plan_over
from windrow.plan.clock import Clock
from windrow.plan.explain import explain_spread, explain_tree
from windrow.plan.spread import Spread, spread_over
from windrow.plan.tree import Tree, grow_tree
from windrow.windows import Sliding, Window

from .aggregate import aggregate as aggregate_tree
from .over import over as roll_over
from .schema import arrow_schema, nullable, with_instants


def aggregate(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> DataFrame:
    """One row per key and window; no job is run."""
    frame, tree = _tree(frame, window, by, calls, **options)
    return aggregate_tree(frame, tree)


def explain(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> Explanation:
    """What `aggregate` will do; no job is run."""
    _, tree = _tree(frame, window, by, calls, **options)
    return explain_tree(tree)


def over(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> DataFrame:
    """Every row, with new columns over its own past; no job is run."""
    plan, spread = _spread(frame, on, by, calls, **options)
    return roll_over(frame, plan, spread)


def explain_over(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> Explanation:
    """What `over` will do; no job is run."""
    return explain_spread(*_spread(frame, on, by, calls, **options))


def _spread(
    frame: DataFrame,
    on: str | None,
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    **options: Any,
) -> tuple[OverPlan, Spread]:
    _check_batch(frame)
    plan = plan_over(arrow_schema(frame), on, by, calls, **options)
    check_clock(plan.clock)
    return plan, spread_over(plan)


def _tree(
    frame: DataFrame,
    window: Window | Sequence[Window],
    by: str | Sequence[str] | None,
    calls: Mapping[str, Call],
    *,
    hot: bool = False,
    keys: int | None = None,
    **options: Any,
) -> tuple[DataFrame, Tree]:
    _check_batch(frame)
    windows = window if isinstance(window, (list, tuple)) else [window]
    named = {one.on for one in windows if isinstance(one, Sliding)}
    frame = with_instants(frame, named.pop() if len(named) == 1 else None)
    plan = plan_aggregate(arrow_schema(frame), window, by, calls, **options)
    check_clock(plan.clock)
    return frame, grow_tree(plan, nullable(frame), hot=hot, keys=keys)


def _check_batch(frame: DataFrame) -> None:
    if frame.isStreaming:
        raise BadInput.because(
            "cannot aggregate a streaming DataFrame",
            "this version computes over batch DataFrames",
            "call it inside foreachBatch, or read the same files with spark.read",
        )


def check_clock(clock: Clock | None) -> None:
    """Refuse what Spark's time cannot hold."""
    if clock is not None and clock.tick and clock.tick < 1000:
        raise WindowError.because(
            f"cannot slide over column {clock.column!r} in nanoseconds",
            "Spark's timestamps are whole microseconds",
            "use durations of whole microseconds",
        )
