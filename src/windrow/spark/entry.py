"""Plans `wr.aggregate`, `wr.over` and `wr.explain` for a DataFrame, and runs them."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import Any

import pyspark
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.errors import BadInput
from windrow.plan import (
    Explanation,
    Facts,
    OverPlan,
    Plan,
    explain_resolved,
    plan_as_of,
    plan_over,
    plan_windows,
    resolve,
)
from windrow.plan.aggregate import check_no_history
from windrow.plan.as_of import AsOfPlan
from windrow.plan.as_of_chunks import choose_chunks
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.explain_spark import (
    explain_labels,
    explain_policies,
    explain_spread,
    explain_tree,
)
from windrow.plan.explain_stream import explain_flow
from windrow.plan.flow import Flow, flow_of
from windrow.plan.sketch_sql import NO_VERSION
from windrow.plan.spread import spread_over
from windrow.plan.stream_clock import stream_clock
from windrow.plan.tree import Tree, grow_tree
from windrow.windows import Window

from .aggregate import aggregate as aggregate_tree
from .as_of import as_of as label_features
from .checks import check_stream, check_ticks
from .expressions import with_masks
from .lanes import reasons_of
from .over import check_columns
from .over import over as roll_over
from .policies import aggregate_by_policy
from .schema import arrow_schema, nullable, quoted, with_instants

STATEFUL = "pyspark.sql.streaming.stateful_processor"

Windows = Window | Sequence[Window]
Hints = dict[str, Any]


def aggregate(frame: DataFrame, *query: Any, hints: Hints, **options: Any) -> DataFrame:
    """One row per key and window of `query`: windows, keys, calls; no job is run."""
    own = frame.columns
    frame, plan = _plan(frame, *query, **options)
    if frame.isStreaming:
        flow = _flow(frame, plan, hints)
        history = _history(frame, query[0], flow, hints)
        result: DataFrame = _streams().aggregate(frame, flow, history)
        return _late_as_it_came(result, frame, own, hints)
    check_no_history(hints.get("start"), hints.get("since"))
    if isinstance(plan, PolicyPlan):
        return aggregate_by_policy(frame, plan)
    return aggregate_tree(frame, _tree(frame, plan, hints))


def explain(
    frame: DataFrame, *query: Any, hints: Hints, show: str = "plan", **options: Any
) -> Explanation:
    """What `aggregate` will do; no job is run."""
    frame, plan = _plan(frame, *query, **options)
    if show != "plan":
        return explain_resolved(resolve(plan, Facts(nullable(frame))), Facts(), show)
    if frame.isStreaming:
        flow = _flow(frame, plan, hints)
        return explain_flow(flow, reasons_of(lambda: _streams().aggregate(frame, flow)))
    if isinstance(plan, PolicyPlan):
        kernels = reasons_of(lambda: aggregate_by_policy(frame, plan))
        return explain_policies(plan, Facts(nullable(frame)), kernels)
    tree = _tree(frame, plan, hints)
    return explain_tree(tree, reasons_of(lambda: aggregate_tree(frame, tree)))


def over(frame: DataFrame, *query: Any, hints: Hints, **options: Any) -> DataFrame:
    """Every row, with the columns of `query`: time, keys, calls; no job is run."""
    own = frame.columns
    frame, plan = _plan_over(frame, *query, **options)
    if frame.isStreaming:
        check_columns(frame)
        result: DataFrame = _streams().over(frame, _flow(frame, plan, hints))
        result = _late_as_it_came(result, frame, own, hints)
    else:
        result = roll_over(frame, plan, spread_over(plan))
    masks = set(frame.columns).difference(own)
    if not masks:
        return result
    return result.select(*(quoted(n) for n in result.columns if n not in masks))


def over_features(
    frame: DataFrame, on: str, by: Any, calls: Any, *, hints: Hints, **options: Any
) -> DataFrame:
    """Every row of a stream with features as of its own instant; no job is run."""
    own = frame.columns
    frame, masked = with_masks(frame, calls)
    schema = arrow_schema(frame)
    plan = plan_as_of(schema, schema, (on, on), by, masked, **options)
    check_ticks(plan)
    check_columns(frame)
    result: DataFrame = _streams().over(frame, _flow(frame, plan, hints))
    result = _late_as_it_came(result, frame, own, hints)
    masks = set(frame.columns).difference(own)
    return result.select(*(quoted(n) for n in result.columns if n not in masks))


def _late_as_it_came(
    result: DataFrame, frame: DataFrame, own: Sequence[str], hints: Hints
) -> DataFrame:
    """The result with late rows that have no columns but their `own`."""
    masks = [name for name in frame.columns if name not in own]
    if hints["late"] != "keep" or not masks:
        return result
    late = F.col("late").dropFields(*map(quoted, masks))
    return result.withColumn("late", late)


def as_of(
    labels: DataFrame,
    events: DataFrame,
    *query: Any,
    hot: bool | int = False,
    **options: Any,
) -> DataFrame:
    """Every label, with features over the events of `query`; no job is run."""
    labels, events, plan = _plan_as_of(labels, events, *query, **options)
    return label_features(labels, events, plan, hot=hot)


def explain_as_of(
    labels: DataFrame,
    events: DataFrame,
    *query: Any,
    hot: bool | int = False,
    **options: Any,
) -> Explanation:
    """What `as_of` will do; no job is run."""
    labels, events, plan = _plan_as_of(labels, events, *query, **options)
    build = lambda: label_features(labels, events, plan, hot=hot)  # noqa: E731
    _, split = choose_chunks(plan, hot)
    return explain_labels(plan, split, reasons_of(build))


def _plan_as_of(
    labels: DataFrame,
    events: DataFrame,
    times: Any,
    by: Any,
    calls: Any,
    **options: Any,
) -> tuple[DataFrame, DataFrame, AsOfPlan]:
    events, calls = with_masks(events, calls)
    schemas = arrow_schema(labels), arrow_schema(events)
    plan = plan_as_of(*schemas, times, by, calls, **options)
    check_ticks(plan)
    for frame in (labels, events):
        if frame.isStreaming:
            raise BadInput.because(
                "cannot compute features as of an instant on a stream",
                "labels and events of a stream come in no order",
                "use batches, or wr.over(stream, features): each row as of its instant",
            )
    return labels, events, plan


def explain_over(
    frame: DataFrame, *query: Any, hints: Hints, **options: Any
) -> Explanation:
    """What `over` will do; no job is run."""
    frame, plan = _plan_over(frame, *query, **options)
    if frame.isStreaming:
        flow = _flow(frame, plan, hints)
        return explain_flow(flow, reasons_of(lambda: _streams().over(frame, flow)))
    spread = spread_over(plan)
    kernels = reasons_of(lambda: roll_over(frame, plan, spread))
    return explain_spread(plan, spread, kernels)


def _plan(
    frame: DataFrame, window: Windows, *query: Any, **options: Any
) -> tuple[DataFrame, Plan | PolicyPlan]:
    windows = window if isinstance(window, (list, tuple)) else [window]
    for name in _time_columns(windows):
        frame = with_instants(frame, name)
    by, calls = query
    frame, calls = with_masks(frame, calls)
    plan = plan_windows(arrow_schema(frame), window, by, calls, **options)
    check_ticks(plan)
    return frame, plan


def _plan_over(
    frame: DataFrame, on: Any, by: Any, calls: Any, **options: Any
) -> tuple[DataFrame, OverPlan]:
    frame, calls = with_masks(frame, calls)
    plan = plan_over(arrow_schema(frame), on, by, calls, **options)
    check_ticks(plan)
    return frame, plan


def _time_columns(windows: Sequence[Any]) -> set[str]:
    """The columns by which events are placed, where all windows agree on them."""
    timed = [window for window in windows if getattr(window, "is_timed", False)]
    spans = {window.span for window in timed}
    names = {window.on for window in timed if window.on is not None}
    names |= {name for span in spans if span is not None for name in span}
    agree = len(spans) == 1 and len(names) == (1 if None in spans else 2)
    return names if agree else set()


def _streams() -> Any:
    """The module that runs streams, which Spark can only from 4.0 on."""
    if importlib.util.find_spec(STATEFUL) is None:
        raise BadInput.because(
            f"cannot run a query on a stream of Spark {pyspark.__version__}",
            "it needs transformWithStateInPandas, which Spark has from 4.0 on",
            "use Spark 4.0 or later, or aggregate batches, as in foreachBatch",
        )
    return importlib.import_module("windrow.spark.stream")


def _history(frame: DataFrame, window: Any, flow: Flow, hints: Hints) -> Any:
    """The tiles that a stream begins with, if there are any."""
    start, since = hints.get("start"), hints.get("since")
    if start is None and since is None:
        return None
    if start is None or since is None:
        given, other = ("start", "since") if since is None else ("since", "start")
        raise BadInput.because(
            f"cannot take {given}= alone",
            "a row that is in the tiles and in the stream must count once",
            f"say {other}= too: tiles hold what is before since=, the stream the rest",
        )
    history = importlib.import_module("windrow.spark.history")
    return history.open_history(frame, window, flow, start, since)


def _tree(frame: DataFrame, plan: Plan, hints: Hints) -> Tree:
    own = {name: hints[name] for name in ("hot", "keys", "lasting")}
    own["strategy"] = hints.get("strategy")
    version = NO_VERSION
    if any(bound.aggregate.sketch for bound in plan.calls):
        major, minor = frame.sparkSession.version.split(".")[:2]
        version = int(major), int(minor)
    return grow_tree(plan, nullable(frame), version=version, **own)


def _flow(frame: DataFrame, plan: Plan | OverPlan | PolicyPlan, hints: Hints) -> Flow:
    if hints.get("strategy") is not None:
        raise BadInput.because(
            "cannot choose the strategy of a stream",
            "it has one: rows to slices in tasks, slices to windows in buckets",
            "leave strategy= out",
        )
    settings = {name: hints[name] for name in ("late", "buckets", "mode", "hot")}
    clock = stream_clock(plan, *(hints[n] for n in ("watermark", "ahead", "idle")))
    delay = check_stream(frame, plan, hints["late"], clock)
    return flow_of(plan, nullable(frame), delay=delay, clock=clock, **settings)
