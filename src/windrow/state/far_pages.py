"""Keeps the entries of pages that no step needs for long in blobs of their own.

    header     bundle: 32 pages, first .. last     bundle ...     near pages, one by one
                  |
    blob       page, page, page, ...

A window of 65,536 slices has thousands of pages, of which a step needs a handful.  The
header names the near ones, and bundles of 32 others by the times that they cover; a
bundle is opened when time comes to the first of its pages.  So a header is as long as
two bundles, whatever the range, and a name for each bundle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from .codec import Store, pack, unpack

BUNDLE = 32  # pages
KIND = "pages"


class SlicePage(NamedTuple):
    """Slices from `first` to `last`, both included.

    `chunks` says for each window in which of its chunks they lie, as long as it has
    yet to build their suffixes: None once it has.
    """

    number: int
    first: int
    last: int
    rows: int
    chunks: list[int | None]


class Bundle(NamedTuple):
    """Pages under one number; `chunks` has for each window the least of theirs."""

    number: int
    first: int
    last: int
    chunks: list[int | None]

    def open(self, store: Store) -> list[SlicePage]:
        """The pages; the bundle is gone."""
        _, facts = unpack(store.get(self.number) or b"", KIND)
        store.remove(self.number)
        return [SlicePage(*page) for page in facts["pages"]]


def bundle_far(
    store: Store,
    pages: list[SlicePage],
    wait: Callable[[SlicePage], Any],
    free: int,
) -> list[Bundle]:
    """Take the pages that wait longest out of a list into bundles, from `free` on.

    `wait` orders them, and is None for pages that stay.  As many as a bundle has stay
    too, so that one that was opened is used up before another is made of it.
    """
    waits = {page.number: wait(page) for page in pages} if len(pages) > BUNDLE else {}
    far = [page for page in pages if waits.get(page.number) is not None]
    far.sort(key=lambda page: waits[page.number])
    bundles: list[Bundle] = []
    while len(far) >= 2 * BUNDLE:
        far, part = far[:-BUNDLE], far[-BUNDLE:]
        number = free + len(bundles)
        store.put(number, pack(pa.table({}), KIND, {"pages": part}, small=True))
        bundles.append(_bundle(number, part))
        taken = {page.number for page in part}
        pages[:] = [page for page in pages if page.number not in taken]
    return bundles


def _bundle(number: int, pages: Sequence[SlicePage]) -> Bundle:
    first, last = min(p.first for p in pages), max(p.last for p in pages)
    chunks = []
    for of_window in zip(*(page.chunks for page in pages), strict=True):
        known = [chunk for chunk in of_window if chunk is not None]
        chunks.append(min(known, default=None))
    return Bundle(number, first, last, chunks)
