"""Events that wait to get in: a growing array for each number of an event.

What came the quick way is one number and no more; that it is not null is filled in
when somebody needs to know.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from windrow.plan.policies import Rules
from windrow.windows.policy import DELTA

from .inputs import Inputs

Array = np.ndarray[Any, Any]
NONE: tuple[Array, ...] = (
    np.empty(0, np.int64),
    np.empty(0, np.float64),
    np.empty(0, np.float64),
    np.empty(0, np.int8),
)


class Pending:
    """The slots of events, their instants, marks, signals and flags."""

    def __init__(self, inputs: Inputs, rules: Rules) -> None:
        self.slots = inputs.empty()
        self.rules = rules
        self.ticks, self.marks, self.signals = array("q"), array("d"), array("d")
        self.flags = array("b")
        self.column = self.slots[0] if self.slots else array("d")
        self.known = self.slots[1] if len(self.slots) == 2 else array("b")

    def add(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> None:
        """One event; `others` are mark, signal and flag."""
        self._fill_in()
        for slot, value in zip(self.slots, numbers, strict=True):
            slot.append(value)
        if not self.slots:  # rows that are only counted
            self.column.append(0.0)
        if tick is not None:
            self.ticks.append(tick)
        if self.rules.evict == DELTA:
            self.marks.append(others[0])
        if self.rules.trigger == DELTA:
            self.signals.append(others[1])
        if self.rules.punctuated:
            self.flags.append(others[2])

    def __len__(self) -> int:
        return len(self.column)

    def taken(self) -> tuple[list[Array], tuple[Array, ...]]:
        """All that wait, who wait no longer: slots, and what is known of each event.

        Validity comes as truths; instants, marks, signals and flags are empty where
        there are none.  The arrays stay the same ones, so that others may keep them.
        """
        self._fill_in()
        source = [
            np.array(one, np.bool_ if one.typecode == "b" else one.typecode)
            for one in self.slots
        ]
        given: list[Any] = [self.ticks, self.marks, self.signals, self.flags]
        events = tuple(
            np.array(one, none.dtype) if one else none
            for one, none in zip(given, NONE, strict=True)
        )
        self.clear()
        return source, events

    def clear(self) -> None:
        """Nobody waits any longer."""
        for slot in self.slots:
            del slot[:]
        del self.column[:], self.ticks[:], self.marks[:], self.signals[:], self.flags[:]

    def numbers(self) -> tuple[int, float, list[Any]]:
        """Instant, mark and slots of the one event that waits."""
        self._fill_in()
        tick = self.ticks[0] if self.ticks else 0
        mark = self.marks[0] if self.marks else 0.0
        return tick, mark, [one[0] for one in self.slots]

    def _fill_in(self) -> None:
        missing = len(self.column) - len(self.known)
        if len(self.slots) == 2 and self.known.typecode == "b" and missing:
            self.known.frombytes(b"\1" * missing)


__all__ = ["NONE", "Pending"]
