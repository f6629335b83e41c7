"""What comes out of an operator: one result, or those of a whole batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.batch.results import finish, written
from windrow.errors import BadInput
from windrow.plan.bind import Bound
from windrow.plan.requests import Asked

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
    asked: Asked, out: Sequence[Array], payload: Callable[[int, str], Any]
) -> Callable[[], Any]:
    """A function that reads the one result in `out` as Python values."""
    slots = written_views(asked, out)
    reads: dict[str, Callable[[], Any]] = {}
    for bound, owned in asked.calls:
        mine = [slots[number] for number in owned]
        reads[bound.name] = _reader(bound, mine, payload)
    if len(reads) == 1:
        return next(iter(reads.values()))

    def read() -> dict[str, Any]:
        return {name: one() for name, one in reads.items()}

    return read


def written_views(
    asked: Asked, out: Sequence[Array]
) -> list[tuple[list[Array], Array | None]]:
    """For each output its arrays in `out`, and its validity, not copied."""
    found, at = [], 0
    for output in asked.product.outputs:
        values = list(out[at : at + len(output.dtypes)])
        at += len(output.dtypes)
        found.append((values, out[at] if output.nullable else None))
        at += output.nullable
    return found


def _reader(
    bound: Bound,
    mine: list[tuple[list[Array], Array | None]],
    payload: Callable[[int, str], Any],
) -> Callable[[], Any]:
    (values, valid), *rest = mine
    first = values[0].item
    there = valid.item if valid is not None else None
    if bound.payload is not None:
        name = bound.payload
        return lambda: payload(first(), name) if first() >= 0 else None
    plain = bound.aggregate.is_users or bound.result in (pa.int64(), pa.float64())
    if plain and len(values) == 1 and not rest and bound.aggregate.result != "truth":
        if there is None:
            return first
        return lambda: first() if there() else None
    if bound.aggregate.result == "total" and pat.is_integer(bound.result):
        low = values[1].item
        if there is None:
            return lambda: (first() << 32) + low()
        return lambda: (first() << 32) + low() if there() else None

    def general() -> Any:
        arrays = [one.copy() for found, _ in mine for one in found]
        mask = None if valid is None else valid.astype(bool)
        return finish(bound, arrays, mask, None)[0].as_py()

    return general


class Part(NamedTuple):
    """Results of one key, as the kernel wrote them."""

    key: Any
    begins: Array
    ends: Array
    out: tuple[Array, ...]
    payloads: dict[str, list[Any]] | None


def payloads_at(
    asked: Asked, out: Sequence[Array], payload: Callable[[int, str], Any]
) -> dict[str, list[Any]]:
    """By call, what the positions in `out` point to; they may be gone later."""
    found: dict[str, list[Any]] = {}
    slots = written_views(asked, out)
    for bound, owned in asked.calls:
        if bound.payload is not None:
            places = slots[owned[0]][0][0].tolist()
            name = bound.payload
            found[bound.name] = [payload(i, name) if i >= 0 else None for i in places]
    return found


class RowResults(NamedTuple):
    """Results of every row of a batch: their bounds follow from the number of rows.

    The last is that of the window that ended with event `total` - 1.
    """

    made: int
    total: int
    range: int
    out: tuple[Array, ...]

    def parts(self) -> list[Part]:
        """As others have them."""
        ends = np.arange(self.total - self.made + 1, self.total + 1)
        out = tuple(one[: self.made] for one in self.out)
        return [Part(None, ends - self.range, ends, out, None)]


class Results(Sequence[Result]):
    """Results of a batch in the order in which they fell due, key by key.

    `results["max"]` is an Arrow column, `results.to_arrow()` a table.
    """

    def __init__(
        self,
        asked: Asked,
        parts: list[Part] | RowResults,
        bounds: Callable[[Array], pa.Array],
    ) -> None:
        self._asked, self._given, self._bounds = asked, parts, bounds

    @property
    def _parts(self) -> list[Part]:
        given = self._given
        return given.parts() if isinstance(given, RowResults) else given

    def __len__(self) -> int:
        if isinstance(self._given, RowResults):
            return self._given.made
        return sum(len(part.begins) for part in self._given)

    def __getitem__(self, name: Any) -> Any:
        """A column by its name, a result by its number."""
        if isinstance(name, str):
            return self.to_arrow().column(name).combine_chunks()
        return list(self)[name]

    def __iter__(self) -> Iterator[Result]:
        names = [bound.name for bound, _ in self._asked.calls]
        for part in self._parts:
            for row in self._table(part).to_pylist():
                values = {name: row[name] for name in names}
                value = values if len(names) > 1 else values[names[0]]
                yield Result(part.key, row["start"], row["end"], value)

    def to_arrow(self) -> pa.Table:
        """A table: key if there are any, start, end, then the aggregates."""
        parts = self._parts or [self._none()]
        table = pa.concat_tables(map(self._table, parts), promote_options="permissive")
        keys = [part.key for part in parts]
        if keys.count(None) == len(keys):
            return table
        rows = np.repeat(np.arange(len(keys)), [len(part.begins) for part in parts])
        return table.add_column(0, "key", _key_column(keys).take(pa.array(rows)))

    def _none(self) -> Part:
        none = np.empty(0, np.int64)
        out = tuple(np.empty(0, kind) for kind in self._asked.product.out_dtypes)
        return Part(None, none, none, out, None)

    def _table(self, part: Part) -> pa.Table:
        columns: dict[str, Any] = {
            "start": self._bounds(part.begins),
            "end": self._bounds(part.ends),
        }
        slots = written(self._asked.product, part.out)
        for bound, owned in self._asked.calls:
            mine = [slots[number] for number in owned]
            if bound.payload is not None:
                assert part.payloads is not None or not len(part.begins)
                found = (part.payloads or {}).get(bound.name, [])
                columns[bound.name] = pa.array(found, bound.result)
                continue
            arrays = [one for values, _ in mine for one in values]
            columns[bound.name] = finish(bound, arrays, mine[0][1], None)
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
    "Part",
    "Result",
    "Results",
    "RowResults",
    "payloads_at",
    "reader_of",
]
