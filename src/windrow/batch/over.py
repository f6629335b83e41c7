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

from windrow._compiled import compiled
from windrow.algorithms import slide_arrays, slide_regular
from windrow.plan.over import Frame, OverPlan
from windrow.plan.resolve import Facts, ResolvedFrame, ResolvedOver

from .assemble import Answer, answer_columns
from .kernel_inputs import KernelInputs, facts_of, read_inputs
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


@compiled
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


def look_back(stream: SortedRows, frame: Frame) -> tuple[Array, Array]:
    """The bounds of the frame of each row of the stream."""
    rows = len(stream)
    starts, stops = np.empty(rows, np.int64), np.empty(rows, np.int64)
    if frame.rows is not None:
        places = np.arange(rows)
        first = np.repeat(stream.firsts, stream.lasts - stream.firsts)
        return np.maximum(places - frame.rows + 1, first), places + 1
    unplaced = stream.unplaced
    if unplaced is None:
        unplaced = np.zeros(len(stream.firsts), np.int64)
    ends = frame.closed in ("both", "left"), frame.closed in ("both", "right")
    runs = stream.times, stream.firsts, stream.lasts, unplaced
    _look_back(*runs, frame.ticks, *ends, starts, stops)
    return starts, stops


@dataclass(frozen=True)
class OverJob:
    """The rows of a table in stream order, ready for a plan to be resolved."""

    table: pa.Table
    plan: OverPlan
    stream: SortedRows

    @property
    def facts(self) -> Facts:
        """The facts about the rows that complete the plan."""
        return facts_of(self.table, self.stream, self.plan.reads, self.plan.sums)

    def run(self, resolved: ResolvedOver) -> dict[str, pa.Array]:
        """The new columns, in the order of the table's rows."""
        columns = over_columns(self.table, resolved, self.stream)
        place = self.stream.place
        if place is None:
            return columns
        order = pa.array(place)
        return {name: column.take(order) for name, column in columns.items()}


def open_over(table: pa.Table, plan: OverPlan) -> OverJob:
    """Put the rows of a table in stream order."""
    stream = sort_rows(table, plan.by, plan.clock, plan.ties, keep_unplaced=True)
    return OverJob(table, plan, stream)


def over_columns(
    table: pa.Table, resolved: ResolvedOver, stream: SortedRows
) -> dict[str, pa.Array]:
    """The new columns in stream order."""
    plan = resolved.plan
    check_room(stream.times, max(frame.ticks or 0 for frame in plan.frames))
    inputs = read_inputs(table, stream, resolved.slots)
    columns: dict[str, pa.Array] = {}
    for frame in resolved.frames:
        results = _frame_columns(table, stream, inputs, frame)
        for bound, column in zip(frame.calls, results, strict=True):
            columns[bound.name] = column
    return {bound.name: columns[bound.name] for bound in plan.calls}


def _frame_columns(
    table: pa.Table, stream: SortedRows, inputs: KernelInputs, resolved: ResolvedFrame
) -> list[pa.Array]:
    """The columns of all calls of a frame, in one pass."""
    frame, request = resolved.frame, resolved.request
    starts = stops = np.empty(0, np.int64)
    if frame.rows is None or len(request.calls) < len(resolved.calls):
        starts, stops = look_back(stream, frame)
    out: tuple[Array, ...] = ()
    if resolved.choice is not None:
        algorithm, product = resolved.choice.algorithm, request.product
        if frame.rows is not None:
            longest = int((stream.lasts - stream.firsts).max(initial=0))
            out = slide_regular(
                algorithm,
                product,
                inputs.arrays,
                stream.firsts,
                stream.lasts,
                min(frame.rows, max(longest, 1)),
                lead=True,
            )
        else:
            out = slide_arrays(algorithm, product, inputs.arrays, starts, stops)
    answer = Answer(None, starts, stream.lasts - stream.firsts, starts, stops, out)
    return answer_columns(
        table, stream, resolved.calls, inputs.columns, request, answer
    )


__all__ = ["OverJob", "look_back", "open_over", "over_columns"]
