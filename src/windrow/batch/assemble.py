"""Assembles kernel results into the table that a user sees.

    keys | query (for a list of windows) | window {start, end} | aggregates

ordered by key, query, start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Law
from windrow.plan.aggregate import Plan
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest, Read
from windrow.windows import Rule

from .columns import Column
from .holistic import holistic
from .results import finish, from_ints, take_positions, written
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Answer:
    """The windows of one rule, run by run, and the output of the kernel for them.

    Window i begins at instant (or position) begins[i] and covers the rows
    [row_starts[i], row_stops[i]), which are empty without holistic aggregates; run k
    has counts[k] windows.  `uneven_ends` are the ends if the rule is not even.
    """

    rule: Rule | None
    begins: Array
    counts: Array
    row_starts: Array
    row_stops: Array
    out: tuple[Array, ...]
    uneven_ends: Array | None = None

    @property
    def ends(self) -> Array:
        """One past the last instant of each window."""
        return self.ends_between(0, len(self.begins))

    def ends_between(self, start: int, stop: int) -> Array:
        """The ends of windows [start, stop)."""
        if self.uneven_ends is not None:
            return self.uneven_ends[start:stop]
        assert self.rule is not None
        return self.begins[start:stop] + self.rule.even.range

    @property
    def runs(self) -> Array:
        """The run of each window."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def part(self, start: int, stop: int) -> Answer:
        """The windows [start, stop), with `counts` unchanged."""
        ends = self.uneven_ends
        return replace(
            self,
            begins=self.begins[start:stop],
            row_starts=self.row_starts[start:stop],
            row_stops=self.row_stops[start:stop],
            out=tuple(array[start:stop] for array in self.out),
            uneven_ends=None if ends is None else ends[start:stop],
        )


def select_windows(answer: Answer, mask: Array) -> Answer:
    """The windows that are true in `mask`."""
    has_rows = len(answer.row_starts) > 0
    ends = answer.uneven_ends
    return replace(
        answer,
        begins=answer.begins[mask],
        counts=np.bincount(answer.runs[mask], minlength=len(answer.counts)),
        row_starts=answer.row_starts[mask] if has_rows else answer.row_starts,
        row_stops=answer.row_stops[mask] if has_rows else answer.row_stops,
        out=tuple(array[mask] for array in answer.out),
        uneven_ends=None if ends is None else ends[mask],
    )


def answer_columns(
    table: pa.Table,
    stream: SortedRows,
    calls: Sequence[BoundCall],
    inputs: Mapping[Read, Column],
    request: KernelRequest,
    answer: Answer,
) -> list[pa.Array]:
    """The results of each call as one Arrow column."""
    slots = written(request.product, answer.out)
    numbers = {id(bound): outputs for bound, outputs in request.calls}
    columns = []
    for bound in calls:
        if Law.HOLISTIC in bound.aggregate.laws:
            values = stream.gather_arrow(table.column(bound.columns[0]))
            name, options = bound.aggregate.name, bound.call.options
            starts, stops = answer.row_starts, answer.row_stops
            columns.append(holistic(name, values, starts, stops, options))
            continue
        outputs = [slots[number] for number in numbers[id(bound)]]
        if bound.payload is not None:
            columns.append(_positions(table, stream, bound.payload, outputs[0][0][0]))
            continue
        arrays = [array for output, _ in outputs for array in output]
        column = inputs.get((bound.columns[0], False)) if bound.columns else None
        columns.append(finish(bound, arrays, outputs[0][1], column))
    return columns


def _positions(
    table: pa.Table, stream: SortedRows, payload: str, places: Array
) -> pa.Array:
    """The payloads at places of the stream; null at -1."""
    if stream.order is not None:
        rows = stream.order[np.maximum(places, 0)]
        places = np.where(places >= 0, rows, -1)
    return take_positions(table.column(payload), places)


def assemble(
    plan: Plan,
    stream: SortedRows,
    answers: Sequence[Answer],
    columns: Sequence[list[pa.Array]],
) -> pa.Table:
    """Put the windows of all rules into one table."""
    runs = [
        np.repeat(np.arange(len(a.counts), dtype=np.int32), a.counts) for a in answers
    ]
    run = np.concatenate(runs) if runs else np.empty(0, np.int32)
    names: list[str] = []
    arrays: list[Any] = []
    for name in plan.by:
        names.append(name)
        arrays.append(stream.keys.column(name).take(pa.array(run)))
    if plan.listed:
        names.append("query")
        arrays.append(_query_column(plan, answers))
    names.append("window")
    arrays.append(
        pa.concat_arrays([_window(plan, stream, answer) for answer in answers])
    )
    for bound, parts in zip(plan.calls, zip(*columns, strict=True), strict=True):
        names.append(bound.name)
        chunks = [c for p in parts for c in (p.chunks if _is_chunked(p) else [p])]
        arrays.append(pa.chunked_array(chunks, type=parts[0].type))
    table = pa.table(arrays, names=names)
    if len(answers) > 1:
        table = table.take(pa.array(np.argsort(run, kind="stable")))
    return table.combine_chunks()


def _is_chunked(column: Any) -> bool:
    return isinstance(column, pa.ChunkedArray)


def _query_column(plan: Plan, answers: Sequence[Answer]) -> pa.Array:
    has_names = any(isinstance(rule.name, str) for rule in plan.rules)
    labels = [str(rule.name) if has_names else int(rule.name) for rule in plan.rules]
    values = pa.array(labels, pa.string() if has_names else pa.int64())
    sizes = [len(answer.begins) for answer in answers]
    return values.take(pa.array(np.repeat(np.arange(len(answers)), sizes)))


def _window(plan: Plan, stream: SortedRows, answer: Answer) -> pa.Array:
    """The struct of start and end; incomplete count windows are clipped."""
    rule = answer.rule
    assert rule is not None
    begins, ends = answer.begins, answer.ends
    kind: pa.DataType = pa.int64()
    if rule.counts_rows:
        if not rule.is_complete:
            lengths = np.repeat(stream.lasts - stream.firsts, answer.counts)
            begins, ends = np.maximum(begins, 0), np.minimum(ends, lengths)
    else:
        assert plan.clock is not None
        kind = plan.clock.instant
    bounds = [from_ints(begins, kind, None), from_ints(ends, kind, None)]
    return pa.StructArray.from_arrays(bounds, names=["start", "end"])
