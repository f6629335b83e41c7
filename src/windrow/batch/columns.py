"""Converts Arrow columns to the arrays that kernels read.

column            array for the kernel            validity
int, float        the column's own buffer         one byte a row, only if
bool              one byte a value                there are nulls
decimal(<= 18)    low word of each value
date, timestamp   ticks
string            rank among the sorted distinct values

In a table that is sorted by its keys, neighbours are compared and never hashed
(`keys.py`), so that keys may be of any type:

    key     a   a   b   b   b   c
    firsts  0       2           5           lasts  2  5  6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates.types import reading
from windrow.errors import UnsupportedType
from windrow.loops import as_numpy
from windrow.loops import compute as pc

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Column:
    """A column as numbers, with its validity, and for ranks the ranked values."""

    values: Array
    valid: Array | None
    ranked: pa.Array | None = None


def plain_array(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """One contiguous array, dictionaries decoded."""
    if isinstance(column, pa.ChunkedArray):
        column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # too long for 32-bit offsets
        column = pa.concat_arrays(
            [pc.cast(c, pa.large_string()) for c in column.chunks]
        )
    if pat.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column


def numbers(
    column: pa.ChunkedArray | pa.Array, name: str, *, as_floats: bool = False
) -> Column:
    """The column as a kernel reads it; `as_floats` is for decimals in their unit."""
    array = plain_array(column)
    if as_floats:
        array = pc.cast(array, pa.float64())
    valid = None
    if array.null_count:
        valid = as_numpy(pc.is_valid(array))
    if reading(array.type) == "rank":
        return _ranks(array, valid)
    return Column(_words(array, name), valid)


def _ranks(array: pa.Array, valid: Array | None) -> Column:
    encoded = array.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[as_numpy(order)] = np.arange(len(order))
    codes = as_numpy(pc.fill_null(encoded.indices, 0))
    values = rank[codes] if len(order) else np.zeros(len(array), np.int64)
    return Column(values, valid, encoded.dictionary.take(order))


def _words(array: pa.Array, name: str) -> Array:
    kind = array.type
    if pat.is_boolean(kind):
        truths: Array = as_numpy(pc.fill_null(array, False))
        return truths.view(np.uint8)
    if pat.is_uint64(kind):
        try:
            array = pc.cast(array, pa.int64())
        except pa.ArrowInvalid as error:
            raise UnsupportedType.because(
                f"cannot read column {name!r}",
                "it is uint64 and holds values of 2**63 or more",
                "cast it to double or to decimal",
            ) from error
    elif pat.is_float16(kind):
        array = pc.cast(array, pa.float32())
    elif pat.is_decimal(kind):
        wide = pc.cast(array, pa.decimal128(kind.precision, kind.scale))
        words = np.frombuffer(wide.buffers()[1], np.int64)[0::2]
        return np.ascontiguousarray(words[wide.offset : wide.offset + len(wide)])
    kind = array.type
    dtype = np.dtype(
        f"i{kind.bit_width // 8}" if pat.is_temporal(kind) else kind.to_pandas_dtype()
    )
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array)]


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
    order: Array = as_numpy(pc.sort_indices(sortable, keys))
    return order.astype(np.int64)


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
        changed = as_numpy(pc.not_equal(array[1:], array[:-1]))  # beside null, either
    if array.null_count:
        valid = as_numpy(array.is_valid())
        after, before = valid[1:], valid[:-1]
        changed = (changed & after & before) | (after != before)
    return changed


def array_runs(*columns: Array) -> tuple[Array, Array]:
    """The first and one past the last place of each run of equal values in arrays."""
    is_first = np.ones(len(columns[0]), bool)
    is_first[1:] = np.logical_or.reduce([c[1:] != c[:-1] for c in columns])
    firsts = np.flatnonzero(is_first)
    return firsts, np.append(firsts[1:], len(is_first))[: len(firsts)]
