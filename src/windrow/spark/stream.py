"""`wr.aggregate` and `wr.over` on a stream, as a streaming DataFrame.

    select, bucket -> mapInArrow(feed) -> groupBy(bucket).transformWithState(keep)
                   -> observe -> mapInArrow(results) -> select

Rows travel as one blob for each bucket and stretch: Spark's stateful operator walks
over its input row by row in Python, which a blob has few of.  Results travel the
same way back, so that no value passes through pandas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame, GroupedData
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
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.flow import Flow
from windrow.plan.over import OverPlan
from windrow.state.codec import STATS
from windrow.state.span_slices import PieceFolding
from windrow.tasks.stream import (
    BLOB,
    BUCKET,
    LATE_FLAG,
    FeedTask,
    StateTask,
    make_bucket,
)

from . import ship, sql
from .guard import CLOCK, with_watermark
from .history import History, history_slices
from .lanes import with_state_lane
from .processor import OUTPUT, processor
from .result import row_schema, select_rows, select_windows, window_schema
from .schema import as_arrow, field_of, key_names, quoted, required
from .shuffle import normalise_key

METRICS = "windrow"
HISTORY = "windrow history"
_WORD = 0xFFFFFFFF
_BLOBS = StructType([*required(IntegerType(), BUCKET), *required(BinaryType(), BLOB)])


def aggregate(
    frame: DataFrame, flow: Flow, history: History | None = None
) -> DataFrame:
    """One row per key and window, when the watermark passes its end."""
    plan = flow.plan
    assert not isinstance(plan, OverPlan)
    keys = dict(zip(key_names(plan), plan.by, strict=True))
    if history is not None:
        assert isinstance(plan, Plan)
        frame = _since(frame, plan, history.since)
    schema = window_schema(frame, plan)
    windows = _run_state(frame, flow, schema, keys, history)
    return select_windows(frame, plan, windows, late=_late_struct(frame, flow))


def over(frame: DataFrame, flow: Flow) -> DataFrame:
    """Every row with its new columns, when the watermark has passed it."""
    plan = flow.plan
    assert isinstance(plan, OverPlan)
    own = {f"s{i}": name for i, name in enumerate(frame.columns)}
    rows = _run_state(frame, flow, row_schema(frame, plan), own)
    return select_rows(frame, plan, rows, late=_late_struct(frame, flow))


def _since(frame: DataFrame, plan: Plan, since: int) -> DataFrame:
    """The rows from an instant on; those before it are counted."""
    assert plan.clock is not None
    on = plan.clock.column
    time = sql.ticks(quoted(on), field_of(frame, on).dataType)
    before = F.coalesce(F.sum(F.expr(f"if({time} < {since}L, 1L, 0L)")), F.lit(0))
    counted = frame.observe(HISTORY, before.alias("rows_before_since"))
    return counted.where(F.expr(f"{time} >= {since}L"))


def _packed_history(history: History, frame: DataFrame, flow: Flow) -> GroupedData:
    """Tiles as blobs of slices, by the buckets of their keys."""
    slices = history_slices(history, frame, flow)
    keys = [F.col(f"k{i}") for i in range(len(flow.plan.by))]
    for i, name in enumerate(flow.plan.by):
        normal = normalise_key(
            frame.select(F.col(quoted(name)).alias(f"k{i}")), f"k{i}"
        )
        if normal is not None:
            slices = slices.withColumn(f"k{i}", normal)
    bucket = _bucket_of(keys, flow.buckets).alias(BUCKET)
    rows = slices.select(bucket, *slices.columns)
    feed = FeedTask(tuple(rows.columns), None, ship.STRETCH)
    blobs = rows.mapInArrow(ship.ship(feed), _BLOBS)
    return blobs.groupBy(BUCKET)


def _run_state(
    frame: DataFrame,
    flow: Flow,
    schema: StructType,
    own: dict[str, str],
    history: History | None = None,
) -> DataFrame:
    """The results under the names that tasks use; `own` columns of late rows too."""
    rows, names, plan = _select_columns(frame, flow)
    flow = replace(flow, plan=plan)
    late: dict[str, str] = {}
    if flow.late == "keep":
        late = own | {f"l{i}": name for i, name in enumerate(frame.columns)}
        schema = _with_late(frame, schema)
    folding = None
    if flow.fed != "rows":
        assert isinstance(plan, Plan)
        tagged = replace(plan, by=(BUCKET, *plan.by))
        kind = Folding if plan.span is None else PieceFolding
        folding = kind(tagged, flow.request, flow.slots)
    idle = flow.clock.idle_ms
    is_called = flow.counts_late or idle is not None
    beats = _bucket_numbers(flow.buckets) if is_called else ()
    aside, keeps = flow.clock.ahead is not None, bool(late)
    feed = FeedTask(
        (BUCKET, *names), folding, ship.STRETCH, beats, aside=aside, keeps=keeps
    )
    if flow.deals:
        # of the session: as many as the stateful tasks behind it
        tasks = frame.sparkSession.conf.get("spark.sql.shuffle.partitions")
        rows = rows.repartition(int(tasks or 1))
    blobs = ship.run_task(rows, feed, _BLOBS)
    assert plan.clock is not None
    task = StateTask(make_bucket(flow), as_arrow(schema), plan.clock.tick, late, idle)
    task = with_state_lane(task, feed, lambda: as_arrow(rows.schema))
    first = None
    if history is not None:
        task = replace(task, since=history.since)
        first = _packed_history(history, frame, flow)
    body = cloudpickle.dumps(task)  # type: ignore[no-untyped-call]
    results = blobs.groupBy(BUCKET).transformWithStateInPandas(
        processor(body, __version__, by_clock=idle is not None),
        OUTPUT,
        flow.mode.capitalize(),
        "EventTime" if idle is None else "ProcessingTime",
        first,
    )
    results = results.observe(
        METRICS, *(F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in STATS)
    )
    results = results.where(F.col(BLOB).isNotNull()).select(BLOB)
    return results.mapInArrow(ship.unpacker(), schema)


def _select_columns(
    frame: DataFrame, flow: Flow
) -> tuple[DataFrame, list[str], Plan | OverPlan | PolicyPlan]:
    """The bucket and the columns that are needed, their names, and the plan for them.

    Float keys as groupBy sees them: in place where only they are needed, beside the
    user's own where rows come out again.
    """
    plan = flow.plan
    assert plan.clock is not None
    whole = isinstance(plan, OverPlan) or flow.late == "keep"
    if not isinstance(plan, OverPlan):
        for name in getattr(plan, "span", None) or (plan.clock.column,):
            frame = frame.where(F.col(quoted(name)).isNotNull())
    names = list(frame.columns) if whole else plan.reads
    columns = {name: F.col(quoted(name)) for name in names}
    keys, by = [], []
    schema = plan.schema
    for name in plan.by:
        normal = normalise_key(frame, name)
        keys.append(columns[name] if normal is None else normal)
        by.append(name if normal is None or not whole else f"windrow {name}")
        columns[by[-1]] = keys[-1]
        if by[-1] != name:
            schema = schema.append(pa.field(by[-1], schema.field(name).type))
    plan = replace(plan, by=tuple(by), schema=schema)
    assert plan.clock is not None
    frame = with_watermark(frame, plan.clock.column, flow.clock)
    selected = dict(columns)
    if flow.clock.ahead is not None:
        selected[CLOCK] = F.col(quoted(CLOCK)).isNull()
    rows = frame.select(
        _bucket_of(keys, flow.buckets).alias(BUCKET),
        *(column.alias(f"s{i}") for i, column in enumerate(selected.values())),
    )
    return rows, list(selected), plan


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


def _bucket_of(keys: Sequence[Column], buckets: int) -> Column:
    """The number of the bucket of a row."""
    if not keys or buckets == 1:
        return F.lit(_bucket_numbers(1)[0])
    numbers = F.array(*(F.lit(number) for number in _bucket_numbers(buckets)))
    return F.get(numbers, F.pmod(F.hash(*keys), F.lit(buckets)))


@lru_cache(maxsize=16)
def _bucket_numbers(buckets: int) -> tuple[int, ...]:
    """The numbers of buckets, of which each partition gets as many as any other.

    Spark sends a group to partition `pmod(hash(number), partitions)`.  With numbers
    0, 1, 2, ... some partitions would get three buckets and others none; these are the
    first whose hashes have the remainders 0, 1, 2, ..., which is even wherever the
    number of partitions divides that of buckets.  They depend on the number of buckets
    only: state is found again whatever the session is set to.
    """
    numbers: dict[int, int] = {}
    number = 0
    while len(numbers) < buckets:
        numbers.setdefault(_hash(number) % buckets, number)
        number += 1
    return tuple(numbers[remainder] for remainder in range(buckets))


def _hash(number: int) -> int:
    """Spark's hash of an int: Murmur3 with seed 42, as a signed word."""

    def rotate(word: int, by: int) -> int:
        return (word << by | word >> 32 - by) & _WORD

    mixed = rotate(number * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD
    word = rotate(42 ^ mixed, 13) * 5 + 0xE6546B64 & _WORD
    word ^= 4  # bytes hashed
    word = (word ^ word >> 16) * 0x85EBCA6B & _WORD
    word = (word ^ word >> 13) * 0xC2B2AE35 & _WORD
    word ^= word >> 16
    return word - (1 << 32) if word >> 31 else word
