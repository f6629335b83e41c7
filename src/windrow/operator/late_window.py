"""Windows that are not FIFO: events come late, are corrected, or go by handle.

Places stand in the order of instants, so a late event goes where it belongs; an event
is found again by its instant and its number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.windows.policy import COUNT

from .results import Part
from .window import Cell

Array = np.ndarray[Any, Any]


class LateCell(Cell):
    """A window whose events may come late, and be corrected or taken out."""

    def take_in(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> int:
        """Let an event wait, or put it among those that came before it."""
        if tick is None or self.newest is None or tick >= self.newest:
            return super().take_in(numbers, tick, others)
        self.flush()
        while not self.kit.module.call_place(self.argument, tick, *numbers):
            self.widen()
        number = self.first
        self.first += 1
        rules = self.kit.rules
        if rules.evict == COUNT and self.count() > rules.range:
            self.drop(self.count() - rules.range)
        return number

    def let_in_all(self, source: list[Array], events: tuple[Array, ...]) -> list[Part]:
        """A batch: stretches in order at once, late events one by one."""
        found, start, times = [], 0, events[0].tolist()
        for i, tick in enumerate(times):
            if self.newest is not None and tick < self.newest:
                found += self.let_in(source, events, start, i)
                self.take_in([one[i].item() for one in source], tick, (0.0, 0.0, 0))
                start = i + 1
            else:
                self.newest = tick
        return found + self.let_in(source, events, start, len(times))

    def let_in(
        self, source: list[Array], events: tuple[Array, ...], start: int, stop: int
    ) -> list[Part]:
        """Events [start, stop) of a batch, which are in order."""
        if start == stop:
            return []
        known = tuple(one[start:stop] for one in events)
        return self.absorb([one[start:stop] for one in source], known, stop - start)

    def find(self, tick: int, number: int) -> int:
        """The place of an event, or -1."""
        self.flush()
        return int(self.kit.module.call_find(self.argument, tick, number))

    def correct(self, place: int, number: int, tick: int, numbers: list[Any]) -> None:
        """Another value for the event at that place."""
        del tick  # who keeps results wants to know
        self.kit.module.call_correct(self.argument, place, number, *numbers)

    def remove(self, place: int, tick: int) -> None:
        """Take the event at that place out."""
        del tick
        self.kit.module.call_remove(self.argument, place)
        self.tidy()


__all__ = ["LateCell"]
