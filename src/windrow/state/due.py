"""Finds the windows over kept rows that fall due when the watermark moves on.

By time, a window whose end is passed as the watermark moves from `closed` to `now`:

    range 30, slide 10      closed       now
                               |----------|
    out already     |----------]
    due                 |----------]
    due                     |----------]
    not yet                     |----------]

By count, a window whose last row has become final: of a key that had `before` final
rows and has `known` of them now

    before < end <= known

Windows are found from rows, never by stepping through time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import Algorithm, slide_arrays
from windrow.batch.assemble import Answer, answer_columns
from windrow.batch.kernel_inputs import KernelInputs, read_inputs
from windrow.batch.sorted_rows import SortedRows
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest, Slots, users_result
from windrow.windows import Rule, list_windows

Array = np.ndarray[Any, Any]

LEAST, MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class DueWindows:
    """Window i of key `runs[i]` is [begins[i], ends[i]), rows [starts[i], stops[i])."""

    runs: Array
    begins: Array
    ends: Array
    starts: Array
    stops: Array

    def __len__(self) -> int:
        return len(self.runs)


def due_span(rule: Rule, closed: int, now: int) -> tuple[int, int] | None:
    """From where to where windows reach that end in (closed, now]; None: none does."""
    low, high = _due_numbers(rule, closed, now)
    if low > high:
        return None
    return max(int(rule.begin(low)), LEAST), min(int(rule.end(high)), MOST)


def _due_numbers(rule: Rule, closed: int, now: int) -> tuple[int, int]:
    """The numbers of the first and the last window that end in (closed, now]."""
    return int(rule.first_over(closed)), int(rule.first_over(now)) - 1


def due_by_time(stream: SortedRows, rule: Rule, closed: int, now: int) -> DueWindows:
    """The time windows that hold one of the rows and end in (closed, now]."""
    assert stream.times is not None
    low, high = _due_numbers(rule, closed, now)
    starts, stops, numbers = list_windows(
        rule,
        stream.times,
        stream.firsts,
        stream.lasts,
        max(low, LEAST),
        min(high, MOST),
    )
    runs = np.searchsorted(stream.lasts, starts, side="right")
    return DueWindows(runs, rule.begin(numbers), rule.end(numbers), starts, stops)


def due_by_count(
    stream: SortedRows, rule: Rule, before: Array, known: Array
) -> DueWindows:
    """The count windows whose last row is now final.

    A run of the stream holds the last final rows of its key.
    """
    low, high = _first_open(rule, before), rule.first_over(known) - 1
    counts = np.maximum(high - low + 1, 0)
    runs = np.repeat(np.arange(len(counts)), counts)
    nth = np.arange(len(runs)) - np.repeat(np.cumsum(counts) - counts, counts)
    numbers = low[runs] + nth
    begins, ends = np.maximum(rule.begin(numbers), 0), rule.end(numbers)
    zero = (stream.lasts - known)[runs]  # where row 0 of the key would stand
    return DueWindows(runs, begins, ends, zero + begins, zero + ends)


def _first_open(rule: Rule, known: Array) -> Array:
    """The number of the first count window whose last row is not among `known`."""
    first: Array = rule.first_over(known)
    return np.maximum(first, 0) if rule.is_complete else first


def first_needed(rules: Sequence[Rule], known: Array) -> Array:
    """The first row of a key that a count window which is not out can hold."""
    firsts = [rule.begin(_first_open(rule, known)) for rule in rules]
    first: Array = np.maximum(np.min(firsts, axis=0), 0)
    return first


def out_of_reach(rules: Sequence[Rule], times: Array, now: int) -> Array:
    """Whether every window of an instant ends at or before `now`."""
    ends = [rule.end(rule.last_over(times)) for rule in rules]
    out: Array = np.max(ends, axis=0) <= now
    return out


MOST_RESULTS = 1 << 16  # in a table that goes out


@dataclass(frozen=True)
class KernelRows:
    """A table, its rows in stream order, and its columns as kernels read them.

    The kernel takes each column as one that may be null: a step without nulls does not
    need another kernel than the next.
    """

    table: pa.Table
    stream: SortedRows
    source: KernelInputs

    @classmethod
    def of(cls, table: pa.Table, stream: SortedRows, slots: Slots) -> KernelRows:
        """Read the columns of all calls once."""
        return cls(table, stream, read_inputs(table, stream, slots))


@dataclass(frozen=True)
class RangeResults:
    """Windows [starts[i], stops[i]) of rows, and what the kernel wrote for them."""

    rows: KernelRows
    calls: Sequence[BoundCall]
    request: KernelRequest
    starts: Array
    stops: Array
    out: tuple[Array, ...]

    def columns(self, part: slice) -> list[pa.Array]:
        """One column per call, of the windows of that part."""
        answer = Answer(
            None,
            self.starts[part],
            np.empty(0, np.int64),
            self.starts[part],
            self.stops[part],
            tuple(array[part] for array in self.out),
        )
        table, stream, source = self.rows.table, self.rows.stream, self.rows.source
        columns = answer_columns(
            table, stream, self.calls, source.columns, self.request, answer
        )
        pairs = zip(columns, map(_result_type, self.calls), strict=True)
        return [c if c.type == kind else c.cast(kind) for c, kind in pairs]


def slide_ranges(
    rows: KernelRows,
    calls: Sequence[BoundCall],
    request: KernelRequest,
    algorithm: Algorithm | None,
    starts: Array,
    stops: Array,
) -> RangeResults:
    """Run the kernel over those windows; no algorithm: all calls are holistic."""
    out: tuple[Array, ...] = ()
    if algorithm is not None:
        product = request.product
        out = slide_arrays(algorithm, product, rows.source.arrays, starts, stops)
    return RangeResults(rows, calls, request, starts, stops, out)


def _result_type(bound: BoundCall) -> pa.DataType:
    """The type of a result, the same in every step."""
    return users_result(bound) if bound.aggregate.is_users else bound.result


def result_parts(windows: int) -> Iterator[slice]:
    """All windows, not too many at a time."""
    for start in range(0, windows, MOST_RESULTS):
        yield slice(start, min(start + MOST_RESULTS, windows))


__all__ = [
    "LEAST",
    "DueWindows",
    "KernelRows",
    "RangeResults",
    "due_by_count",
    "due_by_time",
    "due_span",
    "first_needed",
    "out_of_reach",
    "result_parts",
    "slide_ranges",
]
