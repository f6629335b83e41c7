"""The header of a bucket of time windows: what it remembers from step to step.

    entry 0     header: who wrote it, the watermark, the keys, which pages there are
    entry 1     for each key and window: head, middle, newest, suffix being built
    others      pages: slices that are open, slices that are closed, suffixes

Inside, a key goes by a number of its own, which is never given to another: pages
need not hold the key, and a key that went and came again is a new one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import key_codes, run_bounds

from .cells import Cells
from .codec import FIRST_PAGE, HEADER, Store, pack, unpack
from .feed import Feed
from .fingerprint import QueryDescription, check_same
from .slice_pages import ID, SlicePages

Array = np.ndarray[Any, Any]

PARTS = 1


@dataclass
class BucketHeader:
    """The watermark of the last step, the keys, and the pages that there are.

    `ids` keys have been numbered; `under` is, for each window, the chunk whose
    suffixes are being built; `fresh` says that nothing was kept of the bucket.
    """

    now: int
    keys: pa.Table
    ids: int
    under: list[int]
    cells: Cells
    pages: SlicePages
    fresh: bool = False

    @property
    def key_ids(self) -> Array:
        """The numbers of the keys, ascending."""
        return self.keys.column(ID).to_numpy()  # type: ignore[no-any-return]

    def number_keys(
        self, slices: pa.Table, names: list[str]
    ) -> tuple[Array, Array, Array]:
        """The run of each key in sorted slices, and the number of each slice's key.

        Keys that are new get a number.
        """
        firsts, lasts = run_bounds(slices, names)
        run_keys = slices.select(names).take(pa.array(firsts))
        count = len(self.keys)
        if names:
            both = pa.concat_tables(
                [self.keys.select(names), run_keys]
            ).combine_chunks()
            codes, _ = key_codes(both, names)
        else:
            codes = np.zeros(count + 1, np.int32)
        place = np.full(int(codes.max()) + 1, -1)
        place[codes[:count]] = np.arange(count)
        mine = place[codes[count:]]
        new = mine < 0
        added = int(new.sum())
        mine[new] = count + np.arange(added)
        fresh = {ID: pa.array(self.ids + np.arange(added))}
        fresh |= {name: run_keys.column(name).filter(pa.array(new)) for name in names}
        self.keys = pa.concat_tables([self.keys, pa.table(fresh)]).combine_chunks()
        self.ids += added
        starts, stops = np.zeros((2, len(self.keys)), np.int64)
        starts[mine], stops[mine] = firsts, lasts
        return starts, stops, np.repeat(self.key_ids[mine], lasts - firsts)

    def read_parts(self, store: Store) -> pa.Table | None:
        """The partials of each key, if there is one."""
        return self.cells.feed.read(store, PARTS, "slices") if len(self.keys) else None

    def keep_parts(self, store: Store, parts: pa.Table, had: bool) -> None:
        """Keep the partials of each key; a key without any is gone."""
        alive = np.isin(self.key_ids, parts.column(ID).to_numpy())
        if not alive.all():
            self.keys = self.keys.filter(pa.array(alive))
        if len(parts):
            store.put(PARTS, pack(parts, "slices", small=True))
        elif had:
            store.remove(PARTS)

    def write(self, store: Store, query: QueryDescription) -> None:
        """Keep the header, or nothing where there is nothing left to remember."""
        if not len(self.keys) and not self.cells.pages:
            for page in self.pages:
                store.remove(page.number)
            if not self.fresh:
                store.remove(HEADER)
            return
        facts = {
            "spec": query.words,
            "now": self.now,
            "ids": self.ids,
            "under": self.under,
            "cell": self.cells.length,
            "cells": self.cells.facts(),
            "pages": self.pages.facts(),
        }
        store.put(HEADER, pack(self.keys, "header", facts, small=True))


def read_header(
    store: Store, feed: Feed, cell: int, query: QueryDescription, now: int
) -> BucketHeader:
    """The header of a bucket; a fresh one is closed up to `now`."""
    blob = store.get(HEADER)
    kind = "slices" if feed.folded else "rows"
    if blob is None:
        plan = feed.folding.plan
        types = [plan.schema.field(name).type for name in plan.by]
        schema = {ID: pa.int64(), **dict(zip(feed.keys, types, strict=True))}
        windows = len(plan.rules)
        return BucketHeader(
            now,
            pa.schema(schema).empty_table(),
            0,
            [0] * windows,
            Cells(feed, cell, kind),
            SlicePages(feed, [], [[] for _ in range(windows)], FIRST_PAGE),
            fresh=True,
        )
    keys, facts = unpack(blob, "header")
    check_same(facts["spec"], query)
    cells = Cells.from_facts(feed, facts["cell"], kind, facts["cells"])
    pages = SlicePages.from_facts(feed, facts["pages"])
    return BucketHeader(facts["now"], keys, facts["ids"], facts["under"], cells, pages)


__all__ = ["BucketHeader", "read_header"]
