"""Closed slices of a bucket, in pages that a step can read without the others.

    raw page        slices as they were closed        until every window has built them
    suffix page     lcs of one window at each slice   until its slices have left

A page holds slices of all keys over a stretch of time that lies in one chunk.  New
slices are added to the newest raw page as long as it is small, so that there are as
many pages as there is state, whatever the number of steps, and a step reads a few of
them, whatever the range.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.partials import PANE

from .codec import pack, read_kept
from .store import Store

Array = np.ndarray[Any, Any]

ID = "id"
SOME = "some"
PAGE_BYTES = 1 << 15
FIRST_PAGE = 2  # after the header and the partials of each key


@dataclass
class Page:
    """Slices from `first` to `last`, both included.

    `chunks` says for each window in which of its chunks they lie, as long as it has
    yet to build their suffixes: None once it has.
    """

    number: int
    first: int
    last: int
    rows: int
    chunks: list[int | None]

    def facts(self) -> list[Any]:
        """What the header remembers."""
        return [self.number, self.first, self.last, self.rows, self.chunks]


@dataclass
class Pages:
    """All pages of a bucket, and the next free number."""

    raw: list[Page]
    suffixes: list[list[Page]]
    next: int

    def facts(self) -> dict[str, Any]:
        """What the header remembers."""
        return {
            "raw": [page.facts() for page in self.raw],
            "suffixes": [[page.facts() for page in pages] for pages in self.suffixes],
            "next": self.next,
        }

    @classmethod
    def known(cls, facts: dict[str, Any]) -> Pages:
        """The same from a header."""
        return cls(
            [Page(*page) for page in facts["raw"]],
            [[Page(*page) for page in pages] for pages in facts["suffixes"]],
            facts["next"],
        )

    def __iter__(self) -> Iterator[Page]:
        yield from self.raw
        for pages in self.suffixes:
            yield from pages

    def read(self, store: Store, page: Page, kind: str) -> pa.Table:
        """The slices of a page."""
        return read_kept(store, page.number, kind)

    def add_raw(self, store: Store, table: pa.Table, chunks: list[int | None]) -> None:
        """Keep slices that lie in those chunks of the windows."""
        last = self.raw[-1] if self.raw else None
        if last is not None and last.chunks == chunks and _is_small(last.rows, table):
            table = pa.concat_tables([self.read(store, last, "slices"), table])
            store.remove(last.number)
            self.raw.pop()
        self.raw += self._written(store, table, "slices", chunks)

    def add_suffixes(self, store: Store, table: pa.Table, window: int) -> None:
        """Keep suffixes of one chunk of one window."""
        self.suffixes[window] += self._written(store, table, "suffixes", [])

    def _written(
        self, store: Store, table: pa.Table, kind: str, chunks: list[int | None]
    ) -> Iterator[Page]:
        panes = table.column(PANE).to_numpy()
        if (panes[1:] < panes[:-1]).any():
            order = np.argsort(panes, kind="stable")
            table, panes = table.take(pa.array(order)), panes[order]
        most = rows_in_page(table)
        # a slice is never cut: it goes to the page in which its first key falls
        slices = np.flatnonzero(np.concatenate([[True], panes[1:] != panes[:-1]]))
        pages = slices // most
        starts = slices[np.concatenate([[True], pages[1:] != pages[:-1]])]
        for start, stop in zip(starts, np.append(starts[1:], len(panes)), strict=True):
            part = table.slice(start, stop - start)
            store.put(self.next, pack(part, kind, small=True))
            first, last = int(panes[start]), int(panes[stop - 1])
            yield Page(self.next, first, last, len(part), list(chunks))
            self.next += 1


def rows_in_page(table: pa.Table) -> int:
    """How many slices of that kind a page holds."""
    return int(max(PAGE_BYTES // (8 * table.num_columns), 1))


def _is_small(rows: int, table: pa.Table) -> bool:
    return rows + len(table) <= rows_in_page(table)


__all__ = ["FIRST_PAGE", "ID", "PAGE_BYTES", "SOME", "Page", "Pages", "rows_in_page"]
