"""Prints the first rows of a result, or writes all of them.

On the terminal and in CSV files, which cannot hold structs, a window is two columns:

    window struct<start, end>    ->    window_start, window_end
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from windrow.errors import BadInput

from ._files import Mode
from ._progress import progress
from .console import err, show_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_NESTED = ("array", "map", "struct")


def show_rows(
    result: DataFrame, by: Sequence[str] | None, number: int, words: str
) -> None:
    """Run the query and print its first rows in the order of keys and windows.

    Without `by` they are in the order of all columns that have one.
    """
    rows = _flat(result)
    types = _types(rows)
    order = [name for name in types if not types[name].startswith(_NESTED)]
    if by is not None:
        order = [*by, *(name for name in ("query", "window_start") if name in types)]
    rows = rows.orderBy(*map(_quoted, order)).limit(number)
    # Spark writes times and nested values itself, in the session's time zone.
    shown = rows.selectExpr(
        *(
            _quoted(name) if kind in _NUMBERS else f"CAST({_quoted(name)} AS STRING)"
            for name, kind in types.items()
        )
    )
    with progress(result.sparkSession, words):
        cells = [[_cell(value) for value in row] for row in shown.collect()]
    headings = [f">{name}" if types[name] in _NUMBERS else name for name in types]
    show_table(headings, cells)


def write_rows(
    result: DataFrame, sink: str, kind: str, mode: Mode, words: str, begun: float
) -> None:
    """Run the query into a folder of files, as Spark does, and print the seconds."""
    if kind == "csv":
        result = _flat(result)
        for name, type_ in _types(result).items():
            if type_.startswith((*_NESTED, "binary")):
                raise BadInput.because(
                    f"cannot write column {name!r} to CSV",
                    f"it is of type {type_}",
                    "write Parquet or JSON",
                )
    with progress(result.sparkSession, words):
        writer = result.write.mode(str(mode)).format(kind)
        (writer.option("header", True) if kind == "csv" else writer).save(sink)
    err.print(f"wrote {sink} ({kind}) in {time.perf_counter() - begun:.1f} s")


def _flat(result: DataFrame) -> DataFrame:
    """The window's two ends as columns of their own."""
    expressions = []
    for name, kind in _types(result).items():
        if name == "window" and kind.startswith("struct"):
            expressions += [f"window.{end} AS window_{end}" for end in ("start", "end")]
        else:
            expressions.append(_quoted(name))
    return result.selectExpr(*expressions)


def _types(rows: DataFrame) -> dict[str, str]:
    return {field.name: field.dataType.simpleString() for field in rows.schema}


def _quoted(name: str) -> str:
    """A column's name as Spark's expressions take it, dots and blanks included."""
    return "`" + name.replace("`", "``") + "`"


def _cell(value: Any) -> Text:
    if value is None:
        return Text("null", style="dim")
    return Text(f"{value:.6g}" if isinstance(value, float) else str(value))
