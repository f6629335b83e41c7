"""Finds places in sorted runs of an array, for many questions at once.

values    3 5 5 9 | 1 2 8 | ...          rising in each run [first, last)
limits    5         3                    one for each question
answers   1         6                    the first place that is not below it
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def lower_bound(
    values: Array, firsts: Array, lasts: Array, runs: Array, limits: Array
) -> Array:
    """The first place of run runs[i] with a value of at least limits[i].

    It is the run's last where there is none.  Runs stand in order; what lies between
    two of them does not count.
    """
    if not len(runs):
        return np.empty(0, np.int64)
    full = firsts < lasts
    least = int(values[firsts[full]].min(initial=2**63 - 1))
    most = int(values[lasts[full] - 1].max(initial=least))
    span = most - least + 2
    if span * len(firsts) < 2**62:
        return _in_one_search(values, firsts, lasts, runs, limits, least, span)
    return _by_halving(values, firsts[runs], lasts[runs], limits)


def _in_one_search(
    values: Array,
    firsts: Array,
    lasts: Array,
    runs: Array,
    limits: Array,
    least: int,
    span: int,
) -> Array:
    """Search all runs as one: a value is moved up by the runs before it."""
    sizes = lasts - firsts
    skipped = firsts - (np.cumsum(sizes) - sizes)
    rows = np.repeat(skipped, sizes) + np.arange(sizes.sum())
    line = np.repeat(np.arange(len(firsts)) * span, sizes) + (values[rows] - least)
    asked = runs * span + (np.clip(limits, least, least + span - 1) - least)
    places: Array = np.searchsorted(line, asked) + skipped[runs]
    return places


def _by_halving(values: Array, low: Array, high: Array, limits: Array) -> Array:
    """Halve all questions side by side."""
    for _ in range(int((high - low).max(initial=0)).bit_length()):
        middle = (low + high) >> 1
        is_open = low < high
        below = is_open & (values[np.minimum(middle, len(values) - 1)] < limits)
        low = np.where(below, middle + 1, low)
        high = np.where(is_open & ~below, middle, high)
    return low
