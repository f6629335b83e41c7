"""A plan with the rows it runs on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.plan.plan import Plan
from windrow.plan.requests import Asked, Read, Slots

from .columns import Column
from .kernel_inputs import source_of
from .sorted_rows import Stream, check_room, stream_of

Array = np.ndarray[Any, Any]


@dataclass
class Job:
    """A plan with the rows it runs on and the product that fits them.

    Ordered times and values are the largest things in memory; each is let go as
    soon as nothing needs it (10M rows, three windows: peak 2.8 -> 2.5 times the
    input, input included).
    """

    plan: Plan
    stream: Stream
    arrays: tuple[Array, ...]
    asked: Asked
    bare: bool

    def drop_times(self) -> None:
        """No frame will be asked for any more."""
        self.stream = replace(self.stream, times=None)

    def drop_rows(self) -> None:
        """No row will be lifted any more."""
        self.arrays = ()

    @property
    def holistic(self) -> bool:
        """Whether some call needs the rows of each window, not a partial."""
        return len(self.asked.calls) < len(self.plan.calls)

    @property
    def times(self) -> Array | None:
        """What windows are measured by: ticks, or None for positions in the key."""
        return None if self.plan.rules[0].counts_rows else self.stream.times


def open_job(
    table: pa.Table,
    plan: Plan,
    bare: bool = False,
    stream: Stream | None = None,
    fixed: tuple[Asked, Slots] | None = None,
) -> tuple[Job, dict[Read, Column]]:
    """A plan with the rows it runs on, put in stream order.

    With `fixed` the product does not depend on these rows: others are to be merged
    with their partials.
    """
    if stream is None:
        stream = stream_of(table, plan.by, plan.clock, plan.ties)
    check_room(
        stream.times, max(0 if q.counts_rows else q.even.range for q in plan.rules)
    )
    longest = int((stream.lasts - stream.firsts).max(initial=0))
    most = max((q.even.range if q.counts_rows else longest) for q in plan.rules)
    source = source_of(table, stream, plan.calls, None if fixed is None else fixed[1])
    asked = source.ask(plan.calls, min(most, longest)) if fixed is None else fixed[0]
    return Job(plan, stream, source.arrays, asked, bare), source.columns


def nth(counts: Array) -> Array:
    """0, 1, ... within each run."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: Array = np.arange(total) - np.repeat(ends - counts, counts)
    return places


__all__ = ["Job", "nth", "open_job"]
