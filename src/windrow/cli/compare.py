"""Runs `windrow compare`: the same rows by two ways, feature by feature.

    windrow compare live.parquet training.parquet --keys card,ts

Rows are matched by their keys.  Floats agree within 1e-9 of the larger.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated, Any

import pyarrow as pa
import typer

from windrow.errors import BadInput

from ._files import check_is_there
from .console import say, show_table

EXAMPLES = 3
TOLERANCE = 1e-9

Row = dict[str, Any]


def compare(
    one: Annotated[
        str, typer.Argument(metavar="ONE", help="A Parquet file or folder.")
    ],
    other: Annotated[str, typer.Argument(metavar="OTHER", help="Another.")],
    keys: Annotated[
        str, typer.Option("--keys", metavar="A,B", help="What a row is known by.")
    ],
) -> None:
    """Compare two files of features, row by row; the exit code is 1 if they differ."""
    names = [name.strip() for name in keys.split(",") if name.strip()]
    tables = [_read(path, names) for path in (one, other)]
    shared = [n for n in tables[0].column_names if n in tables[1].column_names]
    features = [name for name in shared if name not in names]
    if not features:
        raise BadInput.because(
            f"cannot compare {one} with {other}",
            "they have no column in common beside the keys",
            "check --keys, and that both have the features",
        )
    rows = [_by_key(table, names) for table in tables]
    missing = [set(rows[0]) - set(rows[1]), set(rows[1]) - set(rows[0])]
    wrong = {name: list(_mismatches(rows, name)) for name in features}
    matched = len(set(rows[0]) & set(rows[1]))
    say(f"{matched:,} rows in both, {len(missing[0]):,} only in {one}, "
        f"{len(missing[1]):,} only in {other}")  # fmt: skip
    lines = [
        [name, f"{len(found):,}", "; ".join(found[:EXAMPLES])]
        for name, found in wrong.items()
    ]
    show_table(["feature", ">mismatches", "examples"], lines)
    if any(wrong.values()) or any(missing):
        raise typer.Exit(1)


def _read(path: str, keys: list[str]) -> pa.Table:
    import pyarrow.dataset as datasets  # noqa: PLC0415 - loads pandas

    check_is_there(path)
    try:
        table = datasets.dataset(path, format="parquet").to_table()
    except (pa.ArrowException, OSError) as error:
        cause = str(error).partition("\n")[0]
        hint = "give a Parquet file, or a folder of them"
        raise BadInput.because(f"cannot read {path}", cause, hint) from error
    for key in keys:
        if key not in table.column_names:
            raise BadInput.because(
                f"cannot match rows of {path}",
                f"it has no column {key!r}",
                f"its columns are {', '.join(table.column_names)}",
            )
    return pa.table({name: _plain(table.column(name)) for name in table.column_names})


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column; instants without unit and zone, of which writers have their own."""
    if not pa.types.is_timestamp(column.type):
        return column
    ticks = column.cast(pa.timestamp("us", column.type.tz)).cast(pa.int64())
    return ticks.cast(pa.timestamp("us"))


def _by_key(table: pa.Table, keys: list[str]) -> dict[tuple[Any, ...], Row]:
    """Rows by their keys; of several with the same, the number tells them apart."""
    rows: dict[tuple[Any, ...], Row] = {}
    seen: dict[tuple[Any, ...], int] = {}
    for row in table.to_pylist():
        key = tuple(row[name] for name in keys)
        seen[key] = seen.get(key, 0) + 1
        rows[(*key, seen[key])] = row
    return rows


def _mismatches(rows: list[dict[tuple[Any, ...], Row]], name: str) -> Iterator[str]:
    """Where a feature differs, and how."""
    for key, row in rows[0].items():
        other = rows[1].get(key)
        if other is not None and not _agree(row[name], other[name]):
            place = ", ".join(map(str, key[:-1]))
            yield f"{place}: {row[name]} and {other[name]}"


def _agree(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(
            a, b, rel_tol=TOLERANCE, abs_tol=TOLERANCE
        )
    return bool(a == b)
