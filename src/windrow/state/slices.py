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

import numpy as np
import pyarrow as pa

from windrow.batch.partials import PANE, Folding, partial_columns
from windrow.windows.rule import Array

from .advance import SLOTS, Pieces, WindowInputs, WindowOutputs, advance
from .codec import StepStats, Store
from .due import window_table
from .feed import Feed
from .fingerprint import QueryDescription
from .header import BucketHeader, read_header
from .slice_pages import ID
from .walk import Chunks, SliceRuns

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
        return [Chunks(rule) for rule in self.folding.plan.rules]

    def step(
        self, store: Store, tables: list[pa.Table], now: int, stats: StepStats
    ) -> Iterator[pa.Table]:
        """Take in tables, move time on to `now`, give the windows that fell due."""
        now = min(max(now, -MOST_TICKS), MOST_TICKS)
        header = read_header(store, self.feed, self.cell, self.query, now)
        now = max(now, header.now)
        slices = self._close_slices(header, tables, now, stats)
        moves = any(c.last_due(now) > c.last_due(header.now) for c in self.chunks)
        if slices is not None or (moves and len(header.keys)):
            for table in self._advance(header, slices, now):
                stats.rows_out += len(table)
                yield table
        header.now = now
        header.write(self.query)
        stats.keys += len(header.keys)

    def _close_slices(
        self, header: BucketHeader, tables: list[pa.Table], now: int, stats: StepStats
    ) -> pa.Table | None:
        """The slices that are closed now; what is open waits in cells."""
        due, waiting = header.cells.close(now), []
        for table in tables:
            in_time = self._drop_late(table, header.now, stats)
            closed, rest = header.cells.split(in_time, now)
            due += [closed] if len(closed) else []
            waiting += [rest] if len(rest) else []
        if waiting:
            table = self.feed.join(waiting)
            header.pages.next = header.cells.add(table, header.pages.next)
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
        self, header: BucketHeader, slices: pa.Table | None, now: int
    ) -> Iterator[pa.Table]:
        """Move every window on from where it is to `now`."""
        windows, pages = self.chunks, header.pages
        parts = header.read_parts()
        starts = stops = np.zeros(len(header.keys), np.int64)
        if slices is not None:
            starts, stops, ids = header.number_keys(slices)
            slices = slices.drop_columns(self.feed.keys)
            slices = slices.append_column(ID, pa.array(ids))
        left = [
            pages.take_leaving(number, chunks, now)
            for number, chunks in enumerate(windows)
        ]
        raw = [page for page in pages.raw if page.builders(windows, now)]
        read = [pages.read_raw(page) for page in raw]
        groups = [[parts], [slices], *left, read]
        pieces = Pieces(self.folding, groups, header.key_ids)
        slots = self._slots(parts, pieces, len(header.keys))
        closed = pieces.group(1)
        panes = pieces.panes[closed]
        tables: list[pa.Table] = []
        for number, chunks in enumerate(windows):
            leaving = pieces.group(2 + number)
            since, until = chunks.begin_due(header.now), chunks.begin_due(now)
            begins = pieces.panes[leaving]
            mine = [number in page.builders(windows, now) for page in raw]
            inputs = WindowInputs(
                pieces,
                slots[number],
                SliceRuns(starts, stops, panes, closed, chunks.numbers(panes)),
                leaving[(begins >= since) & (begins < until)],
                pieces.group(2 + len(windows), mine),
                header.under[number],
                header.now,
                now,
            )
            output = advance(chunks, inputs)
            yield from self._results(output, pieces, header, number)
            for table in output.suffixes:
                pages.add_suffixes(table, number)
            header.under[number] = output.under
            tables += self._parts(output, pieces, header, number)
        pages.drop_built(raw, windows, now)
        if slices is not None:
            pages.add_raw(slices, windows, now)
        all_parts = pa.concat_tables(tables).combine_chunks()
        header.write_parts(all_parts, parts is not None)

    def _results(
        self, output: WindowOutputs, pieces: Pieces, header: BucketHeader, number: int
    ) -> Iterator[pa.Table]:
        calls, request = self.folding.plan.calls, self.folding.request
        for due, results in output.windows(pieces):
            merged = results[len(request.product.out_dtypes) :]
            sketched = {
                bound.name: bound.sketch.lower(partials)
                for bound, partials in zip(request.sketches, merged, strict=True)
            }
            work = calls, request, pieces.partials, results, sketched
            columns = partial_columns(*work)
            keys = header.keys.select(self.feed.keys).take(pa.array(due.keys))
            yield window_table(keys, number, due.begins, due.ends, columns)

    def _slots(self, parts: pa.Table | None, pieces: Pieces, count: int) -> Array:
        """For each window and slot, the place of each key's partial."""
        slots = np.full((len(self.chunks), SLOTS, count), -1)
        if parts is not None:
            window, slot = divmod(parts.column(PANE).to_numpy(), SLOTS)
            slots[window, slot, pieces.keys[: len(parts)]] = np.arange(len(parts))
        return slots

    def _parts(
        self, output: WindowOutputs, pieces: Pieces, header: BucketHeader, number: int
    ) -> Iterator[pa.Table]:
        """The partials of each key that a window goes on from, slot by slot."""
        for slot, places in enumerate(output.parts()):
            there = np.flatnonzero(places >= 0)
            numbers = np.full(len(there), number * SLOTS + slot)
            columns = {ID: header.key_ids[there], PANE: numbers}
            yield pieces.table(columns, output.source, places[there])
