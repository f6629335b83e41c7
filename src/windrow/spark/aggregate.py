"""`wr.aggregate` on a DataFrame: the tree as a lazy DataFrame.

    native    select -> groupBy(keys, pane) -> shuffle, sort -> mapInArrow(slide)
    kernel    select -> mapInArrow(fold)    -> shuffle, sort -> mapInArrow(slide)
    rows      select                        -> shuffle, sort -> mapInArrow(slide)

and for sashes one more shuffle, by the chunk in which a window opens.  Columns inside
are called k0, k1 (keys), t (ticks), c0 (inputs), pane, chunk, p0 (partials), r0
(results), whatever the user's own are called.  Events with a duration are in
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

from . import ship, sql
from .partials import kernel_slices, native_slices, partial_schema
from .result import bound_fields, result
from .schema import as_arrow, key_fields, result_field
from .shuffle import shuffle_by, shuffle_rows
from .spans import shuffle_spans

_LONG, _INT = LongType(), IntegerType()
_LAST = {"pane": "lower_panes", "sash": "merge"}


def aggregate(frame: DataFrame, tree: Tree) -> DataFrame:
    """The result of a tree over a frame."""
    windows = _slide(frame, tree, shuffle_inputs(frame, tree))
    return result(frame, tree.plan, windows)


def shuffle_inputs(frame: DataFrame, tree: Tree) -> DataFrame:
    """What the last step reads: rows, slices or sashes, shuffled and sorted."""
    if tree.plan.span is not None:
        return shuffle_spans(frame, tree)
    if tree.level1 == "rows":
        return shuffle_rows(frame, tree)
    make_slices = native_slices if tree.level1 == "native" else kernel_slices
    slices, keys = make_slices(frame, tree), _keys(tree)
    if tree.split == "pane":
        return slices
    if tree.split == "none":
        return shuffle_by(slices, keys, [PANE])
    if tree.split == "overlap":
        longest = max(rule.longest for rule in tree.plan.rules)
        numbers = sql.chunks(PANE, tree.chunk, longest)
        copies = slices.select("*", F.expr(numbers).alias(CHUNK))
        return shuffle_by(copies, [*keys, CHUNK], [PANE])
    sashes = _open_sashes(frame, tree, slices)
    return shuffle_by(sashes, [*keys, TO], [QUERY, BEGIN, PART])


def _open_sashes(frame: DataFrame, tree: Tree, slices: DataFrame) -> DataFrame:
    """Sashes of chunks, each with the chunk in which its window opens."""
    numbered = slices.select("*", F.expr(sql.chunk(PANE, tree.chunk)).alias(CHUNK))
    chunks = shuffle_by(numbered, [*_keys(tree), CHUNK], [PANE])
    schema = StructType(
        [
            *key_fields(frame, tree.plan.by),
            StructField(TO, _LONG, nullable=False),
            StructField(PART, _LONG, nullable=False),
            StructField(QUERY, _INT, nullable=False),
            StructField(BEGIN, _LONG, nullable=False),
            *partial_schema(frame, tree),
        ]
    )
    return ship.run_task(chunks, _task("open_sashes", tree, chunks, schema), schema)


def _slide(frame: DataFrame, tree: Tree, inputs: DataFrame) -> DataFrame:
    """The last step: windows, under the names that tasks use."""
    plan = tree.plan
    schema = StructType(
        [
            *key_fields(frame, plan.by),
            *bound_fields(plan),
            *(result_field(frame, b, f"r{i}") for i, b in enumerate(plan.calls)),
        ]
    )
    if tree.level1 == "rows":
        names = (*plan.reads, *inputs.columns[len(plan.reads) :])
        arrow = as_arrow(schema)
        step = "slide_blocks" if tree.split == "blocks" else "slide_rows"
        step = step if plan.span is None else "slide_spans"
        task = Task(step, tree, plan.by, names, arrow, ship.STRETCH)
    else:
        step = _LAST.get(tree.split, "slide_panes")
        step = step if plan.span is None else "slide_pieces"
        task = _task(step, tree, inputs, schema)
    return ship.run_task(inputs, task, schema)


def _task(step: str, tree: Tree, inputs: DataFrame, schema: StructType) -> Task:
    names = tuple(inputs.columns)
    arrow = as_arrow(schema)
    return Task(step, tree, tuple(_keys(tree)), names, arrow, ship.STRETCH)


def _keys(tree: Tree) -> list[str]:
    return [f"k{number}" for number in range(len(tree.plan.by))]


__all__ = ["aggregate", "shuffle_inputs"]
