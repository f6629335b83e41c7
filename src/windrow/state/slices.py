"""A bucket of time windows over slices, whose steps cost the same whatever the range.

A step reads the header, the partials of each key, the open cells that the watermark
has reached, the newest raw page, and for each window the page of suffixes at which it
begins and the page that it builds next: a handful of blobs, whatever the range.

    tables that came --late?--> open cells --watermark--> closed slices --+
    partials of each key, pages ----------------------------------------> + --> advance
                                                                                  |
    partials of each key, pages <-------------------------------------------------+
    windows that fell due       <-------------------------------------------------+

All keys of the bucket are moved on in the same few calls.  A key of which no window
holds anything is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.partials import PANE, Folding, partial_columns

from .advance import SLOTS, Pieces, WindowInputs, WindowOutputs, advance
from .codec import StepStats, Store
from .feed import Feed
from .fingerprint import QueryDescription
from .header import BucketHeader, read_header
from .slice_pages import ID
from .walk import Chunks, SliceRuns, chunks_of

Array = np.ndarray[Any, Any]

MOST_TICKS = 2**62  # of a watermark: windows beyond it pass 64 bits


@dataclass(frozen=True)
class SliceBucket:
    """A bucket of `wr.aggregate` whose state is slices and chunks of them.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end
    (ticks), r0, r1, ... (results in the order of the calls).  `cell` is how long a cell
    of open slices is, in ticks; `former` is how version 0.1 folded, where it differs.
    """

    folding: Folding
    folded: bool
    cell: int
    query: QueryDescription
    keep_late: bool
    former: Folding | None = None

    @cached_property
    def feed(self) -> Feed:
        """Reads the tables that come."""
        return Feed(self.folding, self.folded, self.former)

    @cached_property
    def chunks(self) -> list[Chunks]:
        """The chunks of each rule."""
        return [chunks_of(rule) for rule in self.folding.plan.rules]

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in tables, move time on to `now`, give the windows that fell due."""
        now = min(max(now, -MOST_TICKS), MOST_TICKS)
        header = read_header(store, self.feed, self.cell, self.query, now)
        now = max(now, header.now)
        slices = self._close_slices(store, header, tables, now, stats)
        moves = any(c.last_due(now) > c.last_due(header.now) for c in self.chunks)
        if slices is not None or (moves and len(header.keys)):
            yield from self._advance(store, header, slices, now, stats)
        header.now = now
        header.write(store, self.query)
        stats.keys += len(header.keys)

    def _close_slices(
        self,
        store: Store,
        header: BucketHeader,
        tables: list[pa.Table],
        now: int,
        stats: StepStats,
    ) -> pa.Table | None:
        """The slices that are closed now; what is open waits in cells."""
        due, waiting = header.cells.close(store, now), []
        for table in tables:
            in_time = self._drop_late(table, header.now, stats)
            closed, rest = header.cells.split(in_time, now)
            due += [closed] if len(closed) else []
            waiting += [rest] if len(rest) else []
        if waiting:
            table = self.feed.join(waiting)
            header.pages.next = header.cells.keep(store, table, header.pages.next)
        return self.feed.slices(due) if due else None

    def _drop_late(self, table: pa.Table, closed: int, stats: StepStats) -> pa.Table:
        """The rows whose slice is not closed yet; the others are late."""
        stats.rows_in += self.feed.count_rows(table)
        late = self.feed.ends(self.feed.marks(table)) <= closed
        if not late.any():
            return table
        gone = table.filter(pa.array(late))
        stats.late_rows += self.feed.count_rows(gone)
        stats.late += [gone] if self.keep_late else []
        return table.filter(pa.array(~late))

    def _advance(
        self,
        store: Store,
        header: BucketHeader,
        slices: pa.Table | None,
        now: int,
        stats: StepStats,
    ) -> Iterator[pa.Table]:
        """Move every window on from where it is to `now`."""
        windows, pages = self.chunks, header.pages
        parts = header.read_parts(store)
        starts = stops = np.zeros(len(header.keys), np.int64)
        if slices is not None:
            starts, stops, ids = header.number_keys(slices, self.feed.keys)
            slices = slices.drop_columns(self.feed.keys)
            slices = slices.append_column(ID, pa.array(ids))
        left = [
            pages.take_leaving(store, number, chunks, now)
            for number, chunks in enumerate(windows)
        ]
        raw = [page for page in pages.raw if page.builders(windows, now)]
        read = [self.feed.read(store, page.number, "slices") for page in raw]
        pieces = Pieces(self.folding, [[parts], [slices], *left, read])
        keys = _places_of(header.key_ids, pieces.ids)
        slots = self._slots(parts, keys, len(header.keys))
        closed = pieces.group(1)
        panes = pieces.panes[closed]
        outputs = []
        for number, chunks in enumerate(windows):
            leaving = pieces.group(2 + number)
            since, until = chunks.begin_due(header.now), chunks.begin_due(now)
            is_leaving = (pieces.panes[leaving] >= since) & (
                pieces.panes[leaving] < until
            )
            mine = [number in page.builders(windows, now) for page in raw]
            inputs = WindowInputs(
                pieces,
                keys,
                slots[number * SLOTS : (number + 1) * SLOTS],
                SliceRuns(starts, stops, panes, closed, chunks.numbers(panes)),
                leaving[is_leaving],
                pieces.group(2 + len(windows), mine),
                header.under[number],
                header.now,
                now,
            )
            output = advance(self.folding.request.product, chunks, inputs)
            yield from self._results(output, pieces, header, number, stats)
            for table in output.suffixes(pieces, chunks):
                pages.add_suffixes(store, table, number)
            header.under[number] = output.under
            outputs.append(output)
        pages.drop_built(store, raw, windows, now)
        if slices is not None:
            pages.add_raw(store, slices, windows, now)
        header.keep_parts(
            store, self._parts(header, outputs, pieces), parts is not None
        )

    def _results(
        self,
        output: WindowOutputs,
        pieces: Pieces,
        header: BucketHeader,
        number: int,
        stats: StepStats,
    ) -> Iterator[pa.Table]:
        plan, request = self.folding.plan, self.folding.request
        for due, results in output.windows(request.product):
            columns = partial_columns(plan.calls, request, pieces.partials, results)
            keys = header.keys.take(pa.array(due.keys))
            stats.rows_out += len(due.keys)
            yield pa.table(
                {
                    **{name: keys.column(name) for name in self.feed.keys},
                    "q": pa.array(np.full(len(due.keys), number, np.int32)),
                    "start": pa.array(due.begins),
                    "end": pa.array(due.ends),
                    **{f"r{i}": column for i, column in enumerate(columns)},
                }
            )

    def _slots(self, parts: pa.Table | None, keys: Array, count: int) -> list[Array]:
        """For each window and slot, the place of each key's partial."""
        slots = np.full((len(self.chunks) * SLOTS, count), -1)
        if parts is not None:
            numbers = parts.column(PANE).to_numpy()
            slots[numbers, keys[: len(parts)]] = np.arange(len(parts))
        return list(slots)

    def _parts(
        self, header: BucketHeader, outputs: list[WindowOutputs], pieces: Pieces
    ) -> pa.Table:
        """The partials of each key, window by window and slot by slot."""
        tables = []
        for number, output in enumerate(outputs):
            for slot, places in enumerate(output.parts()):
                there = np.flatnonzero(places >= 0)
                columns = {
                    ID: pa.array(header.key_ids[there]),
                    PANE: pa.array(np.full(len(there), number * SLOTS + slot)),
                }
                taken = tuple(field[places[there]] for field in output.source)
                tables.append(pieces.table(columns, taken))
        return pa.concat_tables(tables).combine_chunks()


def _places_of(known: Array, ids: Array) -> Array:
    """Where the key of each number stands; slices of expired keys are ignored."""
    return np.minimum(np.searchsorted(known, ids), len(known) - 1)


__all__ = ["SliceBucket"]
