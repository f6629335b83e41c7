"""Level 1 of the tree: rows become slices, by Catalyst, by our kernel, or later.

native    groupBy(keys, pane) with one of Catalyst's aggregates for each field
kernel    mapInArrow: stretches of rows folded, still before the shuffle
rows      nothing yet: rows meet by key, and are folded there
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    FloatType,
    LongType,
    StructField,
    StructType,
)

from windrow.batch.partials import PANE, partial_fields
from windrow.plan.tree import Tree
from windrow.tasks.blocks import AT, BLOCK, HALO, TOTAL
from windrow.tasks.task import CHUNK, Task

from . import sql
from .layout import in_blocks
from .schema import as_arrow, field_of, key_fields, quoted
from .task import shipped

STRETCH = 1 << 16
"""Rows that are worth a call of a kernel."""

_NUMBERS: dict[str, DataType] = {
    "int64": LongType(),
    "float64": DoubleType(),
    "bool": BooleanType(),
}


def meet(frame: DataFrame, keys: Sequence[str], order: Sequence[str]) -> DataFrame:
    """Rows of equal keys in one task, sorted by keys and `order`."""
    if keys:
        frame = frame.repartition(*(F.col(key) for key in keys))
    else:
        frame = frame.coalesce(1)
    return frame.sortWithinPartitions(*keys, *order)


def run(frame: DataFrame, task: Task, schema: StructType) -> DataFrame:
    """A task over each partition of a frame."""
    return frame.mapInArrow(shipped(task), schema)


def key_column(frame: DataFrame, name: str) -> Column | None:
    """A key as groupBy sees it: one NaN, and -0.0 as 0.0; None if it is so anyway."""
    return _normal(F.col(quoted(name)), field_of(frame, name).dataType)


def _normal(column: Column, kind: DataType) -> Column | None:
    if isinstance(kind, (DoubleType, FloatType)):
        nan = F.lit(float("nan"))
        return F.when(F.isnan(column), nan).otherwise(column + F.lit(0.0)).cast(kind)
    if isinstance(kind, ArrayType):
        inner = kind.elementType
        if _normal(column, inner) is None:
            return None
        return F.transform(column, lambda one: _normal(one, inner))  # type: ignore[arg-type,return-value]
    if isinstance(kind, StructType):
        fields = [column.getField(field.name) for field in kind]
        normal = [_normal(f, of.dataType) for f, of in zip(fields, kind, strict=True)]
        if all(one is None for one in normal):
            return None
        made = [
            (plain if one is None else one).alias(of.name)
            for plain, one, of in zip(fields, normal, kind, strict=True)
        ]
        return F.when(column.isNotNull(), F.struct(*made))
    return None


def time_sql(frame: DataFrame, tree: Tree) -> str:
    """The time column in ticks."""
    assert tree.plan.clock is not None
    on = tree.plan.clock.column
    return sql.ticks(quoted(on), field_of(frame, on).dataType)


def native(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices by Catalyst: one row per key and pane."""
    plan = tree.plan
    assert plan.clock is not None
    reads = dict.fromkeys(name for bound in plan.calls for name in bound.reads)
    names = {name: f"c{number}" for number, name in enumerate(reads)}
    ties = {name: f"o{number}" for number, name in enumerate(plan.ties)}
    keys = [f"k{number}" for number in range(len(plan.by))]
    on = F.col(quoted(plan.clock.column))
    source = frame.where(on.isNotNull()).select(
        *(F.col(quoted(n)).alias(key) for n, key in zip(plan.by, keys, strict=True)),
        F.expr(time_sql(frame, tree)).alias(sql.TICKS),
        *(F.col(quoted(name)).alias(short) for name, short in ties.items()),
        *(F.col(quoted(name)).alias(short) for name, short in names.items()),
    )
    partials = sql.native_partials(
        tree.asked,
        tree.slots,
        partial_fields(tree.asked, tree.slots),
        names,
        {name: plan.schema.field(name).type for name in reads},
        list(ties.values()),
    )
    grouped = source.groupBy(*keys, F.expr(plan.cuts.sql(sql.TICKS)).alias(PANE))
    return grouped.agg(*(F.expr(text).alias(name) for name, text in partials.items()))


def folded(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices by our kernel, in pieces: one row per key, pane and stretch of rows."""
    plan = tree.plan
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            StructField(PANE, LongType(), nullable=False),
            *partial_schema(frame, tree),
        ]
    )
    rows = read(frame, tree)
    names = tuple(plan.reads)
    task = Task("fold_rows", tree, plan.by, names, as_arrow(schema), STRETCH)
    return run(rows, task, schema)


def ordered_rows(frame: DataFrame, tree: Tree) -> DataFrame:
    """Rows by key and time, in one task per key (and chunk)."""
    plan = tree.plan
    rows = read(frame, tree)
    reads = plan.reads
    keys = [f"s{reads.index(name)}" for name in plan.by]
    order = []
    if plan.clock is not None:
        order = [f"s{reads.index(n)}" for n in (plan.clock.column, *plan.ties)]
    if tree.split == "overlap":
        on = f"s{reads.index(plan.clock.column)}"  # type: ignore[union-attr]
        kind = field_of(frame, plan.clock.column).dataType  # type: ignore[union-attr]
        longest = max(query.even.range for query in plan.rules)
        numbers = sql.chunks(sql.ticks(on, kind), tree.chunk, longest)
        rows = rows.select("*", F.expr(numbers).alias(CHUNK))
        keys.append(CHUNK)
    if tree.split == "blocks":
        assert plan.clock is not None
        on = f"s{reads.index(plan.clock.column)}"
        step = math.lcm(*(query.even.slide for query in plan.rules))
        reach = max(query.even.range for query in plan.rules) + step
        rows = in_blocks(rows, on, rows=reach)
        rows = rows.select(
            *(f"s{i}" for i in range(len(reads))), BLOCK, HALO, AT, TOTAL
        )
        keys = [BLOCK]
    return meet(rows, keys, order)


def read(frame: DataFrame, tree: Tree) -> DataFrame:
    """The columns that are needed, as s0, s1, ..., of the rows that have a time."""
    plan = tree.plan
    if plan.clock is not None:
        frame = frame.where(F.col(quoted(plan.clock.column)).isNotNull())
    columns = [
        (key_column(frame, name) if name in plan.by else None) for name in plan.reads
    ]
    return frame.select(
        *(
            (F.col(quoted(name)) if column is None else column).alias(f"s{number}")
            for number, (name, column) in enumerate(
                zip(plan.reads, columns, strict=True)
            )
        )
    )


def partial_schema(frame: DataFrame, tree: Tree) -> list[StructField]:
    """The columns of partials that a task gives."""
    found = []
    for field in partial_fields(tree.asked, tree.slots):
        for name, payload in zip(
            field.columns, field.payloads or (field.ranked,), strict=True
        ):
            kind = _NUMBERS[field.dtype]
            if payload is not None:
                kind = field_of(frame, payload).dataType
            found.append(StructField(name, kind))
    return found
