"""Computes windows by Catalyst alone: copies of rows if windows slide, and a groupBy.

    t        .   . .    .       rows, or events with a duration
    starts   [5, 10, 15]        of the windows that hold each: one if they tumble
    groupBy(keys, start)        the result of each call is one of SQL's aggregates

`plan/catalyst.py` says when.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.errors import SumOverflow
from windrow.plan.aggregate import Plan
from windrow.plan.bind import BoundCall
from windrow.plan.catalyst import result_sql
from windrow.plan.tree import Tree

from . import sql
from .partials import select_inputs
from .schema import key_names, result_fields

START = "start"


def catalyst_windows(frame: DataFrame, tree: Tree) -> DataFrame:
    """Windows with their results, in the columns in which tasks would give them."""
    plan = tree.plan
    rows, inputs = select_inputs(frame, tree)
    rows = rows.select("*", F.expr(_starts(plan)).alias(START))
    # nullable, as Spark's own: elements of a sequence are not
    start = F.expr(f"nullif({START}, cast(null as bigint))").alias(START)
    grouped = rows.groupBy(*key_names(plan), start)
    windows = grouped.agg(*_results(frame, plan.calls, inputs))
    if plan.is_even and not plan.listed:
        return windows
    end = F.expr(plan.rules[0].end_sql(START))
    return windows.withColumns({"end": end, "q": F.lit(0)})


def _starts(plan: Plan) -> str:
    """The start of each window that holds a row, in ticks."""
    (rule,) = plan.rules
    if rule.tumbles and plan.span is None:
        return plan.cuts.sql(sql.TICKS)
    if plan.span is None:
        return rule.begins_sql(sql.TICKS, sql.TICKS)
    return rule.begins_sql(sql.START, sql.last_instant(sql.START, sql.TICKS))


def _results(
    frame: DataFrame, calls: tuple[BoundCall, ...], inputs: sql.Inputs
) -> list[Column]:
    columns = []
    for bound, field in zip(calls, result_fields(frame, calls), strict=True):
        text = result_sql(bound)
        assert text is not None
        words = sql.words(bound, inputs)
        column = F.expr(text.format(**words, overflow=_overflow(bound, words)))
        if bound.aggregate.result not in ("count", "position", "value"):
            column = column.cast(field.dataType)
        columns.append(column.alias(field.name))
    return columns


def _overflow(bound: BoundCall, words: dict[str, str]) -> str:
    """An expression that raises: an exact sum does not fit 64 bits."""
    if "value" not in words:
        return ""
    error = SumOverflow.because(
        f"cannot give {bound.call.label} as {bound.result}",
        "a window's exact sum is \0, past the largest value of the type",
        "cast the column to double, or to decimal(18, 0) for an exact sum",
    )
    before, after = map(sql.text, str(error).split("\0"))
    high, low = f"shiftright({words['value']}, 32)", f"{words['value']} & 4294967295"
    total = f"(cast(sum({high}) as decimal(20, 0)) * 4294967296BD + sum({low}))"
    return f"cast(raise_error(concat({before}, {total}, {after})) as bigint)"
