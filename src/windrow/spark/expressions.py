"""Expressions as Spark columns: one function for each operator.

The same names as in `batch/expressions.py`, with the same values: null is unknown,
a division by zero is null, NaN is the largest, which is Spark's own way.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from windrow.aggregates import Call
from windrow.plan.where import mask_calls
from windrow.query import tree

from .schema import arrow_schema, quoted

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def column_of(expression: tree.Expression) -> Column:
    """The expression over the columns of a frame."""
    match expression:
        case tree.ColumnName(name=name):
            return F.col(quoted(name))
        case tree.Literal(value=value):
            return _literal(value)
        case tree.Apply(name="like", arguments=(left, tree.Literal(value=pattern))):
            return column_of(left).like(str(pattern))
        case tree.Apply(name="round", arguments=(left, *rest)):
            digits = rest[0].value if rest else 0  # type: ignore[attr-defined]
            return F.round(column_of(left), int(digits))
        case tree.Apply(name=name, arguments=arguments):
            return OPERATORS[name](*map(column_of, arguments))
    raise AssertionError(expression)


def with_masks(
    frame: DataFrame, calls: Mapping[str, Call]
) -> tuple[DataFrame, Mapping[str, Call]]:
    """The frame with a column for each filter of a call, and calls without filters."""
    if all(call.where is None for call in calls.values()):
        return frame, calls
    calls, _, masks = mask_calls(calls, arrow_schema(frame))
    columns = {}
    for mask in masks:
        value = F.lit(True) if mask.column is None else F.col(quoted(mask.column))
        columns[mask.name] = F.when(column_of(mask.condition), value)
    return frame.withColumns(columns), calls


def _literal(value: tree.Value) -> Column:
    if isinstance(value, bool) or not isinstance(value, (int, dt.datetime)):
        return F.lit(value)
    if isinstance(value, int):
        return F.lit(value).cast("bigint")
    if value.tzinfo is None:
        return F.lit(value.isoformat(" ")).cast("timestamp_ntz")
    return F.timestamp_micros(F.lit((value - _EPOCH) // _MICROSECOND))


def _divided(a: Column, b: Column) -> Column:
    return F.when(b != 0, a / b)


def _whole_part(a: Column, b: Column) -> Column:
    return F.when(b != 0, F.call_function("div", a, b))


def _remainder(a: Column, b: Column) -> Column:
    return F.when(b != 0, a % b)


def _case(*parts: Column) -> Column:
    *branches, otherwise = parts
    column = F.when(branches[0], branches[1])
    for condition, value in zip(branches[2::2], branches[3::2], strict=True):
        column = column.when(condition, value)
    return column.otherwise(otherwise)


OPERATORS: dict[str, Callable[..., Column]] = {
    "or": lambda a, b: a | b,
    "and": lambda a, b: a & b,
    "not": lambda a: ~a,
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "is null": lambda a: a.isNull(),
    "||": F.concat,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divided,
    "div": _whole_part,
    "%": _remainder,
    "negative": lambda a: -a,
    "case": _case,
    "as bigint": lambda a: a.cast("bigint"),
    "as double": lambda a: a.cast("double"),
    "as string": lambda a: a.cast("string"),
    "abs": F.abs,
    "ceil": F.ceil,
    "coalesce": F.coalesce,
    "floor": F.floor,
    "length": lambda a: F.length(a).cast("bigint"),
    "lower": F.lower,
    "sqrt": F.sqrt,
    "upper": F.upper,
    "start": lambda a: a.getField("start"),
    "end": lambda a: a.getField("end"),
}
"""All but like and round, whose second argument is no column."""
