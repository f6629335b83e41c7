"""What tests use of Spark 4 and Spark 3.5 has not: Arrow tables in and out."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from py4j.protocol import Py4JJavaError
from pyarrow import parquet
from pyspark.errors import PySparkException

FAILURES = (PySparkException, Py4JJavaError)
"""What a job raises; Spark 3.5 hands some errors of the JVM on as they are."""


def lend(patch: pytest.MonkeyPatch, scratch: Path) -> None:
    """Let sessions of Spark 3.5 take Arrow tables, and frames give them."""
    from pyspark.sql import DataFrame, SparkSession  # noqa: PLC0415 - when asked for

    own, numbers = SparkSession.createDataFrame, itertools.count()

    def create(session: Any, data: Any, *rest: Any, **named: Any) -> Any:
        if not isinstance(data, pa.Table):
            return own(session, data, *rest, **named)
        file = scratch / f"table-{next(numbers)}.parquet"
        fields = [_coarse(field) for field in data.schema]
        parquet.write_table(data.cast(pa.schema(fields)), file)
        return session.read.parquet(str(file))

    def to_arrow(frame: Any) -> pa.Table:
        from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415 - the same

        batches = frame._collect_as_arrow()
        if batches:
            return pa.Table.from_batches(batches)
        return to_arrow_schema(frame.schema).empty_table()

    patch.setattr(SparkSession, "createDataFrame", create)
    patch.setattr(DataFrame, "toArrow", to_arrow, raising=False)


def _coarse(field: pa.Field) -> pa.Field:
    """The field with microseconds: Spark 3.5 reads no others from Parquet."""
    if pa.types.is_timestamp(field.type) and field.type.unit != "us":
        return field.with_type(pa.timestamp("us", field.type.tz))
    return field
