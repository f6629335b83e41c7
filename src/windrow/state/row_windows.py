"""Computes results over ranges of rows that stand in stream order.

    rows      a a a a a | b b b
    windows     |---|               whatever asks for them: time, a count of rows,
                  |---|   |-|       or a row that looks back

Neither bound ever falls.  Only the windows that are asked for are computed, and their
columns are made some at a time, so that the results need not fit in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_arrays
from windrow.batch.assemble import Answer, answer_columns
from windrow.batch.kernel_inputs import Source, source_of
from windrow.batch.sorted_rows import Stream
from windrow.plan.bind import Bound
from windrow.plan.choose import choose_algorithm
from windrow.plan.requests import Asked, slots_of, users_result

Array = np.ndarray[Any, Any]

MOST_RESULTS = 1 << 16  # in a table that goes out


@dataclass(frozen=True)
class KernelRows:
    """A table, its rows in stream order, and its columns as kernels read them.

    The kernel takes each column as one that may be null: a step without nulls does not
    need another kernel than the next.
    """

    table: pa.Table
    stream: Stream
    source: Source

    @classmethod
    def of(cls, table: pa.Table, stream: Stream, calls: Sequence[Bound]) -> KernelRows:
        """Read the columns of all calls once."""
        slots = slots_of(calls, lambda _: True)
        return cls(table, stream, source_of(table, stream, calls, slots))


@dataclass(frozen=True)
class RangeResults:
    """Windows [starts[i], stops[i]) of rows, and what the kernel wrote for them."""

    rows: KernelRows
    calls: Sequence[Bound]
    asked: Asked
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
            table, stream, self.calls, source.columns, self.asked, answer
        )
        pairs = zip(columns, map(_result_type, self.calls), strict=True)
        return [c if c.type == kind else c.cast(kind) for c, kind in pairs]


def slide_ranges(
    rows: KernelRows,
    calls: Sequence[Bound],
    starts: Array,
    stops: Array,
    *,
    algorithm: str,
    width: int | None,
    may_be_empty: bool = False,
) -> RangeResults:
    """Run the kernel over those windows; a row is in about `width` of them."""
    most = int((stops - starts).max(initial=1))
    asked = rows.source.ask(calls, most, may_be_empty=may_be_empty)
    out: tuple[Array, ...] = ()
    if asked.calls:
        label = ", ".join(bound.call.label for bound in calls)
        choice = choose_algorithm(
            algorithm, asked.product, label, width=width, regular=False
        )
        out = slide_arrays(
            choice.algorithm, asked.product, rows.source.arrays, starts, stops
        )
    return RangeResults(rows, calls, asked, starts, stops, out)


def _result_type(bound: Bound) -> pa.DataType:
    """The type of a result, the same in every step."""
    return users_result(bound) if bound.aggregate.is_users else bound.result


def result_parts(windows: int) -> Iterator[slice]:
    """All windows, not too many at a time."""
    for start in range(0, windows, MOST_RESULTS):
        yield slice(start, min(start + MOST_RESULTS, windows))


__all__ = ["KernelRows", "RangeResults", "result_parts", "slide_ranges"]
