"""Keeps the values of events that results point to, or are made of.

    arg_max, first, last           the position of one event
    collect, concat, distinct,     the positions of the first and the last event:
    median, top_k and the like,    all values between make the result
    max and min of texts

They stand beside the partials, by the numbers of events, and leave with them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import pyarrow as pa

from windrow.aggregates.order_statistics import by_definition
from windrow.batch.results import written
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest
from windrow.sketches import objects

from .layout import Array


class PayloadRing:
    """The payloads of a window's events, by the numbers of events.

    `rows` are those of the events [first, first + len(rows)); the young end is that of
    the window, and the old end follows it when many are there that nobody needs.
    """

    def __init__(self, first: int = 0, rows: list[tuple[Any, ...]] | None = None):
        self.first, self.rows = first, rows or []

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        return self.rows[number - self.first]

    def between(self, first: int, last: int) -> list[tuple[Any, ...]]:
        """Those of the events from the first to the last."""
        return self.rows[first - self.first : last + 1 - self.first]

    def keep(self, events: int) -> None:
        """Forget all but those of the youngest events, if that is half of them."""
        if len(self.rows) > 2 * events + 16:
            gone = len(self.rows) - events
            del self.rows[:gone]
            self.first += gone


class SlotPayloads:
    """What the events of one key had in a column, by the ring of its slot."""

    def __init__(self, rings: dict[int, PayloadRing], names: list[str]) -> None:
        self.rings, self.names, self.slot = rings, names, 0

    def of_slot(self, slot: int) -> SlotPayloads:
        """The same of another slot."""
        other = SlotPayloads(self.rings, self.names)
        other.slot = slot
        return other

    def payload_at(self, number: int, name: str) -> Any:
        """Of one event."""
        return self.rings[self.slot][number][self.names.index(name)]

    def payloads_between(self, first: int, last: int, name: str) -> list[Any]:
        """Of the events from one to another."""
        place = self.names.index(name)
        return [row[place] for row in self.rings[self.slot].between(first, last)]


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
    payloads: Payloads | Iterable[Payloads],
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
