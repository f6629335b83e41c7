"""Finds the median distance of each window's values from their median, by halving.

In order, the distances of the values below the median and those of the others both rise
away from it; the i smallest of one and the t - i of the other are the t smallest of all
if none that is left out is less.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .by_index import dense_codes, index_table
from .wavelet_tree import below, grow, kth

Array = np.ndarray[Any, Any]


def median_distances(
    compared: Array, floats: Array, starts: Array, stops: Array
) -> Array:
    """The median distance of `floats` from their median, which `compared` orders.

    That of no values is any number.
    """
    sizes = stops - starts
    codes, kinds, row_of = dense_codes(compared)
    tree, of_code = grow(codes, kinds), floats[row_of]

    def at(index: Array) -> Array:
        """The value of each window at an index; infinite where there is none."""
        found = kth(tree, starts, stops, index)
        return np.where(found >= 0, of_code[np.maximum(found, 0)], np.inf)

    most = int(sizes.max(initial=0))
    index, share = (table[sizes] for table in index_table(0.5, "linear", most))
    with np.errstate(all="ignore"):
        middle = _mixed(at(index), at(index + (share > 0)), share)
        code = np.searchsorted(of_code, middle)  # NaN is the largest there as well
        split = below(tree, starts, stops, code)
        distance = _Distances(at, middle, split, sizes)
        low, high = distance.both(index)
        found = _mixed(low, np.where(share > 0, high, low), share)
        same = below(tree, starts, stops, code + 1) - split  # as large as the median
        endless = np.where(sizes - same > index, np.inf, np.nan)
        odd = ~(sizes - same > index + (share > 0))
        endless = np.where(odd, np.nan, endless)
    found = np.where(np.isinf(middle), endless, found)
    return np.where(np.isnan(middle), np.nan, found)


def _mixed(low: Array, high: Array, share: Array) -> Array:
    mixed = (1.0 - share) * low + share * high
    return np.where((low == high) | (share == 0.0), low, mixed)


class _Distances:
    """The distances of each window's values from its middle, in order."""

    def __init__(self, at: Any, middle: Array, split: Array, sizes: Array) -> None:
        self.at, self.middle, self.split, self.sizes = at, middle, split, sizes

    def _below(self, i: Array) -> Array:
        """The i-th distance of values that are less than the middle."""
        there = (i >= 0) & (i < self.split)
        value = self.at(np.where(there, self.split - 1 - i, -1))
        return np.where(there, self.middle - value, np.nan)

    def _above(self, i: Array) -> Array:
        """The i-th distance of the other values."""
        there = (i >= 0) & (i < self.sizes - self.split)
        value = self.at(np.where(there, self.split + i, -1))
        return np.where(there, value - self.middle, np.nan)

    def both(self, t: Array) -> tuple[Array, Array]:
        """The distances at index t and t + 1; NaN, the largest, where there is none."""
        low = np.maximum(t - (self.sizes - self.split), 0)
        high = np.minimum(t, self.split)
        for _ in range(int((high - low).max(initial=0)).bit_length()):
            i = (low + high) >> 1
            enough = _not_less(self._below(i), self._above(t - 1 - i))
            is_open = low < high
            high = np.where(is_open & enough, i, high)
            low = np.where(is_open & ~enough, i + 1, low)
        left, right = self._below(low), self._above(t - low)
        first = _not_less(right, left)
        next_left = np.where(first, self._below(low + 1), left)
        next_right = np.where(first, right, self._above(t - low + 1))
        return np.where(first, left, right), _smaller(next_left, next_right)


def _not_less(a: Array, b: Array) -> Array:
    """Whether a >= b, NaN being the largest."""
    return (a >= b) | np.isnan(a)


def _smaller(a: Array, b: Array) -> Array:
    return np.where(_not_less(b, a), a, b)
