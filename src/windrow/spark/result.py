"""Selects the columns that a user sees from the results of tasks.

    keys | query (for a list of windows) | window {start, end} | aggregates

The struct is nullable where Spark's own is: where windows slide.  Tasks give `start` in
ticks; where ends are no arithmetic, or places of rows, they give `end` too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    IntegerType,
    LongType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from windrow.plan.aggregate import Plan
from windrow.plan.by_policy import PolicyPlan
from windrow.plan.over import OverPlan
from windrow.plan.table import TablePlan
from windrow.windows.repeats import LAST

from . import sql
from .schema import field_of, key_fields, quoted, required, result_fields

_MARK = {"spark.timeWindow": True}  # what `window_time()` asks a column for


def window_schema(frame: DataFrame, plan: Plan | PolicyPlan) -> StructType:
    """The columns of windows as tasks give them: keys, which window, results."""
    number = required(IntegerType(), "q") if plan.listed else []
    end = [StructField("end", LongType())] if _has_end(plan) else []
    bounds = [*number, StructField("start", LongType()), *end]
    results = result_fields(frame, plan.calls)
    return StructType([*key_fields(frame, plan.by), *bounds, *results])


def row_schema(frame: DataFrame, plan: OverPlan) -> StructType:
    """The columns of rows as tasks give them: their own as s0, s1, ..., and results."""
    own = [
        StructField(f"s{i}", field.dataType, field.nullable)
        for i, field in enumerate(frame.schema)
    ]
    return StructType([*own, *result_fields(frame, plan.calls)])


def _has_end(plan: Plan | PolicyPlan) -> bool:
    """Whether tasks give ends: those of even time windows are the start and a range."""
    rules = [] if isinstance(plan, PolicyPlan) else plan.rules
    return plan.counts_rows or any(not rule.is_even for rule in rules)


def select_windows(
    frame: DataFrame,
    plan: Plan | PolicyPlan,
    windows: DataFrame,
    made: Mapping[str, str] = MappingProxyType({}),
    *,
    late: Column | None = None,
) -> DataFrame:
    """The final projection of windows; `late` is the row of a stream that came late.

    Columns that are `made` here are not there yet: each is a text of SQL.  A projection
    of their own would be analysed and planned as well.
    """
    columns = _numbered("k", plan.by)
    if isinstance(plan, Plan) and plan.listed:
        columns.append(_query(plan, made))
    columns.append(_window(frame, plan, made, late is not None))
    return windows.select(*columns, *_results(plan, late, made))


def repeat_windows(stretches: DataFrame, plan: Plan) -> DataFrame:
    """A row for each window from `start` to `last`, of rows of windows that are alike.

    Starts are not nullable, since elements of a sequence are not.
    """
    (rule,) = plan.rules
    others = [name for name in stretches.columns if name not in ("start", LAST)]
    starts = f"explode(sequence(start, {LAST}, {rule.step}L)) as start"
    return stretches.selectExpr(*others, starts)


def or_null(ticks: str) -> str:
    """Ticks that are never null, as Spark's own bounds may be: nullable."""
    return f"if({ticks} is null, null, {ticks})"


def select_rows(
    frame: DataFrame, plan: OverPlan, rows: DataFrame, *, late: Column | None = None
) -> DataFrame:
    """The final projection of rows with their new columns."""
    return rows.select(*_numbered("s", frame.columns), *_results(plan, late))


def _results(
    plan: TablePlan, late: Column | None, made: Mapping[str, str] = MappingProxyType({})
) -> list[Column]:
    results = _numbered("r", [bound.name for bound in plan.calls], made)
    return results if late is None else [*results, late.alias("late")]


def _numbered(
    letter: str, names: Sequence[str], made: Mapping[str, str] = MappingProxyType({})
) -> list[Column]:
    inner = [f"{letter}{i}" for i in range(len(names))]
    return [
        F.expr(f"{made.get(own, own)} as {quoted(name)}")
        for own, name in zip(inner, names, strict=True)
    ]


def _query(plan: Plan, made: Mapping[str, str]) -> Column:
    q, names = made.get("q", "q"), [rule.name for rule in plan.rules]
    if not any(isinstance(name, str) for name in names):
        return F.expr(f"cast({q} as bigint) as query")
    cases = " ".join(f"when {i} then {sql.text(str(n))}" for i, n in enumerate(names))
    return F.expr(f"coalesce(case {q} {cases} end, '') as query")


def _end_sql(plan: Plan | PolicyPlan, made: Mapping[str, str]) -> str:
    """Where the row's window ends, in ticks."""
    if "end" in made or isinstance(plan, PolicyPlan) or _has_end(plan):
        return made.get("end", "end")
    begin = made.get("start", "start")
    ranges = [rule.longest for rule in plan.rules]
    if len(set(ranges)) == 1:
        return f"({begin} + {ranges[0]}L)"
    lengths = ", ".join(f"{range_}L" for range_ in ranges)
    return f"({begin} + element_at(array({lengths}), q + 1))"


def _window(
    frame: DataFrame, plan: Plan | PolicyPlan, made: Mapping[str, str], absent: bool
) -> Column:
    """The window of a row; `absent` if it may have none, as a row that came late."""
    if "window" in made:
        return F.col(made["window"])
    begin, kind = made.get("start", "start"), None
    if not plan.counts_rows:
        assert plan.clock is not None
        kind = field_of(frame, plan.clock.column).dataType
    start, end = (instant(ticks, kind) for ticks in (begin, _end_sql(plan, made)))
    window = f"struct({start} as start, {end} as end)"
    is_there = plan.counts_rows
    if isinstance(plan, Plan) and not is_there:
        is_there = all(rule.tumbles for rule in plan.rules)
    if absent or not is_there:
        window = f"if({made.get('number', begin)} is null, null, {window})"
    if isinstance(kind, (TimestampType, TimestampNTZType)):
        return F.expr(window).alias("window", metadata=_MARK)
    return F.expr(window).alias("window")


def instant(ticks: str, kind: DataType | None) -> str:
    """Ticks as a value of the time column's type."""
    if isinstance(kind, TimestampType):
        return f"timestamp_micros({ticks})"
    if isinstance(kind, TimestampNTZType):
        # an interval is added in UTC, and so exactly
        seconds = f"cast({ticks} as decimal(20, 0)) / 1000000BD"
        seconds = f"cast({seconds} as decimal(18, 6))"
        return f"TIMESTAMP_NTZ '1970-01-01' + make_dt_interval(0, 0, 0, {seconds})"
    return ticks
