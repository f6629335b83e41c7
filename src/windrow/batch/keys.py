"""Encodes keys as numbers 0 .. K - 1 in key order, and finds runs of equal keys.

    antenna   codes          keys
    b         1              a
    a         0              b
    b         1

Nulls are a key like any other and come first, as in Spark's ascending order.

A table that is sorted by its keys already has runs of equal keys:

    key     a   a   b   b   b   c
    firsts  0       2           5           lasts  2  5  6

Neighbours are compared, never hashed, so that keys may be of any type.
A null equals a null, and a NaN a NaN of the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as pat

from windrow.errors import UnsupportedType

from .columns import plain_array

Array = np.ndarray[Any, Any]


def key_codes(table: pa.Table, names: Sequence[str]) -> tuple[Array, pa.Table]:
    """A code per row, and the table of distinct keys in ascending order."""
    if len(names) == 1:
        column = _encode(table.column(names[0]), names[0])
        codes = column.indices.to_numpy(zero_copy_only=False)
        keys = pa.table({names[0]: column.dictionary})
    else:
        codes = _packed_codes(table, names)
        first = np.full(int(codes.max(initial=-1)) + 1, -1, np.int64)
        first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
        keys = table.select(list(names)).take(pa.array(first))
    order = sort_nulls_first(keys, names)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[codes], keys.take(pa.array(order))


def _packed_codes(table: pa.Table, names: Sequence[str]) -> Array:
    """One code for several columns, renumbered after each so that none overflows."""
    codes = np.zeros(len(table), np.int64)
    for name in names:
        column = _encode(table.column(name), name)
        codes *= max(len(column.dictionary), 1)
        codes += column.indices.to_numpy(zero_copy_only=False)
        packed = pa.array(codes).dictionary_encode()
        codes = packed.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def sort_nulls_first(table: pa.Table, names: Sequence[str]) -> Array:
    """Row numbers in ascending order of the columns, nulls first; stable."""
    columns: dict[str, Any] = {}
    for number, name in enumerate(names):
        column = table.column(name)
        if pat.is_dictionary(column.type):
            column = plain_array(column)
        if column.null_count:
            columns[f"{number} there"] = column.is_valid()
        columns[f"{number}"] = column
    sortable = pa.table(columns)
    keys = [(name, "ascending") for name in sortable.column_names]
    order: Array = pc.sort_indices(sortable, keys).to_numpy()
    return order.astype(np.int64)


def _encode(column: pa.ChunkedArray, name: str) -> pa.DictionaryArray:
    array = plain_array(column)
    if pat.is_floating(array.type):
        array = pc.add(array, pa.scalar(0.0, array.type))  # -0.0 is the same key as 0.0
    try:
        return array.dictionary_encode(null_encoding="encode")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise UnsupportedType.because(
            f"cannot group by column {name!r}",
            f"it is of type {array.type}",
            "group by its fields, or by a string made of it",
        ) from error


_BITS = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def run_bounds(table: pa.Table, names: Sequence[str]) -> tuple[Array, Array]:
    """The first and one past the last row of each run of equal keys."""
    rows = len(table)
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    changed = np.zeros(rows - 1, bool)
    for name in names:
        changed |= changes(plain_array(table.column(name)))
    firsts = np.concatenate([[0], np.flatnonzero(changed) + 1])
    return firsts, np.append(firsts[1:], rows)


def changes(array: pa.Array) -> Array:
    """Whether each value but the first differs from the one before it."""
    if len(array) < 2:
        return np.zeros(max(len(array) - 1, 0), bool)
    kind = array.type
    if pat.is_struct(kind):
        changed = np.zeros(len(array) - 1, bool)
        for child in array.flatten():
            changed |= changes(child)
    elif pat.is_nested(kind):
        values = [repr(value) for value in array.to_pylist()]  # NaN equals NaN
        pairs = zip(values[1:], values, strict=False)
        changed = np.array([after != before for after, before in pairs])
    elif pat.is_null(kind):
        return np.zeros(len(array) - 1, bool)
    else:
        if pat.is_floating(kind):  # by its bits, so that NaN equals NaN
            array = array.view(_BITS[kind.bit_width])
        differs = pc.not_equal(array[1:], array[:-1])
        changed = pc.fill_null(differs, False).to_numpy(zero_copy_only=False)
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        changed = changed | (valid[1:] != valid[:-1])
    return changed
