r"""Wavelet tree with weights: where a share of the weight of a range is reached.

The levels are those of `wavelet_tree.py`, and beside the zeros before each place stands
their weight.  A question goes left if the weight of the zeros in its range is more than
what is wanted, else right with the rest:

    codes     5  1  4  0        weights   1  2  4  1
    zeros     0  0  1  1  2     weight of zeros before each place: 0 0 2 2 3
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
    levels = _grow(codes, max(int(kinds - 1).bit_length(), 1), weights)
    before = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(weights, out=before[1:])
    out = np.full(wanted.shape, -1, np.int64)
    for low in range(0, len(starts), BLOCK):
        some = slice(low, low + BLOCK)
        whole = before[stops[some]] - before[starts[some]]
        for row, found in zip(wanted[:, some], out[:, some], strict=True):
            own = np.flatnonzero((row >= 0) & (row < whole))
            found[own] = _descend(levels, starts[some][own], stops[some][own], row[own])
    return out


def _grow(codes: Array, depth: int, weights: Array) -> list[tuple[Array, Array]]:
    """For each bit, the zeros before each place, and what they weigh."""
    levels = []
    for bit in range(depth - 1, -1, -1):
        low = (codes >> bit) & 1 == 0
        zeros, sums = (np.zeros(len(codes) + 1, np.int64) for _ in range(2))
        np.cumsum(low, out=zeros[1:])
        np.cumsum(np.where(low, weights, 0), out=sums[1:])
        levels.append((zeros, sums))
        codes = np.concatenate([codes[low], codes[~low]])
        weights = np.concatenate([weights[low], weights[~low]])
    return levels


def _descend(
    levels: list[tuple[Array, Array]], left: Array, right: Array, wanted: Array
) -> Array:
    code = np.zeros(len(left), np.int64)
    for zeros, sums in levels:
        before, upto = zeros[left], zeros[right]
        weight = sums[right] - sums[left]
        high = wanted >= weight
        wanted = np.where(high, wanted - weight, wanted)
        left = np.where(high, zeros[-1] + left - before, before)
        right = np.where(high, zeros[-1] + right - upto, upto)
        code = 2 * code + high
    return code
