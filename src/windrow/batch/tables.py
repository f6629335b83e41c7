"""Reads tables of any library as Arrow, and returns results in the same library.

Anything with the Arrow C stream interface is read; for pandas and polars frames the
result is one too, for all else a pyarrow table.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.errors import BadInput


def library(data: Any) -> str:
    """The top-level package that defines the type of a value."""
    return type(data).__module__.partition(".")[0]


_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def schema_of(data: Any) -> pa.Schema:
    """The schema of `read(data)`, without reading the data if possible."""
    return _without_views(_schema_of(data))


def read(data: Any, columns: Sequence[str]) -> pa.Table:
    """The columns of a table as Arrow."""
    table = _read(data, list(columns))
    schema = _without_views(table.schema)
    return table if schema.equals(table.schema) else table.cast(schema)


def _without_views(schema: pa.Schema) -> pa.Schema:
    """The schema with large types for views, which Arrow cannot `take` from."""
    plain = [_without_view(field) for field in schema]
    if all(a is b for a, b in zip(plain, schema, strict=True)):
        return schema
    return pa.schema(plain, schema.metadata)


def _without_view(field: pa.Field) -> pa.Field:
    """The field, or one of a large type for a view, within structs and lists too."""
    kind = field.type
    if kind in _PLAIN:
        return field.with_type(_PLAIN[kind])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _without_view(kind.value_field)
        make = pa.list_ if pa.types.is_list(kind) else pa.large_list
        return field if inner is kind.value_field else field.with_type(make(inner))
    if not pa.types.is_struct(kind):
        return field
    plain = [_without_view(inner) for inner in kind]
    if all(a is b for a, b in zip(plain, kind, strict=True)):
        return field
    return field.with_type(pa.struct(plain))


def _schema_of(data: Any) -> pa.Schema:
    if isinstance(data, (pa.Table, pa.RecordBatch, pa.RecordBatchReader)):
        return data.schema
    if library(data) == "pandas":
        if type(data).__name__ != "DataFrame":
            raise BadInput.because(
                f"cannot read a pandas {type(data).__name__} as a table",
                "it is not a DataFrame",
                "call .to_frame() on it, or use wr.slide for one array",
            )
        return pa.Schema.from_pandas(data, preserve_index=False)
    if not hasattr(data, "__arrow_c_stream__"):
        raise BadInput.because(
            f"cannot read a {type(data).__name__} as a table",
            "it has no Arrow stream interface",
            "give a pyarrow, pandas or polars table"
            + ("; call .collect() first" if type(data).__name__ == "LazyFrame" else ""),
        )
    if hasattr(data, "__arrow_c_schema__"):
        return pa.schema(data)
    if library(data) == "polars":
        return pa.table(data.head(0)).schema
    return pa.RecordBatchReader.from_stream(data).schema


def _read(data: Any, names: list[str]) -> pa.Table:
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data]).select(names)
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all().select(names)
    if isinstance(data, pa.Table):
        return data.select(names)
    if library(data) in ("pandas", "polars") and not names:
        return pa.table([pa.nulls(len(data))], names=["none"]).select([])
    if library(data) == "pandas":
        return pa.Table.from_pandas(data[names], preserve_index=False)
    if library(data) == "polars":
        return pa.table(data.select(names))
    return pa.RecordBatchReader.from_stream(data).read_all().select(names)


def give(result: pa.Table, data: Any) -> Any:
    """The result as a table of the library of `data`."""
    if library(data) == "pandas":
        return result.to_pandas(types_mapper=_pandas_type)
    if library(data) == "polars":
        return type(data)(result)
    return result


def give_with(data: Any, table: pa.Table | None, added: dict[str, pa.Array]) -> Any:
    """The input with columns added at the right, in its own library."""
    if library(data) == "pandas":
        extra = {  # one by one: a frame of them all would be a copy
            name: pa.table({name: column}).to_pandas(types_mapper=_pandas_type)[name]
            for name, column in added.items()
        }
        return data.assign(**{name: series.array for name, series in extra.items()})
    if library(data) == "polars":
        return data.with_columns(type(data)(pa.table(added)).get_columns())
    assert table is not None
    for name, column in added.items():
        table = table.append_column(name, column)
    return table


def _pandas_type(kind: pa.DataType) -> Any:
    """The Arrow type for structs and lists, which pandas would make objects of."""
    pandas = sys.modules["pandas"]
    return pandas.ArrowDtype(kind) if pa.types.is_nested(kind) else None
