"""A resolved plan with the rows it runs on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from windrow.kernels import Product
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Resolved

from .sorted_rows import Stream

Array = np.ndarray[Any, Any]


@dataclass
class Job:
    """A resolved plan with the rows it runs on.

    Ordered times and values are the largest things in memory; each is let go as
    soon as nothing needs it (10M rows, three windows: peak 2.8 -> 2.5 times the
    input, input included).
    """

    resolved: Resolved
    stream: Stream
    arrays: tuple[Array, ...]
    bare: bool = False

    @property
    def plan(self) -> Plan:
        """What was planned before any row was seen."""
        return self.resolved.plan

    @property
    def product(self) -> Product:
        """The partial of all aggregates that have one."""
        return self.resolved.product

    def drop_times(self) -> None:
        """No frame will be asked for any more."""
        self.stream = replace(self.stream, times=None)

    def drop_rows(self) -> None:
        """No row will be lifted any more."""
        self.arrays = ()

    @property
    def times(self) -> Array | None:
        """What windows are measured by: ticks, or None for positions in the key."""
        return None if self.plan.counts_rows else self.stream.times


def nth(counts: Array) -> Array:
    """0, 1, ... within each run."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    places: Array = np.arange(total) - np.repeat(ends - counts, counts)
    return places


__all__ = ["Job", "nth"]
