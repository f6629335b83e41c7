"""Executes a resolved plan of `wr.over` over a table in one process.

Each row's frame ends with its own instant:

    times       1   2   2   5   9
    last 3      |-------|               row at 2, both ends in: [-1, 2], its peers too
                    |-------|           row at 5: [2, 5]

Rows without a time stand first in their key and are peers of each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_arrays, slide_regular
from windrow.loops import compiled, lower_bound
from windrow.plan.over import Frame, OverPlan
from windrow.plan.resolve import ResolvedFrame, ResolvedOver

from .assemble import Answer, answer_columns
from .kernel_inputs import KernelInputs, TableJob, read_inputs
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


def _search_back(  # the same over whole columns
    times: Array,
    firsts: Array,
    lasts: Array,
    unplaced: Array,
    ticks: int,
    far_in: bool,
    near_in: bool,
    starts: Array,
    stops: Array,
) -> None:
    runs = np.repeat(np.arange(len(firsts)), lasts - firsts)
    placed = firsts + unplaced
    work = times, placed, lasts, runs
    stops[:] = lower_bound(*work, times + int(near_in))
    starts[:] = np.minimum(lower_bound(*work, times - ticks + int(not far_in)), stops)
    waits = np.arange(len(times)) < placed[runs]  # rows without a time
    starts[waits], stops[waits] = firsts[runs[waits]], placed[runs[waits]]


@compiled(columns=_search_back)
def _look_back(times, firsts, lasts, unplaced, ticks, far_in, near_in, starts, stops):  # type: ignore[no-untyped-def]
    """The frame of row i is rows [starts[i], stops[i]), with its peers if near_in."""
    for k in range(len(firsts)):
        placed = firsts[k] + unplaced[k]
        for i in range(firsts[k], placed):
            starts[i], stops[i] = firsts[k], placed
        start = stop = placed
        for i in range(placed, lasts[k]):
            far = times[i] - ticks
            while times[start] < far or (not far_in and times[start] == far):
                start += 1
            stop = max(stop, start)
            while stop < lasts[k] and (
                times[stop] < times[i] or (near_in and times[stop] == times[i])
            ):
                stop += 1
            starts[i], stops[i] = min(start, stop), stop


def look_back(rows: SortedRows, frame: Frame) -> tuple[Array, Array]:
    """The bounds of the frame of each sorted row."""
    if frame.rows is not None:
        places = np.arange(len(rows))
        first = np.repeat(rows.firsts, rows.lengths)
        return np.maximum(places - frame.rows + 1, first), places + 1
    unplaced = rows.unplaced
    if unplaced is None:
        unplaced = np.zeros(len(rows.firsts), np.int64)
    starts, stops = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    ends = frame.closed in ("both", "left"), frame.closed in ("both", "right")
    runs = rows.times, rows.firsts, rows.lasts, unplaced
    _look_back(*runs, frame.ticks, *ends, starts, stops)
    return starts, stops


@dataclass(frozen=True)
class OverJob(TableJob):
    """Computes new columns over the past of each row."""

    plan: OverPlan

    def run(self, resolved: ResolvedOver) -> dict[str, pa.Array]:
        """The new columns, in the order of the table's rows."""
        columns = over_columns(self.table, resolved, self.rows)
        if self.rows.place is None:
            return columns
        place = pa.array(self.rows.place)
        return {name: column.take(place) for name, column in columns.items()}


def open_over(table: pa.Table, plan: OverPlan) -> OverJob:
    """Sort the rows of a table by key and time."""
    rows = sort_rows(table, plan.by, plan.clock, plan.ties, keep_unplaced=True)
    return OverJob(table, plan, rows)


def over_columns(
    table: pa.Table, resolved: ResolvedOver, rows: SortedRows
) -> dict[str, pa.Array]:
    """The new columns, sorted as the rows."""
    plan = resolved.plan
    check_room(rows.times, max(frame.ticks or 0 for frame in plan.frames))
    inputs = read_inputs(table, rows, resolved.slots)
    columns: dict[str, pa.Array] = {}
    for frame in resolved.frames:
        results = _frame_columns(table, rows, inputs, frame)
        columns.update(zip((b.name for b in frame.calls), results, strict=True))
    return {bound.name: columns[bound.name] for bound in plan.calls}


def _frame_columns(
    table: pa.Table, rows: SortedRows, inputs: KernelInputs, resolved: ResolvedFrame
) -> list[pa.Array]:
    """The columns of all calls of a frame, in one pass."""
    frame, request = resolved.frame, resolved.request
    starts = stops = np.empty(0, np.int64)
    if frame.rows is None or len(request.calls) < len(resolved.calls):
        starts, stops = look_back(rows, frame)
    out: tuple[Array, ...] = ()
    if resolved.choice is not None:
        lane = resolved.choice.lane
        work = resolved.choice.algorithm, request.product, inputs.arrays
        if frame.rows is None:
            out = slide_arrays(*work, starts, stops, lane=lane)
        else:
            range_ = min(frame.rows, max(int(rows.lengths.max(initial=0)), 1))
            runs = rows.firsts, rows.lasts
            out = slide_regular(*work, *runs, range_, lead=True, lane=lane)
    answer = Answer(None, starts, rows.lengths, starts, stops, out)
    return answer_columns(table, rows, resolved.calls, inputs.columns, request, answer)
