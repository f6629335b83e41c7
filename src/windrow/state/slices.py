"""Time windows over a stream: a bucket whose state does not grow with the range.

A step reads the header, the partials of each key, the open cells that the watermark
has reached, the newest raw page, and for each window the page of suffixes at which it
begins and the page that it builds next: a handful of blobs, whatever the range.

    what came  --late?-->  open cells  --watermark-->  slices --+
    partials of each key, pages ------------------------------> + --> advance
                                                                        |
    partials of each key, pages <---------------------------------------+
    windows that fell due       <---------------------------------------+

All keys of the bucket are moved on in the same few calls.  A key of which no window
holds anything is gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.fold_rows import PANE, Folding
from windrow.batch.partials import partial_columns

from .advance import SLOTS, Given, Moved, advance
from .chunks import Chunks, chunks_of
from .feed import Feed
from .header import State, read_state
from .pieces import Pieces
from .slice_pages import ID
from .store import Store, Told
from .turnover import builders, drop_built, keep_raw, keep_suffixes, leaving
from .walk import Runs

Array = np.ndarray[Any, Any]

MOST_TICKS = 2**62  # of a watermark: windows beyond it pass 64 bits


@dataclass(frozen=True)
class SliceBucket:
    """Windows over slices; `cell` is how long a cell of open slices is, in ticks."""

    folding: Folding
    folded: bool
    cell: int
    spec: dict[str, Any]
    keep_late: bool

    @cached_property
    def feed(self) -> Feed:
        """How what comes is read."""
        return Feed(self.folding, self.folded)

    @cached_property
    def chunks(self) -> list[Chunks]:
        """The chunks of each window."""
        return [chunks_of(query) for query in self.folding.plan.rules]

    def step(
        self, store: Store, fed: list[pa.Table], now: int, told: Told
    ) -> Iterator[pa.Table]:
        """Take in what came, move time on to `now`, give the windows that fell due."""
        now = min(max(now, -MOST_TICKS), MOST_TICKS)
        state = read_state(store, self.feed, self.cell, self.spec, now)
        now = max(now, state.now)
        slices = self._closed(store, state, fed, now, told)
        moves = any(c.last_due(now) > c.last_due(state.now) for c in self.chunks)
        if slices is not None or (moves and len(state.keys)):
            yield from self._move(store, state, slices, now, told)
        state.now = now
        state.write(store, self.spec)
        told.keys += len(state.keys)

    def _closed(
        self, store: Store, state: State, fed: list[pa.Table], now: int, told: Told
    ) -> pa.Table | None:
        """The slices that are closed now; what is open waits in cells."""
        due, waiting = state.cells.close(store, now), []
        for table in fed:
            closed, rest = state.cells.split(self._in_time(table, state.now, told), now)
            due += [closed] if len(closed) else []
            waiting += [rest] if len(rest) else []
        if waiting:
            table = self.feed.joined(waiting)
            state.pages.next = state.cells.keep(store, table, state.pages.next)
        return self.feed.slices(due) if due else None

    def _in_time(self, table: pa.Table, closed: int, told: Told) -> pa.Table:
        """The rows whose slice is not closed yet; the others are late."""
        told.rows_in += self.feed.rows(table)
        late = self.feed.ends(self.feed.marks(table)) <= closed
        if not late.any():
            return table
        gone = table.filter(pa.array(late))
        told.late_rows += self.feed.rows(gone)
        told.late += [gone] if self.keep_late else []
        return table.filter(pa.array(~late))

    def _move(
        self,
        store: Store,
        state: State,
        slices: pa.Table | None,
        now: int,
        told: Told,
    ) -> Iterator[pa.Table]:
        """Every window, from where it is to `now`."""
        windows, pages = self.chunks, state.pages
        parts = state.parts(store)
        starts = stops = np.zeros(len(state.keys), np.int64)
        if slices is not None:
            starts, stops, ids = state.meet(slices, self.feed.keys)
            slices = slices.drop_columns(self.feed.keys)
            slices = slices.append_column(ID, pa.array(ids))
        left = [leaving(store, pages, q, c, now) for q, c in enumerate(windows)]
        raw = [page for page in pages.raw if builders(page, windows, now)]
        read = [pages.read(store, page, "slices") for page in raw]
        pieces = Pieces(self.folding, [[parts], [slices], *left, read])
        keys = _places_of(state.known, pieces.ids)
        slots = self._slots(parts, keys, len(state.keys))
        closed = pieces.group(1)
        runs = Runs(starts, stops, pieces.panes[closed], closed)
        moved = []
        for query, chunks in enumerate(windows):
            out = pieces.group(2 + query)
            since = chunks.begin(chunks.last_due(state.now))
            until = chunks.begin(chunks.last_due(now))
            panes = pieces.panes[out]
            mine = [query in builders(page, windows, now) for page in raw]
            given = Given(
                pieces,
                keys,
                slots[query * SLOTS : (query + 1) * SLOTS],
                runs,
                out[(panes >= since) & (panes < until)],
                pieces.group(2 + len(windows), mine),
                state.under[query],
                state.now,
                now,
            )
            one = advance(self.folding.asked.product, chunks, given)
            yield from self._results(one, pieces, state, query, told)
            keep_suffixes(store, pages, one, pieces, query, chunks)
            state.under[query] = one.under
            moved.append(one)
        drop_built(store, pages, raw, windows, now)
        if slices is not None:
            keep_raw(store, pages, slices, windows, now)
        state.keep_parts(store, self._parts(state, moved, pieces), parts is not None)

    def _results(
        self, moved: Moved, pieces: Pieces, state: State, query: int, told: Told
    ) -> Iterator[pa.Table]:
        plan, asked = self.folding.plan, self.folding.asked
        for due, out in moved.windows(asked.product):
            columns = partial_columns(plan.calls, asked, pieces.partials, out)
            keys = state.keys.take(pa.array(due.keys))
            told.rows_out += len(due.keys)
            yield pa.table(
                {
                    **{name: keys.column(name) for name in self.feed.keys},
                    "q": pa.array(np.full(len(due.keys), query, np.int32)),
                    "start": pa.array(due.begins),
                    **{f"r{i}": column for i, column in enumerate(columns)},
                }
            )

    def _slots(self, parts: pa.Table | None, keys: Array, count: int) -> list[Array]:
        """For each window and slot, the place of each key's partial."""
        slots = np.full((len(self.chunks) * SLOTS, count), -1)
        if parts is not None:
            number = parts.column(PANE).to_numpy()
            slots[number, keys[: len(parts)]] = np.arange(len(parts))
        return list(slots)

    def _parts(self, state: State, moved: list[Moved], pieces: Pieces) -> pa.Table:
        """The partials of each key, window by window and slot by slot."""
        tables = []
        for query, one in enumerate(moved):
            for slot, places in enumerate(one.parts()):
                there = np.flatnonzero(places >= 0)
                columns = {
                    ID: pa.array(state.known[there]),
                    PANE: pa.array(np.full(len(there), query * SLOTS + slot)),
                }
                taken = tuple(field[places[there]] for field in one.source)
                tables.append(pieces.table(columns, taken))
        return pa.concat_tables(tables).combine_chunks()


def _places_of(known: Array, ids: Array) -> Array:
    """Where each key stands; slices of keys that are gone are nobody's business."""
    return np.minimum(np.searchsorted(known, ids), len(known) - 1)


__all__ = ["SliceBucket"]
