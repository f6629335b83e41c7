"""Whether two results are the same, without bringing millions of rows together.

A result becomes a few numbers: its rows, the sum of each value, and the sum of each
value times the row's place,

    place == hash(all other columns, whole numbers as 64-bit ones) mod 997

so that a value in a row where it does not belong shows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import IntegralType

from windrow_bench.measure.answers import WrongAnswer

Sums = dict[str, Any]
PLACES = 997
RTOL = 1e-9


def sums_of(frame: DataFrame, values: Sequence[str]) -> Sums:
    """The numbers of a result; columns that are not `values` say which row it is."""
    [row] = frame.agg(*columns_of(frame, values)).collect()
    return {name: value or 0 for name, value in row.asDict().items()}


def columns_of(frame: DataFrame, values: Sequence[str]) -> list[Column]:
    """The same as columns, for one aggregation."""
    others = [
        F.col(field.name).cast("long")
        if isinstance(field.dataType, IntegralType)
        else F.col(field.name)
        for field in frame.schema
        if field.name not in values
    ]
    place = F.pmod(F.xxhash64(*(others or [F.lit(0)])), F.lit(PLACES))
    sums = [F.count("*").alias("rows")]
    for name in values:
        value = F.col(name).cast("double")
        sums.append(F.sum(value).alias(name))
        sums.append(F.sum(value * place).alias(f"{name} by place"))
    return sums


def check_sums(
    who: str, actual: Mapping[str, float | None], expected: Mapping[str, float]
) -> None:
    """All numbers are there, and equal but for the last digits of float sums."""
    if set(actual) != set(expected):
        raise WrongAnswer(f"{who}: sums of {sorted(actual)}, not {sorted(expected)}")
    for name, value in expected.items():
        one = actual[name]
        if one is None or not math.isclose(one, value, rel_tol=RTOL):
            raise WrongAnswer(f"{who}: the sum of {name} is {one}, not {value}")
