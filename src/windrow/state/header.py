"""The header of a bucket of time windows: what it remembers from step to step.

    entry 0     header: who wrote it, the watermark, the keys, which pages there are
    entry 1     for each key and window: head, middle, newest, suffix being built
    others      pages: slices that are open, slices that are closed, suffixes

    late rows   trees of late slices, where some came

Inside, a key goes by a number of its own, which is never given to another: pages
need not hold the key, and a key that went and came again is a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import run_bounds
from windrow.loops import keep_way
from windrow.windows.rule import Array

from .cells import Cells
from .codec import FIRST_PAGE, HEADER, Store, pack, unpack
from .due import LEAST, out_of_reach
from .feed import Feed
from .fingerprint import QueryDescription, check_same
from .key_table import place_keys
from .late import LateTree
from .slice_pages import ID, SlicePages

PARTS = 1
UNTIL = "until"  # of a key: the newest instant for which a late slice came


@dataclass
class BucketHeader:
    """The watermark of the last step, the keys, and the pages that there are.

    `ids` keys have been numbered; `under` is, for each window, the chunk whose
    suffixes are being built; `way` is how its kernels run, which must not change;
    `fresh` says that the store had nothing of the bucket.
    """

    store: Store
    feed: Feed
    now: int
    keys: pa.Table
    ids: int
    under: list[int]
    cells: Cells
    pages: SlicePages
    late: list[LateTree]
    way: str
    fresh: bool = False

    @property
    def key_ids(self) -> Array:
        """The numbers of the keys, ascending."""
        return self.keys.column(ID).to_numpy()  # type: ignore[no-any-return]

    def number_keys(self, slices: pa.Table) -> Array:
        """The number of each slice's key; slices stand key by key.

        Keys that are new get a number.
        """
        names = self.feed.keys
        firsts, lasts = run_bounds(slices, names)
        run_keys = slices.select(names).take(pa.array(firsts))
        mine, new = place_keys(self.keys, run_keys, names)
        added = int(new.sum())
        fresh = {ID: pa.array(self.ids + np.arange(added))}
        fresh[UNTIL] = pa.array(np.full(added, LEAST))
        fresh |= {name: run_keys.column(name).filter(pa.array(new)) for name in names}
        self.keys = pa.concat_tables([self.keys, pa.table(fresh)]).combine_chunks()
        self.ids += added
        return np.repeat(self.key_ids[mine], lasts - firsts)

    def note_late(self, ids: Array, panes: Array) -> None:
        """Remember up to which instant late slices came, key by key."""
        until = self.keys.column(UNTIL).to_numpy().copy()
        np.maximum.at(until, np.searchsorted(self.key_ids, ids), panes)
        self.keys = self.keys.set_column(1, UNTIL, pa.array(until))

    def read_parts(self) -> pa.Table | None:
        """The partials of each key, if there is one."""
        return self.feed.read(self.store, PARTS, "slices") if len(self.keys) else None

    def write_parts(self, parts: pa.Table, had: bool, now: int) -> None:
        """Write the partials of each key; a key without any, late ones too, is gone."""
        until, rules = self.keys.column(UNTIL).to_numpy(), self.feed.folding.plan.rules
        alive = np.isin(self.key_ids, parts.column(ID).to_numpy())
        alive |= (until > LEAST) & ~out_of_reach(rules, until, now)
        if not alive.all():
            self.keys = self.keys.filter(pa.array(alive))
        if len(self.keys):
            self.store.put(PARTS, pack(parts, "slices", small=True))
        elif had:
            self.store.remove(PARTS)

    def write(self, query: QueryDescription, *, keep: bool) -> None:
        """Write the header; without anything in the bucket only one to `keep` stays."""
        is_empty = not len(self.keys) and not self.cells.pages
        if is_empty:
            self.pages.remove_all()
            for tree in self.late:
                tree.drop_out(None)
        if is_empty and not keep:
            if not self.fresh:
                self.store.remove(HEADER)
            return
        facts = {
            "spec": query.words,
            "way": self.way,
            "now": self.now,
            "ids": self.ids,
            "under": self.under,
            "cell": self.cells.length,
            "cells": self.cells.facts(),
            "pages": self.pages.facts(),
            "late": [tree.facts() for tree in self.late],
        }
        self.store.put(HEADER, pack(self.keys, "header", facts, small=True))


def read_header(
    store: Store, feed: Feed, cell: int, query: QueryDescription, now: int
) -> BucketHeader:
    """The header of a bucket; a fresh one is closed up to `now`."""
    blob = store.get(HEADER)
    plan = feed.folding.plan
    late = [LateTree(store, feed, rule) for rule in plan.rules]
    if blob is None:
        types = [plan.schema.field(name).type for name in plan.by]
        names = dict(zip(feed.keys, types, strict=True))
        schema = pa.schema({ID: pa.int64(), UNTIL: pa.int64(), **names})
        keys, none = schema.empty_table(), [0] * len(plan.rules)
        cells = Cells(store, feed, cell)
        lists: list[list[Any]] = [[] for _ in range(2 * len(plan.rules) + 1)]
        suffixes, far = lists[: len(plan.rules)], lists[len(plan.rules) :]
        pages = SlicePages(store, feed, [], suffixes, FIRST_PAGE, far)
        way = keep_way(None, is_new=True)
        place = store, feed, now, keys, 0, none, cells, pages, late
        return BucketHeader(*place, way, fresh=True)
    keys, facts = unpack(blob, "header")
    check_same(facts["spec"], query)
    now, ids, under = (facts[name] for name in ("now", "ids", "under"))
    cells = Cells.from_facts(store, feed, facts["cell"], facts["cells"])
    pages = SlicePages.from_facts(store, feed, facts["pages"])
    if UNTIL not in keys.column_names:  # written before late rows counted
        keys = keys.add_column(1, UNTIL, pa.array(np.full(len(keys), LEAST)))
    for tree, kept in zip(late, facts.get("late", [[]] * len(late)), strict=True):
        tree.take_facts(kept)
    way = keep_way(facts.get("way"), is_new=False)
    return BucketHeader(store, feed, now, keys, ids, under, cells, pages, late, way)
