r"""Sorted blocks: blocks as long as the window, sorted once and walked in step.

    rows       |  block 0  |  block 1  |  block 2  |        each is sorted by itself
    window          [-----------)                           an end of one, a begin of
                    \ leave / enter                         the next, always w rows

Two neighbours are merged, which gives each of their 2 w rows a rank; as the window
slides over them by one row, a bit goes out and a bit comes in, and a cursor keeps its
index among the bits, as in `ranked_bits.py`.  About half of the bits are set at any
time, so that a step of the cursor stays in a word of 32 rows, mostly.

Suomela's median filter walks linked lists over the same blocks; bits need no list to be
unwound before a block is entered, and a merge no comparison of two cursors after it.

A train of windows is one run of rows whose windows each end one row further:

    starts     0  0  0  1  2  3 | 9  9  9  10 ...       the first may be shorter
    stops      1  2  3  4  5  6 | 10 11 12 13

It is known by its first row, the row behind its last, and the rows of its first window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.loops import compiled, highest_bit, lowest_bit, peek, poke

from ._method import Method
from .block_order import FIRST, merge, place_bits, sort_block, sort_words
from .ranked_bits import walk_columns

Array = np.ndarray[Any, Any]
Trains = tuple[Array, Array, Array]


NO_ROWS = np.empty((0, 0, 0), np.int64)
NO_NUMBERS = np.empty((0, 0)), np.empty(0), np.empty((0, 0))  # shares, floats, out


def find_trains(starts: Array, stops: Array, width: int) -> Trains:
    """The trains of windows whose stops rise.

    A window that is followed by one that starts later in its train is full.
    """
    breaks = stops[1:] - stops[:-1] != 1
    if stops[0] - starts[0] < width:  # the first windows of a run are shorter
        moved = starts[1:] - starts[:-1]
        breaks |= moved > 1
        breaks |= (moved > 0) & (stops[:-1] - starts[:-1] < width)
    elif breaks.any():
        breaks |= starts[1:] - starts[:-1] > 1
    heads = np.concatenate([[0], np.flatnonzero(breaks) + 1])
    ends = stops[np.append(heads[1:], len(stops)) - 1]
    return starts[heads], ends, stops[heads] - starts[heads]


def walk_trains(
    values: Array,
    width: int,
    trains: Trains,
    targets: Array,
    rows: Array,
    shares: Array,
    floats: Array,
    out: Array,
) -> None:
    """Write what windows of at most `width` rows have at their targets.

    Either rows[j, window, step]: those from index targets[j, n] on of a window of n
    rows, -1 where there is none; or, if there is `out`, out[j, window]: the number that
    lies shares[j, n] of the way from the first of them to the next, among `floats`.
    """
    words, plain = np.empty((0, width), np.uint32), np.empty(0, np.bool_)
    rest = (width, *trains, targets, rows, shares, floats, out)

    def walk() -> None:
        walk_blocks(values, *sort_words(values, width, *trains[:2]), *rest)

    def columns() -> None:
        _columns(values, words, plain, *rest)

    walk_blocks.either((values, words, plain, *rest), walk, columns)


def _columns(
    values: Array,
    words: Array,
    plain: Array,
    width: int,
    begins: Array,
    ends: Array,
    sizes: Array,
    targets: Array,
    rows: Array,
    shares: Array,
    floats: Array,
    out: Array,
) -> None:
    """The same over whole columns, by ranks among all rows."""
    del words, plain
    counts = ends - begins - sizes + 1
    own = np.repeat(np.arange(len(counts)), counts)
    stops = np.arange(len(own)) - (np.cumsum(counts) - counts)[own]
    stops += (begins + sizes)[own]
    starts = np.maximum(begins[own], stops - width)
    by_value = np.argsort(values)
    ranks = np.empty(len(values), np.int64)
    ranks[by_value] = np.arange(len(values))
    found = rows if not out.size else np.empty((*out.shape, 2), np.int64)
    walk_columns(ranks, len(values), starts, stops, targets, found)
    found[:] = np.where(found >= 0, by_value[found], -1)
    if out.size:
        low, high = floats[found[:, :, 0]], floats[found[:, :, 1]]
        share = shares[:, stops - starts]
        mixed = (1.0 - share) * low + share * high
        out[:] = np.where((low == high) | (share == 0.0), low, mixed)


@compiled(columns=_columns)
def walk_blocks(
    values, words, plain, width, begins, ends, sizes, targets, rows, shares, floats, out
):
    """Write rows or numbers, as `walk_trains` says; blocks of all trains are `words`.

    A block is `plain` if its words say nothing about the order of its values.
    """
    older, newer = np.empty(width, np.int32), np.empty(width, np.int32)
    low, high = np.empty(width, values.dtype), np.empty(width, values.dtype)
    ranks = np.empty(2 * width, np.int32)
    row_of = np.empty(2 * width + FIRST, np.int32)
    bits = np.zeros((2 * width >> 5) + 3, np.int64)
    steps = 2 if len(out) > 0 else rows.shape[2]
    found = np.empty((width, steps), np.int32)
    mask = (1 << place_bits(width)) - 1
    block = k = 0
    for train in range(len(begins)):
        held = 0
        for base in range(begins[train], ends[train], width):
            size = min(width, ends[train] - base)
            own = values[base : base + size]
            sort_block(words[block], mask, plain[block], own, newer, high)
            merge(older, low, held, newer, high, size, ranks, row_of)
            since = 1 if held > 0 else sizes[train]
            for j in range(len(targets)):
                if held > 0:
                    _slide(ranks, row_of, older, held, size, bits, targets[j], found)
                else:
                    _grow(ranks, row_of, size, since, bits, targets[j], found)
                first = base - held
                if len(out) > 0:
                    _mix(found, first, held, since, size, shares[j], floats, out[j], k)
                    continue
                for i in range(since - 1, size):
                    for step in range(steps):
                        row = np.int64(found[i, step])
                        row += first if row >= 0 else 0
                        rows[j, k + i + 1 - since, step] = row
            k += max(size + 1 - since, 0)
            older, newer, held = newer, older, size
            low, high = high, low
            block += 1


def _mix(found, first, held, since, size, shares, floats, out, k):
    """Write the numbers between two rows of each window of a block."""
    for i in range(since - 1, size):
        share = shares[held if held > 0 else i + 1]
        low = floats[first + found[i, 0]]
        if share == 0.0:
            out[k + i + 1 - since] = low
        else:
            high = floats[first + found[i, 1]]
            mixed = (1.0 - share) * low + share * high
            out[k + i + 1 - since] = low if low == high else mixed


def _slide(ranks, row_of, older, held, size, bits, targets, found):
    """Slide over a block: row i of it enters, row i of the one before leaves.

    The cursor moves by one member at most, up if a lesser one left and a greater one
    came, down the other way round: both are found, and none is branched on, since no
    processor could foresee it (10 ns a row).
    """
    steps = found.shape[1]
    target = targets[held]
    known = max(min(steps, held - target), 0) if target >= 0 else 0
    for step in range(known, steps):
        for i in range(size):
            found[i, step] = -1
    if known == 0:
        return
    bits[:] = 0
    bits[0] = bits[-1] = 1
    for i in range(held):
        rank = np.int64(peek(ranks, i))
        poke(bits, rank >> 5, peek(bits, rank >> 5) | (1 << (rank & 31)))
    at = np.int64(ranks[older[target]])
    for i in range(size):
        gone = np.int64(peek(ranks, i))
        poke(bits, gone >> 5, peek(bits, gone >> 5) & ~(1 << (gone & 31)))
        came = np.int64(peek(ranks, held + i))
        poke(bits, came >> 5, peek(bits, came >> 5) | (1 << (came & 31)))
        left, entered = np.int64(gone < at), np.int64(came < at)
        up = _next(bits, at + (left & ~entered))
        down = _previous(bits, at)
        at = up + (down - up) * (entered & ~left)
        found[i, 0] = peek(row_of, at)
        member = at
        for step in range(1, known):
            member = _next(bits, member + 1)
            found[i, step] = peek(row_of, member)


def _grow(ranks, row_of, size, since, bits, targets, found):
    """Let the rows of the first block enter; windows have `since` rows or more."""
    steps = found.shape[1]
    bits[:] = 0
    bits[0] = bits[-1] = 1
    at, below = np.int64(FIRST), np.int64(0)
    for i in range(size):
        came = np.int64(peek(ranks, i))
        poke(bits, came >> 5, peek(bits, came >> 5) | (1 << (came & 31)))
        below += came < at
        if i + 1 < since:
            continue
        target = targets[i + 1]
        known = max(min(steps, i + 1 - target), 0) if target >= 0 else 0
        if known > 0:
            while below > target:
                at = _previous(bits, at)
                below -= 1
            at = _next(bits, at)
            while below < target:
                at = _next(bits, at + 1)
                below += 1
        member = at
        for step in range(known):
            if step > 0:
                member = _next(bits, member + 1)
            found[i, step] = row_of[member]
        for step in range(known, steps):
            found[i, step] = -1


def _next(bits, i):
    """The first set bit from i on; the last word is never 0."""
    word = i >> 5
    rest = peek(bits, word) >> (i & 31)
    if rest != 0:
        return i + lowest_bit(rest)
    word += 1
    while peek(bits, word) == 0:
        word += 1
    return (word << 5) + lowest_bit(peek(bits, word))


def _previous(bits, i):
    """The last set bit before i; the first word is never 0."""
    word = i >> 5
    rest = peek(bits, word) & ((1 << (i & 31)) - 1)
    while rest == 0:
        word -= 1
        rest = peek(bits, word)
    return (word << 5) + highest_bit(rest)


SORTED_BLOCKS = Method(
    name="sorted_blocks",
    title="Sorted blocks",
    serves="windows of w rows that move on by one, where no value is null",
    time="sorting w rows for w windows, 2 merges and about 3 bits a row",
    space="n places, 2 w rows",
    source="Suomela 2014 (arXiv:1406.1717)",
    is_walked=True,
)
