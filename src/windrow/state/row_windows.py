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

from windrow.algorithms import Algorithm, slide_arrays
from windrow.batch.assemble import Answer, answer_columns
from windrow.batch.kernel_inputs import KernelInputs, read_inputs
from windrow.batch.sorted_rows import Stream
from windrow.plan.bind import Bound
from windrow.plan.requests import Asked, Slots, users_result

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
    source: KernelInputs

    @classmethod
    def of(cls, table: pa.Table, stream: Stream, slots: Slots) -> KernelRows:
        """Read the columns of all calls once."""
        return cls(table, stream, read_inputs(table, stream, slots))


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
    asked: Asked,
    algorithm: Algorithm | None,
    starts: Array,
    stops: Array,
) -> RangeResults:
    """Run the kernel over those windows; no algorithm: all calls are holistic."""
    out: tuple[Array, ...] = ()
    if algorithm is not None:
        product = asked.product
        out = slide_arrays(algorithm, product, rows.source.arrays, starts, stops)
    return RangeResults(rows, calls, asked, starts, stops, out)


def _result_type(bound: Bound) -> pa.DataType:
    """The type of a result, the same in every step."""
    return users_result(bound) if bound.aggregate.is_users else bound.result


def result_parts(windows: int) -> Iterator[slice]:
    """All windows, not too many at a time."""
    for start in range(0, windows, MOST_RESULTS):
        yield slice(start, min(start + MOST_RESULTS, windows))


__all__ = ["KernelRows", "RangeResults", "result_parts", "slide_ranges"]
