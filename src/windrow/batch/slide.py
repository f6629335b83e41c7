"""Reads the arrays of `wr.slide` as a table, and returns its columns as arrays.

The table has one column, called `value`, or the columns of a mapping, so that nulls,
types, windows and filters mean the same as everywhere.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import dataclass
from windrow.aggregates import Aggregate, Call
from windrow.aggregates.calls import calls_of
from windrow.errors import BadInput, WindowError
from windrow.loops import arrays, as_arrow, as_numpy, in_threads
from windrow.loops import compute as pc
from windrow.loops.sort import is_sorted
from windrow.plan.resolved import Resolved
from windrow.slicing import Part
from windrow.windows import Window

from .aggregate import Solved, WindowJob
from .assemble import join_columns
from .columns import plain_array
from .order_statistics import moving_quantiles
from .sorted_rows import SortedRows
from .tables import library

VALUE, AT = "value", "at"


@dataclass(frozen=True)
class SlideInputs:
    """The arguments of `wr.slide`: a table, a window, and calls over its columns."""

    table: pa.Table
    window: Window
    calls: dict[str, Call]
    index: Any = None  # of a pandas Series, whose results have an index too

    def run(self, job: WindowJob, resolved: Resolved) -> list[pa.Array]:
        """The column of each call, with one entry per window."""
        self._check_order()
        if resolved.moves_quantiles:
            width, calls = job.plan.rows_by_one or 0, job.plan.calls
            columns = [plain_array(self.table.column(one.columns[0])) for one in calls]
            return [
                moving_quantiles(column, width, job.threads, **bound.call.options)
                for bound, column in zip(calls, columns, strict=True)
            ]
        _, parts = job.solve(resolved, _first_columns, bare=True)
        if len(parts) == 1:
            return parts[0]
        threads = resolved.threads(job.threads)
        return [join_arrays(column, threads) for column in zip(*parts, strict=True)]

    def on_index(self, values: Any, aggregate: Any, result: pa.Table) -> Any:
        """The windows as Series, at the last row of each, or at its start."""
        self._check_order()
        bounds = result.column("window")
        if self.window.is_timed:
            starts = pc.struct_field(bounds, 0).to_pandas()
            index = sys.modules["pandas"].Index(starts, name="window_start")
        else:
            index = self.index.take(pc.struct_field(bounds, 1).to_numpy() - 1)
        several = isinstance(aggregate, (list, tuple, dict))
        series = {
            name: type(values)(
                result.column(name).to_pandas().array,
                index=index,
                name=name if several else values.name,
            )
            for name in self.calls
        }
        return series if several else next(iter(series.values()))

    def _check_order(self) -> None:
        if self.window.is_timed:
            times = self.table.column(AT).to_numpy()
            if len(times) and not is_sorted(times):
                at = int(np.argmax(times[1:] < times[:-1])) + 1
                raise BadInput.because(
                    "cannot slide over values by their times in at=",
                    f"they are not in order: entry {at} lies before entry {at - 1}",
                    "sort values and times together by time first",
                )


def _first_columns(_: SortedRows, part: Part, solved: Solved) -> list[pa.Array]:
    """The columns of the only window."""
    del part
    return solved[2][0]


def slide_inputs(values: Any, window: Any, aggregate: Any, at: Any) -> SlideInputs:
    """Put values and their times into a table."""
    if not isinstance(window, Window):
        raise BadInput.because(
            f"cannot slide over {window!r}",
            f"it is of type {type(window).__name__}, not a window",
            "make one with wr.rows(...) or wr.sliding(...)",
        )
    if window.span is not None:
        raise BadInput.because(
            "cannot slide over arrays of events with a duration",
            "span= names two columns, and at= gives one instant for each value",
            "use wr.aggregate(table, window, ...)",
        )
    for word, given in (("ties", window.ties), ("on", window.on)):
        if given and (word == "ties" or not window.is_timed):
            raise BadInput.because(
                f"cannot slide over arrays by {word}={given!r}",
                f"{word}= orders the rows of a table, and arrays stand in their order",
                f"sort the arrays first, and leave {word}= out",
            )
    calls = calls_of(aggregate)
    index = values.index if _is_series(values) else None
    if at is None and window.is_timed and hasattr(index, "tz"):  # a DatetimeIndex
        at = index
    table = _table(values, window, at)
    if not isinstance(values, Mapping):
        calls = {name: _call_on_value(call) for name, call in calls.items()}
    window = window.replaced(on=AT if window.is_timed else None, ties=(), name=None)
    return SlideInputs(table, window, calls, index)


def slide_results(
    values: Any, aggregate: Any, calls: dict[str, Call], columns: list[pa.Array]
) -> Any:
    """The results as an array like the values; several aggregates give a dict."""
    results = {
        name: _like(values, column) for name, column in zip(calls, columns, strict=True)
    }
    several = isinstance(aggregate, (list, tuple, dict))
    return results if several else next(iter(results.values()))


def join_arrays(parts: Sequence[pa.Array], threads: int) -> pa.Array:
    """Arrays one behind the other, in one."""
    kind, total = parts[0].type, sum(map(len, parts))
    width = kind.bit_width // 8 if pa.types.is_primitive(kind) else 0
    if width not in (1, 2, 4, 8) or any(part.null_count for part in parts):
        joined = join_columns(parts).combine_chunks()
        return joined.chunk(0) if isinstance(joined, pa.ChunkedArray) else joined
    ends = np.cumsum([len(part) for part in parts])
    (out,) = arrays((f"u{width}",), total)

    def copy(number: int) -> None:
        part = parts[number]
        words = np.frombuffer(part.buffers()[1], out.dtype)
        own = out[ends[number] - len(part) : ends[number]]
        own[:] = words[part.offset : part.offset + len(part)]

    in_threads(copy, len(parts), threads)
    return pa.Array.from_buffers(kind, total, [None, pa.py_buffer(out)])


def _call_on_value(call: Call) -> Call:
    aggregate: Aggregate = call.aggregate
    if aggregate.columns[0] > 1 and not call.columns:
        raise BadInput.because(
            f"cannot slide {aggregate.name} over one array",
            "it needs two columns",
            "give a mapping of arrays, and name both: "
            f"wr.slide({{'x': x, 'y': y}}, window, wr.{aggregate.name}('x', 'y'))",
        )
    reads_value = call.columns or aggregate.columns[1]
    return replace(call, columns=(VALUE,) if reads_value else ())


def _table(values: Any, window: Window, at: Any) -> pa.Table:
    columns = values if isinstance(values, Mapping) else {VALUE: values}
    table = {str(name): _array(column) for name, column in columns.items()}
    if window.is_timed:
        if at is None:
            raise WindowError.because(
                f"cannot place values in windows ({window})",
                "their times are not given",
                "pass them as at=times, one for each value",
            )
        table[AT] = _array(at)
    elif at is not None:
        raise WindowError.because(
            "cannot use at= with a rows window",
            "rows are counted, not timed",
            "leave at= out, or use wr.sliding(...)",
        )
    lengths = {name: len(column) for name, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise BadInput.because(
            "cannot slide over arrays side by side",
            "they differ in length: "
            + ", ".join(f"{k} {v}" for k, v in lengths.items()),
            "give one entry of each per row",
        )
    if AT in table and table[AT].null_count:
        raise BadInput.because(
            "cannot place values in time",
            f"at= holds {table[AT].null_count} nulls",
            "drop those values first",
        )
    return pa.table(table)


def _array(values: Any) -> pa.Array:
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return values
    if isinstance(values, np.ndarray) and values.ndim != 1:
        raise BadInput.because(
            f"cannot slide over an array of {values.ndim} dimensions",
            f"its shape is {values.shape}",
            "pass one row or column at a time",
        )
    try:
        if hasattr(values, "__arrow_c_stream__") or hasattr(
            values, "__arrow_c_array__"
        ):
            return pa.chunked_array(values)
        if library(values) == "pandas":
            return pa.array(values)
        is_numbers = isinstance(values, np.ndarray) and values.dtype.kind in "iuf"
        if is_numbers and values.dtype.isnative and values.dtype.itemsize > 2:
            return as_arrow(values)
        return pa.array(values if isinstance(values, np.ndarray) else list(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise BadInput.because(
            "cannot read the values as one array",
            str(error).splitlines()[0],
            "give numbers, strings, booleans or times of one type",
        ) from error
    except TypeError as error:
        raise BadInput.because(
            f"cannot slide over a {type(values).__name__}",
            "it is not an array",
            "give a numpy array, a list, or a column of a table",
        ) from error


def _is_series(values: Any) -> bool:
    return library(values) == "pandas" and type(values).__name__ == "Series"


def _like(values: Any, column: pa.Array) -> Any:
    """The result as an array of the library of `values`, or else of numpy."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        return column
    if library(values) == "polars":
        return type(values)(column)
    is_numbers = pat.is_primitive(column.type) and not pat.is_temporal(column.type)
    if is_numbers and not column.null_count and isinstance(column, pa.Array):
        result = as_numpy(column)
    else:
        result = column.to_numpy(zero_copy_only=False)
    return type(values)(result) if library(values) == "pandas" else result
