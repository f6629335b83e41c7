"""Keeps events that wait to get in, number by number."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np

from windrow.windows.policy_numbers import DELTA, PolicyNumbers

from .inputs import NO_EVENTS, EventColumns, Events, Others, Source


class WaitingEvents:
    """Events that wait to get in: a growing array for each of their numbers.

    `events` are instants, marks, signals and flags, empty where there are none.  What
    came the quick way is one number and no more; that it is not null is filled in when
    somebody needs to know.
    """

    def __init__(self, columns: EventColumns, policies: PolicyNumbers) -> None:
        self.slots: list[Any] = [array(code) for code in columns.codes]
        self.events: tuple[Any, ...] = tuple(map(array, "qddb"))
        deltas = policies.evict == DELTA, policies.trigger == DELTA
        reads = zip((*deltas, policies.punctuated), self.events[1:], strict=True)
        self._others = [(k, own) for k, (is_read, own) in enumerate(reads) if is_read]
        self.column = self.slots[0] if self.slots else array("d")
        self.known = self.slots[1] if len(self.slots) == 2 else array("b")

    def add(self, numbers: list[Any], tick: int | None, others: Others) -> None:
        """Let one event wait."""
        self._fill_in()
        for slot, value in zip(self.slots, numbers, strict=True):
            slot.append(value)
        if not self.slots:  # rows that are only counted
            self.column.append(0.0)
        if tick is not None:
            self.events[0].append(tick)
        for k, column in self._others:
            column.append(others[k])

    def __len__(self) -> int:
        return len(self.column)

    def take_all(self) -> tuple[Source, Events]:
        """The slots of all, who wait no longer, and what is known of each event.

        The growing arrays stay the same ones, so that others may keep them.
        """
        self._fill_in()
        dtypes = [slot.typecode.replace("b", "?") for slot in self.slots]  # truths
        source = list(map(np.array, self.slots, dtypes))
        events = tuple(
            np.array(column, none.dtype) if column else none
            for column, none in zip(self.events, NO_EVENTS, strict=True)
        )
        self.clear()
        return source, events

    def clear(self) -> None:
        """Forget all."""
        for column in (self.column, *self.slots, *self.events):
            del column[:]

    def only(self) -> tuple[int, float, list[Any]]:
        """Instant, mark and slots of the one event that waits."""
        self._fill_in()
        ticks, marks, _, _ = self.events
        tick, mark = ticks[0] if ticks else 0, marks[0] if marks else 0.0
        return tick, mark, [slot[0] for slot in self.slots]

    def _fill_in(self) -> None:
        missing = len(self.column) - len(self.known)
        if len(self.slots) == 2 and self.known.typecode == "b" and missing:
            self.known.frombytes(b"\1" * missing)
