r"""Sorted blocks: blocks as long as the window, sorted once and walked in step.

    rows       |  block 0  |  block 1  |  block 2  |        each is sorted by itself
    window          [-----------)                           an end of one, a begin of
                    \ leave / enter                         the next, always w rows

Two neighbours are merged, which gives each of their 2 w rows a place; as the window
slides over them by one row, a bit goes out and a bit comes in, and a cursor keeps its
index among the bits, as in `ranked_bits.py`.  About half of the bits are set at any
time, so that a step of the cursor stays in a word of 64 rows, mostly.

Suomela's median filter walks linked lists over the same blocks; bits need no list to be
unwound before a block is entered, and a merge no comparison of two cursors after it.

A train of windows is one run of rows whose windows each end one row further:

    starts     0  0  0  1  2  3 | 9  9  9  10 ...       the first may be shorter
    stops      1  2  3  4  5  6 | 10 11 12 13
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.loops import compiled, highest_bit, lowest_bit

from ._method import Method
from .ranked_bits import walk_columns

Array = np.ndarray[Any, Any]


def trains(starts: Array, stops: Array, width: int) -> Array:
    """Where trains of windows begin, and the number of windows behind the last.

    A window that is followed by one that starts later in its train is full.
    """
    moved = starts[1:] - starts[:-1]
    breaks = (stops[1:] - stops[:-1] != 1) | (moved > 1)
    breaks |= (moved > 0) & (stops[:-1] - starts[:-1] < width)
    return np.concatenate([[0], np.flatnonzero(breaks) + 1, [len(starts)]])


def sort_blocks(values: Array, width: int, begins: Array, ends: Array) -> Array:
    """The rows of blocks of `width` in ascending order, a line for each block.

    Train k is rows [begins[k], ends[k]); its last block may be short, and has places
    that are its size or more then, anywhere among its largest.
    """
    blocks = -(-(ends - begins) // width)
    if len(begins) == 1 and (ends[0] - begins[0]) % width == 0:
        own = values[begins[0] : ends[0]].reshape(-1, width)
        return own.argsort(axis=1)
    most = np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).max
    padded = np.full(int(blocks.sum()) * width, most, values.dtype)
    at = 0
    for begin, end, many in zip(begins, ends, blocks, strict=True):
        padded[at : at + end - begin] = values[begin:end]
        at += many * width
    return padded.reshape(-1, width).argsort(axis=1)


def _columns(
    values: Array,
    order: Array,
    width: int,
    heads: Array,
    starts: Array,
    stops: Array,
    targets: Array,
    out: Array,
) -> None:
    """The same over whole columns, by ranks among all rows."""
    del order, width, heads
    by_value = np.argsort(values)
    ranks = np.empty(len(values), np.int64)
    ranks[by_value] = np.arange(len(values))
    walk_columns(ranks, len(values), starts, stops, targets, out)
    out[:] = np.where(out >= 0, by_value[out], -1)


@compiled(columns=_columns)
def walk_blocks(values, order, width, heads, starts, stops, targets, out):
    """Write the rows from index targets[j, n] on of each window of n rows to out[j].

    Windows [heads[h], heads[h + 1]) are a train; blocks of all trains follow each
    other in `order`.  Rows are -1 where there is none.
    """
    older, newer = np.empty(width, np.int32), np.empty(width, np.int32)
    low, high = np.empty(width, values.dtype), np.empty(width, values.dtype)
    leave, enter = np.empty(width + 1, np.int32), np.empty(width + 1, np.int32)
    rows = np.empty(2 * width + 1, np.int32)
    bits = np.zeros((2 * width >> 5) + 3, np.int64)
    block = 0
    for h in range(len(heads) - 1):
        first, k = starts[heads[h]], heads[h]
        last = stops[heads[h + 1] - 1]
        held = 0
        for base in range(first, last, width):
            size = min(width, last - base)
            _sort_rows(order, block, values, base, size, newer, high)
            _merge(older, low, held, newer, high, size, leave, enter, rows)
            since = max(stops[k] - base, 1) if k < heads[h + 1] else size + 1
            for j in range(len(targets)):
                _slide(
                    leave, held, enter, size, since, bits, rows, base - held,
                    targets[j], out[j], k,
                )  # fmt: skip
            k += max(size + 1 - since, 0)
            older, newer, held = newer, older, size
            low, high = high, low
            block += 1


def _sort_rows(order, block, values, base, size, places, ordered):
    """The places and the values of a block in order; what is behind it is left out."""
    count = 0
    for i in range(order.shape[1]):
        place = order[block, i]
        if place < size:
            places[count] = place
            ordered[count] = values[base + place]
            count += 1


def _merge(older, low, held, newer, high, size, leave, enter, rows):
    """Merge two sorted blocks: the rank of each row, and the row of each rank.

    Rows count from the first of the older block.  Both sides are written at each step,
    and the one that is not taken again later: no branch depends on values.  NaN stands
    last in both, and is not compared.
    """
    some, many = held, size
    while some > 0 and low[some - 1] != low[some - 1]:
        some -= 1
    while many > 0 and high[many - 1] != high[many - 1]:
        many -= 1
    a = b = rank = 0
    while a < some and b < many:
        x, y = older[a], newer[b]
        first = low[a] <= high[b]
        leave[x] = rank
        enter[y] = rank
        rows[rank] = x if first else y + held
        a += first
        b += not first
        rank += 1
    while b < many:
        enter[newer[b]] = rank
        rows[rank] = newer[b] + held
        b += 1
        rank += 1
    while a < held:
        leave[older[a]] = rank
        rows[rank] = older[a]
        a += 1
        rank += 1
    while b < size:
        enter[newer[b]] = rank
        rows[rank] = newer[b] + held
        b += 1
        rank += 1


def _slide(leave, held, enter, size, since, bits, rows, base, targets, out, k):
    """Slide over a block: row i of it enters, row i of the one before leaves.

    Windows are asked from that on which ends behind row since - 1 of the block.
    """
    bits[:] = 0
    for i in range(held):
        rank = np.int64(leave[i])
        bits[rank >> 5] |= 1 << (rank & 31)
    at = np.int64(0)
    below = np.int64(0)
    steps = out.shape[1]
    for i in range(size):
        if held > 0:
            gone = np.int64(leave[i])
            bits[gone >> 5] &= ~(1 << (gone & 31))
            below -= gone < at
        came = np.int64(enter[i])
        bits[came >> 5] |= 1 << (came & 31)
        below += came < at
        if i + 1 < since:
            continue
        count = held if held > 0 else i + 1
        target = targets[count]
        known = min(steps, count - target) if target >= 0 else 0
        if known > 0:
            while below > target:
                word = at >> 5
                rest = bits[word] & ((1 << (at & 31)) - 1)
                while rest == 0:
                    word -= 1
                    rest = bits[word]
                at = (word << 5) + highest_bit(rest)
                below -= 1
            at = _next(bits, at)
            while below < target:
                at = _next(bits, at + 1)
                below += 1
            found = at
            out[k, 0] = base + rows[at]
            for step in range(1, known):
                found = _next(bits, found + 1)
                out[k, step] = base + rows[found]
        for step in range(max(known, 0), steps):
            out[k, step] = -1
        k += 1


def _next(bits, i):
    """The first set bit from i on; there must be one."""
    word = i >> 5
    rest = bits[word] >> (i & 31)
    if rest != 0:
        return i + lowest_bit(rest)
    word += 1
    while bits[word] == 0:
        word += 1
    return (word << 5) + lowest_bit(bits[word])


SORTED_BLOCKS = Method(
    name="sorted_blocks",
    title="Sorted blocks",
    serves="windows of w rows that move on by one, where no value is null",
    time="sorting w rows for w windows, 2 merges and about 3 bits a row",
    space="n places, 2 w rows",
    source="Suomela 2014 (arXiv:1406.1717)",
    is_walked=True,
)
