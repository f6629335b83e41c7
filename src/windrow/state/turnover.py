"""Pages that come and go as time moves on.

slices closed     ->  raw pages         those whose suffixes some window has to build
raw pages         ->  suffix pages      as much of a chunk as is due
suffix pages      ->  gone              when all their slices have left the window
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.partials import PANE, ROWS

from .advance import Moved
from .chunks import Chunks
from .pieces import Pieces
from .slice_pages import ID, SOME, Page, Pages
from .store import Store

Array = np.ndarray[Any, Any]

_BUILT = -(2**63)  # in place of a chunk's number


def leaving(
    store: Store, pages: Pages, query: int, chunks: Chunks, now: int
) -> list[pa.Table]:
    """Suffixes at slices that leave a window by then; pages that are done are gone."""
    until = chunks.begin(chunks.last_due(now))
    found, left = [], []
    for page in pages.suffixes[query]:
        if page.first < until:
            found.append(pages.read(store, page, "suffixes"))
        if page.last < until:
            store.remove(page.number)
        else:
            left.append(page)
    pages.suffixes[query] = left
    return found


def builders(page: Page, windows: Sequence[Chunks], now: int) -> list[int]:
    """The windows that are to build the suffixes of a raw page by then."""
    found = []
    for query, chunk in enumerate(page.chunks):
        if chunk is None:
            continue
        under, since = windows[query].building(now)
        if chunk < under or (chunk == under and page.last >= since):
            found.append(query)
    return found


def keep_suffixes(
    store: Store, pages: Pages, moved: Moved, pieces: Pieces, query: int, chunks: Chunks
) -> None:
    """Suffixes at slices that have not left yet."""
    panes = pieces.panes[moved.stay_from]
    chunk = (panes - chunks.shift) // chunks.length
    for number in np.unique(chunk):
        mine = chunk == number
        columns = {
            ID: pa.array(pieces.ids[moved.stay_from[mine]]),
            PANE: pa.array(panes[mine]),
            SOME: pa.array(moved.stay_some[mine]),
        }
        taken = tuple(field[moved.stay[mine]] for field in moved.source)
        pages.add_suffixes(store, pieces.table(columns, taken), query)


def keep_raw(
    store: Store, pages: Pages, slices: pa.Table, windows: Sequence[Chunks], now: int
) -> None:
    """Slices that some window has yet to build, in pages that no chunk cuts."""
    panes = slices.column(PANE).to_numpy()
    chunk = np.full((len(windows), len(panes)), _BUILT)
    for query, chunks in enumerate(windows):
        if chunks.suffixes:
            under, since = chunks.building(now)
            mine = (panes - chunks.shift) // chunks.length
            later = (mine > under) | ((mine == under) & (panes < since))
            chunk[query] = np.where(later, mine, _BUILT)
    wanted = np.flatnonzero((chunk > _BUILT).any(axis=0))
    if not len(wanted):
        return
    wanted = wanted[np.argsort(panes[wanted], kind="stable")]
    chunk = chunk[:, wanted]
    cuts = np.flatnonzero((chunk[:, 1:] != chunk[:, :-1]).any(axis=0)) + 1
    table = slices.drop_columns([ROWS]).take(pa.array(wanted))
    for start, stop in zip([0, *cuts], [*cuts, len(wanted)], strict=True):
        within = [None if c == _BUILT else c for c in chunk[:, start].tolist()]
        pages.add_raw(store, table.slice(start, stop - start), within)


def drop_built(
    store: Store,
    pages: Pages,
    read: Sequence[Page],
    windows: Sequence[Chunks],
    now: int,
) -> None:
    """Raw pages that were read are built now; those that nobody waits for are gone."""
    for page in read:
        for query in builders(page, windows, now):
            page.chunks[query] = None
        if all(chunk is None for chunk in page.chunks):
            store.remove(page.number)
            pages.raw.remove(page)


__all__ = ["builders", "drop_built", "keep_raw", "keep_suffixes", "leaving"]
