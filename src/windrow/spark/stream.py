"""`wr.aggregate` and `wr.over` on a stream, as a streaming DataFrame.

    select, bucket -> mapInArrow(feed) -> groupBy(bucket).transformWithState(keep)
                   -> observe -> mapInArrow(results) -> select

Rows travel as one blob for each bucket and stretch: Spark's stateful operator walks
over its input row by row in Python, which a blob has few of.  Results travel the
same way back, so that no value passes through pandas.
"""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    IntegerType,
    StructField,
    StructType,
)

from windrow._version import __version__
from windrow.batch.partials import Folding
from windrow.plan.aggregate import Plan
from windrow.plan.flow import Flow
from windrow.plan.over import OverPlan
from windrow.tasks.stream import (
    BLOB,
    BUCKET,
    LATE_FLAG,
    FeedTask,
    StateTask,
    make_bucket,
)

from . import ship
from .buckets import bucket_of
from .keys import normalise_key
from .processor import OUTPUT, STATS, processor
from .result import bound_fields, result
from .schema import as_arrow, key_fields, quoted, result_field

METRICS = "windrow"
LATE = "late"
_FED = StructType(
    [
        StructField(BUCKET, IntegerType(), nullable=False),
        StructField(BLOB, BinaryType(), nullable=False),
    ]
)


def aggregate(frame: DataFrame, flow: Flow) -> DataFrame:
    """One row per key and window, when the watermark passes its end."""
    plan = flow.plan
    assert isinstance(plan, Plan)
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            *bound_fields(plan),
            *(result_field(frame, b, f"r{i}") for i, b in enumerate(plan.calls)),
        ]
    )
    keys = {f"k{i}": name for i, name in enumerate(plan.by)}
    windows = _run_state(frame, flow, schema, keys)
    return result(frame, plan, windows, late=_late_struct(frame, flow))


def over(frame: DataFrame, flow: Flow) -> DataFrame:
    """Every row with its new columns, when the watermark has passed it."""
    plan = flow.plan
    assert isinstance(plan, OverPlan)
    names = frame.columns
    schema = StructType(
        [
            *(
                StructField(f"s{i}", field.dataType, field.nullable)
                for i, field in enumerate(frame.schema)
            ),
            *(result_field(frame, b, f"r{i}") for i, b in enumerate(plan.calls)),
        ]
    )
    own = {f"s{i}": name for i, name in enumerate(names)}
    results = _run_state(frame, flow, schema, own)
    late = _late_struct(frame, flow)
    return results.select(
        *(F.col(f"s{i}").alias(name) for i, name in enumerate(names)),
        *(F.col(f"r{i}").alias(bound.name) for i, bound in enumerate(plan.calls)),
        *([] if late is None else [late.alias(LATE)]),
    )


def _run_state(
    frame: DataFrame, flow: Flow, schema: StructType, own: dict[str, str]
) -> DataFrame:
    """The results under the names that tasks use; `own` columns of late rows too."""
    rows, names, plan = _select_columns(frame, flow)
    flow = replace(flow, plan=plan)
    late: dict[str, str] = {}
    if flow.late == "keep":
        late = own | {f"l{i}": name for i, name in enumerate(frame.columns)}
        schema = _with_late(frame, schema)
    folding = None
    if flow.fed == "slices":
        assert isinstance(plan, Plan)
        tagged = replace(plan, by=(BUCKET, *plan.by))
        folding = Folding(tagged, flow.request, flow.slots)
    feed = FeedTask((BUCKET, *names), folding, ship.STRETCH)
    blobs = ship.run_task(rows, feed, _FED)
    assert plan.clock is not None
    gives = as_arrow(schema)
    task = StateTask(make_bucket(flow), gives, plan.clock.tick, late)
    body = cloudpickle.dumps(task)  # type: ignore[no-untyped-call]
    results = blobs.groupBy(BUCKET).transformWithStateInPandas(
        processor(body, __version__), OUTPUT, "Append", "EventTime"
    )
    results = results.observe(
        METRICS, *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in STATS)
    )
    results = results.where(F.col(BLOB).isNotNull()).select(BLOB)
    return results.mapInArrow(ship.unpacker(), schema)


def _select_columns(
    frame: DataFrame, flow: Flow
) -> tuple[DataFrame, list[str], Plan | OverPlan]:
    """The bucket and the columns that are needed, their names, and the plan for them.

    Float keys as groupBy sees them: in place where only they are needed, beside the
    user's own where rows come out again.
    """
    plan = flow.plan
    assert plan.clock is not None
    whole = isinstance(plan, OverPlan) or flow.late == "keep"
    if isinstance(plan, Plan):
        for name in plan.span or (plan.clock.column,):
            frame = frame.where(F.col(quoted(name)).isNotNull())
    names = list(frame.columns) if whole else plan.reads
    columns = {name: F.col(quoted(name)) for name in names}
    keys, by = [], []
    schema = plan.schema
    for name in plan.by:
        normal = normalise_key(frame, name)
        keys.append(columns[name] if normal is None else normal)
        if normal is None or not whole:
            columns[name] = keys[-1]
            by.append(name)
        else:
            beside = f"windrow {name}"
            columns[beside] = normal
            by.append(beside)
            schema = schema.append(pa.field(beside, schema.field(name).type))
    plan = replace(plan, by=tuple(by), schema=schema)
    rows = frame.select(
        bucket_of(keys, flow.buckets).alias(BUCKET),
        *(column.alias(f"s{i}") for i, column in enumerate(columns.values())),
    )
    return rows, list(columns), plan


def _with_late(frame: DataFrame, schema: StructType) -> StructType:
    """The schema with the late row, beside which all other columns are null."""
    return StructType(
        [
            *(StructField(field.name, field.dataType) for field in schema),
            StructField(LATE_FLAG, BooleanType()),
            *(StructField(f"l{i}", f.dataType) for i, f in enumerate(frame.schema)),
        ]
    )


def _late_struct(frame: DataFrame, flow: Flow) -> Column | None:
    if flow.late != "keep":
        return None
    fields = [F.col(f"l{i}").alias(name) for i, name in enumerate(frame.columns)]
    return F.when(F.col(LATE_FLAG), F.struct(*fields))


__all__ = ["aggregate", "over"]
