"""Keeps rows and slices that are still open, ahead of the watermark, by cells of time.

    watermark        |
    cells       | c  | c + 1 | c + 2 | ...
    pages         p     p p     p               one for each step that brought rows

A step writes what it brought, cell by cell, and reads only cells that the watermark
has reached.  A cell is a part of the watermark's delay, or longer where a step
brought few rows or a long time: these go to a few cells, never to hundreds.  A cell
that was written often is made one page again, so that neither long delays nor short
micro-batches let pages pile up.

Rows come out in the order in which they came: page numbers rise, and in a page that
was made of several each row remembers which it came with.  Pages of cells of other
lengths may lie between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from .codec import Store, pack
from .feed import Feed
from .slice_pages import rows_in_page

MOST_PAGES = 8  # of a cell, before they are made one
MOST_CELLS = 8  # that a step writes

ARRIVAL = "__windrow_came"  # the page with which a row came, in one made of several

Cell = tuple[int, int]
"""The length of a cell, and its number among cells of that length."""


@dataclass
class Cells:
    """The pages of open cells; `pages[cell]` are (number, least mark) in order."""

    store: Store
    feed: Feed
    length: int
    pages: dict[Cell, list[tuple[int, int]]] = field(default_factory=dict)

    def facts(self) -> list[Any]:
        """What the header remembers."""
        return [[*cell, pages] for cell, pages in self.pages.items()]

    @classmethod
    def from_facts(cls, store: Store, feed: Feed, length: int, facts: Any) -> Cells:
        """The same from a header."""
        cells = {
            (cell_length, cell): [(number, least) for number, least in pages]
            for cell_length, cell, pages in facts
        }
        return cls(store, feed, length, cells)

    def close(self, now: int) -> list[pa.Table]:
        """Take out what lies in slices that end at or before `now`."""
        closed: dict[int, pa.Table] = {}
        for length, cell in list(self.pages):
            if cell * length >= now:
                continue
            left = []
            for number, least in self.pages.pop((length, cell)):
                if int(self.feed.ends(np.array([least]))[0]) > now:
                    left.append((number, least))
                    continue
                due, rest = self.split(self._read(number), now)
                if len(due):
                    closed[number] = due
                if len(rest):
                    left.append(self._write(number, rest))
                else:
                    self.store.remove(number)
            if left:
                self.pages[length, cell] = left
        return self._in_order_of_arrival(closed)

    def split(self, table: pa.Table, now: int) -> tuple[pa.Table, pa.Table]:
        """What lies in slices that are closed, and what does not."""
        closed = self.feed.ends(self.feed.marks(table)) <= now
        if closed.all():
            return table, table.slice(len(table))
        if not closed.any():
            return table.slice(len(table)), table
        order = np.argsort(~closed, kind="stable")  # one copy, of which both are parts
        table, edge = table.take(pa.array(order)), int(closed.sum())
        return table.slice(0, edge), table.slice(edge)

    def add(self, table: pa.Table, number: int) -> int:
        """Write what is open; gives the next free page number."""
        marks = self.feed.marks(table)
        length, span = self.length, int(marks.max()) - int(marks.min())
        most = min(MOST_CELLS, 1 + len(table) // rows_in_page(table))
        while span // length >= most:
            length *= 2
        cells = marks // length
        for cell in np.unique(cells).tolist():
            part = table.filter(pa.array(cells == cell))
            pages = self.pages.setdefault((length, cell), [])
            if len(pages) >= MOST_PAGES:
                old = {page: self._read(page) for page, _ in pages}
                for page in old:
                    self.store.remove(page)
                pages.clear()
                part = self._merge({**old, number: part})
            pages.append(self._write(number, part))
            number += 1
        return number

    def _merge(self, pages: dict[int, pa.Table]) -> pa.Table:
        """Pages as one; slices commute, rows remember with which page they came."""
        if self.feed.folded:
            return self.feed.join(list(pages.values()))
        return self.feed.join([_with_arrival(n, page) for n, page in pages.items()])

    def _in_order_of_arrival(self, pages: dict[int, pa.Table]) -> list[pa.Table]:
        if not any(ARRIVAL in table.column_names for table in pages.values()):
            return [pages[number] for number in sorted(pages)]
        table = self._merge(pages)
        order = np.argsort(table.column(ARRIVAL).to_numpy(), kind="stable")
        return [table.take(pa.array(order)).drop_columns([ARRIVAL])]

    def _read(self, number: int) -> pa.Table:
        return self.feed.read(self.store, number, self.feed.kind)

    def _write(self, number: int, table: pa.Table) -> tuple[int, int]:
        self.store.put(number, pack(table, self.feed.kind, small=True))
        return number, int(self.feed.marks(table).min())


def _with_arrival(number: int, page: pa.Table) -> pa.Table:
    if ARRIVAL in page.column_names:
        return page
    return page.append_column(ARRIVAL, pa.array(np.full(len(page), number)))
