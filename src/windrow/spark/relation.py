"""What a text asks for around the aggregation, on DataFrames, lazily.

    before   rows numbered, joined, filtered, columns computed      prepared
    after    complete windows, having, istream, the select list     finished

`batch/relation.py` has the same two functions for tables.
"""

from __future__ import annotations

import decimal
from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from windrow.batch.tables import library, read
from windrow.batch.tables import schema_of as table_schema
from windrow.errors import BadInput, QueryError
from windrow.plan.cql import ROW, TOTAL, BoundQuery, JoinedTable, Member, Pass
from windrow.windows import Duration

from .expressions import column_of
from .schema import arrow_schema, quoted

schema_of = arrow_schema
_NEW = "is new"


def prepared(inputs: Mapping[str, Any], one: Pass) -> DataFrame:
    """The columns that the aggregation of a pass reads."""
    rows, used = one.rows, one.reads
    frame: DataFrame = inputs[rows.stream]
    if rows.numbered is not None:
        frame = _numbered(frame, rows.time, rows.numbered)
    if rows.where is not None and rows.filters_first:
        frame = frame.where(column_of(rows.where))
    for join in rows.joins:
        frame = _join(frame, inputs[join.table], join, used)
    if rows.where is not None and not rows.filters_first:
        frame = frame.where(column_of(rows.where))
    return frame.select(
        *(column_of(expression).alias(name) for name, expression in one.columns.items())
    )


def finished(result: DataFrame, member: Member, keys: tuple[str, ...]) -> DataFrame:
    """The rows of one query, from those of its pass."""
    bound = member.bound
    if "query" in result.columns:
        result = result.where(F.col("query") == F.lit(member.window))
    if bound.rows.numbered is not None:
        begun = F.col("window.start") >= 0
        result = result.where(begun & (F.col("window.end") <= F.col(quoted(TOTAL))))
    if bound.having is not None:
        result = result.where(column_of(bound.having))
    if bound.query.istream and bound.window is not None:
        result = result.select("*", _is_new(bound, keys).alias(_NEW))
        result = result.where(F.col(quoted(_NEW)))
    return result.select(
        *(column_of(expression).alias(name) for name, expression in bound.items)
    )


def kept(result: DataFrame) -> DataFrame:
    """What several queries read: kept by Spark once it has been computed.

    Each result is an action of its own, and would compute the pass again.
    """
    return result.persist()


def check_stream(text: str, bound: BoundQuery) -> None:
    """Refuse what a stream cannot have: its rows never end, and each comes once."""
    query = bound.query
    if bound.window is not None and bound.family == "everything":
        raise QueryError.at(
            text,
            query.stream.at[0],
            max(query.stream.at[1], query.window.at[1]),
            "a window, since a stream has no end",
            "give it one: [range 24 hours slide 1 minute]",
        )
    if bound.family == "numbered":
        raise QueryError.at(
            text,
            *query.window.at,
            "rows that are counted by group by alone",
            "on a stream leave out where and join, or give a range of time",
        )
    if query.istream and bound.window is not None:
        raise QueryError.at(
            text,
            *query.stream.at,
            "a table or a DataFrame that is not streaming within istream",
            "leave out istream: on a stream a window comes out once, complete",
        )


def _numbered(frame: DataFrame, time: str | None, within: tuple[str, ...]) -> DataFrame:
    if time is None:
        raise BadInput.because(
            "cannot count rows of a DataFrame",
            "they have no order, and no time column is named",
            'say which: wr.cql(text, time="ts", ...)',
        )
    rows = Window.partitionBy(*(F.col(quoted(name)) for name in within))
    ordered = rows.orderBy(F.col(quoted(time)))
    frame = frame.where(F.col(quoted(time)).isNotNull())
    place = F.row_number().over(ordered).cast("bigint") - 1
    return frame.select("*", place.alias(ROW), F.count("*").over(rows).alias(TOTAL))


def _join(
    frame: DataFrame, other: Any, join: JoinedTable, used: list[str]
) -> DataFrame:
    table = _as_frame(frame, other, join)
    payload = [(called, own) for called, own in join.columns if called in used]
    right = table.select(
        *(F.col(quoted(own)).alias(f"right {i}") for i, (_, own) in _pairs(join)),
        *(F.col(quoted(own)).alias(called) for called, own in payload),
    )
    met: Column | None = None
    for i, (left, _) in _pairs(join):
        same = F.col(quoted(left)) == F.col(quoted(f"right {i}"))
        met = same if met is None else met & same
    kept_names = [*frame.columns, *(called for called, _ in payload)]
    joined = frame.join(right, met, "left" if join.is_left else "inner")
    return joined.select(*(F.col(quoted(name)) for name in kept_names))


def _pairs(join: JoinedTable) -> enumerate[tuple[str, str]]:
    return enumerate(join.pairs)


def _as_frame(frame: DataFrame, other: Any, join: JoinedTable) -> DataFrame:
    """The table as a DataFrame of the stream's session."""
    if library(other) == "pyspark":
        found: DataFrame = other
    else:
        names = table_schema(other).names
        found = frame.sparkSession.createDataFrame(read(other, names))
    if found.isStreaming:
        raise BadInput.because(
            f"cannot join with {join.table}",
            "it is a stream, and only tables that stand still are joined",
            "join the streams with Spark first, and give the result",
        )
    return found


def _is_new(bound: BoundQuery, keys: tuple[str, ...]) -> Column:
    """Whether the window just before, of the same key, did not have this result."""
    assert bound.window is not None
    items = dict(bound.items)
    values = F.struct(*(column_of(items[name]) for name in bound.compared), F.lit(1))
    start = F.col("window.start")
    before = Window.partitionBy(*(F.col(quoted(key)) for key in keys)).orderBy(start)
    same = F.lag(values).over(before).eqNullSafe(values)
    follows = F.lag(start).over(before) + _step(bound.window.step) == start
    return ~(same & F.coalesce(follows, F.lit(False)))


def _step(slide: Duration | int | None) -> Column:
    """How far apart two windows start, as what is added to a start."""
    if slide is None:
        raise BadInput.because(
            "cannot tell on Spark what istream leaves out",
            "the window's begins are not equally far apart",
            "leave out istream, or run the query on a table in this process",
        )
    if isinstance(slide, int):
        return F.lit(slide)
    if not slide.is_time:
        return F.lit(slide.amount)
    seconds = decimal.Decimal(slide.amount) / 10**9
    zero = F.lit(0)
    return F.make_dt_interval(zero, zero, zero, F.lit(seconds).cast("decimal(18, 6)"))


__all__ = ["check_stream", "finished", "kept", "prepared", "schema_of"]
