"""`wr.as_of` on DataFrames: labels and events in one shuffle, sorted, in one pass.

    labels   keys | time | true  | own columns | -
    events   keys | time | false | -           | columns that features read
             union -> shuffle by key (and chunk of time) -> sort -> mapInArrow

With `hot=` keys with very many events are cut into chunks of time
(`as_of_chunks.py`): each has a row more, its side.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from windrow.plan.as_of import AsOfPlan
from windrow.plan.as_of_chunks import LabelChunks, choose_chunks
from windrow.tasks.as_of import IS_LABEL, AsOfTask
from windrow.tasks.as_of_chunks import SIDE
from windrow.tasks.task import CHUNK

from . import ship
from .as_of_chunks import HotKeys
from .over import check_columns
from .result import select_rows
from .schema import as_arrow, quoted, result_fields
from .shuffle import normalise_key, shuffle_by


def as_of(
    labels: DataFrame, events: DataFrame, plan: AsOfPlan, *, hot: bool | int = False
) -> DataFrame:
    """The labels with the plan's features at their right."""
    check_columns(labels)
    assert plan.clock is not None
    chunks, _ = choose_chunks(plan, hot)
    on, own = plan.clock.column, labels.columns
    reads = [name for name in plan.reads if name not in (*plan.by, on)]
    asks, facts = _labels(labels, plan), _events(events, plan, reads)
    keys = [f"k{i}" for i in range(len(plan.by))]
    extra: list[str] = []
    if chunks is None:
        rows = asks.unionByName(facts, allowMissingColumns=True)
    else:
        hot_keys = HotKeys(facts, chunks, reads)
        rows = hot_keys.label_chunks(asks).unionByName(
            hot_keys.event_chunks(), allowMissingColumns=True
        )
        rows = rows.unionByName(hot_keys.sides(), allowMissingColumns=True)
        keys, extra = [*keys, CHUNK], ["side"]
    ties = [f"c{reads.index(name)}" for name in plan.ties if name in reads]
    rows = shuffle_by(rows, keys, ["t", "e", *ties])
    read = [f"c{i}" for i in range(len(reads))]
    rows = rows.select(*keys, "t", "e", *extra, *read, *_numbered(own))
    fields = [
        StructField(f"s{i}", field.dataType, field.nullable)
        for i, field in enumerate(labels.schema)
    ]
    schema = StructType([*fields, *result_fields(events, plan.calls)])
    cut = _cut(plan, chunks)
    task = AsOfTask(
        plan=_of_task(plan) if cut is None else cut.plan,
        names=(
            *(*plan.by, *([] if chunks is None else [CHUNK]), on, IS_LABEL),
            *([] if chunks is None else [SIDE]),
            *(*reads, *(f"windrow {name}" for name in _numbered(own))),
        ),
        passed=len(own),
        gives=as_arrow(schema),
        enough=ship.STRETCH,
        chunks=cut,
    )
    return select_rows(labels, plan, ship.run_task(rows, task, schema))


def _labels(labels: DataFrame, plan: AsOfPlan) -> DataFrame:
    own = (F.col(quoted(name)) for name in labels.columns)
    return labels.select(
        *_keys(labels, plan),
        F.col(quoted(plan.at.column)).alias("t"),
        F.lit(True).alias("e"),
        *(column.alias(f"s{i}") for i, column in enumerate(own)),
    )


def _events(events: DataFrame, plan: AsOfPlan, reads: list[str]) -> DataFrame:
    assert plan.clock is not None
    on = F.col(quoted(plan.clock.column))
    own = (F.col(quoted(name)) for name in reads)
    return events.where(on.isNotNull()).select(
        *_keys(events, plan),
        on.alias("t"),
        F.lit(False).alias("e"),
        *(column.alias(f"c{i}") for i, column in enumerate(own)),
    )


def _keys(frame: DataFrame, plan: AsOfPlan) -> list[Column]:
    columns = []
    for i, name in enumerate(plan.by):
        normal = normalise_key(frame, name)
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(f"k{i}"))
    return columns


def _numbered(own: list[str]) -> list[str]:
    return [f"s{i}" for i in range(len(own))]


def _of_task(plan: AsOfPlan) -> AsOfPlan:
    """The plan over the columns of the task, where labels have the events' names."""
    return replace(plan, at=replace(plan.at, column=plan.clock.column))  # type: ignore[union-attr]


def _cut(plan: AsOfPlan, chunks: LabelChunks | None) -> LabelChunks | None:
    """How keys are cut, with the chunk as the last of the plan's keys."""
    if chunks is None:
        return None
    return replace(chunks, plan=replace(_of_task(plan), by=(*plan.by, CHUNK)))
