"""Converts Spark's schemas to Arrow's, and names the columns that tasks read."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_type, to_arrow_schema, to_arrow_type
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DateType,
    DoubleType,
    LongType,
    MapType,
    NullType,
    StructField,
    StructType,
    TimestampType,
)

from windrow.aggregates.order_functions import is_continuous
from windrow.errors import BadInput
from windrow.plan.bind import BoundCall
from windrow.plan.requests import users_result
from windrow.plan.table import TablePlan

# From Spark 4.2 on a zone is named; before, instants are always in UTC.
_IN_UTC: dict[str, Any] = (
    {"timezone": "UTC"}
    if "timezone" in inspect.signature(to_arrow_type).parameters
    else {}
)
NEVER_NULL = (
    "count",
    "collect",
    "collect_distinct",
    "count_distinct",
    "first_k",
    "last_k",
    "top_k",
    "bottom_k",
    "value_counts",
)


def quoted(name: str) -> str:
    """A column's name in SQL, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def renamed(names: Mapping[str, str]) -> list[str]:
    """Columns by the names that are keys of a mapping, as its values, in SQL."""
    return [f"{quoted(name)} as {alias}" for name, alias in names.items()]


def key_names(plan: TablePlan) -> list[str]:
    """The names that slices and results have for the key columns."""
    return [f"k{number}" for number in range(len(plan.by))]


def required(kind: DataType, *names: str) -> list[StructField]:
    """Columns of one type that are never null."""
    return [StructField(name, kind, nullable=False) for name in names]


def arrow_schema(frame: DataFrame) -> pa.Schema:
    """The columns of a frame as Arrow gets them.

    A type that has no Arrow form becomes Arrow's null type, which nothing accepts:
    such a column can be there as long as nobody reads it.
    """
    return pa.schema([(field.name, _arrow(field.dataType)) for field in frame.schema])


def _arrow(kind: DataType) -> pa.DataType:
    try:
        return to_arrow_type(kind, **_IN_UTC)
    except (PySparkException, TypeError):
        return pa.null()


def travels(kind: DataType) -> bool:
    """Whether values of that type can be sent to a task and back."""
    return isinstance(kind, NullType) or not pa.types.is_null(_arrow(kind))


def nullable(frame: DataFrame) -> frozenset[str]:
    """The columns that may hold nulls."""
    return frozenset(field.name for field in frame.schema if field.nullable)


def field_of(frame: DataFrame, name: str) -> StructField:
    """The column of that name; it exists."""
    return next(field for field in frame.schema if field.name == name)


def result_fields(frame: DataFrame, calls: Sequence[BoundCall]) -> list[StructField]:
    """The columns of results, under the names that tasks use."""
    return [_result_field(frame, bound, f"r{i}") for i, bound in enumerate(calls)]


def _result_field(frame: DataFrame, bound: BoundCall, name: str) -> StructField:
    """A result's column: of the type and nullability that Spark's own would have."""
    if bound.aggregate.is_users:
        return StructField(name, from_arrow_type(users_result(bound)))
    never = bound.aggregate.name in NEVER_NULL and bound.call.min_periods is None
    match bound.aggregate.result:
        case "position" if bound.payload is not None:
            return StructField(name, field_of(frame, bound.payload).dataType)
        case "value":
            return StructField(name, field_of(frame, bound.columns[0]).dataType)
        case "list":
            element = field_of(frame, bound.columns[0]).dataType
            return StructField(name, ArrayType(element, containsNull=False), not never)
        case "quantile":
            options = bound.call.options
            own = field_of(frame, bound.columns[0]).dataType
            one = DoubleType() if is_continuous(options) else own
            several = isinstance(options["q"], tuple)
            return StructField(name, ArrayType(one, False) if several else one)
        case "map":
            element = field_of(frame, bound.columns[0]).dataType
            return StructField(name, MapType(element, LongType(), False), not never)
    kind = from_arrow_type(bound.result, prefer_timestamp_ntz=True)
    return StructField(name, kind, not never)


def as_arrow(schema: StructType) -> pa.Schema:
    """The schema of the batches that a task must give."""
    return to_arrow_schema(schema, **_IN_UTC)


def key_fields(frame: DataFrame, names: tuple[str, ...]) -> list[StructField]:
    """The key columns under the names that tasks use; each must have an Arrow form."""
    fields = []
    for number, name in enumerate(names):
        field = field_of(frame, name)
        if not travels(field.dataType):
            raise BadInput.because(
                f"cannot group by column {name!r}",
                f"Arrow cannot hold its type, {field.dataType.simpleString()}",
                "cast it to string first",
            )
        fields.append(StructField(f"k{number}", field.dataType, field.nullable))
    return fields


def with_instants(frame: DataFrame, on: str) -> DataFrame:
    """Dates as the timestamps of their midnights, as Spark's `window()` has them."""
    if on not in frame.columns or not isinstance(
        field_of(frame, on).dataType, DateType
    ):
        return frame
    return frame.withColumn(on, frame[quoted(on)].cast(TimestampType()))
