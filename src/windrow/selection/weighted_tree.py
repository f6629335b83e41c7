r"""Wavelet tree with weights: where a share of the weight of a range is reached.

The levels are those of `wavelet_tree.py`.  The zeros of a level stand together in the
next one, where their weights are summed up: of a range they weigh what lies between two
sums.  A question goes left if that is as much as is wanted, else right with the rest.

    codes     5  1  4  0        weights   1  2  4  1
    zeros     0  0  1  1  2     before each place
    next      1  0 | 5  4       sums of zeros   0  2  3

All questions go down together while the tree is grown, so that one level is in memory.
Weights are whole numbers, in limbs where one is not enough: nothing is rounded, and
what is subtracted leaves no trace.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._stretches import stretches
from .exact_weights import Limbs, is_none_missing
from .wavelet_tree import BLOCK

Array = np.ndarray[Any, Any]


def reach_weight(
    codes: Array,
    kinds: int,
    weights: Array,
    starts: Array,
    stops: Array,
    wanted: Array,
) -> Array:
    """The smallest code of each window up to which its codes weigh more than wanted.

    Codes go from 0 up to `kinds`; -1 for a window that does not weigh as much.
    `wanted` has a row of numbers for each of several questions.
    """
    heavy = Limbs(weights[None], np.zeros(1, np.int64))
    before = _sums(heavy.parts)[0]
    out = np.full(wanted.shape, -1, np.int64)
    for windows, rows in stretches(starts, stops):
        whole = before[stops[windows]] - before[starts[windows]]
        some = wanted[:, windows]
        question, own = np.nonzero((some >= 0) & (some < whole))
        left, right = starts[windows][own], stops[windows][own]
        more = some[question, own][None] + 1
        found, _ = _descend(codes, kinds, heavy, rows, left, right, more)
        out[question, own + windows.start] = found
    return out


def weigh_columns(
    codes: Array,
    kinds: int,
    parts: Array,
    gaps: Array,
    starts: Array,
    stops: Array,
    out: Array,
    after: Array,
) -> None:
    """The codes at which half of each window's weight is reached, as in `rank_tree.py`.

    Twice the weight is compared with the whole.
    """
    heavy = Limbs(2 * parts, gaps)
    for windows, rows in stretches(starts, stops):
        sums = _sums(parts[:, rows])
        left, right = starts[windows], stops[windows]
        whole = sums[:, right - rows.start] - sums[:, left - rows.start]
        own = np.flatnonzero(whole.any(axis=0))
        left, right, whole = left[own], right[own], whole[:, own]
        work = codes, kinds, heavy, rows
        found, rest = _descend(*work, left, right, whole.copy())
        out[windows] = -1
        out[windows][own] = found
        after[windows] = out[windows]
        tied = np.flatnonzero(is_none_missing(rest, gaps))
        whole[0] += 1
        further = left[tied], right[tied], whole[:, tied]
        after[windows][own[tied]], _ = _descend(*work, *further)


def _descend(
    codes: Array,
    kinds: int,
    weights: Limbs,
    rows: slice,
    left: Array,
    right: Array,
    wanted: Array,
) -> tuple[Array, Array]:
    """The smallest code of each range up to which it weighs as much as is wanted.

    And what is wanted beyond it: below 0, or 0 where it is reached exactly.  `wanted`
    is at least 1 and no more than the range weighs, and is overwritten.
    """
    depth = max(int(kinds - 1).bit_length(), 1)
    codes, parts, gaps = codes[rows], weights.parts[:, rows], weights.gaps
    left, right = left - rows.start, right - rows.start
    found = np.zeros(len(left), np.int64)
    zeros = np.zeros(len(codes) + 1, np.int64)
    for bit in range(depth - 1, -1, -1):
        low = (codes >> bit) & 1 == 0
        np.cumsum(low, out=zeros[1:])
        order = np.concatenate([np.flatnonzero(low), np.flatnonzero(~low)])
        codes, parts = codes.take(order), parts.take(order, axis=1)
        ones_from = zeros[-1]  # where those with a 1 stand in the next level
        sums = _sums(parts[:, :ones_from])
        for start in range(0, len(left), BLOCK):
            some = slice(start, start + BLOCK)
            a, b = left[some], right[some]
            before, upto = zeros[a], zeros[b]
            low_weight = sums.take(upto, axis=1) - sums.take(before, axis=1)
            rest = wanted[:, some] - low_weight
            high = ~is_none_missing(-rest, gaps)
            np.copyto(wanted[:, some], rest, where=high)
            left[some] = np.where(high, ones_from + a - before, before)
            right[some] = np.where(high, ones_from + b - upto, upto)
            found[some] = 2 * found[some] + high
    sums = _sums(parts)
    wanted -= sums[:, right] - sums[:, left]
    return found, wanted


def _sums(parts: Array) -> Array:
    """The sum before each place, of each limb."""
    sums = np.zeros((len(parts), parts.shape[1] + 1), np.int64)
    np.cumsum(parts, axis=1, out=sums[:, 1:])
    return sums
