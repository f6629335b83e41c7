"""Normalises key columns, so that tasks group rows as Spark's groupBy does.

To groupBy every NaN is one key, and -0.0 is 0.0.  Arrow compares bits: floats are made
alike before rows are shuffled, also within arrays and structs.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, DoubleType, FloatType, StructType

from .schema import field_of, quoted


def normalise_key(frame: DataFrame, name: str) -> Column | None:
    """A key as groupBy sees it; None where the column itself is so."""
    return _normalise(F.col(quoted(name)), field_of(frame, name).dataType)


def _normalise(column: Column, kind: DataType) -> Column | None:
    if isinstance(kind, (DoubleType, FloatType)):
        nan = F.lit(float("nan"))
        return F.when(F.isnan(column), nan).otherwise(column + F.lit(0.0)).cast(kind)
    if isinstance(kind, ArrayType):
        inner = kind.elementType
        if _normalise(column, inner) is None:
            return None
        return F.transform(column, lambda element: _normalise(element, inner))  # type: ignore[arg-type,return-value]
    if isinstance(kind, StructType):
        fields = [column.getField(field.name) for field in kind]
        normal = [
            _normalise(column, field.dataType)
            for column, field in zip(fields, kind, strict=True)
        ]
        if all(column is None for column in normal):
            return None
        members = [
            (plain if column is None else column).alias(field.name)
            for plain, column, field in zip(fields, normal, kind, strict=True)
        ]
        return F.when(column.isNotNull(), F.struct(*members))
    return None


__all__ = ["normalise_key"]
