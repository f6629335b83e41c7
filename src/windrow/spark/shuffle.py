"""Shuffles rows to the tasks that need them together, in the order that they need.

columns    only those that are needed, as s0, s1, ..., with keys as groupBy sees them
by key     rows of a key in one task
by chunk   rows of a key and a chunk of time in one task, with those that windows
of the chunk reach beyond its end
by block   rows without a key, in blocks that were laid out by a first pass
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow.plan.tree import Tree
from windrow.tasks.blocks import AT, BLOCK, HALO, TOTAL
from windrow.tasks.task import CHUNK

from . import sql
from .keys import normalise_key
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
    return frame.sortWithinPartitions(*keys, *order)


def select_columns(frame: DataFrame, tree: Tree) -> DataFrame:
    """The columns that are needed, as s0, s1, ..., of the rows that have a time."""
    plan = tree.plan
    if plan.clock is not None:
        frame = frame.where(F.col(quoted(plan.clock.column)).isNotNull())
    columns = []
    for number, name in enumerate(plan.reads):
        normal = normalise_key(frame, name) if name in plan.by else None
        column = F.col(quoted(name)) if normal is None else normal
        columns.append(column.alias(f"s{number}"))
    return frame.select(*columns)


def shuffle_rows(frame: DataFrame, tree: Tree) -> DataFrame:
    """Rows by key and time, in one task for each key, key and chunk, or block."""
    plan = tree.plan
    rows = select_columns(frame, tree)
    reads = plan.reads
    keys = [f"s{reads.index(name)}" for name in plan.by]
    order = []
    if plan.clock is not None:
        order = [f"s{reads.index(n)}" for n in (plan.clock.column, *plan.ties)]
    if tree.split == "overlap":
        assert plan.clock is not None
        kind = field_of(frame, plan.clock.column).dataType
        longest = max(rule.longest for rule in plan.rules)
        numbers = sql.chunks(sql.ticks(order[0], kind), tree.chunk, longest)
        rows = rows.select("*", F.expr(numbers).alias(CHUNK))
        keys.append(CHUNK)
    if tree.split == "blocks":
        step = math.lcm(*(rule.step for rule in plan.rules))
        reach = max(rule.longest for rule in plan.rules) + step
        rows = in_blocks(rows, order[0], rows=reach)
        rows = rows.select(
            *(f"s{i}" for i in range(len(reads))), BLOCK, HALO, AT, TOTAL
        )
        keys = [BLOCK]
    return shuffle_by(rows, keys, order)


__all__ = ["select_columns", "shuffle_by", "shuffle_rows"]
