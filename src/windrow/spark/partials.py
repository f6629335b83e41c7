"""Folds rows into slices before they are shuffled: level 1 of the tree.

native    groupBy(keys, pane) with one of Catalyst's aggregates for each field
kernel    mapInArrow: stretches of rows folded by our kernel

A slice is a row: keys as k0, k1, ..., the pane (where the slice begins, in ticks), and
the columns of its partial.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DoubleType,
    LongType,
    StructField,
    StructType,
)

from windrow.batch.partials import PANE, PartialField, partial_fields
from windrow.plan.aggregate import Plan
from windrow.plan.sketch_sql import sketch_sql
from windrow.plan.tree import Tree

from . import ship, sql
from .schema import field_of, key_fields, key_names, quoted, renamed, required
from .shuffle import select_columns

_NUMBERS: dict[str, DataType] = {
    "int64": LongType(),
    "float64": DoubleType(),
    "bool": BooleanType(),
}


def select_inputs(
    frame: DataFrame, tree: Tree, *more: str, known: bool = True, timed: bool = True
) -> tuple[DataFrame, sql.Inputs]:
    """Keys, ticks, and the columns that aggregates read, of the rows that have a time.

    `more` are further columns in SQL, over those of the frame; without `known` rows
    that have no time are there too, and without `timed` ticks are not.
    """
    plan = tree.plan
    reads = [name for bound in plan.calls for name in bound.reads]
    reads = list(dict.fromkeys([*reads, *plan.ties]))
    names = {name: f"c{number}" for number, name in enumerate(reads)}
    keys = dict(zip(plan.by, key_names(plan), strict=True))
    ticks = ticks_of(frame, plan) if timed else {}
    instants = [f"{text} as {alias}" for alias, text in ticks.items()]
    times = plan.span or (plan.clock.column,)  # type: ignore[union-attr]
    if known:
        frame = frame.where(" and ".join(f"{quoted(n)} is not null" for n in times))
    rows = frame.selectExpr(*renamed(keys), *instants, *renamed(names), *more)
    return rows, name_inputs(tree, names, sql.TICKS)


def ticks_of(frame: DataFrame, plan: Plan) -> dict[str, str]:
    """The instants of a row in ticks, in SQL.

    Of events with a duration the ticks are those of the end, and `sql.START` has those
    of the start.
    """
    assert plan.clock is not None
    times = {sql.TICKS: plan.clock.column}
    if plan.span is not None:
        times = dict(zip((sql.START, sql.TICKS), plan.span, strict=True))
    return {
        alias: sql.ticks(quoted(name), field_of(frame, name).dataType)
        for alias, name in times.items()
    }


def name_inputs(tree: Tree, names: Mapping[str, str], time: str) -> sql.Inputs:
    """The columns that aggregates read, under the names that a frame has for them."""
    schema = tree.plan.schema
    types = {name: schema.field(name).type for name in names}
    ties = [names[name] for name in tree.plan.ties]
    return sql.Inputs(names, types, frozenset(tree.slots.masks), time, ties)


def native_slices(
    frame: DataFrame,
    tree: Tree,
    more: Callable[[sql.Inputs], Mapping[str, str]] = lambda _: {},
) -> DataFrame:
    """Slices by Catalyst: one row per key and pane; `more` are columns beside it."""
    plan = tree.plan
    source, inputs = select_inputs(frame, tree)
    fields = partial_fields(tree.request, tree.slots)
    partials = sql.native_partials(tree.request, tree.slots, fields, inputs)
    for field, bound in zip(
        fields[len(fields) - len(tree.request.sketches) :],
        tree.request.sketches,
        strict=True,
    ):
        text = sketch_sql(bound, tree.version)
        assert text is not None
        partials[field.name] = text.format(raw=inputs.names[bound.columns[0]])
    partials |= more(inputs)
    pane = F.expr(f"{plan.cuts.number_sql(sql.TICKS)} as {PANE}")
    grouped = source.groupBy(*key_names(plan), pane)
    slices = grouped.agg(*(F.expr(f"{t} as {name}") for name, t in partials.items()))
    begin = f"{plan.cuts.begin_sql(PANE)} as {PANE}"
    return slices.selectExpr(*key_names(plan), begin, *partials)


def kernel_slices(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices by our kernel, in pieces: one row per key, pane and stretch of rows."""
    schema = StructType(
        [
            *key_fields(frame, tree.plan.by),
            *required(LongType(), PANE),
            *partial_schema(frame, tree),
        ]
    )
    rows = select_columns(frame, tree)
    return ship.run_step(rows, "fold_rows", tree, schema, of_rows=True)


def partial_schema(frame: DataFrame, tree: Tree) -> list[StructField]:
    """The columns of partials that a task gives."""
    columns = []
    for field in partial_fields(tree.request, tree.slots):
        payloads = field.payloads or (field.ranked,)
        for name, payload in zip(field.columns, payloads, strict=True):
            kind = BinaryType() if field.sketch else _NUMBERS[field.dtype]
            if payload is not None:
                kind = field_of(frame, payload).dataType
            columns.append(StructField(name, kind))
    return columns


def slice_type(field: PartialField, frame: DataFrame) -> DataType:
    """The type of the one column of a field without a payload."""
    if field.ranked is not None:
        return field_of(frame, field.ranked).dataType
    return _NUMBERS[field.dtype]
