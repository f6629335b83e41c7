"""Adds parts to the windows that fall due, some of which have no other part.

window       head . middle . newest . late . tail    merged in any order: they commute
due          a key's windows from the first due on, as long as a late slice is in them
tail         events with a duration that go on beyond the end of the window
"""

from __future__ import annotations

import numpy as np

from windrow._later import dataclass
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
        size = len(source[0])
        both = stack(source, self.partials)
        found = owners, self.first + index, size + late
        return add_parts(self.product, self.rule, both, due, *found)


@dataclass(frozen=True)
class TailParts:
    """Partials of events that go on beyond the end of a window, as places.

    Part i is of window `numbers[i]` of key `keys[i]`.
    """

    product: Product
    rule: Rule
    keys: Array
    numbers: Array
    places: Array

    def add_to(
        self, source: Fields, due: WindowParts, keys: tuple[int, int]
    ) -> tuple[Fields, WindowParts]:
        """Windows of those keys with their tails, some of which have no other part."""
        mine = (self.keys >= keys[0]) & (self.keys < keys[1])
        found = self.keys[mine], self.numbers[mine], self.places[mine]
        return add_parts(self.product, self.rule, source, due, *found)


def add_parts(
    product: Product,
    rule: Rule,
    source: Fields,
    due: WindowParts,
    keys: Array,
    numbers: Array,
    places: Array,
) -> tuple[Fields, WindowParts]:
    """Windows with one more part each, at most; some of them have no other.

    Part i is of window `numbers[i]` of key `keys[i]`, and is merged with the newest of
    its three.
    """
    if not len(keys):
        return source, due
    due = due.each(rule)
    least = int(numbers.min())
    span = int(numbers.max()) - least + 1
    index = rule.last_over(due.begins) - least
    near = np.flatnonzero((index >= 0) & (index < span))
    codes = due.keys[near] * span + index[near]
    order = np.argsort(codes, kind="stable")
    near, codes = np.append(near[order], -1), np.append(codes[order], -1)
    wanted = keys * span + (numbers - least)
    at = np.searchsorted(codes[:-1], wanted)
    known = codes[at] == wanted
    at = near[at]
    newest = np.full(len(keys), -1)
    newest[known] = due.places[-1][at[known]]
    size, each = len(source[0]), np.arange(len(keys))
    merged = prefix_scan(product, source, places, each, each + 1, newest)
    more = int((~known).sum())
    due = _with_windows(rule, due, keys[~known], numbers[~known])
    due.places[-1][at[known]] = size + each[known]
    due.places[-1][len(due.keys) - more :] = size + each[~known]
    return stack(source, merged), due


def _with_windows(
    rule: Rule, due: WindowParts, keys: Array, numbers: Array
) -> WindowParts:
    """Windows, and behind them more that have no partial yet."""
    none = np.full(len(keys), -1)
    return WindowParts(
        np.concatenate([due.keys, keys]),
        np.concatenate([due.begins, rule.begin(numbers)]),
        np.concatenate([due.ends, rule.end(numbers)]),
        tuple(np.concatenate([places, none]) for places in due.places),
        np.ones(len(due.keys) + len(keys), np.int64),
    )
