"""`wr.aggregate` on Spark: the tree as a DataFrame, lazily.

    native    select -> groupBy(keys, pane) -> shuffle, sort -> mapInArrow(slide)
    kernel    select -> mapInArrow(fold)    -> shuffle, sort -> mapInArrow(slide)
    rows      select                        -> shuffle, sort -> mapInArrow(slide)

and for sashes one more shuffle, by the chunk in which a window opens.  Columns inside
are called k0, k1 (keys), t (ticks), c0 (inputs), pane, chunk, p0 (partials), r0
(results): no name of the user's can meet one of ours.  Events with a duration are in
`spans.py`.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from windrow.batch.partials import PANE
from windrow.plan.tree import Tree
from windrow.tasks.sashes import BEGIN, PART, QUERY, TO
from windrow.tasks.task import CHUNK, Task

from . import level1, sql
from .result import result
from .schema import as_arrow, key_fields, result_field
from .spans import met_spans

_LONG, _INT = LongType(), IntegerType()
_LAST = {"pane": "lower_panes", "sash": "merge"}


def aggregate(frame: DataFrame, tree: Tree) -> DataFrame:
    """The result of a tree over a frame."""
    return result(frame, tree.plan, _slide(frame, tree, met(frame, tree)))


def met(frame: DataFrame, tree: Tree) -> DataFrame:
    """What the last step reads: rows, slices or sashes, shuffled and sorted."""
    if tree.plan.span is not None:
        return met_spans(frame, tree)
    if tree.level1 == "rows":
        return level1.ordered_rows(frame, tree)
    make = level1.native if tree.level1 == "native" else level1.folded
    panes, keys = make(frame, tree), _keys(tree)
    if tree.split == "pane":
        return panes
    if tree.split == "none":
        return level1.meet(panes, keys, [PANE])
    if tree.split == "overlap":
        longest = max(query.even.range for query in tree.plan.rules)
        numbers = sql.chunks(PANE, tree.chunk, longest)
        spread = panes.select("*", F.expr(numbers).alias(CHUNK))
        return level1.meet(spread, [*keys, CHUNK], [PANE])
    return level1.meet(_sashes(frame, tree, panes), [*keys, TO], [QUERY, BEGIN, PART])


def _sashes(frame: DataFrame, tree: Tree, panes: DataFrame) -> DataFrame:
    keys = _keys(tree)
    numbered = panes.select("*", F.expr(sql.chunk(PANE, tree.chunk)).alias(CHUNK))
    chunks = level1.meet(numbered, [*keys, CHUNK], [PANE])
    schema = StructType(
        [
            *key_fields(frame, tree.plan.by),
            StructField(TO, _LONG, nullable=False),
            StructField(PART, _LONG, nullable=False),
            StructField(QUERY, _INT, nullable=False),
            StructField(BEGIN, _LONG, nullable=False),
            *level1.partial_schema(frame, tree),
        ]
    )
    return level1.run(chunks, _task("open_sashes", tree, chunks, schema), schema)


def _slide(frame: DataFrame, tree: Tree, rows: DataFrame) -> DataFrame:
    """The last step: windows, under the names that tasks use."""
    plan = tree.plan
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            *([StructField("q", _INT, nullable=False)] if plan.listed else []),
            StructField("start", _LONG),
            *([StructField("end", _LONG)] if plan.rules[0].counts_rows else []),
            *(result_field(frame, b, f"r{i}") for i, b in enumerate(plan.calls)),
        ]
    )
    if tree.level1 == "rows":
        names = (*plan.reads, *rows.columns[len(plan.reads) :])
        arrow = as_arrow(schema)
        step = "slide_blocks" if tree.split == "blocks" else "slide_rows"
        step = step if plan.span is None else "slide_spans"
        task = Task(step, tree, plan.by, names, arrow, level1.STRETCH)
    else:
        step = _LAST.get(tree.split, "slide_panes")
        step = step if plan.span is None else "slide_pieces"
        task = _task(step, tree, rows, schema)
    return level1.run(rows, task, schema)


def _task(step: str, tree: Tree, rows: DataFrame, schema: StructType) -> Task:
    names = tuple(rows.columns)
    arrow = as_arrow(schema)
    return Task(step, tree, tuple(_keys(tree)), names, arrow, level1.STRETCH)


def _keys(tree: Tree) -> list[str]:
    return [f"k{number}" for number in range(len(tree.plan.by))]
