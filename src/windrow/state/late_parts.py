"""Adds late parts to the windows that fall due, some of which have no other part.

window       head . middle . newest . late           merged in any order: they commute
due          a key's windows from the first due on, as long as a late slice is in them
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from windrow.algorithms.pba_scans import prefix_scan
from windrow.kernels import Product
from windrow.loops import ordinals
from windrow.windows import Rule
from windrow.windows.rule import Array

from .pieces import Fields, stack
from .walk import WindowParts


@dataclass(frozen=True)
class LateParts:
    """The late partials of the windows `first` on that fall due, key by key.

    Run i is key `keys[i]`, of which `counts[i]` windows have a late part.  `marks` tell
    for its slices key * (windows + 1) + the window after which it leaves, or `windows`
    if it stays; the partial of slice j and all behind it is at `places[j]`.
    """

    product: Product
    rule: Rule
    first: int
    windows: int
    keys: Array
    counts: Array
    marks: Array
    places: Array
    partials: Fields

    def add_to(
        self, source: Fields, due: WindowParts, keys: tuple[int, int]
    ) -> tuple[Fields, WindowParts]:
        """Windows of those keys with their late parts, some of which have no other.

        The late part is merged with the newest of the three.
        """
        low, high = np.searchsorted(self.keys, keys)
        counts = self.counts[low:high]
        owners, index = np.repeat(self.keys[low:high], counts), ordinals(counts)
        if not len(owners):
            return source, due
        marks = owners * (self.windows + 1) + index
        late = self.places[np.searchsorted(self.marks, marks)]
        mine = np.flatnonzero(due.index < self.windows)
        at = np.searchsorted(
            due.keys[mine] * self.windows + due.index[mine],
            owners * self.windows + index,
        )
        at = np.append(mine, -1)[np.minimum(at, len(mine))]
        known = at >= 0
        known[known] = (due.keys[at[known]] == owners[known]) & (
            due.index[at[known]] == index[known]
        )
        newest = np.full(len(owners), -1)
        newest[known] = due.places[-1][at[known]]
        size, each = len(source[0]), np.arange(len(owners))
        both = stack(source, self.partials)
        merged = prefix_scan(self.product, both, size + late, each, each + 1, newest)
        due = self._with_windows(due, owners[~known], index[~known])
        due.places[-1][at[known]] = size + each[known]
        due.places[-1][len(due.keys) - int((~known).sum()) :] = size + each[~known]
        return stack(source, merged), due

    def _with_windows(self, due: WindowParts, keys: Array, index: Array) -> WindowParts:
        """Windows, and behind them more that have no partial yet."""
        numbers, none = self.first + index, np.full(len(keys), -1)
        return WindowParts(
            np.concatenate([due.keys, keys]),
            np.concatenate([due.index, index]),
            np.concatenate([due.begins, self.rule.begin(numbers)]),
            np.concatenate([due.ends, self.rule.end(numbers)]),
            tuple(np.concatenate([places, none]) for places in due.places),
        )
