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
its windows fall due one by one, and of the others at most 16 nodes of each level, on
the highest one 64:

    level 1   |       node       |      *node       |     + leaves
    level 0   | . . + + + + * *  |  .   .   .   .   |     * behind the last window due

    late part of window k == what leaves from k on, and the nodes behind, merged

Nodes of a level lie in pages of 16 numbers, all keys together; a page goes when its
last window is out.  Small pages share a blob, so that a step touches few.  Only where
aggregates commute can a slice be merged this late.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms.pba_scans import suffix_scan
from windrow.batch.columns import array_runs
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

NODE, LEVEL = "node", "level"
DIGIT = 4  # bits: a node has sixteen below it
SPARE = 2  # bits: on the highest level four times as many may be needed
KIND = "late"
BLOB_BYTES = 1 << 18  # of pages that share a blob, before they are packed


@dataclass
class LateTree:
    """The pages of one rule's tree, and in which blob of the store each is."""

    store: Store
    feed: Feed
    rule: Rule
    pages: dict[Page, int] = field(default_factory=dict)

    @property
    def top(self) -> int:
        """The highest level: at most 65 of its nodes hold all windows of an instant."""
        bits = (self.rule.overlap - 1).bit_length() - SPARE
        return max(-(-bits // DIGIT) - 1, 0)

    def facts(self) -> list[list[Any]]:
        """What the header remembers: blobs, and the pages in each."""
        blobs: dict[int, list[int]] = {}
        for page, number in self.pages.items():
            blobs.setdefault(number, []).extend(page)
        return [[number, pages] for number, pages in blobs.items()]

    def take_facts(self, facts: list[list[Any]]) -> None:
        """The same from a header.

        At first a page had a blob of its own, and there were higher levels, whose
        slices are in level 0 too.
        """
        for number, *rest in facts:
            if len(rest) == 1:
                (flat,) = rest
                pairs = zip(flat[::2], flat[1::2], strict=True)
                self.pages.update(dict.fromkeys(pairs, number))
            elif number <= self.top:
                block, blob = rest
                self.pages[number, block] = blob
            else:
                self.store.remove(rest[1])

    def read(self, blob: int) -> pa.Table:
        """The nodes of a blob, some of which may be of pages that are gone."""
        table = self.feed.read(self.store, blob, KIND)
        if LEVEL in table.column_names:
            return table
        (level,) = (level for (level, _), n in self.pages.items() if n == blob)
        levels = np.full(len(table), level, np.int8)
        return table.append_column(LEVEL, pa.array(levels))

    def write(self, table: pa.Table, free: int) -> int:
        """Put pages of sorted nodes into blobs; gives the next number that is free."""
        levels, blocks = table.column(LEVEL).to_numpy(), table.column(NODE).to_numpy()
        blocks = blocks >> DIGIT
        pages, _ = array_runs(levels, blocks)
        most = max(BLOB_BYTES * len(table) // max(table.nbytes, 1), 1)
        firsts, lasts = array_runs(pages // most)
        ends = np.append(pages, len(table))
        for first, last in zip(firsts, lasts, strict=True):
            part = table.slice(ends[first], ends[last] - ends[first])
            self.store.put(free, pack(part, KIND, small=True))
            for at in pages[first:last]:
                self.pages[int(levels[at]), int(blocks[at])] = free
            free += 1
        return free

    def remove(self, pages: Collection[Page]) -> None:
        """Forget pages; blobs go with their last page."""
        blobs = {self.pages.pop(page) for page in pages}
        for blob in blobs - set(self.pages.values()):
            self.store.remove(blob)

    def drop_out(self, last: int | None) -> None:
        """Remove the pages whose last window is out, the last of which is `last`.

        None: all of them.
        """
        self.remove(
            [
                (level, block)
                for level, block in self.pages
                if last is None or _last_number(level + 1, block) <= last
            ]
        )


class LateStep:
    """The late slices of a rule in a step: those that came, and the nodes they concern.

    Windows `first` to `last` fall due; `reach` is the last that a late slice can be in.
    """

    def __init__(self, tree: LateTree, panes: Array, before: int, now: int) -> None:
        rule, self._tree = tree.rule, tree
        self._first = int(rule.first_over(before))
        self._last = int(rule.first_over(now)) - 1
        self._reach = int(rule.last_over(before))
        self._coming = rule.last_over(panes)
        self._count = self._coming >= self._first
        self._coming = self._coming[self._count]
        came = {
            (level, block)
            for level in range(tree.top + 1)
            for block in set((self._coming >> DIGIT * (level + 1)).tolist())
        }
        blobs = {tree.pages[page] for page in came if page in tree.pages}
        self._changed = [page for page, blob in tree.pages.items() if blob in blobs]
        due = {blob for page, blob in tree.pages.items() if self._is_due(page)}
        self.tables = [tree.read(blob) for blob in sorted(blobs | due)]
        self._is_kept = np.repeat(
            [blob not in blobs for blob in sorted(blobs | due)],
            [*map(len, self.tables)],
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
        tree, top = self._tree, self._tree.top
        if not len(nodes) and not len(self._coming):
            tree.drop_out(self._last)
            return None, free
        product = pieces.product
        each = np.arange(top + 1)
        levels = np.concatenate(
            [*(table.column(LEVEL).to_numpy() for table in self.tables),
             np.repeat(each, len(self._coming))]
        )  # fmt: skip
        numbers = np.concatenate(
            [*(table.column(NODE).to_numpy() for table in self.tables),
             *(self._coming >> DIGIT * level for level in each)]
        )  # fmt: skip
        places = np.concatenate([nodes, np.tile(slices[self._count], top + 1)])
        is_kept = np.zeros(len(places), bool)
        is_kept[: len(nodes)] = self._is_kept
        order, codes = self._in_order(pieces, levels, numbers, places)
        firsts, lasts = array_runs(codes)
        levels, numbers, places = levels[order], numbers[order], places[order]
        runs = places, firsts, lasts, np.full(len(firsts), -1)
        _, merged = suffix_scan(product, pieces.partials.arrays, *runs)
        levels, numbers, places = levels[firsts], numbers[firsts], places[firsts]
        stays = _last_number(levels, numbers) > self._last
        at = np.flatnonzero(stays & ~is_kept[order[firsts]])
        tree.remove(self._changed)
        columns = {ID: pieces.ids[places[at]], LEVEL: levels[at].astype(np.int8)}
        columns[NODE] = numbers[at]
        if len(at):
            free = tree.write(pieces.table(columns, merged, at), free)
        tree.drop_out(self._last)
        used = self._needed(levels, numbers)
        if not len(used):
            return None, free
        of_node = levels[used], numbers[used], pieces.keys[places[used]]
        return self._parts(product, merged, used, *of_node), free

    def _in_order(
        self, pieces: Pieces, levels: Array, numbers: Array, places: Array
    ) -> tuple[Array, Array]:
        """Nodes by level, number and key, those that are out left behind.

        Pages are in that order already: joining what is sorted is quick.
        """
        keys, relative = pieces.keys[places], numbers - (self._first >> DIGIT * levels)
        codes = levels * (int(relative.max()) + 1) + relative
        codes = codes * (int(keys.max()) + 1) + keys
        order = np.argsort(codes, kind="stable")
        is_alive = (relative >= 0) & (pieces.key_ids[keys] == pieces.ids[places])
        if not is_alive.all():
            order = order[is_alive[order]]
        return order, codes[order]

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
