"""Keeps closed slices of a bucket in pages that a step can read without the others.

    raw page        slices as they were closed         until every window has built them
    suffix page     suffixes of one rule, slice by slice         until these have left

    slices closed   ->  raw pages         those whose suffixes some window has to build
    raw pages       ->  suffix pages      as much of a chunk as is due
    suffix pages    ->  gone              when all their slices have left the window

A page holds slices of all keys over a stretch of time that lies in one chunk.  New
slices are added to the newest raw page as long as it is small, so that there are as
many pages as there is state, whatever the number of steps, and a step reads a few of
them, whatever the range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import array_runs
from windrow.batch.partials import PANE
from windrow.windows.rule import Array

from .codec import Store, pack
from .far_pages import Bundle, SlicePage, bundle_far
from .feed import Feed
from .walk import Chunks

ID = "id"
SOME = "some"
PAGE_BYTES = 1 << 15
# Of sketches, before they are packed: one key after the other, a page of 128 kB packs
# to about 15 kB, and longer ones do not pack better.
WIDE_PAGE_BYTES = 1 << 17
_BUILT = -(2**63)  # in place of a chunk's number


@dataclass
class SlicePages:
    """All pages of a bucket, and the next free number.

    `far[0]` are bundles of raw pages, the others of the suffixes of each window.
    """

    store: Store
    feed: Feed
    raw: list[SlicePage]
    suffixes: list[list[SlicePage]]
    next: int
    far: list[list[Bundle]]

    def facts(self) -> dict[str, Any]:
        """What the header remembers; 0.2 knew no bundles, and must not pass by them."""
        if not any(self.far):
            return {"raw": self.raw, "suffixes": self.suffixes, "next": self.next}
        return {"near": [self.raw, *self.suffixes], "far": self.far, "next": self.next}

    @classmethod
    def from_facts(cls, store: Store, feed: Feed, facts: dict[str, Any]) -> SlicePages:
        """The same from a header."""
        near = facts["near"] if "near" in facts else [facts["raw"], *facts["suffixes"]]
        raw, *suffixes = ([SlicePage(*page) for page in pages] for pages in near)
        bundled = facts.get("far", [[]] * len(near))
        far = [[Bundle(*one) for one in bundles] for bundles in bundled]
        return cls(store, feed, raw, suffixes, facts["next"], far)

    def remove_all(self) -> None:
        """Remove every page."""
        for bundles, pages in zip(self.far, (self.raw, *self.suffixes), strict=True):
            self._open(bundles, pages, lambda _: True)
            for page in pages:
                self.store.remove(page.number)
            pages.clear()

    def take_leaving(self, window: int, chunks: Chunks, now: int) -> list[pa.Table]:
        """Suffixes at slices that leave a window by then; finished pages go."""
        until = chunks.begin_due(now)
        tables, left = [], []
        near = self.suffixes[window]
        self._open(self.far[1 + window], near, lambda bundle: bundle.first < until)
        for page in near:
            if page.first < until:
                tables.append(self.feed.read(self.store, page.number, "suffixes"))
            if page.last < until:
                self.store.remove(page.number)
            else:
                left.append(page)
        self.suffixes[window] = left
        return tables

    def raw_due(self, windows: Sequence[Chunks], now: int) -> list[SlicePage]:
        """The raw pages whose suffixes some window is to build by then."""
        self._open(self.far[0], self.raw, lambda one: bool(builders(one, windows, now)))
        return [page for page in self.raw if builders(page, windows, now)]

    def set_far_aside(self) -> None:
        """Bundle the pages that no window needs for long.

        Suffixes are built chunk by chunk, from the newest slice down, and leave from
        the oldest on.  Slices that come are added to the newest raw page: it stays.
        """
        newest = self.raw[-1:]
        self._bundle(0, self.raw, lambda page: None if page in newest else _turn(page))
        for place, pages in enumerate(self.suffixes, 1):
            self._bundle(place, pages, lambda page: page.first)

    def _open(
        self,
        bundles: list[Bundle],
        pages: list[SlicePage],
        wanted: Callable[[Bundle], bool],
    ) -> None:
        """Put the pages of some bundles before the near ones, which are newer."""
        for bundle in [one for one in bundles if wanted(one)]:
            pages[:0] = bundle.open(self.store)
            bundles.remove(bundle)

    def _bundle(
        self, place: int, pages: list[SlicePage], wait: Callable[[SlicePage], Any]
    ) -> None:
        bundles = bundle_far(self.store, pages, wait, self.next)
        self.far[place] += bundles
        self.next += len(bundles)

    def read_raw(self, page: SlicePage) -> pa.Table:
        """The slices of a raw page."""
        return self.feed.read(self.store, page.number, "slices")

    def add_raw(
        self, slices: pa.Table, at: Array, windows: Sequence[Chunks], now: int
    ) -> None:
        """Write those of the slices `at` that some window has yet to build.

        No page lies across a chunk.
        """
        panes = slices.column(PANE).to_numpy()[at]
        chunk = np.full((len(windows), len(panes)), _BUILT)
        for window, chunks in enumerate(windows):
            if chunks.has_suffixes:
                under, since = chunks.building(now)
                mine = chunks.numbers(panes)
                later = (mine > under) | ((mine == under) & (panes < since))
                chunk[window] = np.where(later, mine, _BUILT)
        wanted = np.flatnonzero((chunk > _BUILT).any(axis=0))
        wanted = wanted[np.argsort(panes[wanted], kind="stable")]
        chunk = chunk[:, wanted]
        table = slices.take(pa.array(at[wanted]))
        for start, stop in zip(*array_runs(*chunk), strict=True):
            numbers = [None if c == _BUILT else c for c in chunk[:, start].tolist()]
            self._append_raw(table.slice(start, stop - start), numbers)

    def _append_raw(self, table: pa.Table, chunks: list[int | None]) -> None:
        last = self.raw[-1] if self.raw else None
        if (
            last is not None
            and last.chunks == chunks
            and last.rows + len(table) <= rows_in_page(table)
        ):
            table = pa.concat_tables([self.read_raw(last), table])
            self.store.remove(last.number)
            self.raw.pop()
        self.raw += self._write(table, "slices", chunks)

    def add_suffixes(self, table: pa.Table, window: int) -> None:
        """Write suffixes of one chunk of one window."""
        self.suffixes[window] += self._write(table, "suffixes", [])

    def drop_built(
        self, pages: Sequence[SlicePage], windows: Sequence[Chunks], now: int
    ) -> None:
        """Note that raw pages which were read are built; remove those done with."""
        for page in pages:
            for window in builders(page, windows, now):
                page.chunks[window] = None
            if all(chunk is None for chunk in page.chunks):
                self.store.remove(page.number)
                self.raw.remove(page)

    def _write(
        self, table: pa.Table, kind: str, chunks: list[int | None]
    ) -> Iterator[SlicePage]:
        panes = table.column(PANE).to_numpy()
        if (panes[1:] < panes[:-1]).any():
            order = np.argsort(panes, kind="stable")
            table, panes = table.take(pa.array(order)), panes[order]
        # a slice is never cut: it goes to the page in which its first key falls
        slices, _ = array_runs(panes)
        firsts, _ = array_runs(slices // rows_in_page(table))
        starts = slices[firsts]
        for start, stop in zip(starts, np.append(starts[1:], len(panes)), strict=True):
            part = table.slice(start, stop - start)
            if part.nbytes > PAGE_BYTES:  # sketches of a key are alike: they pack well
                part = part.sort_by([(ID, "ascending"), (PANE, "ascending")])
            self.store.put(self.next, pack(part, kind, small=True))
            first, last = int(panes[start]), int(panes[stop - 1])
            yield SlicePage(self.next, first, last, len(part), list(chunks))
            self.next += 1


def _turn(page: SlicePage) -> tuple[int, int]:
    """When a raw page is built: by chunk, the newest of a chunk first."""
    return min(chunk for chunk in page.chunks if chunk is not None), -page.last


def builders(
    page: SlicePage | Bundle, windows: Sequence[Chunks], now: int
) -> list[int]:
    """The windows that are to build the suffixes of a raw page, or of some, by then."""
    found = []
    for window, chunk in enumerate(page.chunks):
        if chunk is not None:
            under, since = windows[window].building(now)
            if chunk < under or (chunk == under and page.last >= since):
                found.append(window)
    return found


def rows_in_page(table: pa.Table) -> int:
    """How many slices of that kind a page holds.

    A step reads the page at which a window begins whole, so that its bytes count, not
    its slices: a sketch of a long window has kilobytes, a number has 8.
    """
    numbers = PAGE_BYTES // (8 * table.num_columns)
    sketches = WIDE_PAGE_BYTES * len(table) // max(table.nbytes, 1)
    return int(max(min(numbers, sketches), 1))
