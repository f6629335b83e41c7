"""Buckets of count windows and of `wr.over` that keep slices by position on shelves.

Rows wait in pages until the watermark has passed them; then they are final, stand in
the order of time, ties and arrival, and are numbered within their key:

    rows that came --late?--> pages of rows --watermark--> slices --> shelves
                                                  |           |
    keys: number, rows so far, last time <--------+           +--> windows now due

A slice is as many rows as divide every range and slide (`unit`), or a row of
`wr.over`; the newest may be incomplete.  Keys of count windows and of frames of rows
stay for ever, since more rows may come; with durations alone a key goes when its rows
are out of reach.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from functools import cached_property

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.batch.assemble import seen_columns
from windrow.batch.over import look_back
from windrow.batch.partials import PartialLayout, partial_columns
from windrow.loops import ordinals
from windrow.plan.aggregate import Plan
from windrow.plan.choose import Choice
from windrow.plan.over import OverPlan
from windrow.slicing import fold
from windrow.windows.rule import Array

from .codec import nullable_schema
from .due import (
    LEAST,
    MOST,
    KernelRows,
    due_by_count,
    first_needed,
    result_parts,
    window_table,
)
from .fill_shelves import Filling
from .key_table import KNOWN, KeyTable, PastReach
from .positions import DueFrames, FreshSlices, PositionStep
from .row_pages import RowPages
from .rows import PagedBucket
from .shelves import CHILD, POSITION, TIME, Shelf, shelves_of
from .slice_pages import ID


@dataclass(frozen=True)
class PastBucket(PagedBucket):
    """A bucket whose state is slices by position; `choice` slides over fresh ones."""

    layout: PartialLayout
    choice: Choice
    unit: int
    rows_bucket: PagedBucket | None = None

    @property
    def former(self) -> PagedBucket | None:
        """Versions up to 0.2 kept rows, and what they kept goes on as rows."""
        return self.rows_bucket

    def keeps_header(self, pages: RowPages) -> bool:
        """As long as there are keys."""
        return pages.known and pages.kept_keys > 0

    @abstractmethod
    def reach(self, keys: KeyTable, now: int) -> PastReach:
        """What windows to come can hold, once this step is done."""

    @abstractmethod
    def find(
        self, rows: KernelRows, before: Array, fresh: FreshSlices
    ) -> list[DueFrames]:
        """The windows that fall due, of keys that had `before` rows."""

    @abstractmethod
    def give(self, rows: KernelRows, step: PositionStep) -> Iterator[pa.Table]:
        """Their results."""

    def results(self, pages: RowPages) -> Iterator[pa.Table]:
        """The windows whose last row came to lie behind `now`."""
        keys = KeyTable.read(pages.store, self.plan)
        table = pages.gather_final()
        if table is not None:
            times = pages.final_times
            new = table.filter(pa.array(times >= pages.closed))
            if len(new):
                yield from self._take_in(new, keys, pages)
            pages.settle_final(np.zeros(len(table), bool))
        if self._expire(keys, pages) or table is not None:
            keys.write()
        pages.kept_keys = len(keys.table)

    def _take_in(
        self, table: pa.Table, keys: KeyTable, pages: RowPages
    ) -> Iterator[pa.Table]:
        rows = KernelRows.of(table, self.plan, self.layout.slots)
        stream = rows.stream
        assert stream.times is not None
        names = [f"k{i}" for i in range(len(self.plan.by))]
        own = stream.keys.rename_columns(names)
        counts = stream.lasts - stream.firsts
        ids, before = keys.add(own, counts, stream.times[stream.lasts - 1])
        fresh = self._fold(rows, ids, before)
        shelves = {n: Shelf.read(pages.store, n) for n in shelves_of(ids)}
        frames = self.find(rows, before, fresh)
        step = PositionStep(self.layout, self.choice, shelves, fresh, frames)
        yield from self.give(rows, step)
        Filling(step, self.reach(keys, pages.now)).settle()

    def _fold(self, rows: KernelRows, ids: Array, before: Array) -> FreshSlices:
        """The slices of new rows, key by key."""
        stream, unit = rows.stream, self.unit
        counts = stream.lasts - stream.firsts
        first, last = before // unit, (before + counts - 1) // unit
        sizes = last - first + 1
        runs = np.repeat(np.arange(len(ids)), sizes)
        positions = first[runs] + ordinals(sizes)
        zero = (stream.firsts - before)[runs]  # where row 0 of the key would stand
        starts = np.maximum(zero + positions * unit, stream.firsts[runs])
        stops = np.minimum(zero + (positions + 1) * unit, stream.lasts[runs])
        partials = fold(self.layout.request.product, rows.source.arrays, starts, stops)
        assert stream.times is not None
        table = pa.table(
            {
                ID: pa.array(ids[runs]),
                CHILD: pa.array(np.zeros(len(runs), np.int64)),
                POSITION: pa.array(positions),
                TIME: pa.array(stream.times[stops - 1]),
                **self.layout.columns(rows.table, stream, rows.source, partials),
            }
        )
        lasts = np.cumsum(sizes)
        return FreshSlices(ids, lasts - sizes, lasts, before % unit > 0, table)

    def _expire(self, keys: KeyTable, pages: RowPages) -> bool:
        """Forget keys of which no window to come holds a row; whether there are any."""
        if not len(keys.table):
            return False
        reach = self.reach(keys, pages.now)
        alive = (reach.since < MOST) | (keys.column(TIME) >= reach.instant)
        if alive.all():
            return False
        gone = keys.keep(alive)
        left = set(shelves_of(keys.column(ID)))
        for number in shelves_of(gone):
            if number not in left:
                Shelf.read(pages.store, number).clear()
        return True


@dataclass(frozen=True)
class CountSliceBucket(PastBucket):
    """A bucket of `wr.aggregate` over count windows."""

    plan: Plan

    def reach(self, keys: KeyTable, now: int) -> PastReach:
        """What windows to come can hold, once this step is done."""
        del now
        known = keys.column(KNOWN)
        since = first_needed(self.plan.rules, known) // self.unit
        return PastReach(keys.column(ID), since, known // self.unit, MOST)

    def find(
        self, rows: KernelRows, before: Array, fresh: FreshSlices
    ) -> list[DueFrames]:
        """The count windows whose last row is now final."""
        stream, unit, frames = rows.stream, self.unit, []
        known = before + stream.lasts - stream.firsts
        for rule in self.plan.rules:
            due = due_by_count(stream, rule, before, known)
            offset = (fresh.firsts - before // unit)[due.runs]
            bounds = due.begins // unit
            starts, stops = offset + bounds, offset + due.ends // unit
            # a slice that was open is whole again: windows may begin at it
            reaches = starts < fresh.firsts[due.runs]
            frames.append(DueFrames(due.runs, bounds, starts, stops, reaches, False))
        return frames

    def give(self, rows: KernelRows, step: PositionStep) -> Iterator[pa.Table]:
        """The windows with their results."""
        calls, request = self.plan.calls, self.layout.request
        for number, frames in enumerate(step.frames):
            out = step.results(number)
            begins = frames.bounds * self.unit
            ends = (frames.bounds + frames.stops - frames.starts) * self.unit
            for start, stop in result_parts(len(begins)):
                part = slice(start, stop)
                keys = rows.stream.keys.take(pa.array(frames.runs[part]))
                fields = tuple(field[part] for field in out)
                columns = partial_columns(calls, request, step.pieces.partials, fields)
                yield window_table(keys, number, begins[part], ends[part], columns)


@dataclass(frozen=True)
class OverSliceBucket(PastBucket):
    """A bucket of `wr.over`.

    Out come s0, s1, ... (all columns of the row), r0, r1, ... (results in the order
    of the calls).
    """

    plan: OverPlan

    @property
    def schema(self) -> pa.Schema:
        """All columns of the rows; all may be null."""
        return nullable_schema(self.plan.schema, self.plan.schema.names)

    @property
    def longest(self) -> int:
        """The longest duration that a row looks back over."""
        return max(frame.ticks or 0 for frame in self.plan.frames)

    @cached_property
    def before(self) -> int | None:
        """The most rows before itself that a row counts back to; None: none counts."""
        counts = [frame.before for frame in self.plan.frames if frame.rows is not None]
        return max(counts, default=0) or None

    def reach(self, keys: KeyTable, now: int) -> PastReach:
        """What frames of rows to come can hold, once this step is done."""
        known = keys.column(KNOWN)
        since = np.full(len(known), MOST)
        if self.before is not None:
            since = known - self.before
        far = [f.interval[0] for f in self.plan.frames if f.ticks is not None]
        instant = max(now + min(far), LEAST) if far else MOST
        return PastReach(keys.column(ID), since, known, instant)

    def find(
        self, rows: KernelRows, before: Array, fresh: FreshSlices
    ) -> list[DueFrames]:
        """The frame of each row that is final now; a row is a slice."""
        stream, frames = rows.stream, []
        assert stream.times is not None
        runs = np.repeat(np.arange(len(before)), fresh.lasts - fresh.firsts)
        for frame in self.plan.frames:
            starts, stops = look_back(stream, frame)
            reaches = starts == stream.firsts[runs]
            by_time = frame.ticks is not None
            if by_time:
                bounds = stream.times + frame.interval[0]
            else:
                own = np.arange(len(stream)) - stream.firsts[runs] + before[runs]
                bounds = np.maximum(own + frame.interval[0], 0)
                reaches &= bounds < before[runs]
            frames.append(DueFrames(runs, bounds, starts, stops, reaches, by_time))
        return frames

    def give(self, rows: KernelRows, step: PositionStep) -> Iterator[pa.Table]:
        """The rows with their columns."""
        plan, order = self.plan, rows.stream.order
        outs = [step.results(number) for number in range(len(step.frames))]
        request, partials = self.layout.request, step.pieces.partials
        for start, stop in result_parts(len(rows.stream)):
            part = slice(start, stop)
            places = np.arange(start, stop)
            own = rows.table.take(pa.array(places if order is None else order[part]))
            columns = {f"s{i}": column for i, column in enumerate(own.columns)}
            results: dict[str, pa.Array] = {}
            for out, calls in zip(outs, plan.frames.values(), strict=True):
                fields = tuple(field[part] for field in out)
                mine = {bound.name for bound in calls}
                names = [b.name for b, _ in request.calls if b.name in mine]
                given = partial_columns(calls, request, partials, fields)
                results.update(zip(names, given, strict=True))
            seen = seen_columns(plan, results)
            columns |= {f"r{i}": column for i, column in enumerate(seen.values())}
            yield pa.table(columns)
