"""One table with two columns of every type, and every call that fits a type.

    key     4 keys, one of them null, one of a single row
    at      instants, no two of a key alike, so that first and last have one answer
    x, y    values of the type: falling, tied, negative, null, and special floats

`calls_over(type)` is the whole catalogue, as far as it has a meaning for the type.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import pyarrow as pa

import windrow as wr
from windrow.aggregates import CATALOGUE, Aggregate, Call, Law
from windrow.aggregates.types import accepts

ZERO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_STRANGE = [math.nan, math.inf, -math.inf, -0.0]

TYPES: dict[str, pa.DataType] = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "decimal(10,2)": pa.decimal128(10, 2),
    "decimal(18,4)": pa.decimal128(18, 4),
    "string": pa.string(),
}


def value(kind: pa.DataType, number: int) -> Any:
    """A value of the type for a small number; null for every seventh or so."""
    if number % 7 == 3:
        return None
    small = number * 37 % 23 - 11
    types = pa.types
    if types.is_floating(kind):
        return _STRANGE[number % 4] if number % 11 == 5 else small / 4
    if types.is_boolean(kind):
        return small > 3
    if types.is_date(kind):
        return ZERO.date() + dt.timedelta(days=small)
    if types.is_timestamp(kind):
        instant = ZERO + dt.timedelta(hours=small, microseconds=1)
        return instant if kind.tz else instant.replace(tzinfo=None)
    if types.is_decimal(kind):
        return Decimal(small * 125).scaleb(-kind.scale)
    if types.is_string(kind):
        return ["", "b", "Zoe", "é", "漢", "🌾"][small % 6] * (1 + small % 2)
    return small


def table_of(kind: str, n: int = 160) -> pa.Table:
    """The table for one type."""
    keys = [None, "a", "a", "b", "a", "b"]
    column = TYPES[kind]
    return pa.table(
        {
            "key": ["one row", *(keys[i % 6] for i in range(1, n))],
            "at": pa.array(
                [ZERO + dt.timedelta(seconds=i * 13 % n - 40) for i in range(n)],
                pa.timestamp("us", "UTC"),
            ),
            "x": pa.array([value(column, i * i) for i in range(n)], column),
            "y": pa.array([value(column, i + 5) for i in range(n)], column),
            "w": pa.array([i % 4 for i in range(n)], pa.int64()),
        }
    )


def frame_of(spark: Any, kind: str, table: pa.Table | None = None) -> Any:
    """The same as a Spark frame; Arrow's types alone would lose timestamp_ntz."""
    frame = spark.createDataFrame(table_of(kind) if table is None else table)
    typed = {name: frame[name].cast(kind) for name in ("x", "y")}
    return frame.withColumns(typed)


def _call(aggregate: Aggregate) -> Call:
    if aggregate.name == "weighted_median":
        return aggregate("x", "w")
    if aggregate.columns[0] == 2 or aggregate.name in ("arg_min", "arg_max"):
        return aggregate("x", "y")
    if aggregate.name == "concat":
        return aggregate("x", separator="/")
    if aggregate.name == "quantile":
        return aggregate("x", [0.1, 0.5], interpolation="lower")
    return aggregate("x")


def calls_over(kind: str, *, holistic: bool) -> dict[str, Call]:
    """Every aggregate of the catalogue that takes a column of the type."""
    found = {
        aggregate.name: _call(aggregate)
        for aggregate in CATALOGUE
        if accepts(aggregate, TYPES[kind])
        and "own" not in aggregate.takes
        and not aggregate.sketch
        and (Law.HOLISTIC in aggregate.laws) == holistic
    }
    if not holistic:
        found["rows"] = wr.count()
    return found
