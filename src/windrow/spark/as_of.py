"""`wr.as_of` on DataFrames: labels and events in one shuffle, sorted, in one pass.

    labels   keys | time | true  | own columns | -
    events   keys | time | false | -           | columns that features read
             union -> shuffle by key (and chunk of time) -> sort -> mapInArrow

Without a key, or with `hot=True`, each key is split into chunks of time: a label is in
one, an event in all whose labels may see it.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from windrow.plan.as_of import AsOfPlan
from windrow.tasks.as_of import IS_LABEL, AsOfTask
from windrow.tasks.task import CHUNK

from . import ship, sql
from .over import check_columns
from .result import select_rows
from .schema import as_arrow, field_of, quoted, result_fields
from .shuffle import normalise_key, shuffle_by

CHUNKS = 4
"""How much longer a chunk is than what labels look back at."""


def as_of(
    labels: DataFrame, events: DataFrame, plan: AsOfPlan, *, hot: bool = False
) -> DataFrame:
    """The labels with the plan's features at their right."""
    check_columns(labels)
    chunk = chunk_of(plan, hot=hot)
    own = labels.columns
    rows = _labels(labels, plan, chunk).unionByName(
        _events(events, plan, chunk), allowMissingColumns=True
    )
    keys = [f"k{i}" for i in range(len(plan.by))]
    keys += [CHUNK] if chunk else []
    rows = shuffle_by(rows, keys, ["t", "e"])
    reads = [name for name in plan.reads if name not in (*plan.by, plan.clock.column)]  # type: ignore[union-attr]
    names = [*plan.by, *([CHUNK] if chunk else []), plan.clock.column, IS_LABEL]  # type: ignore[union-attr]
    order = [*keys, "t", "e", *(f"c{i}" for i in range(len(reads)))]
    rows = rows.select(*order, *(f"s{i}" for i in range(len(own))))
    fields = [
        StructField(f"s{i}", field.dataType, field.nullable)
        for i, field in enumerate(labels.schema)
    ]
    schema = StructType([*fields, *result_fields(events, plan.calls)])
    task = AsOfTask(
        plan=_of_task(plan, bool(chunk)),
        names=(*names, *reads, *(f"windrow s{i}" for i in range(len(own)))),
        passed=len(own),
        gives=as_arrow(schema),
        enough=ship.STRETCH,
    )
    return select_rows(labels, plan, ship.run_task(rows, task, schema))


def chunk_of(plan: AsOfPlan, *, hot: bool) -> int:
    """The length of chunks of time in ticks; 0 where keys are not split."""
    ticks = [frame.ticks for frame in plan.frames]
    if (plan.by and not hot) or None in ticks:
        return 0
    return CHUNKS * max(sum(plan.reach), 1)


def _labels(labels: DataFrame, plan: AsOfPlan, chunk: int) -> DataFrame:
    columns = _keys(labels, plan)
    columns.append(F.col(quoted(plan.at.column)).alias("t"))
    columns.append(F.lit(True).alias("e"))
    if chunk:
        time = sql.ticks(quoted(plan.at.column), _kind(labels, plan.at.column))
        columns.append(F.expr(f"coalesce({sql.chunk(time, chunk)}, 0L) as {CHUNK}"))
    names = enumerate(labels.columns)
    return labels.select(*columns, *(F.expr(f"{quoted(n)} as s{i}") for i, n in names))


def _events(events: DataFrame, plan: AsOfPlan, chunk: int) -> DataFrame:
    assert plan.clock is not None
    on = plan.clock.column
    columns = _keys(events, plan)
    columns.append(F.col(quoted(on)).alias("t"))
    columns.append(F.lit(False).alias("e"))
    if chunk:
        time = sql.ticks(quoted(on), _kind(events, on))
        back, ahead = plan.reach
        first = sql.chunk(f"({time} + {plan.delay - ahead}L)", chunk)
        last = sql.chunk(f"({time} + {plan.delay + back}L)", chunk)
        columns.append(F.expr(f"explode(sequence({first}, {last})) as {CHUNK}"))
    reads = [name for name in plan.reads if name not in (*plan.by, on)]
    there = events.where(F.col(quoted(on)).isNotNull())
    own = (F.expr(f"{quoted(name)} as c{i}") for i, name in enumerate(reads))
    return there.select(*columns, *own)


def _keys(frame: DataFrame, plan: AsOfPlan) -> list[Column]:
    columns = []
    for i, name in enumerate(plan.by):
        normal = normalise_key(frame, name)
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(f"k{i}"))
    return columns


def _kind(frame: DataFrame, name: str):  # type: ignore[no-untyped-def]
    return field_of(frame, name).dataType


def _of_task(plan: AsOfPlan, chunked: bool) -> AsOfPlan:
    """The plan over the columns of the task, where labels have the events' names."""
    at = replace(plan.at, column=plan.clock.column)  # type: ignore[union-attr]
    by = (*plan.by, CHUNK) if chunked else plan.by
    return replace(plan, at=at, by=by)
