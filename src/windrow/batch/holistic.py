"""Computes holistic aggregates from ranges of rows, without partials.

Each window is a range of rows of one column, keys one after the other.  Nulls are
dropped once, and the bounds follow through the count of valid rows before them:

    column     a   null   b    c   null   d
    valid      0    1     1    2    3     3    4        rows before each bound
    window         |--- rows 1 to 5 ---|
    values     a          b    c          d
    window               [1 ........ 3)                 values valid[1] to valid[5]

So `collect` copies ranges of values.  `concat` copies ranges of bytes: the whole
column is joined once, each value followed by the separator, and

    window k == joined[ends[start] : ends[stop] - len(separator)]
    ends[i]  == bytes of the first i values, with their separators

Distinct values are found in `distinct.py`, values by their order in
`order_statistics.py`.  Memory is that of input and output,
whatever the range.  The result is of a large type where 32-bit offsets cannot hold it,
and for views of strings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import UnsupportedType
from windrow.loops import as_arrow, compiled
from windrow.loops import compute as pc
from windrow.loops.sort import is_sorted
from windrow.selection import RANKED_BITS, Method

from .columns import plain_array
from .distinct import codes_of, count_firsts, count_of_firsts, positions_of_firsts
from .order_statistics import BY_INDEX, BY_ORDER

MOST = 2**31 - 1  # the largest offset of 32 bits
LONG = 32  # values of a range from which on it is better copied by itself
BLOCK = 1 << 15  # shorter ranges that are copied at once

Bounds = np.ndarray[Any, np.dtype[np.int64]]


def holistic(
    name: str,
    column: pa.Array,
    starts: Bounds,
    stops: Bounds,
    options: Mapping[str, Any],
    *,
    other: pa.Array | None = None,
    own: Bounds | None = None,
    method: Method | None = None,
) -> pa.Array:
    """The result of each window, which is rows `[starts[k], stops[k])` of the column.

    Both bounds never fall from one window to the next.  A stop before its start
    is an empty window.  `other` is a second column, `own` the row that a window is of,
    `method` how values are found by their order.

    >>> rows = pa.array(["b", None, "a", "b"])
    >>> starts, stops = np.array([0, 1, 2]), np.array([2, 4, 4])
    >>> holistic("collect", rows, starts, stops, {}).to_pylist()
    [['b'], ['a', 'b'], ['a', 'b']]
    >>> holistic("concat", rows, starts, stops, {"separator": "+"}).to_pylist()
    ['b', 'a+b', 'a+b']
    """
    if (stops < starts).any():
        stops = np.maximum(starts, stops)
    assert is_sorted(starts), "starts fall"
    assert is_sorted(stops), "stops fall"
    column = _normalise(column)
    there = _valid(column)
    if other is not None and other.null_count:
        there = _valid(other) if there is None else there & _valid(other)
    if there is not None:
        valid = _offsets(there)
        starts, stops, column = (
            valid[starts],
            valid[stops],
            column.filter(as_arrow(there)),
        )
        other = None if other is None else other.filter(as_arrow(there))
        own = None if own is None else np.where(there[own], valid[own], -1)
    more: dict[str, Any] = {}
    if other is not None:
        more["other"] = other
    if own is not None:
        more["own"] = own
    if name in BY_INDEX:
        more["selection"] = method or RANKED_BITS
    if name in BY_ORDER:
        column = plain_array(column)
        return BY_ORDER[name](column, starts, stops, **options, **more)
    return _BY_NAME[name](column, starts, stops, **options, **more)


def _valid(column: pa.Array) -> Any:
    """Which values are not null, or None if all are."""
    if not column.null_count:
        return None
    return column.is_valid().to_numpy(zero_copy_only=False)


def _collect(values: pa.Array, starts: Bounds, stops: Bounds) -> pa.Array:
    offsets = _offsets(stops - starts)
    values = _widen(values, offsets[-1], lambda ends: ends[stops] - ends[starts])
    if _has_fixed_width(values.type):
        return _list_array(offsets, _copy_values(values, starts, stops, offsets[-1]))
    rows = np.arange(len(values), dtype=np.int32 if len(values) < MOST else np.int64)
    positions = np.empty(offsets[-1], rows.dtype)
    _copy_ranges(rows, starts, stops - starts, positions)
    return _list_array(offsets, values.take(as_arrow(positions)))


def _concat(
    values: pa.Array, starts: Bounds, stops: Bounds, separator: str = ""
) -> pa.Array:
    values = plain_array(values)
    if not (
        pa.types.is_string(values.type)
        or pa.types.is_large_string(values.type)
        or pa.types.is_null(values.type)
    ):
        raise UnsupportedType.because(
            "cannot concat a column",
            f"its type is {values.type}, not text",
            "cast it to string, or collect it into lists",
        )
    nothing, between = (pa.scalar(t, pa.large_string()) for t in ("", str(separator)))
    large = values.cast(pa.large_string())
    ends, data = _text_buffers(pc.binary_join_element_wise(large, nothing, between))
    filled = stops > starts
    width = len(str(separator).encode())
    sizes = np.where(filled, ends[stops] - ends[starts] - width, 0)
    offsets = _offsets(sizes)
    out = np.empty(offsets[-1], dtype=np.uint8)
    _copy_ranges(data, ends[starts], sizes, out)
    wide = pa.types.is_large_string(values.type) or offsets[-1] > MOST
    return pa.Array.from_buffers(
        pa.large_string() if wide else pa.string(),
        len(starts),
        [
            pa.py_buffer(np.packbits(filled, bitorder="little")),
            pa.py_buffer(offsets if wide else offsets.astype(np.int32)),
            pa.py_buffer(out),
        ],
    )


def _count_distinct(values: pa.Array, starts: Bounds, stops: Bounds) -> pa.Array:
    return as_arrow(count_firsts(*codes_of(plain_array(values)), starts, stops))


def _collect_distinct(values: pa.Array, starts: Bounds, stops: Bounds) -> pa.Array:
    codes, kinds = codes_of(plain_array(values))
    offsets = _offsets(count_firsts(codes, kinds, starts, stops))
    positions = positions_of_firsts(codes, kinds, starts, stops, offsets)
    values = _widen(values, offsets[-1], lambda ends: np.diff(ends)[positions])
    return _list_array(offsets, values.take(as_arrow(positions)))


def _value_counts(values: pa.Array, starts: Bounds, stops: Bounds) -> pa.Array:
    values = plain_array(values)
    codes, kinds = codes_of(values)
    offsets = _offsets(count_firsts(codes, kinds, starts, stops))
    positions = positions_of_firsts(codes, kinds, starts, stops, offsets)
    counts = count_of_firsts(codes, positions, stops, offsets)
    if offsets[-1] > MOST:
        raise UnsupportedType.because(
            "cannot count values of all windows in one column of maps",
            f"it would have {offsets[-1]:,} entries, and a map holds {MOST:,} at most",
            "use fewer windows at once, or top_k",
        )
    keys = values.take(as_arrow(positions))
    items = as_arrow(counts)
    return pa.MapArray.from_arrays(as_arrow(offsets.astype(np.int32)), keys, items)


def _first_k(values: pa.Array, starts: Bounds, stops: Bounds, k: int) -> pa.Array:
    return _collect(values, starts, np.minimum(stops, starts + k))


def _last_k(values: pa.Array, starts: Bounds, stops: Bounds, k: int) -> pa.Array:
    return _collect(values, np.maximum(starts, stops - k), stops)


_BY_NAME: dict[str, Callable[..., pa.Array]] = {
    "collect": _collect,
    "concat": _concat,
    "count_distinct": _count_distinct,
    "collect_distinct": _collect_distinct,
    "value_counts": _value_counts,
    "first_k": _first_k,
    "last_k": _last_k,
}


def _normalise(column: pa.Array) -> pa.Array:
    """The column in a layout that Arrow can take from, with nulls in its bitmap."""
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    if pa.types.is_dictionary(column.type) and column.dictionary.null_count:
        return column.dictionary_decode().dictionary_encode()
    return column


def _has_fixed_width(kind: pa.DataType) -> bool:
    """Whether a value is a whole number of bytes in one buffer, unlike a boolean."""
    has_width = pa.types.is_primitive(kind) or pa.types.is_decimal(kind)
    return bool(has_width and kind.bit_width % 8 == 0)


def _widen(values: pa.Array, total: int, sizes: Callable[[Bounds], Bounds]) -> pa.Array:
    """The values, with 64-bit offsets if `total` copies need them.

    `sizes` computes the bytes of the copies from the ends of values; it is called only
    where copies of the longest value would not fit.
    """
    if pa.types.is_string(values.type):
        large = values.cast(pa.large_string())
    elif pa.types.is_binary(values.type):
        large = values.cast(pa.large_binary())
    else:
        return values
    ends, _ = _text_buffers(large)
    longest = np.diff(ends).max(initial=0)
    return large if total * longest > MOST and sizes(ends).sum() > MOST else values


def _text_buffers(large: pa.Array) -> tuple[Bounds, np.ndarray[Any, Any]]:
    """The end of each value, after the start of the first, and the bytes."""
    _, offsets, data = large.buffers()
    bytes_ = np.frombuffer(data or b"", dtype=np.uint8)
    if not offsets:  # Arrow allows an empty array to have no buffers at all
        return np.zeros(1, dtype=np.int64), bytes_
    ends = np.frombuffer(offsets, dtype=np.int64)
    return ends[large.offset : large.offset + len(large) + 1], bytes_


def _offsets(sizes: Bounds) -> Bounds:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def _list_array(offsets: Bounds, values: pa.Array) -> pa.Array:
    if offsets[-1] > MOST:
        return pa.LargeListArray.from_arrays(as_arrow(offsets), values)
    return pa.ListArray.from_arrays(as_arrow(offsets.astype(np.int32)), values)


def _copy_values(
    values: pa.Array, starts: Bounds, stops: Bounds, total: int
) -> pa.Array:
    """Copy ranges of values of fixed width, each 1 to 4 words.

    `take` would need a position for each value, as much memory again, and casting
    a list view to a list ignores its sizes (apache/arrow issue 50994).
    """
    width = values.type.bit_width // 8
    word = min(width, 8)
    words = width // word
    buffer = values.buffers()[1] or b""
    source = np.frombuffer(buffer, dtype=f"u{word}")[values.offset * words :]
    out = np.empty(total * words, dtype=source.dtype)
    _copy_ranges(source, starts * words, (stops - starts) * words, out)
    return pa.Array.from_buffers(values.type, total, [None, pa.py_buffer(out)])


def _copy_columns(
    source: np.ndarray[Any, Any],
    starts: Bounds,
    sizes: Bounds,
    out: np.ndarray[Any, Any],
) -> None:
    """Copy range by range where these are long, else many at a time by position."""
    offsets = _offsets(sizes)
    if len(out) >= LONG * len(starts):
        bounds = zip(starts.tolist(), sizes.tolist(), offsets.tolist(), strict=False)
        for start, size, at in bounds:
            out[at : at + size] = source[start : start + size]
        return
    moves = starts - offsets[:-1]
    for low in range(0, len(starts), BLOCK):
        block = slice(low, min(low + BLOCK, len(starts)))
        at, end = offsets[low], offsets[block.stop]
        places = np.repeat(moves[block], sizes[block]) + np.arange(at, end)
        out[at:end] = source[places]


@compiled(columns=_copy_columns)
def _copy_ranges(source, starts, sizes, out):  # type: ignore[no-untyped-def]
    at = 0
    for k in range(len(starts)):
        start = starts[k]
        for i in range(sizes[k]):
            out[at + i] = source[start + i]
        at += sizes[k]
