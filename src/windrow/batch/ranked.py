"""Reads quantiles of windows off values in order, with or without weights.

    rows        each value counts once: exact, by `selection/`
    partials    the values that KLL sketches keep, each for 2**level values

So a window costs the same however long it is, and no sketches are merged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.selection import RANKED_BITS, dense_codes, reach_weight, select
from windrow.sketches.packed import Packed
from windrow.sketches.ranks import Quantiles, place_of

Array = np.ndarray[Any, Any]


def quantiles_of_rows(
    quantiles: Quantiles, values: Array, starts: Array, stops: Array
) -> pa.Array:
    """The quantiles of windows of doubles; NaN is passed over."""
    real = ~np.isnan(values)
    if not real.all():
        before = np.zeros(len(values) + 1, np.int64)
        np.cumsum(real, out=before[1:])
        values, starts, stops = values[real], before[starts], before[stops]
    sizes = stops - starts
    counts = np.arange(int(sizes.max(initial=0)) + 1)
    places = [place_of(level, counts) for level in quantiles.levels]
    targets = np.where(counts > 0, np.stack(places), -1)
    rows = select(RANKED_BITS, values, starts, stops, targets)[:, :, 0]
    return quantiles.column(_taken(values, rows), sizes == 0)


def quantiles_of_partials(
    quantiles: Quantiles, packed: Packed, starts: Array, stops: Array
) -> pa.Array:
    """The quantiles of windows of partials, by the values that these keep."""
    values, weights = packed.entries
    starts, stops = packed.bounds[starts], packed.bounds[stops]
    if (weights == 1).all():
        return quantiles_of_rows(quantiles, values, starts, stops)
    codes, kinds, row_of = dense_codes(values)
    before = np.zeros(len(weights) + 1, np.int64)
    np.cumsum(weights, out=before[1:])
    totals = before[stops] - before[starts]
    wanted = np.stack([place_of(level, totals) for level in quantiles.levels])
    found = reach_weight(codes, kinds, weights, starts, stops, wanted)
    rows = np.where(found >= 0, row_of[found], -1)
    return quantiles.column(_taken(values, rows), totals == 0)


def _taken(values: Array, rows: Array) -> Array:
    """A row of values for each window, a column for each quantile."""
    return np.append(values, np.nan)[rows].T
