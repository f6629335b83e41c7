"""Hashes values as Apache DataSketches does: MurmurHash3, 128 bits, seed 9001.

    ints, booleans, dates      the 8 bytes of the value as a 64-bit number
    floats                     the 8 bytes of the double; -0.0 as 0.0, one NaN
    instants                   microseconds, or nanoseconds where these are left
    decimals                   the unscaled number
    strings, binary            their bytes (UTF-8)

so that a sketch of the same values has the same content, whoever makes it.  All values
of a column are hashed side by side, strings by their length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.loops import as_numpy
from windrow.loops import compute as pc

Array = np.ndarray[Any, Any]

SEED = 9001
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_N1, _N2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
_F1, _F2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_FIVE = np.uint64(5)


def hash_column(column: pa.Array, empty: bytes | None = None) -> tuple[Array, Array]:
    """Both words of the hash of each value; `empty` is hashed for empty strings."""
    kind = column.type
    if pat.is_dictionary(kind):
        first, second = hash_column(column.dictionary, empty)
        codes = column.indices.to_numpy(zero_copy_only=False)
        return first[codes], second[codes]
    if reads_bytes(kind):
        encoded = column.dictionary_encode()
        first, second = _hash_bytes(encoded.dictionary, empty)
        codes = as_numpy(encoded.indices)
        return first[codes], second[codes]
    return _hash_words(as_words(column))


def reads_bytes(kind: pa.DataType) -> bool:
    """Whether values of that type are hashed by their bytes."""
    return bool(
        pat.is_string(kind)
        or pat.is_large_string(kind)
        or pat.is_string_view(kind)
        or pat.is_binary(kind)
        or pat.is_large_binary(kind)
    )


def as_words(column: pa.Array) -> Array:
    """Values that are numbers or instants as the 64 bits that are hashed."""
    kind = column.type
    if pat.is_floating(kind):
        floats = as_numpy(column.cast(pa.float64())) + 0.0  # -0.0 becomes 0.0
        floats = np.where(np.isnan(floats), np.nan, floats)
        return np.ascontiguousarray(floats).view(np.uint64)
    if pat.is_decimal(kind):
        wide = pc.cast(column, pa.decimal128(kind.precision, kind.scale))
        words = np.frombuffer(wide.buffers()[1], np.uint64)[0::2]
        return words[wide.offset : wide.offset + len(wide)].copy()
    if pat.is_uint64(kind):
        return as_numpy(column).astype(np.uint64)
    if pat.is_temporal(kind):
        return _ticks(column).view(np.uint64)
    return as_numpy(column).astype(np.int64).view(np.uint64)


def _ticks(column: pa.Array) -> Array:
    """Days of dates; else microseconds, or nanoseconds where these are not whole."""
    kind = column.type
    width = pa.int32() if kind.bit_width == 32 else pa.int64()
    ticks = as_numpy(column.view(width)).astype(np.int64)
    if pat.is_date(kind):
        return ticks // (86_400_000 if pat.is_date64(kind) else 1)
    scale = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": 0}[kind.unit]
    if scale:
        return ticks * scale
    return np.where(ticks % 1000 == 0, ticks // 1000, ticks)


def _hash_words(words: Array) -> tuple[Array, Array]:
    with np.errstate(over="ignore"):
        first = np.uint64(SEED) ^ _mix_first(words)
        second = np.full(len(words), SEED, np.uint64)
        return _finish(first, second, 8)


def _hash_bytes(column: pa.Array, empty: bytes | None) -> tuple[Array, Array]:
    values = [value.encode() if isinstance(value, str) else value or b"" for value in
              column.to_pylist()]  # fmt: skip
    if empty is not None:
        values = [value or empty for value in values]
    first, second = np.empty(len(values), np.uint64), np.empty(len(values), np.uint64)
    lengths = np.array([len(value) for value in values], np.int64)
    for length in np.unique(lengths).tolist():
        places = np.flatnonzero(lengths == length)
        joined = b"".join([values[place] for place in places.tolist()])
        letters = np.frombuffer(joined, np.uint8).reshape(len(places), length)
        first[places], second[places] = _hash_letters(letters)
    return first, second


def _hash_letters(letters: Array) -> tuple[Array, Array]:
    """The hash of strings of one length, a row each."""
    count, length = letters.shape
    blocks, rest = divmod(length, 16)
    padded = np.zeros((count, 16 * (blocks + 1)), np.uint8)
    padded[:, :length] = letters
    words = padded.view("<u8")
    first, second = (np.full(count, SEED, np.uint64) for _ in range(2))
    with np.errstate(over="ignore"):
        for block in range(blocks):
            first ^= _mix_first(words[:, 2 * block])
            first = (_turn(first, 27) + second) * _FIVE + _N1
            second ^= _mix_second(words[:, 2 * block + 1])
            second = (_turn(second, 31) + first) * _FIVE + _N2
        if rest > 8:
            second ^= _mix_second(words[:, 2 * blocks + 1])
        if rest:
            first ^= _mix_first(words[:, 2 * blocks])
        return _finish(first, second, length)


def _mix_first(words: Array) -> Array:
    mixed: Array = _turn(words * _C1, 31) * _C2
    return mixed


def _mix_second(words: Array) -> Array:
    mixed: Array = _turn(words * _C2, 33) * _C1
    return mixed


def _finish(first: Array, second: Array, length: int) -> tuple[Array, Array]:
    first, second = first ^ np.uint64(length), second ^ np.uint64(length)
    first = first + second
    second = second + first
    first, second = _scatter(first), _scatter(second)
    first = first + second
    return first, second + first


def _scatter(words: Array) -> Array:
    words = (words ^ (words >> np.uint64(33))) * _F1
    words = (words ^ (words >> np.uint64(33))) * _F2
    scattered: Array = words ^ (words >> np.uint64(33))
    return scattered


def _turn(words: Array, bits: int) -> Array:
    turned: Array = (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))
    return turned
