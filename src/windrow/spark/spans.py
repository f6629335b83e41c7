"""`wr.aggregate` on a DataFrame of events with a duration: what tasks are sent.

    kernel    select -> mapInArrow(fold) -> shuffle, sort -> mapInArrow(slide)
    rows      select                     -> shuffle, sort -> mapInArrow(slide)

Tasks fold their events into slices of two parts, or into pieces that cross the same
slices: however long an event lasts, it is never more than its own row.  Where keys are
split, what is folded goes to each chunk of time in which a window over it begins, cut
off at what these windows can see.  All are sorted by start: nothing that began before
is to come.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, BooleanType, LongType, StructField, StructType

from windrow.batch.partials import partial_fields
from windrow.plan.tree import Tree
from windrow.tasks.span_pieces import BLOCK, FIRST, GOES, LAST, PACKED, packs
from windrow.tasks.task import CHUNK, Task

from . import ship, sql
from .partials import partial_schema
from .schema import as_arrow, field_of, key_fields, quoted
from .shuffle import select_columns, shuffle_by

STRETCHES = 16
"""Stretches of rows folded together: 100 keys have as many slices a day."""


def shuffle_spans(frame: DataFrame, tree: Tree) -> DataFrame:
    """What the last step reads: pieces or events, shuffled and sorted by start."""
    plan = tree.plan
    assert plan.span is not None
    for name in plan.span:
        frame = frame.where(F.col(quoted(name)).isNotNull())
    if tree.level1 == "rows":
        return _shuffle_events(frame, tree)
    pieces = _fold(frame, tree)
    keys = [f"k{number}" for number in range(len(plan.by))]
    if tree.split == "overlap":
        pieces = _in_chunks(pieces, tree)
        keys.append(CHUNK)
    return shuffle_by(pieces, keys, [BLOCK if PACKED in pieces.columns else FIRST])


def _ticks(frame: DataFrame, tree: Tree, names: tuple[str, str]) -> tuple[str, str]:
    """The first and the last instant of an event, from the columns of its bounds."""
    assert tree.plan.span is not None
    start, end = (
        sql.ticks(name, field_of(frame, own).dataType)
        for name, own in zip(names, tree.plan.span, strict=True)
    )
    return start, sql.last_instant(start, end)


def _fold(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices and pieces by our kernel, of one stretch of rows each."""
    plan = tree.plan
    if packs(tree, partial_fields(tree.request, tree.slots)):
        columns = [
            StructField(BLOCK, LongType(), nullable=False),
            StructField(PACKED, BinaryType(), nullable=False),
        ]
    else:
        columns = [
            StructField(FIRST, LongType(), nullable=False),
            StructField(LAST, LongType(), nullable=False),
            StructField(GOES, BooleanType(), nullable=False),
            *partial_schema(frame, tree),
        ]
    schema = StructType([*key_fields(frame, plan.by), *columns])
    rows = select_columns(frame, tree)
    names = tuple(plan.reads)
    enough = STRETCHES * ship.STRETCH
    task = Task("fold_spans", tree, plan.by, names, as_arrow(schema), enough)
    return ship.run_task(rows, task, schema)


def _in_chunks(pieces: DataFrame, tree: Tree) -> DataFrame:
    """Pieces in each chunk where a window over them begins, cut off at what it sees."""
    length = tree.chunk
    longest = max(rule.longest for rule in tree.plan.rules)
    numbers = sql.chunks(FIRST, length, longest, LAST)
    spread = pieces.select("*", F.expr(numbers).alias(CHUNK))
    since = f"greatest({FIRST}, {CHUNK} * {length}L)"
    until = f"least({LAST}, {CHUNK} * {length}L + {length + longest - 1}L)"
    cut = {FIRST: since, LAST: f"greatest({since}, {until})"}
    return spread.select(
        *(F.expr(cut.get(name, name)).alias(name) for name in spread.columns)
    )


def _shuffle_events(frame: DataFrame, tree: Tree) -> DataFrame:
    """Events as they are, in one task per key (and chunk)."""
    plan = tree.plan
    assert plan.span is not None
    rows = select_columns(frame, tree)
    reads = plan.reads
    keys = [f"s{reads.index(name)}" for name in plan.by]
    bounds = f"s{reads.index(plan.span[0])}", f"s{reads.index(plan.span[1])}"
    if tree.split == "overlap":
        longest = max(rule.longest for rule in plan.rules)
        start, last = _ticks(frame, tree, bounds)
        numbers = sql.chunks(start, tree.chunk, longest, last)
        rows = rows.select("*", F.expr(numbers).alias(CHUNK))
        keys.append(CHUNK)
    return shuffle_by(rows, keys, [bounds[0]])


__all__ = ["shuffle_spans"]
