"""Finds the back end that a table belongs to, and reads what calls need of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow.aggregates import Call
from windrow.errors import BadInput


def source_of(
    data: Any, calls: dict[str, Call]
) -> tuple[pa.Schema, dict[str, Call], Callable[[Sequence[str]], pa.Table]]:
    """The schema of a table, its calls, and how columns are read; filters are columns.

    What filters need is loaded where there is one.
    """
    schema = batch.schema_of(data)
    if all(call.where is None for call in calls.values()):
        return schema, calls, lambda names: batch.read(data, names)
    where = importlib.import_module("windrow.plan.where")
    expressions = importlib.import_module("windrow.batch.expressions")
    calls, schema, masks = where.mask_calls(calls, schema)

    def read(names: Sequence[str]) -> pa.Table:
        table = batch.read(data, where.unmasked(names, masks))
        wanted = [mask for mask in masks if mask.name in names]
        return expressions.add_masks(table, wanted).select(list(names))

    return schema, calls, read


def spark_back_end(module: str = "entry") -> Any:
    """The Spark back end, which is loaded when the first Spark DataFrame arrives."""
    return importlib.import_module(f"windrow.spark.{module}")


def register(spark: Any) -> None:
    """Make `windrow_aggregate` and `windrow_over` known to the SQL of a Spark session.

    `spark` is a session of Spark 4.0 or later, classic or of Connect.  Both functions
    take a table, the options of `wr.aggregate` and `wr.over` by name, and aggregates as
    text, each under the name of its column:

        SELECT * FROM windrow_aggregate(
            TABLE(SELECT * FROM calls WHERE len > 0),
            window => '24 hours', every => '1 minute', on => 'ts', by => 'antenna',
            longest => 'max(len)', who => 'arg_max(len, caller)')

    Spark hands rows to such functions one by one: for many rows use `wr.aggregate` of
    `spark.table("calls")`, and `createOrReplaceTempView` of its result.

    >>> import windrow as wr
    >>> wr.register(spark)  # doctest: +SKIP
    """
    if not hasattr(spark, "sql"):
        raise BadInput.because(
            "cannot register table functions",
            f"what is given is of type {type(spark).__name__}, not a Spark session",
            "write wr.register(spark)",
        )
    spark_back_end("functions").register(spark)
