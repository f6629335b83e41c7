"""Holds what comes out of an operator: one result, or those of a whole batch.

out            arrays as the kernel writes them, an entry for each result
ResultBatch    some entries of one key, with the bounds of their windows
Results        all batches of a call, as a sequence, a column or a table
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from windrow.batch.results import finish, written
from windrow.errors import BadInput
from windrow.loops import as_arrow
from windrow.plan.requests import KernelRequest

from .read_results import values_of

Array = np.ndarray[Any, Any]


class Result(NamedTuple):
    """The aggregate of a window, or a dict of them where there are several.

    `start` and `end` are instants for windows of time, else numbers of events.
    `again` says that the window was reported before, with another value; `query` is
    the name of the window, where there is a list of them.
    """

    key: Any
    start: Any
    end: Any
    value: Any
    again: bool = False
    query: str | None = None


NOBODY: Array = np.empty(0, np.int64)


class ResultBatch(NamedTuple):
    """Results as the kernel wrote them, of one key or of many.

    Of many, `owners` are the slots of their keys, and `key` is a list of keys once the
    batch is handed out.  Where a key has a list of windows, which `windows` names,
    `owners` are the numbers of windows.
    """

    key: Any
    begins: Array
    ends: Array
    out: tuple[Array, ...]
    payloads: dict[str, list[Any]] | None
    owners: Array = NOBODY
    windows: tuple[str, ...] | None = None

    @property
    def query(self) -> list[str] | None:
        """The name of the window of each result, where there is a list of them."""
        if self.windows is None:
            return None
        return list(map(self.windows.__getitem__, self.owners.tolist()))

    def take(self, rows: Array) -> ResultBatch:
        """Those results, in that order."""
        payloads = self.payloads and {
            name: [values[row] for row in rows.tolist()]
            for name, values in self.payloads.items()
        }
        out = tuple(array[rows] for array in self.out)
        owners = self.owners[rows] if len(self.owners) else self.owners
        bounds = self.begins[rows], self.ends[rows]
        return ResultBatch(self.key, *bounds, out, payloads, owners, self.windows)

    @property
    def keys(self) -> list[Any]:
        """The key of each result."""
        if self.windows is None and len(self.owners):
            keys: list[Any] = self.key
            return keys
        return [self.key] * len(self.begins)


class Results(Sequence[Result]):
    """Results of a batch in the order in which they fell due, key by key.

    `results["max"]` is an Arrow column, `results.to_arrow()` a table.
    """

    def __init__(
        self,
        request: KernelRequest,
        batches: list[ResultBatch] | Callable[[], list[ResultBatch]],
        bounds: Callable[[Array], pa.Array],
        count: int | None = None,
    ) -> None:
        self._request, self._written, self._bounds = request, batches, bounds
        self._count = count

    @cached_property
    def _batches(self) -> list[ResultBatch]:
        """The batches; bounds of windows may be computed only now."""
        return self._written() if callable(self._written) else self._written

    def __len__(self) -> int:
        if self._count is None:
            self._count = sum(len(batch.begins) for batch in self._batches)
        return self._count

    def __getitem__(self, name: Any) -> Any:
        """A column by its name, a result by its number."""
        if isinstance(name, str):
            return self.to_arrow().column(name).combine_chunks()
        return list(self)[name]

    def __iter__(self) -> Iterator[Result]:
        for batch in self._batches:
            values = values_of(self._request, batch.out, batch.payloads)
            starts, ends = map(self._instants, (batch.begins, batch.ends))
            query = repeat(None) if batch.query is None else batch.query
            again = repeat(False)
            rows = zip(batch.keys, starts, ends, values, again, query, strict=False)
            yield from map(partial(tuple.__new__, Result), rows)  # not _make: in C

    def to_list(self) -> list[Result]:
        """All results, made at once.

        None of them can be garbage, and to look for it takes longer than to make them:
        1.9 us a result, and 0.8 without.
        """
        collects = gc.isenabled()
        gc.disable()
        try:
            return list(self)
        finally:
            if collects:
                gc.enable()

    def _instants(self, ticks: Array) -> list[Any]:
        """Bounds as Python values; many windows end at one instant."""
        numbers = ticks.tolist()
        distinct = list(dict.fromkeys(numbers))
        instants = self._bounds(np.array(distinct, np.int64)).to_pylist()
        return list(
            map(dict(zip(distinct, instants, strict=True)).__getitem__, numbers)
        )

    def to_arrow(self) -> pa.Table:
        """A table: key if there are any, start, end, then the aggregates."""
        none = np.empty(0, np.int64)
        empty = tuple(np.empty(0, kind) for kind in self._request.product.out_dtypes)
        batches = self._batches or [ResultBatch(None, none, none, empty, None)]
        tables = [self._table(batch) for batch in batches]
        table = pa.concat_tables(tables, promote_options="permissive")
        if any(batch.windows is not None for batch in batches):
            names = [
                pa.array(batch.windows, pa.string()).take(as_arrow(batch.owners))
                for batch in batches
                if batch.windows is not None
            ]
            table = table.add_column(0, "query", pa.chunked_array(names))
        if all(batch.key is None for batch in batches):
            return table
        keys = [key for batch in batches for key in batch.keys]
        return table.add_column(0, "key", _key_column(keys))

    def _table(self, batch: ResultBatch) -> pa.Table:
        columns: dict[str, Any] = {
            "start": self._bounds(batch.begins),
            "end": self._bounds(batch.ends),
        }
        outputs = written(self._request.product, batch.out)
        for bound, numbers in self._request.calls:
            if bound.payload is not None:
                payloads = (batch.payloads or {}).get(bound.name, [])
                columns[bound.name] = pa.array(payloads, bound.result)
                continue
            arrays = [array for number in numbers for array in outputs[number][0]]
            valid = outputs[numbers[0]][1]
            columns[bound.name] = finish(bound, arrays, valid, None)
        return pa.table(columns)


class RowResults(Results):
    """Results of windows of `range` rows that ended with the last of `last` events."""

    def __init__(
        self,
        request: KernelRequest,
        out: tuple[Array, ...],
        count: int,
        last: int,
        range_: int,
    ) -> None:
        self._request, self._count = request, count
        self._rows = out, count, last, range_

    _bounds = staticmethod(pa.array)

    @cached_property
    def _batches(self) -> list[ResultBatch]:
        out, count, last, range_ = self._rows
        ends = np.arange(last - count + 1, last + 1)
        out = tuple(array[len(array) - count :] for array in out)
        return [ResultBatch(None, ends - range_, ends, out, None)]


def joined_results(head: Results, rest: Results) -> Results:
    """Results of two parts of a batch, as one."""
    count = len(head) + len(rest)
    written = partial(_all_batches, head, rest)
    return Results(head._request, written, head._bounds, count)


def _all_batches(head: Results, rest: Results) -> list[ResultBatch]:
    return [*head._batches, *rest._batches]


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


def joined_batches(batches: list[ResultBatch]) -> ResultBatch | None:
    """Batches one after the other, as one."""
    if len(batches) < 2:
        return batches[0] if batches else None
    payloads = None
    if batches[0].payloads is not None:
        payloads = {
            name: [value for batch in batches for value in (batch.payloads or {})[name]]
            for name in batches[0].payloads
        }
    begins, ends, owners = (
        np.concatenate([getattr(batch, name) for batch in batches])
        for name in ("begins", "ends", "owners")
    )
    columns = zip(*(batch.out for batch in batches), strict=True)
    out = tuple(map(np.concatenate, columns))
    return ResultBatch(None, begins, ends, out, payloads, owners)


def part_of_batch(
    batch: ResultBatch | None, rank: Array
) -> tuple[ResultBatch | None, list[ResultBatch]]:
    """Results of slots that have a rank, and the others."""
    if batch is None:
        return None, []
    mine = rank[batch.owners] >= 0
    others = [] if mine.all() else [batch.take(np.flatnonzero(~mine))]
    return batch.take(np.flatnonzero(mine)), others
