r"""Wavelet tree: rows partitioned bit by bit of their value's code, from the top one.

    codes     5  1  4  0  7  1        first bit   1  0  1  0  1  0
    level 1   1  0  1 | 5  4  7       zeros before each place: 0 0 1 1 2 2 3

A range of rows stays a range on every level: of [start, stop) the rows with a 0 are
[zeros[start], zeros[stop]) of the next level, those with a 1 stand behind all zeros.

    the k-th smallest     go left if k < zeros in the range, else right with k - zeros
    how many are below c  add the zeros wherever c has a 1

So a question costs two look-ups for each bit of a code, whatever range is asked for and
in whatever order: all windows take a step at once over whole columns, no compiler
needed.  Compiled, each window walks down by itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.loops import compiled

from ._method import Method

Array = np.ndarray[Any, Any]

BLOCK = 1 << 16  # questions that take a step at once


@dataclass(frozen=True)
class BitLevels:
    """The levels of a column of codes: `zeros[b]` before each place, for each bit."""

    zeros: Array
    totals: Array

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.zeros.shape[1]) - 1


def grow(codes: Array, kinds: int) -> BitLevels:
    """The tree of codes from 0 up to `kinds`."""
    depth = max(int(kinds - 1).bit_length(), 1)
    dtype = np.int32 if len(codes) < 2**31 else np.int64
    zeros = np.zeros((depth, len(codes) + 1), dtype)
    totals = np.zeros(depth, np.int64)
    for level in range(depth):
        bit = depth - 1 - level
        low = (codes >> bit) & 1 == 0
        np.cumsum(low, out=zeros[level, 1:], dtype=dtype)
        totals[level] = zeros[level, -1]
        if bit:
            codes = np.concatenate([codes[low], codes[~low]])
    return BitLevels(zeros, totals)


def _kth_columns(
    zeros: Array, totals: Array, starts: Array, stops: Array, kth: Array, out: Array
) -> None:
    for low in range(0, len(starts), BLOCK):
        some = slice(low, low + BLOCK)
        left, right, k = starts[some], stops[some], kth[some]
        wanted = (k >= 0) & (k < right - left)
        left, right = np.where(wanted, left, 0), np.where(wanted, right, 0)
        code = np.zeros(len(left), np.int64)
        for level in range(len(totals)):
            row = zeros[level]
            before, upto = row[left], row[right]
            count = upto - before
            high = k >= count
            k = np.where(high, k - count, k)
            left = np.where(high, totals[level] + left - before, before)
            right = np.where(high, totals[level] + right - upto, upto)
            code = 2 * code + high
        out[some] = np.where(wanted, code, -1)


@compiled(columns=_kth_columns)
def _kth(zeros, totals, starts, stops, kth, out):
    """The code of the kth[i]-th smallest row of window i, from 0 on; -1: none."""
    depth = len(totals)
    for i in range(len(starts)):
        out[i] = kth_of(zeros, totals, depth, starts[i], stops[i], kth[i])


def kth_of(zeros, totals, depth, left, right, k):
    """The code of the k-th smallest row of [left, right); -1 if there is none."""
    if k < 0 or k >= right - left:
        return -1
    code = 0
    for level in range(depth):
        before, upto = zeros[level, left], zeros[level, right]
        count = upto - before
        if k >= count:
            k -= count
            left += totals[level] - before
            right += totals[level] - upto
            code = 2 * code + 1
        else:
            left, right = np.int64(before), np.int64(upto)
            code = 2 * code
    return code


def kth(tree: BitLevels, starts: Array, stops: Array, k: Array) -> Array:
    """The code of the k[i]-th smallest row of each window, from 0 on; -1: none."""
    out = np.empty(len(starts), np.int64)
    _kth(tree.zeros, tree.totals, starts, stops, k, out)
    return out


def _below_columns(
    zeros: Array, totals: Array, starts: Array, stops: Array, codes: Array, out: Array
) -> None:
    depth = len(totals)
    for low in range(0, len(starts), BLOCK):
        some = slice(low, low + BLOCK)
        left, right, code = starts[some], stops[some], codes[some]
        every = code >= 1 << depth  # larger than any
        found = np.where(every, right - left, 0)
        for level in range(depth):
            row = zeros[level]
            before, upto = row[left], row[right]
            high = (code >> (depth - 1 - level)) & 1 == 1
            found += np.where(high & ~every, upto - before, 0)
            left = np.where(high, totals[level] + left - before, before)
            right = np.where(high, totals[level] + right - upto, upto)
        out[some] = found


@compiled(columns=_below_columns)
def _below(zeros, totals, starts, stops, codes, out):
    """How many rows of window i have a code that is less than codes[i]."""
    depth = len(totals)
    for i in range(len(starts)):
        left, right, code, found = starts[i], stops[i], codes[i], 0
        if code >= 1 << depth:
            found, left = right - left, right
        for level in range(depth):
            before, upto = zeros[level, left], zeros[level, right]
            if (code >> (depth - 1 - level)) & 1:
                found += upto - before
                left += totals[level] - before
                right += totals[level] - upto
            else:
                left, right = np.int64(before), np.int64(upto)
        out[i] = found


def below(tree: BitLevels, starts: Array, stops: Array, codes: Array) -> Array:
    """How many rows of each window have a code that is less than that one."""
    out = np.empty(len(starts), np.int64)
    _below(tree.zeros, tree.totals, starts, stops, codes, out)
    return out


WAVELET_TREE = Method(
    name="wavelet_tree",
    title="Wavelet tree",
    serves="any range; all windows at once over whole columns",
    time="2 log2(d) look-ups a window",
    space="n log2(d) counts",
    source="Grossi, Gupta, Vitter 2003; Claude, Navarro, Ordonez 2015",
)
