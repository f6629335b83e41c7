"""Finds rows of windows by their index in the order of values, by a named method.

    values     7.5  1.0  3.0  9.0        window 0: all four
    targets    index 1 of 4 values       the second smallest
    rows       2                         where it stands: 3.0

Rows are numbers of the column, so that any type can be looked up there; -1 is none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._method import Method
from .counting import COUNTING, count
from .ranked_bits import walk
from .sorted_blocks import SORTED_BLOCKS, sort_blocks, trains, walk_blocks

Array = np.ndarray[Any, Any]


def select(
    method: Method,
    values: Array,
    starts: Array,
    stops: Array,
    targets: Array,
    steps: int = 1,
) -> Array:
    """The rows [j, window, step] at index targets[j, n] + step of windows of n rows.

    Bounds never fall from one window to the next; NaN is the largest value.
    """
    out = np.empty((len(targets), len(starts), steps), np.int64)
    if not len(starts) or not len(values):
        out[:] = -1
        return out
    if method is SORTED_BLOCKS:
        width = targets.shape[1] - 1
        heads = trains(starts, stops, width)
        begins, ends = starts[heads[:-1]], stops[heads[1:] - 1]
        order = sort_blocks(values, width, begins, ends)
        walk_blocks(values, order, width, heads, starts, stops, targets, out)
        return out
    if method is COUNTING:
        codes, kinds, row_of = small_codes(values)
        count(codes, kinds, starts, stops, targets, out)
    else:
        row_of = np.argsort(values)
        ranks = np.empty(len(values), np.int64)
        ranks[row_of] = np.arange(len(values))
        walk(ranks, len(values), starts, stops, targets, out)
    return np.where(out >= 0, row_of[out], -1)


def small_codes(values: Array) -> tuple[Array, int, Array]:
    """Codes of whole numbers in a small range, how many, and a row of each."""
    least = int(values.min())
    codes = values.astype(np.int64) - least
    kinds = int(codes.max()) + 1
    row_of = np.full(kinds, -1, np.int64)
    row_of[codes] = np.arange(len(values))
    return codes, kinds, row_of


def dense_codes(values: Array) -> tuple[Array, int, Array]:
    """Codes in the order of values, how many, and a row of each; NaN is one value."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    new = np.ones(len(order), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    if values.dtype.kind == "f":
        new[1:] &= ~(np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    codes = np.empty(len(order), np.int64)
    codes[order] = np.cumsum(new) - 1
    return codes, int(new.sum()), order[new]
