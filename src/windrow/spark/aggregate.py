"""`wr.aggregate` on a DataFrame: the tree as a lazy DataFrame.

    catalyst  select -> explode where windows slide -> groupBy(keys, window)
    native    select -> groupBy(keys, pane) -> shuffle, sort -> mapInArrow(slide)
    kernel    select -> mapInArrow(fold)    -> shuffle, sort -> mapInArrow(slide)
    rows      select                        -> shuffle, sort -> mapInArrow(slide)

with an explode behind it where windows that are alike come as one row, and for sashes
one more shuffle, by the chunk in which a window opens.  Columns inside are called k0,
k1 (keys), t (ticks), c0 (inputs), pane, chunk, p0 (partials), r0 (results), whatever
the user's own are called.  Events with a duration are in `spans.py`.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, LongType, StructType

from windrow.batch.partials import PANE
from windrow.plan.tree import Tree
from windrow.tasks.sashes import BEGIN, PART, QUERY, TO
from windrow.tasks.task import CHUNK
from windrow.windows.repeats import LAST

from . import ship, sql
from .catalyst import catalyst_windows
from .partials import kernel_slices, native_slices, partial_schema
from .result import or_null, repeat_windows, select_windows, window_schema
from .schema import key_fields, key_names, required
from .shuffle import shuffle_by, shuffle_rows, with_chunks
from .spans import shuffle_spans

_LAST = {"sash": "merge", "blocks": "slide_blocks"}


def aggregate(frame: DataFrame, tree: Tree) -> DataFrame:
    """The result of a tree over a frame."""
    plan, of_rows = tree.plan, tree.level1 == "rows"
    if tree.split == "window":
        return catalyst_windows(frame, tree)
    if plan.span is None:
        if of_rows:
            inputs = shuffle_rows(frame, tree)
        else:
            make_slices = native_slices if tree.level1 == "native" else kernel_slices
            inputs = shuffle_slices(frame, tree, make_slices(frame, tree))
        if not of_rows:
            return windows_of(frame, tree, inputs)
        step = _LAST.get(tree.split, "slide_rows")
    else:
        inputs = shuffle_spans(frame, tree)
        step = "slide_spans" if of_rows else "slide_pieces"
    schema = window_schema(frame, plan)
    windows = ship.run_step(inputs, step, tree, schema, of_rows=of_rows)
    return select_windows(frame, plan, windows)


def windows_of(frame: DataFrame, tree: Tree, inputs: DataFrame) -> DataFrame:
    """The windows over slices or sashes that are shuffled; `frame` has the columns."""
    step, plan = _LAST.get(tree.split, "slide_panes"), tree.plan
    schema = window_schema(frame, plan)
    if not tree.sends_stretches:
        windows = ship.run_step(inputs, step, tree, schema)
        return select_windows(frame, plan, windows)
    fields = [*schema.fields, *required(LongType(), LAST)]
    stretches = ship.run_step(inputs, "slide_stretches", tree, StructType(fields))
    made = {"start": or_null("start"), "number": "start"}
    return select_windows(frame, plan, repeat_windows(stretches, plan), made)


def shuffle_slices(frame: DataFrame, tree: Tree, slices: DataFrame) -> DataFrame:
    """Slices or sashes, shuffled and sorted for the last step."""
    keys = key_names(tree.plan)
    if tree.split == "none":
        return shuffle_by(slices, keys, [PANE])
    if tree.split == "overlap":
        copies = with_chunks(slices, tree, PANE)
        return shuffle_by(copies, [*keys, CHUNK], [PANE])
    sashes = _open_sashes(frame, tree, slices)
    return shuffle_by(sashes, [*keys, TO], [QUERY, BEGIN, PART])


def _open_sashes(frame: DataFrame, tree: Tree, slices: DataFrame) -> DataFrame:
    """Sashes of chunks, each with the chunk in which its window opens."""
    numbered = slices.select("*", F.expr(sql.chunk(PANE, tree.chunk)).alias(CHUNK))
    chunks = shuffle_by(numbered, [*key_names(tree.plan), CHUNK], [PANE])
    schema = StructType(
        [
            *key_fields(frame, tree.plan.by),
            *required(LongType(), TO, PART),
            *required(IntegerType(), QUERY),
            *required(LongType(), BEGIN),
            *partial_schema(frame, tree),
        ]
    )
    return ship.run_step(chunks, "open_sashes", tree, schema)
