"""Folds rows into slices before they are shuffled: level 1 of the tree.

native    groupBy(keys, pane) with one of Catalyst's aggregates for each field
kernel    mapInArrow: stretches of rows folded by our kernel

A slice is a row: keys as k0, k1, ..., the pane (where the slice begins, in ticks), and
the columns of its partial.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StructField,
    StructType,
)

from windrow.batch.partials import PANE, partial_fields
from windrow.plan.tree import Tree
from windrow.tasks.task import Task

from . import ship, sql
from .schema import as_arrow, field_of, key_fields, quoted
from .shuffle import select_columns

_NUMBERS: dict[str, DataType] = {
    "int64": LongType(),
    "float64": DoubleType(),
    "bool": BooleanType(),
}


def native_slices(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices by Catalyst: one row per key and pane."""
    plan = tree.plan
    assert plan.clock is not None
    reads = dict.fromkeys(name for bound in plan.calls for name in bound.reads)
    names = {name: f"c{number}" for number, name in enumerate(reads)}
    ties = {name: f"o{number}" for number, name in enumerate(plan.ties)}
    keys = [f"k{number}" for number in range(len(plan.by))]
    on = quoted(plan.clock.column)
    ticks = sql.ticks(on, field_of(frame, plan.clock.column).dataType)
    source = frame.where(F.col(on).isNotNull()).select(
        *(F.col(quoted(n)).alias(key) for n, key in zip(plan.by, keys, strict=True)),
        F.expr(ticks).alias(sql.TICKS),
        *(F.col(quoted(name)).alias(short) for name, short in ties.items()),
        *(F.col(quoted(name)).alias(short) for name, short in names.items()),
    )
    partials = sql.native_partials(
        tree.request,
        tree.slots,
        partial_fields(tree.request, tree.slots),
        names,
        {name: plan.schema.field(name).type for name in reads},
        list(ties.values()),
    )
    grouped = source.groupBy(*keys, F.expr(plan.cuts.sql(sql.TICKS)).alias(PANE))
    return grouped.agg(*(F.expr(text).alias(name) for name, text in partials.items()))


def kernel_slices(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices by our kernel, in pieces: one row per key, pane and stretch of rows."""
    plan = tree.plan
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            StructField(PANE, LongType(), nullable=False),
            *partial_schema(frame, tree),
        ]
    )
    rows, names = select_columns(frame, tree), tuple(plan.reads)
    arrow = as_arrow(schema)
    task = Task("fold_rows", tree, plan.by, names, arrow, ship.STRETCH)
    return ship.run_task(rows, task, schema)


def partial_schema(frame: DataFrame, tree: Tree) -> list[StructField]:
    """The columns of partials that a task gives."""
    columns = []
    for field in partial_fields(tree.request, tree.slots):
        payloads = field.payloads or (field.ranked,)
        for name, payload in zip(field.columns, payloads, strict=True):
            kind = _NUMBERS[field.dtype]
            if payload is not None:
                kind = field_of(frame, payload).dataType
            columns.append(StructField(name, kind))
    return columns


__all__ = ["kernel_slices", "native_slices", "partial_schema"]
