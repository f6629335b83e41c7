"""`wr.over` on a DataFrame: every row with new columns over its own past, lazily.

    keys               shuffle by key, sort by time, mapInArrow(roll)
    no key, durations  the same by chunks of time, aligned to the epoch, with a halo
    no key, rows       the same by blocks of rows, found by a first pass, with a halo

All columns of the frame travel with their row, as s0, s1, ...
"""

from __future__ import annotations

from dataclasses import replace

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.errors import UnsupportedType
from windrow.plan.over import OverPlan
from windrow.plan.spread import Spread
from windrow.tasks.blocks import BLOCK, HALO
from windrow.tasks.over import RollTask

from . import ship, sql
from .layout import in_blocks
from .result import row_schema, select_rows
from .schema import as_arrow, field_of, renamed, travels
from .shuffle import normalise_key, shuffle_by


def over(frame: DataFrame, plan: OverPlan, spread: Spread) -> DataFrame:
    """The frame with the plan's columns at its right."""
    check_columns(frame)
    names = frame.columns
    rows = _shuffle_rows(frame, plan, spread)
    schema = row_schema(frame, plan)
    extra = tuple(f"windrow {name}" for name in rows.columns[len(names) :])
    split = spread.split != "none"
    task = RollTask(
        plan=replace(plan, by=extra[:1] if split else _by(frame, plan, extra)),
        names=(*names, *extra),
        passed=len(names),
        gives=as_arrow(schema),
        halo=extra[1] if split else None,
        enough=ship.STRETCH,
    )
    return select_rows(frame, plan, ship.run_task(rows, task, schema))


def _shuffle_rows(frame: DataFrame, plan: OverPlan, spread: Spread) -> DataFrame:
    """The rows that each task reads, shuffled and sorted.

    Float keys come twice: as the user has them, and as groupBy sees them.
    """
    assert plan.clock is not None
    short = {name: f"s{i}" for i, name in enumerate(frame.columns)}
    rows = frame.selectExpr(*renamed(short))
    on, *ties = (short[name] for name in (plan.clock.column, *plan.ties))
    if spread.split == "none":
        keys, added = [], []
        for i, name in enumerate(plan.by):
            normal = normalise_key(frame, name)
            keys.append(short[name] if normal is None else f"k{i}")
            added += [] if normal is None else [normal.alias(f"k{i}")]
        if added:
            rows = frame.select(*map(F.expr, renamed(short)), *added)
        return shuffle_by(rows, keys, [on, *ties])
    if spread.split == "chunks":
        pieces = rows.select("*", _chunks(rows, on, spread))
    else:
        pieces = in_blocks(rows, on, rows=spread.rows, ticks=spread.reach)
        pieces = pieces.select(*rows.columns, BLOCK, HALO)
    return shuffle_by(pieces, [BLOCK], [on, *ties])


def _chunks(rows: DataFrame, on: str, spread: Spread) -> Column:
    """The chunk of a row, and those others whose rows look back or ahead at it."""
    assert spread.reach is not None
    time = sql.ticks(on, field_of(rows, on).dataType)
    back, ahead = spread.reach
    own = sql.chunk(time, spread.chunk)
    first = sql.chunk(f"({time} - {ahead}L)", spread.chunk)
    last = sql.chunk(f"({time} + {back}L)", spread.chunk)
    pairs = (
        f"transform(sequence({first}, {last}), c -> named_struct("
        f"'{BLOCK}', c, '{HALO}', c != {own}))"
    )
    without = f"array(named_struct('{BLOCK}', -9223372036854775808L, '{HALO}', false))"
    return F.expr(f"inline(if({on} is null, {without}, {pairs}))")


def _by(frame: DataFrame, plan: OverPlan, extra: tuple[str, ...]) -> tuple[str, ...]:
    """The key columns under the names that the task gives them."""
    twice = iter(extra)
    return tuple(
        name if normalise_key(frame, name) is None else next(twice) for name in plan.by
    )


def check_columns(frame: DataFrame) -> None:
    """Refuse a column that cannot travel to a task and back."""
    for field in frame.schema:
        if not travels(field.dataType):
            kind = field.dataType.simpleString()
            raise UnsupportedType.because(
                f"cannot take column {field.name!r} along",
                f"Arrow cannot hold its type, {kind}",
                "cast it to string, or leave it out with .drop()",
            )
