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

Over whole columns, windows follow from rows, as bounds never fall from one window to
the next: those that hold a row and its previous occurrence stand together, and so do
those in which it is a first.

    windows k        start[k] <= previous[i]     i < stop[k]          both rows
    windows k        previous[i] < start[k] <= i < stop[k]            i is a first
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import UnsupportedType
from windrow.loops import as_arrow, compiled

Codes = np.ndarray[Any, np.dtype[np.int32]]
Bounds = np.ndarray[Any, np.dtype[np.int64]]

NONE = -1
BLOCK = 1 << 18  # positions that are sorted at once, at least
_SHIFT, _MASK = 5, 31  # 32 bits a word: they never reach the sign of an int64


def codes_of(values: pa.Array) -> tuple[Codes, int]:
    """A code for each value, and the number of codes; no value may be null.

    NaN equals NaN, whatever its bits, and -0.0 equals 0.0.
    """
    if pa.types.is_floating(values.type):
        floats = values.to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
        floats[np.isnan(floats)] = np.nan
        values = as_arrow(floats)
    elif str(values.type).startswith(("decimal32", "decimal64")):  # Arrow 18 on
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


def _previous(codes: Codes) -> Bounds:
    """The last place before each with the same code, or NONE."""
    order = np.argsort(codes, kind="stable")
    older, newer = order[:-1], order[1:]
    previous = np.full(len(codes), NONE, dtype=np.int64)
    previous[newer] = np.where(codes[older] == codes[newer], older, NONE)
    return previous


def _up_to(bounds: Bounds, rows: int) -> Bounds:
    """The number of bounds at or before each row, and 0 at NONE."""
    numbers: Bounds = np.zeros(rows + 2, dtype=np.int64)
    np.cumsum(np.bincount(bounds, minlength=rows + 1), out=numbers[:-1])
    return numbers


def _count_columns(codes: Codes, _: int, starts: Bounds, stops: Bounds) -> Bounds:
    previous = _previous(codes)
    low = _up_to(stops, len(codes))[: len(codes)]
    high = _up_to(starts, len(codes))[previous]
    pairs = low < high
    size = len(starts) + 1
    begun = np.bincount(low[pairs], minlength=size)
    ended = np.bincount(high[pairs], minlength=size)
    return stops - starts - np.cumsum(begun - ended)[:-1]


@compiled(columns=_count_columns)
def count_firsts(codes, kinds, starts, stops):  # type: ignore[no-untyped-def]
    """The number of distinct values, of so many kinds, in each window."""
    latest = np.full(kinds, NONE, np.int64)
    counts = np.empty(len(starts), np.int64)
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
    return counts


def positions_of_firsts(
    codes: Codes, kinds: int, starts: Bounds, stops: Bounds, offsets: Bounds
) -> np.ndarray[Any, Any]:
    """Where each window's distinct values first occur: window k's at offsets[k] on."""
    out = np.empty(offsets[-1], dtype=np.int32 if len(codes) < 2**31 else np.int64)
    _list_firsts(codes, kinds, starts, stops, offsets, out)
    return out


def count_of_firsts(
    codes: Codes, positions: np.ndarray[Any, Any], stops: Bounds, offsets: Bounds
) -> Bounds:
    """How often the value at each position is there from it up to its window's stop.

    By a search among the rows in the order of their codes: those of a code that stand
    before the stop, without those before the position.
    """
    order = np.argsort(codes, kind="stable")
    rows = len(codes) + 1
    line = codes[order].astype(np.int64) * rows + order
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    ends = np.repeat(stops, np.diff(offsets))
    asked = codes[positions].astype(np.int64) * rows + ends
    counts: Bounds = np.searchsorted(line, asked) - place[positions]
    return counts


def _list_columns(
    codes: Codes,
    _: int,
    starts: Bounds,
    stops: Bounds,
    offsets: Bounds,
    out: np.ndarray[Any, Any],
) -> None:
    """Find the windows of each row and sort by window, some windows at a time."""
    rows, room = len(codes), max(BLOCK, len(codes))
    previous, started = _previous(codes), _up_to(starts, rows)
    low = np.maximum(started[previous], _up_to(stops, rows)[:rows])
    high = started[:rows]
    at, windows = 0, len(starts)
    while at < windows:
        end = int(np.searchsorted(offsets, offsets[at] + room, side="right")) - 1
        end = max(end, at + 1)
        block = slice(starts[at], stops[end - 1])
        begins = np.maximum(low[block], at)
        counts = np.maximum(np.minimum(high[block], end) - begins, 0)
        numbers = np.repeat(begins + counts - np.cumsum(counts), counts)
        numbers += np.arange(len(numbers))
        places = np.repeat(np.arange(block.start, block.stop), counts)
        by_window = np.argsort(numbers, kind="stable")
        out[offsets[at] : offsets[end]] = places[by_window]
        at = end


@compiled(columns=_list_columns)
def _list_firsts(codes, kinds, starts, stops, offsets, out):  # type: ignore[no-untyped-def]
    latest = np.full(kinds, NONE, np.int64)
    following = np.empty(len(codes), np.int64)
    first = np.zeros((len(codes) >> _SHIFT) + 1, np.int64)
    above = np.zeros((len(first) >> _SHIFT) + 1, np.int64)
    start = stop = 0
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
            _read(first, above, start, stop, out, offsets[k])


def _set(first, above, i):  # type: ignore[no-untyped-def]
    word = i >> _SHIFT
    first[word] |= 1 << (i & _MASK)
    above[word >> _SHIFT] |= 1 << (word & _MASK)


def _clear(first, above, i):  # type: ignore[no-untyped-def]
    word = i >> _SHIFT
    first[word] &= ~(1 << (i & _MASK))
    if first[word] == 0:
        above[word >> _SHIFT] &= ~(1 << (word & _MASK))


def _lowest(word):  # type: ignore[no-untyped-def]
    """The place of the lowest set bit: the number of bits below it."""
    below = (word & -word) - 1
    below -= (below >> 1) & 0x55555555
    below = (below & 0x33333333) + ((below >> 2) & 0x33333333)
    below = (below + (below >> 4)) & 0x0F0F0F0F
    return ((below * 0x01010101) >> 24) & _MASK


def _read(first, above, start, stop, out, at):  # type: ignore[no-untyped-def]
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
