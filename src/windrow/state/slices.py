"""A bucket of time windows over slices, whose steps cost the same whatever the range.

A step reads the header, the partials of each key, the open cells that the watermark
has reached, the newest raw page, and for each window the page of suffixes at which it
begins and the page that it builds next: a handful of blobs, whatever the range.

    tables that came --late?--> open cells --watermark--> closed slices --+
                        +-----> late slices, where they count ------------+
    partials of each key, pages ----------------------------------------> + --> advance
                                                                                  |
    partials of each key, pages <-------------------------------------------------+
    windows that fell due       <-------------------------------------------------+

All keys of the bucket are moved on in the same few calls.  A key of which no window
holds anything is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.columns import array_runs
from windrow.batch.partials import PANE, Folding, partial_columns
from windrow.windows.repeats import LAST, WINDOWS, sum_windows
from windrow.windows.rule import Array

from .advance import SLOTS, WindowInputs, WindowOutputs, advance
from .codec import StepStats, Store
from .due import window_table
from .feed import Feed
from .fingerprint import QueryDescription
from .header import BucketHeader, read_header
from .late import LateStep, tell_late
from .late_parts import TailParts
from .pieces import Fields, Pieces
from .slice_pages import ID, builders
from .walk import Chunks, SliceRuns, WindowParts

MOST_TICKS = 2**62  # of a watermark: windows beyond it pass 64 bits


class _Came(NamedTuple):
    """What a step brought: places of closed slices, late ones and tails in a table."""

    table: pa.Table | None
    places: tuple[Array, ...]
    late_panes: Array


@dataclass(frozen=True)
class SliceBucket:
    """A bucket of `wr.aggregate` whose state is slices and chunks of them.

    Out come k0, k1, ... (keys), q (the number of the window's rule), start, end
    (ticks), r0, r1, ... (results in the order of the calls), and where a row stands for
    several windows (`windows/repeats.py`) how many, and the start of the last.  `cell`
    is how long a cell of open slices is, in ticks; `former` is how version 0.1 folded,
    where it differs.
    With `count_late` rows whose slice is closed count in windows that are not out.
    """

    folding: Folding
    folded: bool
    cell: int
    query: QueryDescription
    keep_late: bool
    former: Folding | None = None
    count_late: bool = False

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
        tables, late = self._tell_late(tables, header.now, stats)
        slices = self._close_slices(header, tables, late, now)
        moves = any(c.last_due(now) > c.last_due(header.now) for c in self.chunks)
        if slices is not None or (moves and len(header.keys)):
            for table in self._advance(header, slices, now):
                stats.rows_out += sum_windows(table)
                yield table
        header.now = now
        header.write(self.query, keep=self.count_late)
        stats.keys += len(header.keys)

    def _close_slices(
        self,
        header: BucketHeader,
        tables: list[pa.Table],
        late: list[pa.Table],
        now: int,
    ) -> pa.Table | None:
        """The slices that are closed now, with late ones; open ones wait in cells."""
        due, waiting = header.cells.close(now) + late, []
        for table in tables:
            closed, rest = header.cells.split(table, now)
            due += [closed] if len(closed) else []
            waiting += [rest] if len(rest) else []
        if waiting:
            table = self.feed.join(waiting)
            header.pages.next = header.cells.add(table, header.pages.next)
        return self.feed.slices(due) if due else None

    def _tell_late(
        self, tables: list[pa.Table], closed: int, stats: StepStats
    ) -> tuple[list[pa.Table], list[pa.Table]]:
        """The rows whose slice is open, and late rows that count in some window."""
        in_time, late = [], []
        for table in tables:
            stats.rows_in += self.feed.count_rows(table)
            marks = self.feed.marks(table)
            behind = self.feed.ends(marks) <= closed
            if not behind.any():
                in_time.append(table)
                continue
            missed = gone = behind
            if self.count_late:
                rules = self.folding.plan.rules
                missed, gone = (m & behind for m in tell_late(rules, marks, closed))
            # in time | late for no window | for some | for all: one copy serves all
            kinds = behind.astype(np.int8) + missed + gone
            rows = table.take(pa.array(np.argsort(kinds, kind="stable")))
            first, some, every, end = np.cumsum(np.bincount(kinds, minlength=4))
            in_time.append(rows.slice(0, first))
            late += [rows.slice(first, every - first)] if every > first else []
            out = rows.slice(some, end - some)
            stats.late_rows += self.feed.count_rows(out)
            stats.late += [out] if self.keep_late and len(out) else []
        return in_time, late

    def _advance(
        self, header: BucketHeader, slices: pa.Table | None, now: int
    ) -> Iterator[pa.Table]:
        """Move every window on from where it is to `now`."""
        windows, pages = self.chunks, header.pages
        parts = header.read_parts()
        came = self._tell_apart(header, slices)
        left = [
            pages.take_leaving(number, chunks, now)
            for number, chunks in enumerate(windows)
        ]
        raw = pages.raw_due(windows, now)
        read = [pages.read_raw(page) for page in raw]
        trees = [
            LateStep(tree, came.late_panes, header.now, now) for tree in header.late
        ]
        groups = [[parts], [came.table], *left, read, *(t.tables for t in trees)]
        pieces = Pieces(self.folding, groups, header.key_ids)
        slots = self._slots(parts, pieces, len(header.keys))
        closed, late, tails = (pieces.group(1)[kind] for kind in came.places)
        panes = pieces.panes[closed]
        starts, stops = np.zeros((2, len(header.keys)), np.int64)
        firsts, lasts = array_runs(pieces.keys[closed])
        owners = pieces.keys[closed[firsts]]
        starts[owners], stops[owners] = firsts, lasts
        tables: list[pa.Table] = []
        for number, chunks in enumerate(windows):
            leaving = pieces.group(2 + number)
            since, until = chunks.begin_due(header.now), chunks.begin_due(now)
            begins = pieces.panes[leaving]
            mine = [number in builders(page, windows, now) for page in raw]
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
            nodes = pieces.group(3 + len(windows) + number)
            lates, pages.next = trees[number].merge(pieces, late, nodes, pages.next)
            more = lates, self._tail_parts(chunks, pieces, tails)
            for due, results in output.windows(chunks.rule, pieces, *more):
                yield self._results(due, results, pieces, header, number)
            for table in output.suffixes:
                pages.add_suffixes(table, number)
            header.under[number] = output.under
            tables += self._parts(output, pieces, header, number)
        pages.drop_built(raw, windows, now)
        if came.table is not None:
            pages.add_raw(came.table, came.places[0], windows, now)
        pages.set_far_aside()
        all_parts = pa.concat_tables(tables).combine_chunks()
        header.write_parts(all_parts, parts is not None, now)

    def _tell_apart(self, header: BucketHeader, slices: pa.Table | None) -> _Came:
        """Slices with the numbers of their keys: just closed, late ones, and tails."""
        if slices is None:
            none = np.empty(0, np.int64)
            return _Came(None, (none, none, none), none)
        ids, panes = header.number_keys(slices), slices.column(PANE).to_numpy()
        is_late, is_tail = self.feed.ends(panes) <= header.now, self.is_tail(slices)
        if is_late.any():
            header.note_late(ids[is_late], panes[is_late])
        kinds = ~(is_late | is_tail), is_late, is_tail
        table = slices.select([PANE, *self.feed.partials])
        table = table.append_column(ID, pa.array(ids))
        places = tuple(np.flatnonzero(kind) for kind in kinds)
        return _Came(table, places, panes[is_late])

    def is_tail(self, slices: pa.Table) -> Array:
        """Which are parts of events that go on beyond their slice: here none."""
        return np.zeros(len(slices), bool)

    def _tail_parts(
        self, chunks: Chunks, pieces: Pieces, tails: Array
    ) -> TailParts | None:
        """The parts of events that go on beyond windows that end with their slice."""
        if not len(tails):
            return None
        ends = self.feed.ends(pieces.panes[tails])
        numbers = chunks.rule.first_over(ends) - 1
        mine = chunks.rule.end(numbers) == ends
        tails, numbers = tails[mine], numbers[mine]
        keys = pieces.keys[tails]
        return TailParts(pieces.product, chunks.rule, keys, numbers, tails)

    def _results(
        self,
        due: WindowParts,
        results: Fields,
        pieces: Pieces,
        header: BucketHeader,
        number: int,
    ) -> pa.Table:
        calls, request = self.folding.plan.calls, self.folding.request
        merged = results[len(request.product.out_dtypes) :]
        sketched = {
            bound.name: bound.sketch.lower_runs(partials)
            for bound, partials in zip(request.sketches, merged, strict=True)
        }
        columns = partial_columns(calls, request, pieces.partials, results, sketched)
        keys = header.keys.select(self.feed.keys).take(pa.array(due.keys))
        table = window_table(keys, number, due.begins, due.ends, columns)
        if len(due.keys) == due.counts.sum():
            return table
        lasts = due.begins + (due.counts - 1) * self.folding.plan.rules[number].step
        table = table.append_column(LAST, pa.array(lasts))
        return table.append_column(WINDOWS, pa.array(due.counts))

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
