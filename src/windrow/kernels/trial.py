"""Tries whether a user's functions can be given whole columns, without a compiler.

    lift(column)               the same as    lift(value)                 for each row
    combine(columns, columns)                 combine(older, newer)       for each pair
    lower(columns)                            lower(partial)              for each

Functions of operators and of numpy's own functions can.  One that branches, or calls
`math`, fails on an array; one that looks at its rows together (`np.max(v)`) gives
another answer than row by row.  Both are compiled instead, without a word.

The trial is made with a few numbers when the types of a partial are asked for, and
again with the first rows of the data, and with some from all over it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from windrow.aggregates import ABSENT, Aggregate

from .product import DTYPES, Product, ProductPart

Array = np.ndarray[Any, Any]
Columns = tuple[Array, ...]

ROWS = 16  # at the beginning of the data that are tried, and as many of all of it
_SAMPLE = [3, -1, 4, 1, -5, 9, 2, 6]
_WIDTH = {"bool": 0, "int64": 1, "float64": 2}


class NotAlike(Exception):
    """A function fails on arrays, or gives another answer there."""


@lru_cache(maxsize=512)
def schema_on_arrays(
    aggregate: Aggregate, kinds: tuple[str, ...]
) -> tuple[tuple[str, ...], bool] | None:
    """The dtypes of the partial's fields and of the result, and if it is a scalar.

    None if the functions cannot be given arrays.
    """
    values = tuple(
        np.roll(_SAMPLE, k) * (0.5 if kind == "float" else 1)
        for k, kind in enumerate(kinds)
    )
    try:
        with np.errstate(all="ignore"):
            return _schema(aggregate, values)
    except Exception:  # noqa: BLE001 - whatever it is: compiled it may do better
        return None


def _schema(aggregate: Aggregate, values: Columns) -> tuple[tuple[str, ...], bool]:
    lifted = aggregate.lift(*values)
    scalar = not isinstance(lifted, tuple)
    dtypes = _dtypes_of(lifted)
    if aggregate.identity is not ABSENT:
        dtypes = _wider(dtypes, _dtypes_of(aggregate.identity))
    for _ in range(8):
        partial = _packed(lifted, dtypes, len(_SAMPLE), scalar)
        wider = _wider(dtypes, _dtypes_of(aggregate.combine(partial, partial)))
        if wider == dtypes:
            break
        dtypes = wider
    if "bool" in dtypes:  # whose sum is another truth value in numpy
        raise NotAlike
    (result,) = _dtypes_of(aggregate.lower(partial))
    _compare(aggregate, values, dtypes, scalar)
    return (*dtypes, result), scalar


def runs_alike(product: Product, source: Columns) -> bool:
    """Whether users' functions give the same for rows of the data, as one and many."""
    try:
        with np.errstate(all="ignore"):
            for part in product.parts:
                if part.request.aggregate.is_users:
                    _compare_rows(part, source)
    except Exception:  # noqa: BLE001 - as above
        return False
    return True


def _compare_rows(part: ProductPart, source: Columns) -> None:
    request = part.request
    count = len(source[request.slots[0]])
    step = max(count // ROWS, 1)
    rows = np.concatenate([np.arange(min(ROWS, count)), np.arange(0, count, step)])
    for slot in request.masks:
        rows = rows[source[slot][rows].astype(bool)]
    kind = DTYPES[request.kind]
    values = tuple(source[slot][rows].astype(kind) for slot in request.slots)
    dtypes = part.dtypes[:-1] if part.optional else part.dtypes
    if len(rows):
        _compare(request.aggregate, values, dtypes, request.scalar)


def _compare(
    aggregate: Aggregate, values: Columns, dtypes: Sequence[str], scalar: bool
) -> None:
    """Lift all values, combine each with the next, lower: at once and one by one."""
    count = len(values[0])
    rows = list(zip(*values, strict=True))
    partial = _packed(aggregate.lift(*values), dtypes, count, scalar)
    partials = _same(partial, [aggregate.lift(*row) for row in rows], dtypes, scalar)
    if count > 1:
        older, newer = _cut(partial, slice(0, -1)), _cut(partial, slice(1, None))
        partial = _packed(aggregate.combine(older, newer), dtypes, count - 1, scalar)
        combined = [aggregate.combine(*pair) for pair in pairwise(partials)]
        partials = _same(partial, combined, dtypes, scalar)
    lowered, results = aggregate.lower(partial), list(map(aggregate.lower, partials))
    (dtype,) = _dtypes_of(lowered)
    _same(_packed(lowered, [dtype], len(results), True), results, [dtype], True)


def _same(together: Any, apart: list[Any], dtypes: Sequence[str], scalar: bool) -> Any:
    """Compare columns with rows; gives the rows with their types."""
    packed = [_packed(item, dtypes, None, scalar) for item in apart]
    columns = (together,) if scalar else together
    rows = [(item,) for item in packed] if scalar else packed
    for column, *items in zip(columns, *rows, strict=True):
        if not np.allclose(column, items, rtol=1e-12, atol=0, equal_nan=True):
            raise NotAlike
    return packed


def _packed(value: Any, dtypes: Sequence[str], count: int | None, scalar: bool) -> Any:
    """Columns of that length, or one row, with the types of the fields."""
    items = (value,) if scalar else value
    fields = []
    for item, dtype in zip(items, dtypes, strict=True):
        array = np.asarray(item).astype(dtype)
        if array.ndim and array.shape != (count,):
            raise NotAlike
        fields.append(array[()] if count is None else np.broadcast_to(array, count))
    return fields[0] if scalar else tuple(fields)


def _cut(partial: Any, rows: slice) -> Any:
    if isinstance(partial, tuple):
        return tuple(column[rows] for column in partial)
    return partial[rows]


def _dtypes_of(value: Any) -> tuple[str, ...]:
    """The dtypes of a partial's fields; whatever is no number is refused."""
    kinds = {"b": "bool", "i": "int64", "f": "float64"}
    items = value if isinstance(value, tuple) else (value,)
    return tuple(kinds[np.asarray(item).dtype.kind] for item in items)


def _wider(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    pairs = zip(a, b, strict=True)
    return tuple(max(pair, key=_WIDTH.__getitem__) for pair in pairs)
