"""Refuses events that come too late, and columns of deltas that fall.

An event at t is taken while `newest - t <= lateness`, which is 0 if none is given.
"""

from __future__ import annotations

import numpy as np

from windrow.errors import BadInput
from windrow.windows import Duration

from .events import EventReader
from .inputs import Events, Others
from .layout import Array


class OrderCheck:
    """Refuses events that go back in time too far, and deltas that fall."""

    def __init__(self, reader: EventReader, lateness: Duration | None) -> None:
        self.reader, self.lateness = reader, lateness
        self._late = 0 if lateness is None else lateness.amount

    def check_event(
        self,
        last: tuple[int | None, float, float],
        tick: int | None,
        others: Others,
    ) -> None:
        """Refuse an event that comes too late, or whose delta falls.

        `last` are the newest instant, mark and signal.
        """
        newest, mark, signal = last
        if tick is not None and newest is not None and newest - tick > self._late:
            raise self._backwards(tick, newest)
        if others[0] < mark:
            raise _falling(others[0])
        if others[1] < signal:
            raise _falling(others[1])

    def check_batch(
        self, before: tuple[int | None, float, float], events: Events
    ) -> None:
        """Refuse times that go back too far, and deltas that fall."""
        ticks, marks, signals, _ = events
        newest, *last = before
        if len(ticks):
            first = ticks[0] if newest is None else newest
            highest = np.maximum.accumulate(np.concatenate(([first], ticks[:-1])))
            late = highest - ticks > self._late
            if late.any():
                at = int(np.argmax(late))
                raise self._backwards(int(ticks[at]), int(highest[at]))
        for column, value in zip((marks, signals), last, strict=True):
            if len(column) and (falls := np.diff(column, prepend=value) < 0).any():
                raise _falling(float(column[np.argmax(falls)]))

    def check_batches(
        self, last: tuple[Array, Array, Array], codes: Array, events: Events
    ) -> None:
        """The same for a batch of many keys, by `last` of each and the events' keys."""
        order = np.argsort(codes, kind="stable")
        own = codes[order]
        begins = np.diff(own, prepend=-1) != 0
        for number, column in enumerate(events[:3]):
            if not len(column):
                continue
            values = column[order]
            before = np.append(values[:1], values[:-1])
            before[begins] = last[number][own[begins]]
            falls = values < before
            if falls.any():
                at = int(np.argmax(falls))
                if number == 0:
                    raise self._backwards(int(values[at]), int(before[at]))
                raise _falling(float(values[at]))

    def _backwards(self, tick: int, newest: int) -> BadInput:
        cause = f"the newest event is at {self.reader.instant(newest)}"
        hint = "sort the events, or let them come late: lateness='1 minute'"
        if self.lateness is not None:
            cause += f", and events may be {self.lateness.text} late"
            hint = "route such events elsewhere, or allow more lateness"
        fact = f"cannot go back to {self.reader.instant(tick)}"
        return BadInput.because(fact, cause, hint)


def _falling(value: float) -> BadInput:
    return BadInput.because(
        f"cannot go back to {value:g}",
        "a column that a delta measures must never fall",
        "sort the events by it, or let a duration or a number of rows rule the window",
    )
