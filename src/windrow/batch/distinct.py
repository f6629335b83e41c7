"""Finds the distinct values of each window by their previous occurrence.

    codes        a   b   a   c   b   b          a value's code is its index among
    previous    -1  -1   0  -1   1   4          the distinct values of the column
    window          |----------------|
    firsts           b   a   c                  first in [start, stop): previous < start

When row i enters, `latest[code]` is its previous occurrence; when it leaves, it was
the only row with its value iff `latest[code] == i`.  That is two steps a row, whatever
the range.  Invariants, between any two windows:

    latest[c]    == last i < stop with codes[i] == c, or anything < start
    following[i] == next j < stop with codes[j] == codes[i], or NONE
    first        == {i in [start, stop) : codes[j] != codes[i] for j in [start, i)}

A window never crosses keys, so `latest` need not be cleared between them: the rows of
another key lie before the window's start.

`first` is a set of bits, with a bit above for each word that is not empty: the firsts
of a window are read in order, at one word for 1,024 rows and one step for each value.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.errors import UnsupportedType

Codes = np.ndarray[Any, np.dtype[np.int32]]
Bounds = np.ndarray[Any, np.dtype[np.int64]]

NONE = -1
_SHIFT, _MASK = 5, 31  # 32 bits a word: they never reach the sign of an int64
_WORD = 0xFFFFFFFF
_BRUIJN = 0x077CB531  # each run of five of its 32 bits is another number
_PLACE = np.zeros(32, dtype=np.int64)
_PLACE[[((_BRUIJN << b) & _WORD) >> 27 for b in range(32)]] = np.arange(32)


def codes_of(values: pa.Array) -> tuple[Codes, int]:
    """A code for each value, and the number of codes; no value may be null.

    NaN equals NaN, whatever its bits, and -0.0 equals 0.0.
    """
    if pa.types.is_floating(values.type):
        floats = values.to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
        floats[np.isnan(floats)] = np.nan
        values = pa.array(floats)
    elif pa.types.is_decimal32(values.type) or pa.types.is_decimal64(values.type):
        kind = values.type  # not hashed by Arrow, but for the wider ones
        values = values.cast(pa.decimal128(kind.precision, kind.scale))
    try:
        encoded = values.dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise UnsupportedType.because(
            "cannot tell distinct values of a column",
            f"values of type {values.type} cannot be hashed",
            "give a column of numbers, times, strings, bytes or booleans",
        ) from None
    return encoded.indices.to_numpy(), len(encoded.dictionary)


def count_firsts(codes: Codes, kinds: int, starts: Bounds, stops: Bounds) -> Bounds:
    """The number of distinct values in each window."""
    latest = np.full(kinds, NONE, dtype=np.int64)
    counts = np.empty(len(starts), dtype=np.int64)
    _count(codes, starts, stops, latest, counts)
    return counts


def positions_of_firsts(
    codes: Codes, kinds: int, starts: Bounds, stops: Bounds, total: int
) -> np.ndarray[Any, Any]:
    """Where each window's distinct values first occur, window after window."""
    latest = np.full(kinds, NONE, dtype=np.int64)
    following = np.empty(len(codes), dtype=np.int64)
    first = np.zeros((len(codes) >> _SHIFT) + 1, dtype=np.int64)
    above = np.zeros((len(first) >> _SHIFT) + 1, dtype=np.int64)
    out = np.empty(total, dtype=np.int32 if len(codes) < 2**31 else np.int64)
    _emit(codes, starts, stops, latest, following, first, above, out)
    return out


@compiled
def _count(codes, starts, stops, latest, counts):
    distinct = start = stop = 0
    for k in range(len(starts)):
        for i in range(start, min(starts[k], stop)):
            if latest[codes[i]] == i:
                distinct -= 1
        start = starts[k]
        for i in range(max(stop, start), stops[k]):
            if latest[codes[i]] < start:
                distinct += 1
            latest[codes[i]] = i
        stop = max(stop, stops[k])
        counts[k] = distinct


@compiled
def _emit(codes, starts, stops, latest, following, first, above, out):
    start = stop = at = 0
    for k in range(len(starts)):
        for i in range(start, min(starts[k], stop)):
            _clear(first, above, i)  # the oldest of its value: the next takes its place
            if following[i] != NONE:
                _set(first, above, following[i])
        start = starts[k]
        for i in range(max(stop, start), stops[k]):
            before = latest[codes[i]]
            if before < start:
                _set(first, above, i)
            else:
                following[before] = i
            following[i] = NONE
            latest[codes[i]] = i
        stop = max(stop, stops[k])
        if start < stop:
            at = _read(first, above, start, stop, out, at)


@compiled
def _set(first, above, i):
    word = i >> _SHIFT
    first[word] |= 1 << (i & _MASK)
    above[word >> _SHIFT] |= 1 << (word & _MASK)


@compiled
def _clear(first, above, i):
    word = i >> _SHIFT
    first[word] &= ~(1 << (i & _MASK))
    if first[word] == 0:
        above[word >> _SHIFT] &= ~(1 << (word & _MASK))


@compiled
def _lowest(word):
    """The place of the lowest set bit, by multiplying with a de Bruijn sequence."""
    return _PLACE[(((word & -word) * _BRUIJN) & _WORD) >> 27]


@compiled
def _read(first, above, start, stop, out, at):
    """Write the rows of all bits, which lie in [start, stop), to `out` from `at` on."""
    for high in range(start >> (2 * _SHIFT), ((stop - 1) >> (2 * _SHIFT)) + 1):
        words = above[high]
        while words:
            word = (high << _SHIFT) + _lowest(words)
            words &= words - 1
            rows = first[word]
            while rows:
                out[at] = (word << _SHIFT) + _lowest(rows)
                rows &= rows - 1
                at += 1
    return at
