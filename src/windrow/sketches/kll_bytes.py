"""Reads and writes KLL sketches in the binary format of Apache DataSketches.

    byte   0         1        2        3      4-5    6      7
           preamble  version  family   flags  k      m = 8  0
           in ints   1 or 2   15

    empty       preamble 2, version 1, flag 1      nothing more
    one value   preamble 2, version 2, flag 4      from byte 8 on: the value
    several     preamble 5    8-15: n    16-17: smallest k    18: levels
                from byte 20 on: where each level begins, 4 bytes each
                then the least value, the largest value, and the values by level

A value on level i stands for 2**i.  Up to k values there is one level: the values.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pyarrow as pa

from .packed import Packed, WordColumn, WordWriter

Array = np.ndarray[Any, Any]

FAMILY = 15
_EMPTY, _SINGLE = 1, 4
_HEAD = 10  # words of four bytes before the values of one level


def _first_word(preamble: int, version: int, flags: int) -> int:
    return preamble | version << 8 | FAMILY << 16 | flags << 24


_NO_VALUE, _ONE_VALUE = _first_word(2, 1, _EMPTY), _first_word(2, 2, _SINGLE)
_VALUES = _first_word(5, 1, 0)


def write_all_values(
    packed: Packed, k: int, dumped: dict[int, bytes], null: Array
) -> pa.Array:
    """Sketches of at most k values each as bytes; those in `dumped` as they are."""
    counts, values = np.diff(packed.bounds), packed.entries[0]
    heads = np.where(counts > 1, _HEAD, 2)
    sizes = np.where(null, 0, heads + 2 * counts)
    large = np.array(sorted(dumped), np.int64)
    sizes[large] = [len(dumped[place]) // 4 for place in large.tolist()]
    writer = WordWriter(sizes)
    written = ~null
    written[large] = False
    second = k | 8 << 16
    for first, alike in ((_NO_VALUE, counts == 0), (_ONE_VALUE, counts == 1)):
        writer.heads(np.flatnonzero(written & alike), 0, [first, second])
    some = np.flatnonzero(written & (counts > 1))
    own = counts[some]
    writer.heads(some, 0, [_VALUES, second, own, 0, k | 1 << 16, k - own])
    begins = packed.bounds[some]
    for place, find in ((6, np.minimum), (8, np.maximum)):
        if len(some):
            found = find.reduceat(values, packed.bounds[:-1][counts > 0])
            found = found[np.searchsorted(packed.bounds[:-1][counts > 0], begins)]
            words = np.ascontiguousarray(found).view(np.uint32).reshape(-1, 2)
            writer.heads(some, place, [words[:, 0], words[:, 1]])
    full = np.flatnonzero(written & (counts > 0))
    words = values[packed.places_of(full)].view(np.uint32)
    writer.bodies(full, heads[full], 2 * counts[full], words)
    for place, data in dumped.items():
        writer.whole(place, data)
    return writer.column(null)


def find_values(column: WordColumn, k: int) -> tuple[Array, Array]:
    """How many values each sketch of one level has, and from which word on.

    -1 for a sketch of several levels, or what is not known to be one.
    """
    first, second, n = (column.at(place) for place in range(3))
    counts = np.full(len(first), -1, np.int64)
    alike = second == k | 8 << 16
    counts[alike & (first == _NO_VALUE) & (column.sizes == 2)] = 0
    counts[alike & (first == _ONE_VALUE) & (column.sizes == 4)] = 1
    several = alike & (first & 0xFDFFFFFF == _VALUES) & (column.at(4) >> 16 == 1)
    several &= (column.at(3) == 0) & (column.sizes == _HEAD + 2 * n.astype(np.int64))
    counts[several] = n[several]
    return counts, np.where(several, _HEAD, 2)


def read_items(data: bytes) -> tuple[Array, Array]:
    """The values of a sketch that is known to be one, and how many each stands for.

    The least and the largest of all, which a sketch may have dropped from its levels,
    stand for one of those that the nearest value stands for.
    """
    if data[3] & _EMPTY:
        return np.empty(0), np.empty(0, np.int64)
    if data[3] & _SINGLE:
        return np.frombuffer(data, np.float64, 1, 8), np.ones(1, np.int64)
    levels = data[18]
    begins = struct.unpack_from(f"<{levels}I", data, 20)
    values = np.frombuffer(data[20 + 4 * levels :], np.float64)  # after both ends
    ends = [*begins[1:], begins[0] + len(values) - 2]
    weights = np.repeat(1 << np.arange(levels), np.subtract(ends, begins))
    weights = np.concatenate([[1, 1], weights])
    weights[2 + values[2:].argmin()] -= 1
    weights[2 + values[2:].argmax()] -= 1
    return values, weights
