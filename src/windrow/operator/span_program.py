"""Reads events with a duration: what the windows of all keys share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call, Law
from windrow.errors import BadInput, UnsuitableAlgorithm, UnsupportedType
from windrow.plan.operator import is_held, operator_policies
from windrow.spans import OnlineSlices, SpanKernel
from windrow.windows import Even, parse_duration

from .events import EventReader
from .inputs import EventColumns
from .layout import Array

Known = tuple[EventColumns | None, dict[bool, SpanKernel], bool]


class SpanProgram:
    """What the windows of all keys share; types are known with the first event."""

    def __init__(
        self, window: Any, calls: Mapping[str, Call], algorithm: str, lateness: Any,
        nulls: bool, unit: str | None = None,
    ) -> None:  # fmt: skip
        self.window, self.calls, self.algorithm = window, calls, algorithm
        for call in calls.values():
            if not call.aggregate.in_kernels:
                raise _needs_events(call)
        self.span: tuple[str, str] = window.span
        self.nulls, self.unit = nulls, unit
        self.lateness = None if lateness is None else parse_duration(lateness)
        late = self.lateness
        other = late is not None and late.is_time != window.range.is_time
        if late is not None and (other or late.amount < 0):
            raise BadInput.because(
                f"cannot postpone windows by {late.text}",
                "the window counts time in another unit" if other else "it is negative",
                "give both as durations, or both as whole numbers",
            )
        policies = operator_policies(replace(window, span=None))
        self.reader = EventReader(calls, policies, None, unit=unit)
        self.lengths = Even(*(length.amount for length in window.lengths))
        self.columns: EventColumns | None = None
        self.kernels: dict[bool, SpanKernel] = {}

    def open(self, schema: pa.Schema) -> EventColumns:
        """Plan and generate, now that types are known."""
        columns = EventColumns(self.calls, schema, nulls=self.nulls)
        for bound in columns.bound:
            if is_held(bound):  # as the largest text is
                raise _needs_events(bound.call)
        product = columns.request.product
        if self.algorithm == "se_ml_slicing" and Law.COMMUTATIVE not in product.laws:
            raise UnsuitableAlgorithm.because(
                "se_ml_slicing cannot keep these windows",
                "an aggregate is not commutative, and levels lose the order of ends",
                "use se_slicing, or leave the algorithm out",
            )
        self.columns = columns
        self.kernels = {
            levels: SpanKernel(product, levels=levels) for levels in (False, True)
        }
        return columns

    @property
    def known(self) -> Known:
        """What events have told so far: the types, what follows, and the zone."""
        return self.columns, self.kernels, self.reader.zoned

    def go_back(self, known: Known) -> None:
        """Know no more than that: the event that told the rest was refused."""
        self.columns, self.kernels, self.reader.zoned = known

    def slices(self, height: int = 1) -> OnlineSlices:
        """Slices without events."""
        postpone = None if self.lateness is None else self.lateness.amount
        return OnlineSlices(self.kernels[height > 1], self.lengths, postpone, height)

    def instants(self, starts: Array, ends: Array) -> tuple[Array, Array]:
        """First and last instants; an event that ends before it starts is refused."""
        wrong = np.flatnonzero(ends < starts)
        if len(wrong):
            self.last_instant(int(starts[wrong[0]]), int(ends[wrong[0]]))
        return starts, np.maximum(ends - 1, starts)

    def last_instant(self, start: int, end: int) -> int:
        """The last instant of an event: its end is not part of it, unless it starts."""
        if end < start:
            start, end = self.reader.instant(start), self.reader.instant(end)
            raise BadInput.because(
                "cannot place an event that ends before it starts",
                f"it lasts from {start} to {end}",
                "leave such events out, or swap their bounds",
            )
        return max(end - 1, start)

    def bounds(self, value: Any, at: Any) -> tuple[int, int]:
        """The start and the end of one event, as ticks."""
        if at is None and isinstance(value, Mapping):
            at = tuple(value.get(name) for name in self.span)
        if not isinstance(at, (tuple, list)) or len(at) != 2 or None in at:
            start, end = self.span
            raise BadInput.because(
                f"cannot place the event {value!r}",
                f"it has no {start!r} and {end!r}",
                f"insert a mapping with both, or give them: at=({start}, {end})",
            )
        first, last = (self.reader.tick(bound) for bound in at)
        assert first is not None
        assert last is not None
        return first, last

    def batch_bounds(self, values: Any, at: Any) -> tuple[Array, Array]:
        """The starts and the ends of a batch, as ticks."""
        span = self.span
        if at is None:
            names = values if isinstance(values, Mapping) else ()
            missing = [name for name in span if name not in names]
            if missing:
                raise BadInput.because(
                    "cannot place a batch of events",
                    f"it has no column {missing[0]!r}",
                    f"give both columns of the span, or at=({span[0]}, {span[1]})",
                )
            at = values[span[0]], values[span[1]]
        bounds = list(at) if hasattr(at, "__len__") else []
        if len(bounds) != 2 or not all(hasattr(bound, "__len__") for bound in bounds):
            raise BadInput.because(
                "cannot place a batch of events",
                f"at= is a {type(at).__name__}, and not two arrays",
                f"give all starts and all ends: at=({span[0]}, {span[1]})",
            )
        starts, ends = (self.reader.ticks(bound, len(bounds[0])) for bound in bounds)
        return starts, ends

    def batch(self, values: Any, count: int) -> tuple[Mapping[str, Any], int]:
        """A batch by the columns that aggregates read, and how many events it has."""
        if not self.reader.names:
            return {}, count
        columns, entries = self.reader.batch(values)
        if entries != count:
            raise BadInput.because(
                f"cannot place {entries} events",
                f"there are {count} starts and ends",
                "give both for each event",
            )
        return columns, count


def _needs_events(call: Call) -> UnsupportedType:
    return UnsupportedType.because(
        f"cannot keep {call.label} over events with a duration",
        "it needs the events of a window, and slices keep none",
        "use wr.aggregate over a table",
    )
