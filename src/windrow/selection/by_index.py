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
from .sorted_blocks import NO_NUMBERS, SORTED_BLOCKS, find_trains, walk_trains

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
        trains = find_trains(starts, stops, width)
        walk_trains(values, width, trains, targets, out, *NO_NUMBERS)
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


def index_table(q: float, interpolation: str, most: int) -> tuple[Array, Array]:
    """By number of values, the index of a quantile, and how far beyond it it lies."""
    n = np.arange(most + 1)
    place = q * (n - 1.0)
    low = np.floor(place)
    share = np.zeros(len(n))
    match interpolation:
        case "discrete":
            low = np.maximum(np.ceil(q * n) - 1.0, 0.0)
        case "nearest":
            low = np.rint(place)
        case "higher":
            low = np.ceil(place)
        case "midpoint":
            share = np.where(place > low, 0.5, 0.0)
        case "linear" | "continuous":
            share = place - low
    low[0], share[0] = -1, 0.0
    return low.astype(np.int64), share


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
