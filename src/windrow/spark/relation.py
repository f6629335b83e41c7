"""Computes the parts of a CQL query around its windows, on DataFrames, lazily.

`batch/relation.py` has the same functions for tables; `_cql_passes.py` calls them.
"""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from windrow.batch.tables import library, read
from windrow.batch.tables import schema_of as table_schema
from windrow.errors import BadInput, QueryError
from windrow.plan.cql import ROW, TOTAL, BoundQuery, JoinedTable
from windrow.query.tree import Expression
from windrow.windows import Duration

from .expressions import column_of
from .schema import arrow_schema, quoted

schema_of = arrow_schema
_NEW = "is new"


def filter_rows(frame: DataFrame, condition: Expression) -> DataFrame:
    """The rows for which a condition is true."""
    return frame.where(column_of(condition))


def select_columns(frame: DataFrame, columns: Mapping[str, Expression]) -> DataFrame:
    """The values of expressions, as columns of the names given."""
    return frame.select(
        *(column_of(expression).alias(name) for name, expression in columns.items())
    )


def tell_apart(
    result: DataFrame,
    queries: Mapping[int, tuple[Sequence[Expression], Mapping[str, Expression]]],
) -> DataFrame:
    """The rows of several queries: `query` is which, and `q0`, `q1`, ... its columns.

    Each has conditions and columns.  One projection, since Spark would run a frame
    that is selected from twice twice, with two states.
    """
    rows = []
    for number, (conditions, columns) in queries.items():
        fields = [F.lit(number).alias("query")]
        for other in queries:
            own = F.struct(*(column_of(e).alias(name) for name, e in columns.items()))
            fields.append((own if other == number else F.lit(None)).alias(f"q{other}"))
        is_mine = reduce(Column.__and__, map(column_of, conditions), F.lit(True))
        rows.append(F.when(is_mine, F.struct(*fields)))
    chosen = F.filter(F.array(*rows), lambda row: row.isNotNull())
    return result.select(F.inline(chosen))


def union(frames: Sequence[DataFrame]) -> DataFrame:
    """The rows of several frames, each with null in columns that it does not have."""
    (first, *others) = frames
    for frame in others:
        first = first.unionByName(frame, allowMissingColumns=True)
    return first


def persist(result: DataFrame) -> DataFrame:
    """The result of a pass for several queries, computed once by Spark.

    Each result is an action of its own, and would compute the pass again.
    """
    return result.persist()


def check_stream(text: str, bound: BoundQuery) -> None:
    """Refuse what a stream cannot have: its rows never end, and each comes once."""
    query, at = bound.query, bound.query.window.at
    if bound.window is not None and bound.family == "everything":
        at = query.stream.at[0], max(query.stream.at[1], at[1])
        expected = "a window, since a stream has no end"
        hint = "give it one: [range 24 hours slide 1 minute]"
    elif bound.family == "numbered":
        expected = "rows that are counted by group by alone"
        hint = "on a stream leave out where and join, or give a range of time"
    elif query.compares and bound.window is not None:
        at, output = query.stream.at, query.output
        expected = f"a table or a DataFrame that is not streaming within {output}"
        hint = (
            f"leave out {output}: Spark compares no row of a stream with the one "
            "before it, in append nor in update mode; or do so in foreachBatch"
        )
    else:
        return
    raise QueryError.at(text, *at, expected, hint)


def number_rows(
    frame: DataFrame, time: str | None, within: tuple[str, ...]
) -> DataFrame:
    """Add each row's place by time within its key, and the number of rows there."""
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


def join_table(
    frame: DataFrame, other: Any, join: JoinedTable, payload: list[tuple[str, str]]
) -> DataFrame:
    """The pairs of rows with equal keys, with the columns of `payload`."""
    keys = {f"right {i}": pair for i, pair in enumerate(join.pairs)}
    right = _as_frame(frame, other, join).select(
        *(F.col(quoted(name)).alias(key) for key, (_, name) in keys.items()),
        *(F.col(quoted(name)).alias(alias) for alias, name in payload),
    )
    condition = F.lit(True)
    for key, (name, _) in keys.items():
        condition &= F.col(quoted(name)) == F.col(quoted(key))
    names = [*frame.columns, *(alias for alias, _ in payload)]
    joined = frame.join(right, condition, "left" if join.is_left else "inner")
    return joined.select(*(F.col(quoted(name)) for name in names))


def _as_frame(frame: DataFrame, other: Any, join: JoinedTable) -> DataFrame:
    """The table as a DataFrame of the stream's session."""
    if library(other) == "pyspark":
        table: DataFrame = other
    else:
        names = table_schema(other).names
        table = frame.sparkSession.createDataFrame(read(other, names))
    if table.isStreaming:
        raise BadInput.because(
            f"cannot join with {join.table}",
            "it is a stream, and only tables that stand still are joined",
            "join the streams with Spark first, and give the result",
        )
    return table


def new_results(
    result: DataFrame, bound: BoundQuery, keys: tuple[str, ...]
) -> DataFrame:
    """The results that differ from that of the previous window of the same key."""
    assert bound.window is not None
    items = dict(bound.items)
    values = F.struct(*(column_of(items[name]) for name in bound.compared), F.lit(1))
    start = F.col("window.start")
    before = Window.partitionBy(*(F.col(quoted(key)) for key in keys)).orderBy(start)
    same = F.lag(values).over(before).eqNullSafe(values)
    follows = F.lag(start).over(before) + _step(bound.window.step) == start
    is_new = ~(same & F.coalesce(follows, F.lit(False)))
    return result.select("*", is_new.alias(_NEW)).where(F.col(quoted(_NEW)))


def gone_results(
    result: DataFrame, bound: BoundQuery, keys: tuple[str, ...]
) -> DataFrame:
    """The results that the next window of the same key does not have, at its time."""
    assert bound.window is not None
    items = dict(bound.items)
    values = F.struct(*(column_of(items[name]) for name in bound.compared), F.lit(1))
    start, end, step = (
        F.col("window.start"),
        F.col("window.end"),
        _step(bound.window.step),
    )
    after = Window.partitionBy(*(F.col(quoted(key)) for key in keys)).orderBy(start)
    same = F.lead(values).over(after).eqNullSafe(values)
    follows = F.lead(start).over(after) - step == start
    is_gone = ~(same & F.coalesce(follows, F.lit(False)))
    gone = result.select("*", is_gone.alias(_NEW)).where(F.col(quoted(_NEW)))
    moved = F.struct((start + step).alias("start"), (end + step).alias("end"))
    return gone.withColumn("window", moved)


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
