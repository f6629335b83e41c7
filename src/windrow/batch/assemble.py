"""Assembles kernel results into the table that a user sees.

    keys | query (for a list of windows) | window {start, end} | aggregates

ordered by key, query, start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass, load_later
from windrow.loops import arrays, as_arrow, spread, take
from windrow.loops import compute as pc
from windrow.plan.aggregate import Plan
from windrow.plan.bind import BoundCall
from windrow.plan.frame import values_name
from windrow.plan.over import OverPlan
from windrow.plan.requests import KernelRequest, Read
from windrow.plan.resolved import ResolvedFrame, ResolvedOver
from windrow.windows import Rule

from .columns import Column, plain_array
from .results import finish, from_ints, take_positions, written
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]
PIECE = 256  # windows for which it pays to cut a piece out of a table


@dataclass(frozen=True)
class Answer:
    """The windows of one rule, run by run, and the output of the kernel for them.

    Window i begins at instant (or position) begins[i] and covers the rows
    [row_starts[i], row_stops[i]), which are empty without holistic aggregates; run k
    has counts[k] windows.  `uneven_ends` are the ends if the rule is not even.  `own`
    are the rows that frames are of; None: the last rows, one for each frame.
    """

    rule: Rule | None
    begins: Array
    counts: Array
    row_starts: Array
    row_stops: Array
    out: tuple[Array, ...]
    uneven_ends: Array | None = None
    own: Array | None = None

    @property
    def ends(self) -> Array:
        """One past the last instant of each window."""
        return self.ends_between(0, len(self.begins))

    def ends_between(self, start: int, stop: int) -> Array:
        """The ends of windows [start, stop)."""
        if self.uneven_ends is not None:
            return self.uneven_ends[start:stop]
        assert self.rule is not None
        (ends,) = arrays(("int64",), stop - start)
        np.add(self.begins[start:stop], self.rule.even.range, out=ends)
        return ends

    @property
    def runs(self) -> Array:
        """The run of each window."""
        return np.repeat(np.arange(len(self.counts), dtype=np.int32), self.counts)

    def part(self, windows: slice | Array) -> Answer:
        """The windows of a slice or a mask, with `counts` unchanged."""
        rows = windows if len(self.row_starts) else slice(0)
        ends = self.uneven_ends
        return replace(
            self,
            begins=self.begins[windows],
            row_starts=self.row_starts[rows],
            row_stops=self.row_stops[rows],
            out=tuple(array[windows] for array in self.out),
            uneven_ends=None if ends is None else ends[windows],
            own=None if self.own is None else self.own[windows],
        )


def select_windows(answer: Answer, mask: Array) -> Answer:
    """The windows that are true in `mask`."""
    counts = np.bincount(answer.runs[mask], minlength=len(answer.counts))
    return replace(answer.part(mask), counts=counts)


def answer_columns(
    table: pa.Table,
    rows: SortedRows,
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
        if not bound.aggregate.in_kernels:
            values = [rows.gather_arrow(table.column(name)) for name in bound.columns]
            bounds = answer.row_starts, answer.row_stops
            own = answer.own
            columns.append(column_of_rows(bound, values, *bounds, request, own))
            continue
        outputs = [slots[number] for number in numbers[id(bound)]]
        if bound.payload is not None:
            places = outputs[0][0][0]
            if rows.order is not None and len(rows.order):
                places = np.where(places < 0, -1, rows.order[np.maximum(places, 0)])
            columns.append(take_positions(table.column(bound.payload), places))
            continue
        written_arrays = [array for output, _ in outputs for array in output]
        column = inputs.get((bound.columns[0], False)) if bound.columns else None
        columns.append(finish(bound, written_arrays, outputs[0][1], column))
    return columns


# Loaded with the first call that looks at the rows of its windows.
_of_rows = load_later(
    __name__,
    {"holistic": "windrow.batch.holistic", "sketch_rows": "windrow.batch.sketches"},
)


def column_of_rows(
    bound: BoundCall,
    values: Sequence[pa.Array],
    starts: Array,
    stops: Array,
    request: KernelRequest,
    own: Array | None = None,
) -> pa.Array:
    """The results of a call that looks at the rows of each window, in sorted columns.

    Frames are those of the rows `own`, or of the last rows.
    """
    if bound.aggregate.sketch:
        sketch_rows = _of_rows("sketch_rows")
        return sketch_rows(bound.sketch, plain_array(values[0]), starts, stops)
    selection = request.selections.get(bound.name)
    if own is None:
        own = np.arange(len(values[0]) - len(starts), len(values[0]))
    return _of_rows("holistic")(
        bound.aggregate.name,
        values[0],
        starts,
        stops,
        bound.call.options,
        other=values[1] if len(values) > 1 else None,
        own=own if "own" in bound.aggregate.takes else None,
        method=None if selection is None else selection.method,
    )


def frame_columns(
    resolved: ResolvedOver, solve: Callable[[ResolvedFrame], list[pa.Array]]
) -> dict[str, pa.Array]:
    """The columns of all calls in their order, each frame solved in one pass."""
    columns: dict[str, pa.Array] = {}
    for frame in resolved.frames:
        names = (bound.name for bound in frame.calls)
        columns.update(zip(names, solve(frame), strict=True))
    return seen_columns(resolved.plan, columns)


def seen_columns(plan: OverPlan, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a plan's calls; null where these have seen too few values."""
    results: dict[str, Any] = {}
    for bound in plan.calls:
        column, least = columns[bound.name], bound.call.min_periods
        if least is not None:
            enough = pc.greater_equal(columns[values_name(bound.name)], least)
            column = pc.if_else(enough, column, pa.scalar(None, column.type))
        results[bound.name] = column
    return results


def assemble(
    plan: Plan,
    rows: SortedRows,
    answers: Sequence[Answer],
    columns: Sequence[list[pa.Array]],
) -> pa.Table:
    """Put the windows of all rules into one table."""
    counts = [answer.counts for answer in answers]
    names = list(plan.by)
    parts = [[_spread_keys(rows.keys.column(n), c) for c in counts] for n in plan.by]
    if plan.listed:
        names.append("query")
        parts.append([_query_column(plan, answers)])
    names.append("window")
    parts.append([_window(plan, rows, answer) for answer in answers])
    names += [bound.name for bound in plan.calls]
    parts += [list(part) for part in zip(*columns, strict=True)]
    table = pa.table([_chunked(part) for part in parts], names=names)
    if len(answers) == 1:
        return table.combine_chunks()
    return _order_by_key(table, answers) if len(counts[0]) > 1 else table


def _order_by_key(table: pa.Table, answers: Sequence[Answer]) -> pa.Table:
    """Windows that stand rule by rule, ordered by key and then by rule.

    Where a key has many windows of a rule, pieces of the table are put in order, which
    copies nothing; else rows are.
    """
    counts = np.array([answer.counts for answer in answers])
    if counts.sum() < PIECE * counts.size:
        runs = np.concatenate([answer.runs for answer in answers])
        return table.take(as_arrow(np.argsort(runs, kind="stable"))).combine_chunks()
    starts = np.cumsum(counts.ravel()).reshape(counts.shape) - counts
    pieces = zip(starts.T.ravel().tolist(), counts.T.ravel().tolist(), strict=True)
    return pa.concat_tables([table.slice(*piece) for piece in pieces])


def join_tables(tables: Sequence[pa.Table]) -> pa.Table:
    """Tables one behind the other, as chunks of one."""
    if len(tables) == 1:
        return tables[0]
    columns = [
        join_columns([table.column(name) for table in tables])
        for name in tables[0].column_names
    ]
    return pa.table(columns, names=tables[0].column_names)


def join_columns(parts: Sequence[pa.Array | pa.ChunkedArray]) -> pa.ChunkedArray:
    """Columns one behind the other; the longest may be of a large type of their own."""
    kinds = [part.type for part in parts]
    if any(kind != kinds[0] for kind in kinds):
        large = next(kind for kind in kinds if str(kind).startswith("large_"))
        parts = [part.cast(large) for part in parts]
    return _chunked(list(parts))


def _chunked(parts: list[Any]) -> pa.ChunkedArray:
    """Arrays and chunked arrays of one type as one column."""
    chunks = [c for part in parts for c in getattr(part, "chunks", [part])]
    return pa.chunked_array(chunks, type=parts[0].type)


def _spread_keys(column: pa.ChunkedArray, counts: Array) -> Any:
    """Each key as often as it has windows."""
    kind = column.type
    if not pat.is_primitive(kind) or kind.bit_width != 64 or column.null_count:
        runs = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        return take(column.combine_chunks(), runs)
    array = plain_array(column)
    words = np.frombuffer(array.buffers()[1], np.int64)
    words = spread(words[array.offset : array.offset + len(array)], counts)
    return pa.Array.from_buffers(kind, len(words), [None, pa.py_buffer(words)])


def _query_column(plan: Plan, answers: Sequence[Answer]) -> pa.Array:
    has_names = any(isinstance(rule.name, str) for rule in plan.rules)
    names = [answer.rule.name for answer in answers if answer.rule is not None]
    labels = [str(name) if has_names else int(name) for name in names]
    values = pa.array(labels, pa.string() if has_names else pa.int64())
    sizes = [len(answer.begins) for answer in answers]
    return values.take(as_arrow(np.repeat(np.arange(len(answers)), sizes)))


def _window(plan: Plan, rows: SortedRows, answer: Answer) -> pa.Array:
    """The struct of start and end; incomplete count windows are clipped."""
    rule, begins, ends = answer.rule, answer.begins, answer.ends
    assert rule is not None
    if rule.counts_rows and not rule.is_complete:
        lengths = np.repeat(rows.lengths, answer.counts)
        begins, ends = np.maximum(begins, 0), np.minimum(ends, lengths)
    kind = pa.int64() if plan.clock is None or rule.counts_rows else plan.clock.instant
    bounds = [from_ints(instants, kind, None) for instants in (begins, ends)]
    return pa.StructArray.from_arrays(bounds, names=["start", "end"])
