"""Finds the back end that a table belongs to, and reads what calls need of it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from windrow import batch
from windrow.aggregates import Call


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
