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
from pyspark.sql.types import BinaryType, BooleanType, LongType, StructType

from windrow.batch.partials import partial_fields
from windrow.plan.tree import Tree
from windrow.tasks.span_pieces import BLOCK, FIRST, GOES, LAST, PACKED, packs
from windrow.tasks.task import CHUNK

from . import ship, sql
from .partials import partial_schema
from .schema import field_of, key_fields, key_names, required
from .shuffle import select_columns, shuffle_by, with_chunks

STRETCHES = 16
"""Stretches of rows folded together: 100 keys have as many slices a day."""


def shuffle_spans(frame: DataFrame, tree: Tree) -> DataFrame:
    """What the last step reads: pieces or events, shuffled and sorted by start."""
    plan = tree.plan
    assert plan.span is not None
    if tree.level1 == "rows":
        return _shuffle_events(frame, tree)
    pieces, keys = _fold(frame, tree), key_names(plan)
    if tree.split == "overlap":
        pieces = _in_chunks(pieces, tree)
        keys.append(CHUNK)
    return shuffle_by(pieces, keys, [BLOCK if PACKED in pieces.columns else FIRST])


def _fold(frame: DataFrame, tree: Tree) -> DataFrame:
    """Slices and pieces by our kernel, of one stretch of rows each."""
    if packs(tree, partial_fields(tree.request, tree.slots)):
        columns = [*required(LongType(), BLOCK), *required(BinaryType(), PACKED)]
    else:
        columns = [
            *required(LongType(), FIRST, LAST),
            *required(BooleanType(), GOES),
            *partial_schema(frame, tree),
        ]
    schema = StructType([*key_fields(frame, tree.plan.by), *columns])
    return ship.run_step(
        select_columns(frame, tree),
        "fold_spans",
        tree,
        schema,
        of_rows=True,
        stretches=STRETCHES,
    )


def _in_chunks(pieces: DataFrame, tree: Tree) -> DataFrame:
    """Pieces in each chunk where a window over them begins, cut off at what it sees."""
    length, longest = tree.chunk, tree.plan.longest
    spread = with_chunks(pieces, tree, FIRST, LAST)
    since = f"greatest({FIRST}, {CHUNK} * {length}L)"
    until = f"least({LAST}, {CHUNK} * {length}L + {length + longest - 1}L)"
    cut = {FIRST: since, LAST: f"greatest({since}, {until})"}
    return spread.select(
        *(F.expr(cut.get(name, name)).alias(name) for name in spread.columns)
    )


def _shuffle_events(frame: DataFrame, tree: Tree) -> DataFrame:
    """Events as they are, in one task per key (and chunk)."""
    span, reads = tree.plan.span, tree.plan.reads
    assert span is not None
    rows = select_columns(frame, tree)
    keys = [f"s{reads.index(name)}" for name in tree.plan.by]
    bounds = {f"s{reads.index(name)}": field_of(frame, name) for name in span}
    if tree.split == "overlap":
        start, end = (sql.ticks(name, own.dataType) for name, own in bounds.items())
        rows = with_chunks(rows, tree, start, sql.last_instant(start, end))
        keys.append(CHUNK)
    return shuffle_by(rows, keys, [f"s{reads.index(span[0])}"])
