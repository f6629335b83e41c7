"""Converts Arrow columns to the arrays that kernels read.

column            array for the kernel            validity
int, float        the column's own buffer         one byte a row, only if
bool              one byte a value                there are nulls
decimal(<= 18)    low word of each value
date, timestamp   ticks
string            rank among the sorted distinct values
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as pat

from windrow.aggregates.types import reading
from windrow.errors import UnsupportedType

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
        valid = pc.is_valid(array).to_numpy(zero_copy_only=False)
    if reading(array.type) == "rank":
        return _ranks(array, valid)
    return Column(_words(array, name), valid)


def _ranks(array: pa.Array, valid: Array | None) -> Column:
    encoded = array.dictionary_encode()
    order = pc.sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[order.to_numpy()] = np.arange(len(order))
    codes = pc.fill_null(encoded.indices, 0).to_numpy(zero_copy_only=False)
    values = rank[codes] if len(order) else np.zeros(len(array), np.int64)
    return Column(values, valid, encoded.dictionary.take(order))


def _words(array: pa.Array, name: str) -> Array:
    kind = array.type
    if pat.is_boolean(kind):
        truths: Array = pc.fill_null(array, False).to_numpy(zero_copy_only=False)
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
        wide = (
            array
            if pat.is_decimal128(kind)
            else pc.cast(array, pa.decimal128(kind.precision, kind.scale))
        )
        words = np.frombuffer(wide.buffers()[1], np.int64)[0::2]
        return np.ascontiguousarray(words[wide.offset : wide.offset + len(wide)])
    dtype = np.dtype(_dtype(array.type))
    buffer = array.buffers()[1]
    if buffer is None:
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array)]


def _dtype(kind: pa.DataType) -> Any:
    if pat.is_temporal(kind):
        return np.int32 if kind.bit_width == 32 else np.int64
    return kind.to_pandas_dtype()
