"""Executes a resolved plan of `wr.over` over a table in one process.

Each row's frame ends with its own instant:

    times       1   2   2   5   9
    last 3      |-------|               row at 2, both ends in: [-1, 2], its peers too
                    |-------|           row at 5: [2, 5]

Rows without a time stand first in their key and are peers of each other.

Events with a duration stand in the order of their starts, and the frame of each has the
events that are or were under way in it:

    events      ======      =====
                    ===========
    last 3            |---|             at the start of the third: all three

One without a start has an empty frame, and one without an end is in no frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow import spans
from windrow._later import dataclass
from windrow.algorithms import slide_arrays, slide_back, slide_regular
from windrow.loops import compiled, in_threads, limited, lower_bound, steadily
from windrow.plan.frame import Frame
from windrow.plan.over import OverPlan
from windrow.plan.resolved import ResolvedFrame, ResolvedOver
from windrow.slicing import Part, Runs

from .assemble import Answer, answer_columns, frame_columns, join_columns
from .kernel_inputs import KernelInputs, TableJob, prepare_parts, read_inputs
from .sorted_rows import (
    SortedRows,
    before_its_start,
    check_room,
    sort_rows,
    times_of,
)

Array = np.ndarray[Any, Any]


def _search_back(  # the same over whole columns
    times: Array,
    firsts: Array,
    lasts: Array,
    unplaced: Array,
    far: int,
    near: int,
    most: int,
    starts: Array,
    stops: Array,
) -> None:
    runs = np.repeat(np.arange(len(firsts)), lasts - firsts)
    placed = firsts + unplaced
    work = times, placed, lasts, runs
    stops[:] = lower_bound(*work, times + near)
    starts[:] = firsts[runs] if most else lower_bound(*work, times + far)
    waits = np.arange(len(times)) < placed[runs]  # rows without a time
    starts[waits], stops[waits] = firsts[runs[waits]], placed[runs[waits]]


@compiled(columns=_search_back)
def _look_back(times, firsts, lasts, unplaced, far, near, most, starts, stops):  # type: ignore[no-untyped-def]
    """The frame of row i is rows [starts[i], stops[i]), with its peers if near is 1."""
    for k in range(len(firsts)):
        placed = firsts[k] + unplaced[k]
        for i in range(firsts[k], placed):
            starts[i], stops[i] = firsts[k], placed
        start = stop = placed
        for i in range(placed, lasts[k]):
            while stop < lasts[k] and times[stop] < times[i] + near:
                stop += 1
            if most > 0:
                start = firsts[k]
            while start < stop and most == 0 and times[start] < times[i] + far:
                start += 1
            starts[i], stops[i] = start, stop


def look_back(rows: SortedRows, frame: Frame) -> tuple[Array, Array]:
    """The bounds of the frame of each sorted row."""
    if frame.counts_rows or rows.times is None:
        places, (far, near) = np.arange(len(rows)), frame.interval
        first, last = (np.repeat(x, rows.lengths) for x in (rows.firsts, rows.lasts))
        stops = np.clip(places + near, first, last)
        far = -frame.most if frame.most else far
        return np.clip(places + far, first, stops), stops
    unplaced = rows.unplaced
    if unplaced is None:
        unplaced = np.zeros(len(rows.firsts), np.int64)
    starts, stops = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    runs = rows.times, rows.firsts, rows.lasts, unplaced
    _look_back(*runs, *frame.interval, frame.most, starts, stops)
    return starts, stops


@dataclass(frozen=True)
class OverJob(TableJob):
    """Computes new columns over the past of each row."""

    plan: OverPlan

    def parts(self, resolved: ResolvedOver) -> list[Part]:
        """The parts that threads take, which do not depend on how many there are."""
        rows, frames = self.rows, self.plan.frames
        if self.plan.span is not None:
            return []
        ticks = [frame.ticks for frame in frames if frame.ticks is not None]
        times = rows.times if ticks else None
        runs = Runs(rows.firsts, rows.lasts, times, rows.unplaced if ticks else None)
        within = not any(frame.is_everything or frame.ahead for frame in frames)
        if not (resolved.cuts_runs and within):
            return runs.divide(None)
        before = max(frame.before for frame in frames)
        return runs.back(before, max(ticks, default=0))

    def run(self, resolved: ResolvedOver) -> dict[str, Any]:
        """The new columns, in the order of the table's rows."""
        rows, threads = self.rows, resolved.threads(self.threads)
        check_past(rows, self.plan)
        parts = self.parts(resolved) if resolved.divides else []
        with steadily(), limited(threads):
            inputs = read_inputs(self.table, rows, resolved.slots)
            if len(parts) < 2:
                columns = _columns(self.table, resolved, rows, inputs)
                return {name: rows.scatter(columns[name]) for name in columns}
            table = prepare_parts(self.table, rows, self.plan.calls)

            def solve(number: int) -> dict[str, pa.Array]:
                part = parts[number]
                some, values = rows.part(part.runs, part.rows), inputs.part(part.rows)
                return _columns(table, resolved, some, values, part.skip)

            results = in_threads(solve, len(parts), threads)
            return {
                name: rows.scatter(join_columns([result[name] for result in results]))
                for name in results[0]
            }


def open_over(table: pa.Table, plan: OverPlan, threads: int) -> OverJob:
    """Sort the rows of a table by key and time."""
    order = plan.by, plan.clock, plan.ties
    rows = sort_rows(table, *order, keep_unplaced=True, threads=threads)
    return OverJob(table, plan, rows, threads=threads)


@dataclass(frozen=True)
class EventsInOrder:
    """Events with a duration, sorted by start, and their places in order of ends.

    `runs` has the number of each event's key; `order` leaves out what lacks a bound.
    """

    starts: Array
    lasts: Array
    runs: Array
    order: Array
    placed: Array

    @staticmethod
    def of(table: pa.Table, rows: SortedRows, plan: OverPlan) -> EventsInOrder:
        """The events of sorted rows; one that ends before it starts is refused."""
        ends, has_end = times_of(table, plan.end_clock)
        ends = rows.gather(ends)
        assert rows.times is not None
        starts = rows.times
        runs = np.repeat(np.arange(len(rows.firsts)), rows.lengths)
        placed = np.ones(len(rows), bool)
        if rows.unplaced is not None:
            placed = np.arange(len(rows)) >= (rows.firsts + rows.unplaced)[runs]
        known = placed if has_end is None else placed & rows.gather(has_end)
        lasts, wrong, at, _ = spans.measure(starts, ends, known)
        arrived = rows.gather(np.arange(len(table)))
        if wrong:
            assert plan.span is not None
            raise before_its_start(table, plan.span, wrong, int(arrived[at]))
        order = np.lexsort((arrived, starts != ends, lasts, runs))
        return EventsInOrder(starts, lasts, runs, order[known[order]], placed)

    def fold(self, resolved: ResolvedFrame, source: tuple[Array, ...]) -> Any:
        """Fold the events that are or were under way in the frame of each event."""
        frame = resolved.frame
        assert resolved.choice is not None
        assert frame.ticks is not None
        lows = self.starts - frame.ticks + (frame.closed not in ("both", "left"))
        highs = self.starts + (frame.closed in ("both", "right"))
        lows = np.where(self.placed, np.minimum(lows, highs), highs)
        firsts, lasts, lows, highs = self._codes(self.starts, self.lasts, lows, highs)
        bounds, frames = (firsts, lasts), (lows, highs)
        product, lane = resolved.request.product, resolved.choice.lane
        return spans.fold_frames(product, source, self.order, bounds, frames, lane)

    def _codes(self, *instants: Array) -> list[Array]:
        """The ranks of instants, one key behind the other."""
        if not len(self.runs):
            return list(instants)
        least = min(int(these.min()) for these in instants)
        most = max(int(these.max()) for these in instants)
        width, keys = most - least + 1, int(self.runs.max()) + 1
        numbers = [these - least for these in instants]
        if width * keys >= 1 << 62:
            numbers = _ranks(numbers)
            width = max(int(these.max()) for these in numbers) + 1
        return _ranks([self.runs * width + these for these in numbers])


def _ranks(parts: list[Array]) -> list[Array]:
    """The place of each number among all different ones.

    By one sort: numpy's `unique` hashes, and took 1.4 s for 200,000 numbers.
    """
    whole = np.concatenate(parts)
    order = np.argsort(whole)
    ordered = whole[order]
    ranks = np.zeros(len(whole), np.int64)
    ranks[order[1:]] = np.cumsum(ordered[1:] != ordered[:-1])
    return np.split(ranks, np.cumsum([len(part) for part in parts])[:-1])


def check_past(rows: SortedRows, plan: OverPlan) -> None:
    """Refuse times from which rows cannot look back within 64 bits."""
    check_room(rows.extremes, max(plan.reach))


def over_columns(
    table: pa.Table, resolved: ResolvedOver, rows: SortedRows
) -> dict[str, pa.Array]:
    """The new columns, sorted as the rows, by one thread, for a task."""
    check_past(rows, resolved.plan)
    inputs = read_inputs(table, rows, resolved.slots)
    return _columns(table, resolved, rows, inputs)


def _columns(
    table: pa.Table,
    resolved: ResolvedOver,
    rows: SortedRows,
    inputs: KernelInputs,
    skip: int = 0,
) -> dict[str, pa.Array]:
    """The new columns of rows, but for the first `skip`, which are read only."""
    spans = None
    if resolved.plan.span is not None:
        spans = EventsInOrder.of(table, rows, resolved.plan)
    return frame_columns(
        resolved,
        lambda frame: _frame_columns(table, rows, inputs, frame, skip, spans),
    )


def _frame_columns(
    table: pa.Table,
    rows: SortedRows,
    inputs: KernelInputs,
    resolved: ResolvedFrame,
    skip: int,
    spans: EventsInOrder | None,
) -> list[pa.Array]:
    """The columns of all calls of a frame, in one pass."""
    frame, request = resolved.frame, resolved.request
    starts = stops = np.empty(0, np.int64)
    if spans is not None:
        folded = spans.fold(resolved, inputs.arrays)
        answer = Answer(None, starts, rows.lengths, starts, stops, folded)
        calls, reads = resolved.calls, inputs.columns
        return answer_columns(table, rows, calls, reads, request, answer)
    times, timed = rows.times, not frame.counts_rows and rows.times is not None
    has_unplaced = timed and rows.unplaced is not None and rows.unplaced.any()
    by_cursors = resolved.by_cursors and not has_unplaced
    if len(request.calls) < len(resolved.calls) or not (frame.is_even or by_cursors):
        starts, stops = look_back(rows, frame)
    out: tuple[Array, ...] = ()
    if resolved.choice is not None:
        lane, runs = resolved.choice.lane, (rows.firsts, rows.lasts)
        work = resolved.choice.algorithm, request.product, inputs.arrays
        if frame.is_even:
            assert frame.rows is not None
            range_ = min(frame.rows, max(int(rows.lengths.max(initial=0)), 1))
            out = slide_regular(*work, *runs, range_, lead=True, lane=lane)
        elif by_cursors:
            at = times if timed and times is not None else np.arange(len(rows))
            back, most = frame.interval, frame.most
            out = slide_back(*work, at, runs, at, runs, back, most=most, lane=lane)
        else:
            out = slide_arrays(*work, starts, stops, lane=lane)
    answer = Answer(None, starts, rows.lengths, starts, stops, out)
    if skip:
        answer = answer.part(slice(skip, None))
    return answer_columns(table, rows, resolved.calls, inputs.columns, request, answer)
