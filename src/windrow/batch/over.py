"""Executing the plan of `wr.over` in one process.

Each row's frame ends with its own instant:

    times       1   2   2   5   9
    last 3      |-------|               row at 2, both ends in: [-1, 2], its peers too
                    |-------|           row at 5: [2, 5]

Rows without a time stand first in their key and are peers of each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow._compiled import compiled
from windrow.algorithms import slide_arrays, slide_regular
from windrow.plan.bind import Bound
from windrow.plan.over import Frame, OverPlan

from .assemble import Answer, answer_columns
from .kernel_inputs import Source, source_of
from .sorted_rows import Stream, check_room, stream_of

Array = np.ndarray[Any, Any]


@compiled
def _look_back(times, firsts, lasts, unplaced, ticks, far_in, near_in, starts, stops):  # type: ignore[no-untyped-def]
    """Rows [starts[i], stops[i]) that row i sees, itself and its peers if near_in."""
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


def look_back(stream: Stream, frame: Frame) -> tuple[Array, Array]:
    """The frame of each row of the stream, as row bounds."""
    rows = len(stream)
    starts, stops = np.empty(rows, np.int64), np.empty(rows, np.int64)
    if frame.rows is not None:
        places = np.arange(rows)
        first = np.repeat(stream.firsts, stream.lasts - stream.firsts)
        return np.maximum(places - frame.rows + 1, first), places + 1
    unplaced = stream.unplaced
    if unplaced is None:
        unplaced = np.zeros(len(stream.firsts), np.int64)
    far_in, near_in = (
        frame.closed in ("both", "left"),
        frame.closed in ("both", "right"),
    )
    _look_back(
        stream.times,
        stream.firsts,
        stream.lasts,
        unplaced,
        frame.ticks,
        far_in,
        near_in,
        starts,
        stops,
    )
    return starts, stops


def over(table: pa.Table, plan: OverPlan) -> dict[str, pa.Array]:
    """The new columns, in the order of the table's rows."""
    stream = stream_of(table, plan.by, plan.clock, plan.ties, keep_unplaced=True)
    columns = over_columns(table, plan, stream)
    return {name: _put_back(stream, column) for name, column in columns.items()}


def over_columns(
    table: pa.Table, plan: OverPlan, stream: Stream
) -> dict[str, pa.Array]:
    """The new columns in stream order."""
    check_room(stream.times, max(frame.ticks or 0 for frame in plan.frames))
    source = source_of(table, stream, plan.calls)
    found: dict[str, pa.Array] = {}
    for frame, calls in plan.frames.items():
        columns = _pass(table, stream, source, plan, frame, calls)
        for bound, column in zip(calls, columns, strict=True):
            found[bound.name] = column
    return {bound.name: found[bound.name] for bound in plan.calls}


def _pass(
    table: pa.Table,
    stream: Stream,
    source: Source,
    plan: OverPlan,
    frame: Frame,
    calls: tuple[Bound, ...],
) -> list[pa.Array]:
    longest = int((stream.lasts - stream.firsts).max(initial=0))
    most = longest if frame.rows is None else min(frame.rows, longest)
    asked = source.ask(calls, most, may_be_empty=frame.may_be_empty)
    holistic = len(asked.calls) < len(calls)
    starts = stops = np.empty(0, np.int64)
    if frame.rows is None or holistic:
        starts, stops = look_back(stream, frame)
    out: tuple[Array, ...] = ()
    if asked.calls:
        label = ", ".join(bound.call.label for bound in calls)
        algorithm = frame.choice(plan.algorithm, asked.product, label).algorithm
        if frame.rows is not None:
            out = slide_regular(
                algorithm,
                asked.product,
                source.arrays,
                stream.firsts,
                stream.lasts,
                min(frame.rows, max(longest, 1)),
                lead=True,
            )
        else:
            out = slide_arrays(algorithm, asked.product, source.arrays, starts, stops)
    answer = Answer(None, starts, stream.lasts - stream.firsts, starts, stops, out)
    return answer_columns(table, stream, calls, source.columns, asked, answer)


def _put_back(stream: Stream, column: pa.Array) -> pa.Array:
    """From stream order to the table's own."""
    return column if stream.place is None else column.take(pa.array(stream.place))
