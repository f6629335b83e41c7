"""`wr.as_of` on DataFrames: labels and events in one shuffle, sorted, in one pass.

    labels   keys | time | true  | other columns | -
    events   keys | time | false | -             | columns that features read
             union -> shuffle by key (and chunk of time) -> sort -> mapInArrow

Labels with very many columns stay behind (`join_back.py`).  With `hot=` keys with very
many events are cut into chunks of time (`as_of_chunks.py`): each has a row more, its
side.
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType

from windrow.plan.as_of import AsOfPlan
from windrow.plan.as_of_chunks import LabelChunks, choose_chunks
from windrow.plan.label_columns import choose_columns
from windrow.tasks.as_of import IS_LABEL, AsOfTask
from windrow.tasks.as_of_chunks import SIDE
from windrow.tasks.task import CHUNK

from . import ship
from .as_of_chunks import HotKeys
from .join_back import distinct_labels, join_back
from .over import check_columns
from .result import select_rows
from .schema import as_arrow, field_of, quoted, result_fields
from .shuffle import normalise_key, shuffle_by


def as_of(
    labels: DataFrame, events: DataFrame, plan: AsOfPlan, *, hot: bool | int = False
) -> DataFrame:
    """The labels with the plan's features at their right."""
    check_columns(labels)
    if choose_columns(plan)[0] == "joined":
        asked = distinct_labels(labels, plan)
        return join_back(labels, _features(asked, events, plan, hot), events, plan)
    return select_rows(labels, plan, _features(labels, events, plan, hot))


def _features(
    labels: DataFrame, events: DataFrame, plan: AsOfPlan, hot: bool | int
) -> DataFrame:
    """The columns of labels as s0, s1, ..., and features as r0, r1, ..."""
    assert plan.clock is not None
    chunks, _ = choose_chunks(plan, hot)
    on = plan.clock.column
    reads = [name for name in plan.reads if name not in (*plan.by, on)]
    there = _columns_there(labels, events, plan)
    others = [name for name in labels.columns if name not in there]
    asks, facts = _labels(labels, plan, others), _events(events, plan, reads)
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
    rows = rows.select(*keys, "t", "e", *extra, *read, *_numbered(others))
    fields = [
        StructField(f"s{i}", field.dataType, field.nullable)
        for i, field in enumerate(labels.schema)
    ]
    schema = StructType([*fields, *result_fields(events, plan.calls)])
    cut = _cut(plan, chunks)
    taken = {name: f"windrow s{i}" for i, name in enumerate(others)}
    task = AsOfTask(
        plan=_of_task(plan) if cut is None else cut.plan,
        names=(
            *(*plan.by, *([] if chunks is None else [CHUNK]), on, IS_LABEL),
            *([] if chunks is None else [SIDE]),
            *(*reads, *taken.values()),
        ),
        passed=tuple((taken | there)[name] for name in labels.columns),
        gives=as_arrow(schema),
        enough=ship.STRETCH,
        chunks=cut,
    )
    return ship.run_task(rows, task, schema)


def _columns_there(
    labels: DataFrame, events: DataFrame, plan: AsOfPlan
) -> dict[str, str]:
    """Columns of labels that travel as a key or as the instant, and the task's name.

    Not where events have another type, nor keys that groupBy sees otherwise (-0.0).
    """
    assert plan.clock is not None
    names = {name: name for name in plan.by if normalise_key(labels, name) is None}
    names = {plan.at.column: plan.clock.column} | names
    return {
        name: other
        for name, other in names.items()
        if field_of(labels, name).dataType == field_of(events, other).dataType
    }


def _labels(labels: DataFrame, plan: AsOfPlan, others: list[str]) -> DataFrame:
    own = (F.col(quoted(name)) for name in others)
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


def _numbered(others: list[str]) -> list[str]:
    return [f"s{i}" for i in range(len(others))]


def _of_task(plan: AsOfPlan) -> AsOfPlan:
    """The plan over the columns of the task, where labels have the events' names."""
    return replace(plan, at=replace(plan.at, column=plan.clock.column))  # type: ignore[union-attr]


def _cut(plan: AsOfPlan, chunks: LabelChunks | None) -> LabelChunks | None:
    """How keys are cut, with the chunk as the last of the plan's keys."""
    if chunks is None:
        return None
    return replace(chunks, plan=replace(_of_task(plan), by=(*plan.by, CHUNK)))
