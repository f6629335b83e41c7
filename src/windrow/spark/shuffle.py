"""Shuffles rows to the tasks that need them together, in the order that they need.

columns    only those that are needed, as s0, s1, ..., with keys as groupBy sees them
by key     rows of a key in one task
by chunk   rows of a key and a chunk of time in one task, with those that windows
           of the chunk reach beyond its end
by block   rows without a key, in blocks that were laid out by a first pass

To groupBy every NaN is one key, and -0.0 is 0.0.  Arrow compares bits: floats are made
alike before rows are shuffled, also within arrays and structs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, DoubleType, FloatType, StructType

from windrow.plan.tree import Tree
from windrow.tasks.blocks import AT, BLOCK, HALO, TOTAL
from windrow.tasks.task import CHUNK

from . import sql
from .layout import in_blocks
from .schema import field_of, quoted


def shuffle_by(
    frame: DataFrame, keys: Sequence[str], order: Sequence[str]
) -> DataFrame:
    """Rows of equal keys in one task, sorted by keys and `order`."""
    if keys:
        frame = frame.repartition(*(F.col(key) for key in keys))
    else:
        frame = frame.coalesce(1)
    return frame.sortWithinPartitions(*keys, *order) if keys or order else frame


def select_columns(frame: DataFrame, tree: Tree) -> DataFrame:
    """The columns that are needed, as s0, s1, ..., of the rows that have a time."""
    plan = tree.plan
    if plan.clock is not None:
        times = plan.span or (plan.clock.column,)
        frame = frame.where(" and ".join(f"{quoted(n)} is not null" for n in times))
    columns = []
    for number, name in enumerate(plan.reads):
        normal = normalise_key(frame, name) if name in plan.by else None
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(f"s{number}"))
    return frame.select(*columns)


def with_chunks(
    frame: DataFrame, tree: Tree, first: str, last: str | None = None
) -> DataFrame:
    """Rows in each chunk where a window over them begins, with its number."""
    numbers = sql.chunks(first, tree.chunk, tree.plan.longest, last)
    return frame.select("*", F.expr(numbers).alias(CHUNK))


def shuffle_rows(frame: DataFrame, tree: Tree) -> DataFrame:
    """Rows by key and time, in one task for each key, key and chunk, or block."""
    plan, reads = tree.plan, tree.plan.reads
    rows = select_columns(frame, tree)
    keys = [f"s{reads.index(name)}" for name in plan.by]
    order = []
    if plan.clock is not None:
        order = [f"s{reads.index(n)}" for n in (plan.clock.column, *plan.ties)]
    if tree.split == "overlap":
        assert plan.clock is not None
        kind = field_of(frame, plan.clock.column).dataType
        rows = with_chunks(rows, tree, sql.ticks(order[0], kind))
        keys.append(CHUNK)
    if tree.split == "blocks":
        step = math.lcm(*(rule.step for rule in plan.rules))
        blocks = in_blocks(rows, order[0], rows=(plan.longest + step, 0))
        rows = blocks.select(*rows.columns, BLOCK, HALO, AT, TOTAL)
        keys = [BLOCK]
    return shuffle_by(rows, keys, order)


def normalise_key(frame: DataFrame, name: str) -> Column | None:
    """A key as groupBy sees it; None where the column itself is so."""
    return _normalise(F.col(quoted(name)), field_of(frame, name).dataType)


def _normalise(column: Column, kind: DataType) -> Column | None:
    if isinstance(kind, (DoubleType, FloatType)):
        nan = F.lit(float("nan"))
        return F.when(F.isnan(column), nan).otherwise(column + F.lit(0.0)).cast(kind)
    if isinstance(kind, ArrayType):
        inner = kind.elementType
        if _normalise(column, inner) is None:
            return None
        return F.transform(column, lambda element: _normalise(element, inner))  # type: ignore[arg-type,return-value]
    if isinstance(kind, StructType):
        plain = {field.name: column.getField(field.name) for field in kind}
        normal = {f.name: _normalise(plain[f.name], f.dataType) for f in kind}
        if all(field is None for field in normal.values()):
            return None
        fields = plain | {n: field for n, field in normal.items() if field is not None}
        members = [field.alias(name) for name, field in fields.items()]
        return F.when(column.isNotNull(), F.struct(*members))
    return None
