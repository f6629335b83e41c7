"""Lays out result rows without structs, for CSV files and the terminal.

    window struct<start, end>    ->    window_start, window_end

All other columns stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from ._console import table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")


def flat(result: DataFrame) -> DataFrame:
    """The window's two ends as columns of their own."""
    expressions = []
    for name in result.columns:
        if name == "window":
            expressions += [f"window.{end} AS window_{end}" for end in ("start", "end")]
        else:
            expressions.append(quoted(name))
    return result.selectExpr(*expressions)


def first_rows(result: DataFrame, by: tuple[str, ...], number: int) -> Table:
    """The first rows in the order of keys and windows; this runs the query."""
    rows = flat(result)
    order = [*by, *(["query"] if "query" in rows.columns else []), "window_start"]
    return in_order(rows, order, number)


def in_order(rows: DataFrame, order: Sequence[str], number: int) -> Table:
    """The first rows in the order of those columns; this runs the query."""
    rows = rows.orderBy(*map(quoted, order)).limit(number)
    numeric = [field.dataType.simpleString() in _NUMBERS for field in rows.schema]
    # Spark writes times and nested values itself, in the session's time zone.
    shown = rows.selectExpr(
        *(
            quoted(name) if number_ else f"CAST({quoted(name)} AS STRING)"
            for name, number_ in zip(rows.columns, numeric, strict=True)
        )
    )
    headings = [
        f">{name}" if number_ else name
        for name, number_ in zip(rows.columns, numeric, strict=True)
    ]
    return table(headings, ([_cell(value) for value in row] for row in shown.collect()))


def quoted(name: str) -> str:
    """A column's name as Spark's expressions take it, dots and blanks included."""
    return "`" + name.replace("`", "``") + "`"


def _cell(value: Any) -> Text:
    if value is None:
        return Text("null", style="dim")
    return Text(f"{value:.6g}" if isinstance(value, float) else str(value))
