"""The table a user sees, from what the last step gives.

    keys | query (for a list of windows) | window {start, end} | aggregates

The struct is nullable where Spark's own is: where windows slide.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, TimestampNTZType, TimestampType

from windrow.plan.aggregate import Plan

from .schema import field_of

_MARK = {"spark.timeWindow": True}  # what `window_time()` asks a column for


def result(
    frame: DataFrame, plan: Plan, found: DataFrame, *, late: Column | None = None
) -> DataFrame:
    """The final projection; `late` is the row that came too late to a stream."""
    columns = [F.col(f"k{i}").alias(name) for i, name in enumerate(plan.by)]
    if plan.listed:
        columns.append(_query(plan).alias("query"))
    columns.append(_window(frame, plan, late is not None))
    columns += [F.col(f"r{i}").alias(bound.name) for i, bound in enumerate(plan.calls)]
    if late is not None:
        columns.append(late.alias("late"))
    return found.select(*columns)


def _query(plan: Plan) -> Column:
    named = any(isinstance(query.name, str) for query in plan.rules)
    if not named:
        return F.col("q").cast("bigint")
    last = F.lit(str(plan.rules[-1].name))
    if len(plan.rules) == 1:
        return last
    text: Column | None = None
    for number, query in enumerate(plan.rules[:-1]):
        here, name = F.col("q") == number, F.lit(str(query.name))
        text = F.when(here, name) if text is None else text.when(here, name)
    assert text is not None
    return text.otherwise(last)


def _range(plan: Plan) -> str:
    """How long the row's window is, in SQL."""
    ranges = [query.even.range for query in plan.rules]
    if len(set(ranges)) == 1:
        return f"{ranges[0]}L"
    return f"element_at(array({', '.join(f'{r}L' for r in ranges)}), q + 1)"


def _window(frame: DataFrame, plan: Plan, absent: bool) -> Column:
    there = F.col("start").isNotNull()
    if plan.rules[0].counts_rows:
        places = F.struct(F.col("start"), F.col("end"))
        return (F.when(there, places) if absent else places).alias("window")
    assert plan.clock is not None
    kind = field_of(frame, plan.clock.column).dataType
    begin = _instant("start", kind).alias("start")
    end = _instant(f"(start + {_range(plan)})", kind).alias("end")
    window = F.struct(begin, end)
    if absent or any(query.even.range != query.even.slide for query in plan.rules):
        window = F.when(there, window)
    if isinstance(kind, (TimestampType, TimestampNTZType)):
        return window.alias("window", metadata=_MARK)
    return window.alias("window")


def _instant(ticks: str, kind: DataType) -> Column:
    """Ticks as a value of the time column's type."""
    if isinstance(kind, TimestampType):
        return F.expr(f"timestamp_micros({ticks})")
    if isinstance(kind, TimestampNTZType):
        # an interval is added in UTC, and so exactly
        seconds = f"cast({ticks} as decimal(20, 0)) / 1000000BD"
        seconds = f"cast({seconds} as decimal(18, 6))"
        return F.expr(
            f"TIMESTAMP_NTZ '1970-01-01' + make_dt_interval(0, 0, 0, {seconds})"
        )
    return F.expr(ticks)
