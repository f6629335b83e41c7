"""Rows of two answers compared as multisets: Spark promises no order.

A row is named by what identifies it (keys, query, window): two answers agree where
they have the same names, each once, and under each name values that are alike:
NaN to NaN, floats to 1e-9, all else equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

import oracles

TOLERANCE = 1e-9


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """The rows of a Spark frame, an Arrow table, or what is a list already."""
    if isinstance(frame, list):
        return frame
    table = frame if isinstance(frame, pa.Table) else frame.toArrow()
    return table.to_pylist()


def assert_same_rows(
    actual: Any, expected: Any, *, named_by: Sequence[str] | None = None
) -> None:
    """Both hold the same rows; `named_by` are the columns before the aggregates."""
    actual, expected = rows_of(actual), rows_of(expected)
    found = list(_differences(actual, expected, named_by))
    assert not found, "\n".join(
        [f"{len(found)} differences", *(one[:300] for one in found[:6])]
    )


def _differences(
    actual: list[dict[str, Any]],
    expected: list[dict[str, Any]],
    named_by: Sequence[str] | None,
) -> Iterable[str]:
    if actual and expected and list(actual[0]) != list(expected[0]):
        yield f"columns {list(actual[0])}, expected {list(expected[0])}"
        return
    if named_by is None:
        first = next(iter(actual or expected), {})
        columns = list(first)
        named_by = columns[: columns.index("window") + 1] if columns else []
    mine, theirs = _by_name(actual, named_by), _by_name(expected, named_by)
    for name in mine.keys() | theirs.keys():
        ours, others = mine.get(name, []), theirs.get(name, [])
        if len(ours) != len(others):
            shown = (ours or others)[0]
            yield f"{len(ours)} times, expected {len(others)} times: {shown}"
        for a, e in zip(ours, others, strict=False):
            for column in e:
                if not oracles.alike(a[column], e[column], TOLERANCE):
                    where = {one: e[one] for one in named_by}
                    yield (
                        f"{column} at {where}: {a[column]!r}, expected {e[column]!r}"
                    )


def _by_name(
    rows: list[dict[str, Any]], named_by: Sequence[str]
) -> dict[Any, list[dict[str, Any]]]:
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        name = tuple(frozen(row[column]) for column in named_by)
        found.setdefault(name, []).append(row)
    return found


def frozen(value: Any) -> Any:
    """A value that can be looked up: NaN equals itself, -0.0 equals 0.0."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value + 0.0
    if isinstance(value, dict):
        return tuple((name, frozen(one)) for name, one in value.items())
    if isinstance(value, list):
        return tuple(frozen(one) for one in value)
    return value
