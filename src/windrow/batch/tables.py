"""Reads tables of any library as Arrow, and returns results in the same library.

Anything with the Arrow C stream interface is read; for pandas and polars frames the
result is one too, for all else a pyarrow table.  In pandas, where a struct can hardly
be used, `window` comes as two columns, and an index with a name is read like a column.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from windrow.errors import BadInput
from windrow.loops import compute as pc


def library(data: Any) -> str:
    """The top-level package that defines the type of a value."""
    return type(data).__module__.partition(".")[0]


BOUNDS = ("window_start", "window_end")

_PLAIN = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
_VIEWS = {kind.id for kind in _PLAIN}


def schema_of(data: Any) -> pa.Schema:
    """The schema of `read(data)`, without reading the data if possible."""
    return _without_views(_schema_of(data))


def read(data: Any, columns: Sequence[str]) -> pa.Table:
    """The columns of a table as Arrow."""
    table = _read(data, list(columns))
    own = table.schema
    schema = _without_views(own)
    return table if schema is own or schema.equals(own) else table.cast(schema)


def _without_views(schema: pa.Schema) -> pa.Schema:
    """The schema with large types for views, which Arrow cannot `take` from."""
    if not any(kind.num_fields or kind.id in _VIEWS for kind in schema.types):
        return schema
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
        schema = pa.Schema.from_pandas(data, preserve_index=False)
        for name, level in _levels(data).items():
            schema = schema.append(pa.field(name, _level(data.head(0), level).type))
        return schema
    if isinstance(data, (str, os.PathLike)):
        raise _no_table(os.fspath(data))
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


def _no_table(path: str) -> BadInput:
    """The error for a path in place of a table: how to read it, or that it is not."""
    fact = f"cannot read {path!r} as a table"
    if not os.path.exists(path):
        cause = "it is text, and there is no file of that name"
        return BadInput.because(
            fact, cause, "give a table, or the command a file that exists"
        )
    readers = {".csv": "pyarrow.csv.read_csv", ".json": "pyarrow.json.read_json"}
    reader = readers.get(os.path.splitext(path)[1], "pyarrow.parquet.read_table")
    hint = f"read it first: {reader}({path!r}); windrow run {path} ... takes files"
    return BadInput.because(fact, "it is the name of a file, not a table", hint)


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
        levels = _levels(data)
        own = [name for name in names if name not in levels]
        table = pa.Table.from_pandas(data[own], preserve_index=False)
        for name in set(names) & set(levels):
            table = table.append_column(name, _level(data, levels[name]))
        return table.select(names)
    if library(data) == "polars":
        return pa.table(data.select(names))
    return pa.RecordBatchReader.from_stream(data).read_all().select(names)


def give(result: pa.Table, data: Any) -> Any:
    """The result as a table of the library of `data`; see `check_result_names`."""
    if library(data) == "pandas":
        return _split_window(result).to_pandas(types_mapper=_pandas_type)
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


def check_result_names(data: Any, names: Sequence[str]) -> None:
    """Refuse names that the two columns of a window have in pandas."""
    if library(data) != "pandas":
        return
    taken = [name for name in names if name in BOUNDS]
    if taken:
        raise BadInput.because(
            f"cannot name a column {taken[0]!r}",
            "in pandas the window comes as window_start and window_end",
            "rename that key or aggregate",
        )


def _split_window(result: pa.Table) -> pa.Table:
    """The table with window_start and window_end in place of a struct `window`."""
    at = result.schema.get_field_index("window")
    kind = None if at < 0 else result.schema.field(at).type
    if kind is None or not pa.types.is_struct(kind):
        return result
    if [field.name for field in kind] != ["start", "end"]:
        return result
    column = result.column(at)
    result = result.remove_column(at)
    for side in (1, 0):
        result = result.add_column(at, BOUNDS[side], pc.struct_field(column, side))
    return result


def _levels(data: Any) -> dict[str, int]:
    """The levels of a pandas frame's index by name, where no column has that name.

    A DatetimeIndex without a name is called index, as `reset_index` would call it.
    """
    names = data.index.names
    if list(names) == [None] and hasattr(data.index, "tz"):
        names = ["index"]
    return {
        name: level
        for level, name in enumerate(names)
        if isinstance(name, str) and name not in data.columns
    }


def _level(data: Any, level: int) -> pa.Array:
    return pa.Array.from_pandas(data.index.get_level_values(level))


def _pandas_type(kind: pa.DataType) -> Any:
    """The Arrow type for structs and lists, which pandas would make objects of."""
    pandas = sys.modules["pandas"]
    return pandas.ArrowDtype(kind) if pa.types.is_nested(kind) else None
