"""Late parts of time windows: slices that came when the watermark had passed them.

A late slice ends before the watermark, so that every window to come ends behind it: a
window holds it or not by where it *begins*.  So a late slice is told by one number,
that of the last window over it, and window k holds those whose number is k or more.

    windows out |  due  k .. m   |  to come
    late slices    7   9   12 12   15      31          their numbers
    window 9           [----------------------         9 and all behind it
    window 10              [------------------

They stand in a tree, whose nodes hold the slices of 16 numbers, of 16 * 16 numbers, and
so on: a late slice is merged once on each level.  A step takes slices that leave while
its windows fall due one by one, and of the others at most 16 nodes of each level:

    level 1   |       node       |      *node       |     + leaves
    level 0   | . . + + + + * *  |  .   .   .   .   |     * behind the last window due

    late part of window k == what leaves from k on, and the nodes behind, merged

Nodes of a level lie in pages of 16 numbers, all keys together; a page goes when its
last window is out.  Only where aggregates commute can a slice be merged this late.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms.pba_scans import suffix_scan
from windrow.batch.columns import array_runs
from windrow.batch.partials import PANE
from windrow.kernels import Product
from windrow.windows import Rule
from windrow.windows.rule import Array

from .codec import Store, pack
from .feed import Feed
from .late_parts import LateParts
from .pieces import Fields, Pieces, stack
from .slice_pages import ID

Page = tuple[int, int]
"""The level of its nodes, and their number without the last digit in base FAN."""

NODE = "node"
DIGIT = 4  # bits: a node has sixteen below it
KIND = "late"


@dataclass
class LateTree:
    """The pages of one rule's tree, and where they are in the store."""

    store: Store
    feed: Feed
    rule: Rule
    pages: dict[Page, int] = field(default_factory=dict)

    @property
    def top(self) -> int:
        """The highest level: about FAN of its nodes hold all windows of an instant."""
        return max(-(-(self.rule.overlap - 1).bit_length() // DIGIT) - 1, 0)

    def facts(self) -> list[list[int]]:
        """What the header remembers."""
        return [[*page, number] for page, number in self.pages.items()]

    def read(self, page: Page) -> pa.Table:
        """The nodes of a page."""
        return self.feed.read(self.store, self.pages[page], KIND)

    def write(self, page: Page, table: pa.Table, free: int) -> int:
        """Put the nodes of a page in place of those before; gives the next number."""
        old = self.pages.pop(page, None)
        if old is not None:
            self.store.remove(old)
        if not len(table):
            return free
        self.store.put(free, pack(table, KIND, small=True))
        self.pages[page] = free
        return free + 1

    def drop_out(self, last: int | None) -> None:
        """Remove the pages whose last window is out, the last of which is `last`.

        None: all of them.
        """
        for page in list(self.pages):
            level, block = page
            if last is None or _last_number(level + 1, block) <= last:
                self.store.remove(self.pages.pop(page))


class LateStep:
    """The late slices of a rule in a step: those that came, and the nodes they concern.

    Windows `first` to `last` fall due; `reach` is the last that a late slice can be in.
    """

    def __init__(
        self, tree: LateTree, slices: pa.Table | None, before: int, now: int
    ) -> None:
        rule, self._tree = tree.rule, tree
        self._first = int(rule.first_over(before))
        self._last = int(rule.first_over(now)) - 1
        self._reach = int(rule.last_over(before))
        panes = np.empty(0, np.int64) if slices is None else slices.column(PANE)
        self._coming = rule.last_over(np.asarray(panes))
        self._count = self._coming >= self._first
        self._coming = self._coming[self._count]
        self._changed = {
            (level, block)
            for level in range(tree.top + 1)
            for block in np.unique(self._coming >> DIGIT * (level + 1)).tolist()
        }
        pages = [p for p in tree.pages if p in self._changed or self._is_due(p)]
        self.tables = [tree.read(page) for page in pages]
        self._levels = np.repeat(
            np.array([level for level, _ in pages], np.int64), [*map(len, self.tables)]
        )

    def _is_due(self, page: Page) -> bool:
        """Whether windows that fall due need nodes of a page."""
        level, block = page
        here = self._last + 1 >> DIGIT * (level + 1)
        begin = self._first >> DIGIT if level == 0 else here
        is_near = begin <= block and (level == self._tree.top or block <= here)
        return self._first <= self._last and is_near

    def _needed(self, levels: Array, numbers: Array) -> Array:
        """The nodes of which windows that fall due are made, no slice twice."""
        here = self._last + 1 >> DIGIT * levels
        block, top = here >> DIGIT, levels == self._tree.top
        leaves = (levels == 0) & (numbers >= self._first)
        leaves &= top | (numbers >> DIGIT <= block)
        nodes = (levels > 0) & (numbers > here) & (top | (numbers >> DIGIT == block))
        is_due = self._first <= self._last
        return np.flatnonzero((leaves | nodes) & is_due)

    def merge(
        self, pieces: Pieces, slices: Array, nodes: Array, free: int
    ) -> tuple[LateParts | None, int]:
        """The late parts of windows that fall due; pages are written from `free` on.

        `slices` and `nodes` are the places of both among the pieces.
        """
        self._tree.drop_out(self._last)
        if not len(nodes) and not len(self._coming):
            return None, free
        places, product = slices[self._count], pieces.product
        all_levels = range(self._tree.top + 1)
        levels = np.concatenate(
            [self._levels, *(np.full_like(places, level) for level in all_levels)]
        )
        numbers = np.concatenate(
            [
                *(table.column(NODE).to_numpy() for table in self.tables),
                *(self._coming >> DIGIT * level for level in all_levels),
            ]
        )
        places = np.concatenate([nodes, *(places for _ in all_levels)])
        order = np.lexsort((pieces.ids[places], numbers, levels))
        levels, numbers, places = levels[order], numbers[order], places[order]
        firsts, lasts = array_runs(levels, numbers, pieces.ids[places])
        runs = places, firsts, lasts, np.full(len(firsts), -1)
        _, merged = suffix_scan(product, pieces.partials.arrays, *runs)
        levels, numbers, places = levels[firsts], numbers[firsts], places[firsts]
        for page in sorted(self._changed):
            mine = (levels == page[0]) & (numbers >> DIGIT == page[1])
            at = np.flatnonzero(mine & (_last_number(levels, numbers) > self._last))
            columns = {ID: pieces.ids[places[at]], NODE: numbers[at]}
            free = self._tree.write(page, pieces.table(columns, merged, at), free)
        used = self._needed(levels, numbers)
        if not len(used):
            return None, free
        of_node = levels[used], numbers[used], pieces.keys[places[used]]
        return self._parts(product, merged, used, *of_node), free

    def _parts(
        self,
        product: Product,
        merged: Fields,
        used: Array,
        levels: Array,
        numbers: Array,
        keys: Array,
    ) -> LateParts:
        """Late parts of nodes: at each the suffix that begins with it, key by key."""
        windows = min(self._last, self._reach) - self._first + 1
        leaves = np.minimum(numbers - self._first, windows)
        leaves[levels > 0] = windows
        order = np.lexsort((numbers, levels, leaves, keys))
        keys, leaves = keys[order], leaves[order]
        firsts, lasts = array_runs(keys)
        runs = used[order], firsts, lasts, np.full(len(firsts), -1)
        after, wholes = suffix_scan(product, merged, *runs)
        places = np.arange(len(used)) - 1
        places[firsts] = len(used) + np.arange(len(firsts))
        counts = np.minimum(leaves[lasts - 1] + 1, windows)
        marks = keys * (windows + 1) + leaves
        facts = product, self._tree.rule, self._first, windows
        return LateParts(
            *facts, keys[firsts], counts, marks, places, stack(after, wholes)
        )


def _last_number(level: Any, number: Any) -> Any:
    """The last window that a node is in."""
    return (number + 1 << DIGIT * level) - 1


def tell_late(rules: Sequence[Rule], marks: Array, closed: int) -> tuple[Array, Array]:
    """Which instants have missed a window that is out at `closed`, and which have all.

    They lie in slices that are closed.
    """
    firsts = [rule.end(rule.first_over(marks)) for rule in rules]
    lasts = [rule.end(rule.last_over(marks)) for rule in rules]
    return np.min(firsts, axis=0) <= closed, np.max(lasts, axis=0) <= closed
