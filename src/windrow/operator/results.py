"""Holds what comes out of an operator: one result, or those of a whole batch.

out            arrays as the kernel writes them, an entry for each result
ResultBatch    some entries of one key, with the bounds of their windows
Results        all batches of a call, as a sequence, a column or a table
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.batch.results import finish, written
from windrow.errors import BadInput
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest

Array = np.ndarray[Any, Any]


class Result(NamedTuple):
    """The aggregate of a window, or a dict of them where there are several.

    `start` and `end` are instants for windows of time, else numbers of events.
    `again` says that the window was reported before, with another value.
    """

    key: Any
    start: Any
    end: Any
    value: Any
    again: bool = False


def reader_of(
    request: KernelRequest, out: Sequence[Array], payload: Callable[[int, str], Any]
) -> Callable[[], Any]:
    """A function that reads the one result in `out` as Python values."""
    views = _output_views(request, out)
    readers: dict[str, Callable[[], Any]] = {}
    for bound, outputs in request.calls:
        own = [views[output] for output in outputs]
        readers[bound.name] = _reader(bound, own, payload)
    if len(readers) == 1:
        return next(iter(readers.values()))

    def read_all() -> dict[str, Any]:
        return {name: read() for name, read in readers.items()}

    return read_all


def _output_views(
    request: KernelRequest, out: Sequence[Array]
) -> list[tuple[list[Array], Array | None]]:
    """For each output its arrays in `out`, and its validity, not copied."""
    views, at = [], 0
    for output in request.product.outputs:
        values = list(out[at : at + len(output.dtypes)])
        at += len(output.dtypes)
        views.append((values, out[at] if output.nullable else None))
        at += output.nullable
    return views


def _reader(
    bound: BoundCall,
    views: list[tuple[list[Array], Array | None]],
    payload: Callable[[int, str], Any],
) -> Callable[[], Any]:
    (values, valid), *rest = views
    first = values[0].item
    is_valid = valid.item if valid is not None else None
    if bound.payload is not None:
        name = bound.payload
        return lambda: payload(first(), name) if first() >= 0 else None
    plain = bound.aggregate.is_users or bound.result in (pa.int64(), pa.float64())
    if plain and len(values) == 1 and not rest and bound.aggregate.result != "truth":
        if is_valid is None:
            return first
        return lambda: first() if is_valid() else None
    if bound.aggregate.result == "total" and pat.is_integer(bound.result):
        low = values[1].item
        if is_valid is None:
            return lambda: (first() << 32) + low()
        return lambda: (first() << 32) + low() if is_valid() else None

    def general() -> Any:
        copies = [array.copy() for arrays, _ in views for array in arrays]
        mask = None if valid is None else valid.astype(bool)
        return finish(bound, copies, mask, None)[0].as_py()

    return general


def same_value(a: Any, b: Any) -> bool:
    """Whether two results are equal; NaN equals NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same_value(a[name], b[name]) for name in a)
    return bool(a == b or (a != a and b != b))


class ResultBatch(NamedTuple):
    """Results of one key, as the kernel wrote them."""

    key: Any
    begins: Array
    ends: Array
    out: tuple[Array, ...]
    payloads: dict[str, list[Any]] | None


def payloads_at(
    request: KernelRequest, out: Sequence[Array], payload: Callable[[int, str], Any]
) -> dict[str, list[Any]]:
    """By call, what the positions in `out` point to; they may be gone later."""
    payloads: dict[str, list[Any]] = {}
    views = _output_views(request, out)
    for bound, outputs in request.calls:
        if (name := bound.payload) is not None:
            numbers = views[outputs[0]][0][0].tolist()
            payloads[bound.name] = [
                payload(number, name) if number >= 0 else None for number in numbers
            ]
    return payloads


class RowResults(NamedTuple):
    """Results of every row of a batch: their bounds follow from the number of rows.

    The last is that of the window that ended with event `total` - 1.
    """

    results: int
    total: int
    range: int
    out: tuple[Array, ...]

    def batches(self) -> list[ResultBatch]:
        """The results with their bounds, as one batch."""
        ends = np.arange(self.total - self.results + 1, self.total + 1)
        out = tuple(array[: self.results] for array in self.out)
        return [ResultBatch(None, ends - self.range, ends, out, None)]


class Results(Sequence[Result]):
    """Results of a batch in the order in which they fell due, key by key.

    `results["max"]` is an Arrow column, `results.to_arrow()` a table.
    """

    def __init__(
        self,
        request: KernelRequest,
        batches: list[ResultBatch] | RowResults,
        bounds: Callable[[Array], pa.Array],
    ) -> None:
        self._asked, self._written, self._bounds = request, batches, bounds

    @property
    def _batches(self) -> list[ResultBatch]:
        written = self._written
        return written.batches() if isinstance(written, RowResults) else written

    def __len__(self) -> int:
        if isinstance(self._written, RowResults):
            return self._written.results
        return sum(len(batch.begins) for batch in self._written)

    def __getitem__(self, name: Any) -> Any:
        """A column by its name, a result by its number."""
        if isinstance(name, str):
            return self.to_arrow().column(name).combine_chunks()
        return list(self)[name]

    def __iter__(self) -> Iterator[Result]:
        names = [bound.name for bound, _ in self._asked.calls]
        for batch in self._batches:
            for row in self._table(batch).to_pylist():
                values = {name: row[name] for name in names}
                value = values if len(names) > 1 else values[names[0]]
                yield Result(batch.key, row["start"], row["end"], value)

    def to_arrow(self) -> pa.Table:
        """A table: key if there are any, start, end, then the aggregates."""
        batches = self._batches or [self._none()]
        tables = [self._table(batch) for batch in batches]
        table = pa.concat_tables(tables, promote_options="permissive")
        keys = [batch.key for batch in batches]
        if keys.count(None) == len(keys):
            return table
        rows = np.repeat(np.arange(len(keys)), [len(batch.begins) for batch in batches])
        return table.add_column(0, "key", _key_column(keys).take(pa.array(rows)))

    def _none(self) -> ResultBatch:
        none = np.empty(0, np.int64)
        out = tuple(np.empty(0, kind) for kind in self._asked.product.out_dtypes)
        return ResultBatch(None, none, none, out, None)

    def _table(self, batch: ResultBatch) -> pa.Table:
        columns: dict[str, Any] = {
            "start": self._bounds(batch.begins),
            "end": self._bounds(batch.ends),
        }
        outputs = written(self._asked.product, batch.out)
        for bound, numbers in self._asked.calls:
            own = [outputs[number] for number in numbers]
            if bound.payload is not None:
                assert batch.payloads is not None or not len(batch.begins)
                payloads = (batch.payloads or {}).get(bound.name, [])
                columns[bound.name] = pa.array(payloads, bound.result)
                continue
            arrays = [array for values, _ in own for array in values]
            columns[bound.name] = finish(bound, arrays, own[0][1], None)
        return pa.table(columns)


def _key_column(keys: list[Any]) -> pa.Array:
    """Keys as an Arrow column, refused where they have no type in common."""
    kinds = set(_leaf_types(keys))
    # NumPy's scalars of several types in one list can crash pyarrow
    if len(kinds) > 1 and any(issubclass(kind, np.generic) for kind in kinds):
        raise _no_column(
            f"they are of types {', '.join(sorted(k.__name__ for k in kinds))}"
        )
    try:
        return pa.array(keys)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _no_column(str(error)) from error


def _no_column(cause: str) -> BadInput:
    return BadInput.because(
        "cannot write the keys of these results as one column",
        cause,
        "iterate over the results: each has its key",
    )


def _leaf_types(key: Any) -> Iterator[type]:
    if isinstance(key, (list, tuple)):
        for entry in key:
            yield from _leaf_types(entry)
    else:
        yield type(key)


__all__ = [
    "Result",
    "ResultBatch",
    "Results",
    "RowResults",
    "payloads_at",
    "reader_of",
    "same_value",
]
