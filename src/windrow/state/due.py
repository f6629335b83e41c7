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

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.algorithms import slide_arrays
from windrow.batch.assemble import Answer, answer_columns
from windrow.batch.kernel_inputs import KernelInputs, read_inputs
from windrow.batch.sorted_rows import SortedRows, sort_rows
from windrow.loops import as_arrow, ordinals
from windrow.plan.bind import BoundCall
from windrow.plan.choose import Choice
from windrow.plan.requests import KernelRequest, Slots, users_result
from windrow.plan.resolved import Resolved
from windrow.plan.table import TablePlan
from windrow.windows import Rule, list_windows
from windrow.windows.rule import Array

LEAST, MOST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class DueWindows:
    """Window i of key `runs[i]` is [begins[i], ends[i]), rows [starts[i], stops[i])."""

    runs: Array
    begins: Array
    ends: Array
    starts: Array
    stops: Array


def due_span(rules: Sequence[Rule], closed: int, now: int) -> tuple[int, int] | None:
    """From where to where windows reach that end in (closed, now]; None: none does."""
    spans = [
        (max(int(rule.begin(low)), LEAST), min(int(rule.end(high)), MOST))
        for rule in rules
        for low, high in [_due_numbers(rule, closed, now)]
        if low <= high
    ]
    if not spans:
        return None
    return min(begin for begin, _ in spans), max(end for _, end in spans)


def _due_numbers(rule: Rule, closed: int, now: int) -> tuple[int, int]:
    """The numbers of the first and the last window that end in (closed, now]."""
    return int(rule.first_over(closed)), int(rule.first_over(now)) - 1


def due_by_time(stream: SortedRows, rule: Rule, closed: int, now: int) -> DueWindows:
    """The time windows that hold one of the rows and end in (closed, now]."""
    assert stream.times is not None
    low, high = _due_numbers(rule, closed, now)
    rows = stream.times, stream.firsts, stream.lasts
    starts, stops, numbers = list_windows(rule, *rows, max(low, LEAST), min(high, MOST))
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
    numbers = low[runs] + ordinals(counts)
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
    def of(cls, table: pa.Table, plan: TablePlan, slots: Slots) -> KernelRows:
        """Sort a table, and read the columns of all calls once."""
        stream = sort_rows(table, plan.by, plan.clock, plan.ties)
        return cls(table, stream, read_inputs(table, stream, slots))

    @property
    def behind(self) -> Array:
        """How many rows of its key stand from each row to the last."""
        firsts, lasts = self.stream.firsts, self.stream.lasts
        behind: Array = np.repeat(lasts, lasts - firsts) - np.arange(len(self.stream))
        return behind

    def as_arrived(self, values: Array) -> Array:
        """From stream order to the order of the table."""
        if self.stream.order is None:
            return values
        arrived = np.empty_like(values)
        arrived[self.stream.order] = values
        return arrived

    def slide(
        self, request: KernelRequest, choice: Choice | None, starts: Array, stops: Array
    ) -> Answer:
        """Run the kernel over windows of rows; no choice: all calls are holistic."""
        out: tuple[Array, ...] = ()
        if choice is not None:
            product, source = request.product, self.source.arrays
            work = choice.algorithm, product, source, starts, stops
            out = slide_arrays(*work, lane=choice.lane)
        return Answer(None, starts, np.empty(0, np.int64), starts, stops, out)

    def windows(
        self, resolved: Resolved, number: int, due: DueWindows
    ) -> Iterator[pa.Table]:
        """The windows of a rule that are due, with their results."""
        request, choice = resolved.request, resolved.choices[number]
        answer = self.slide(request, choice, due.starts, due.stops)
        for start, stop in result_parts(len(due.runs)):
            keys = self.stream.keys.take(pa.array(due.runs[start:stop]))
            bounds = due.begins[start:stop], due.ends[start:stop]
            part = answer.part(slice(start, stop))
            results = self.columns(resolved.plan.calls, request, part)
            yield window_table(keys, number, *bounds, results)

    def columns(
        self, calls: Sequence[BoundCall], request: KernelRequest, answer: Answer
    ) -> list[pa.Array]:
        """One column per call, whose type is the same in every step."""
        columns = answer_columns(
            self.table, self.stream, calls, self.source.columns, request, answer
        )
        types = [users_result(b) if b.aggregate.is_users else b.result for b in calls]
        pairs = zip(columns, types, strict=True)
        return [c if c.type == kind else c.cast(kind) for c, kind in pairs]


def result_parts(windows: int) -> Iterator[tuple[int, int]]:
    """All windows, not too many at a time: from which to which."""
    for start in range(0, windows, MOST_RESULTS):
        yield start, min(start + MOST_RESULTS, windows)


def window_table(
    keys: pa.Table, number: int, begins: Array, ends: Array, results: Sequence[pa.Array]
) -> pa.Table:
    """Windows of a rule as rows: k0, ..., q (its number), start, end, r0, ..."""
    columns = {f"k{i}": column for i, column in enumerate(keys.columns)}
    columns["q"] = as_arrow(np.full(len(begins), number, np.int32))
    columns |= {"start": as_arrow(begins), "end": as_arrow(ends)}
    return pa.table(columns | {f"r{i}": column for i, column in enumerate(results)})
