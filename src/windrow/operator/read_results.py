"""Reads results as the kernel wrote them: one, or all of them as Python values.

numbers                        what stands in `out`
arg_max, first, last           the position of one event, whose payload is read
collect, concat, distinct,     the positions of the first and the last event:
median, top_k and the like,    the payloads of all between make the result
max and min of texts
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.aggregates.order_statistics import by_definition
from windrow.batch.results import finish, written
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest
from windrow.sketches import objects

from .layout import Array

Read = Callable[[], Any]
Outputs = list[tuple[list[Array], Array | None]]  # values and validity of each


class Payloads(Protocol):
    """What the events of a window had in a column."""

    def payload_at(self, number: int, name: str) -> Any:
        """Of one event."""

    def payloads_between(self, first: int, last: int, name: str) -> list[Any]:
        """Of all events of the window from one to another."""


def fold_payloads(bound: BoundCall, values: Iterable[Any]) -> Any:
    """The result of a call that is made of values; nulls are skipped."""
    known = [value for value in values if value is not None]
    if bound.aggregate.sketch:
        return _sketched(bound, known)
    match bound.aggregate.name:
        case "max":
            return max(known, default=None)
        case "min":
            return min(known, default=None)
        case "concat":
            return (
                bound.call.options.get("separator", "").join(known) if known else None
            )
        case "collect":
            return known
        case "collect_distinct" | "count_distinct":
            return _distinct(bound, known)
    return by_definition(bound.aggregate, known, bound.call.options)


def _sketched(bound: BoundCall, known: list[Any]) -> Any:
    """The result of a sketch of all values."""
    sketch, partial = bound.sketch, None
    if known:
        partial = sketch.lift(sketch.read(pa.array(known, bound.types[0])))
    return sketch.lower(objects([partial]))[0].as_py()


def _distinct(bound: BoundCall, known: list[Any]) -> Any:
    """The distinct values, or how many there are."""
    distinct: dict[Any, Any] = {}
    for value in known:
        same = value if value == value else math.nan  # one NaN is as good as another
        distinct.setdefault(
            repr(value) if isinstance(value, (list, dict)) else same, same
        )
    count = bound.aggregate.name == "count_distinct"
    return len(distinct) if count else list(distinct.values())


def payload_of(bound: BoundCall, positions: Sequence[int], payloads: Payloads) -> Any:
    """What a result points to: one event, or all from the first to the last."""
    assert bound.payload is not None
    if min(positions) < 0:
        return None
    if len(positions) == 1:
        return payloads.payload_at(positions[0], bound.payload)
    between = payloads.payloads_between(positions[0], positions[1], bound.payload)
    return fold_payloads(bound, between)


def payloads_at(
    request: KernelRequest,
    out: tuple[Array, ...],
    payloads: Any,
) -> dict[str, list[Any]]:
    """By call, what the positions in `out` point to; they may be gone later.

    `payloads` are those of a window, or of the window of each result.
    """
    views = written(request.product, out)
    own = [payloads] * len(out[0]) if hasattr(payloads, "payload_at") else [*payloads]
    found = {}
    for bound, outputs in request.calls:
        if bound.payload is not None:
            places = [views[number][0][0].tolist() for number in outputs]
            found[bound.name] = [
                payload_of(bound, positions, window)
                for window, *positions in zip(own, *places, strict=True)
            ]
    return found


def reader_of(request: KernelRequest, out: list[Array], payloads: Payloads) -> Read:
    """A function that reads the one result in `out` as Python values."""
    views = written(request.product, tuple(out))
    readers = {
        bound.name: _reader(bound, [views[output] for output in outputs], payloads)
        for bound, outputs in request.calls
    }
    if len(readers) == 1:
        return next(iter(readers.values()))
    return lambda: {name: read() for name, read in readers.items()}


def _reader(bound: BoundCall, views: Outputs, payloads: Payloads) -> Read:
    (values, valid), *rest = views
    first = values[0].item
    is_valid = valid.item if valid is not None else None
    if bound.payload is not None:
        places = [array[0].item for array, _ in views]
        return lambda: payload_of(bound, [read() for read in places], payloads)
    if len(values) == 1 and not rest and _is_plain(bound):
        if is_valid is None:
            return first
        return lambda: first() if is_valid() else None
    if _plain_total(bound):
        low = values[1].item
        if is_valid is None:
            return lambda: (first() << 32) + low()
        return lambda: (first() << 32) + low() if is_valid() else None
    arrays = [array for outputs, _ in views for array in outputs]

    def general() -> Any:
        return finish(bound, arrays, valid, None)[0].as_py()

    return general


def same_value(a: Any, b: Any) -> bool:
    """Whether two results are equal; NaN equals NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same_value(a[name], b[name]) for name in a)
    return bool(a == b or (a != a and b != b))


def _plain_total(bound: BoundCall) -> bool:
    return bound.aggregate.result == "total" and pat.is_integer(bound.result)


def _is_plain(bound: BoundCall) -> bool:
    """Whether what the kernel writes is the value."""
    plain = bound.aggregate.is_users or bound.result in (pa.int64(), pa.float64())
    others = {"truth", "difference", "sketch"}
    if bound.result == pa.float64():  # a difference of floats is one
        others.remove("difference")
    return bound.payload is None and plain and bound.aggregate.result not in others


def values_of(
    request: KernelRequest,
    out: tuple[Array, ...],
    payloads: dict[str, list[Any]] | None,
) -> list[Any]:
    """Results as Python values, or dicts of them where there are several calls."""
    views = written(request.product, out)
    columns = {}
    for bound, outputs in request.calls:
        arrays = [array for number in outputs for array in views[number][0]]
        valid = views[outputs[0]][1]
        if bound.payload is not None:
            columns[bound.name] = (payloads or {})[bound.name]
            continue
        if _plain_total(bound) and len(arrays) == 2:
            high, low = (array.tolist() for array in arrays)
            values = [(a << 32) + b for a, b in zip(high, low, strict=True)]
        elif _is_plain(bound) and len(arrays) == 1:
            values = arrays[0].tolist()
        else:
            columns[bound.name] = finish(bound, arrays, valid, None).to_pylist()
            continue
        if valid is not None and not valid.all():
            known = zip(values, valid.tolist(), strict=True)
            values = [value if is_valid else None for value, is_valid in known]
        columns[bound.name] = values
    if len(columns) == 1:
        return next(iter(columns.values()))
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def list_reader(
    request: KernelRequest, out: tuple[Array, ...]
) -> Callable[[], list[Any]] | None:
    """A function that reads all results in `out`, where they are plain numbers."""
    (bound, outputs), *others = request.calls
    (values, valid), *rest = [written(request.product, out)[n] for n in outputs]
    read: Callable[[], list[Any]] = values[0].tolist
    if not (others or rest) and _plain_total(bound) and len(values) == 2:
        lows, highs = values[1].tolist, read

        def read() -> list[Any]:
            high: list[int] = highs()
            low: list[int] = lows()
            if not any(high):  # the totals are small: nothing to put together
                return low
            return [(a << 32) + b for a, b in zip(high, low, strict=True)]

    elif others or rest or len(values) > 1 or not _is_plain(bound):
        return None
    if valid is None:
        return read
    known, as_bytes = valid.tolist, valid.tobytes

    def read_known() -> list[Any]:
        if b"\0" not in as_bytes():
            return read()
        return [v if k else None for v, k in zip(read(), known(), strict=True)]

    return read_known


def same_rows(
    request: KernelRequest,
    out: tuple[Array, ...],
    payloads: dict[str, list[Any]] | None,
) -> list[Array]:
    """Columns in which two results are equal where their values are."""
    views, rows = written(request.product, out), []
    for bound, outputs in request.calls:
        if bound.payload is not None:
            column: Array = np.empty(len(out[0]), object)
            for place, value in enumerate((payloads or {})[bound.name]):
                column[place] = value  # a list of lists would become a matrix
            rows.append(column)
            continue
        for values, valid in (views[number] for number in outputs):
            exact = values
            if _plain_total(bound) and len(values) == 2:
                high, low = values
                exact = [high + (low >> 32), low & 0xFFFFFFFF]
            if valid is not None:
                rows.append(valid)
                exact = [np.where(valid, array, 0) for array in exact]
            rows += exact
    return rows
