"""Counts, for windows that move on, the entries that each holds.

An entry stands at a place; window i holds the places [starts[i], stops[i]), and neither
bound falls as i rises.  So an entry is held by neighbouring windows:

    entry at p            held by windows [lo, hi)
    stops  > p            lo = first window that ends behind p
    starts <= p           hi = one past the last window that begins at or before p

Each entry costs the same, however many windows hold it and however long these are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def holders(places: Array, starts: Array, stops: Array) -> tuple[Array, Array]:
    """The windows [lo, hi) that hold each place."""
    lo = np.searchsorted(stops, places, side="right")
    hi = np.searchsorted(starts, places, side="right")
    return lo, hi


def after(places: Array, starts: Array) -> Array:
    """The first window that begins behind each place; place -1 is before all."""
    return np.searchsorted(starts, places, side="right")


def until(places: Array, stops: Array) -> Array:
    """One past the last window that ends at or before each place."""
    return np.searchsorted(stops, places, side="right")


def count_held(lo: Array, hi: Array, windows: int, weights: Any = None) -> Array:
    """How many entries (or how much weight) each window holds."""
    some = lo < hi
    weights = None if weights is None else weights[some]
    come = np.bincount(lo[some], weights, windows + 1)
    go = np.bincount(hi[some], weights, windows + 1)
    held = np.cumsum(come - go)[:windows]
    return np.rint(held).astype(np.int64)


def blocks_of_counts(
    lo: Array, hi: Array, codes: Array, counts: Array, width: int, windows: int
) -> Any:
    """Yield (first window, a row of counts by code for each of some windows)."""
    some = np.flatnonzero(lo < hi)
    lo, hi, codes, counts = lo[some], hi[some], codes[some], counts[some]
    size = max(min((1 << 21) // max(width, 1), windows), 1)
    come, go = np.argsort(lo, kind="stable"), np.argsort(hi, kind="stable")
    edges = np.arange(0, windows + size, size)
    comes, goes = (np.searchsorted(a, edges) for a in (lo[come], hi[go]))
    before = np.zeros(width, np.int64)
    for number, first in enumerate(range(0, windows, size)):
        rows = min(size, windows - first)
        table = np.zeros(rows * width, np.int64)
        for order, bounds, at, sign in ((come, comes, lo, 1), (go, goes, hi, -1)):
            own = order[bounds[number] : bounds[number + 1]]
            own = own[at[own] < first + rows]
            places = (at[own] - first) * width + codes[own]
            np.add.at(table, places, sign * counts[own])
        held = table.reshape(rows, width)
        held[0] += before
        np.cumsum(held, axis=0, out=held)
        before = held[-1].copy()
        yield first, held
