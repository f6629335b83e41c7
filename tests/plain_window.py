"""A window as a plain list of events: what every operator is checked against.

    window = PlainWindow(range=3)
    window.insert(0, "a"); window.insert(0, "b")
    window.events            [Event(number=0, tick=0, value="a"), ...]

Events stand in the order of their instants, those at one instant as they came.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Event(NamedTuple):
    number: int
    tick: int
    value: Any


class PlainWindow:
    """`range` rows at most; None is no limit."""

    def __init__(self, range: int | None = None) -> None:
        self.range = range
        self.events: list[Event] = []
        self.total = 0

    @property
    def newest(self) -> int:
        """The instant of the newest event that ever came."""
        return self._newest if self.total else 0

    def insert(self, tick: int, value: Any) -> int:
        number = self.total
        self._newest = max(tick, self.newest) if self.total else tick
        self.total += 1
        place = sum(event.tick <= tick for event in self.events)
        self.events.insert(place, Event(number, tick, value))
        if self.range is not None:
            self.events = self.events[-self.range :]
        return number

    def evict(self, number: int | None = None) -> None:
        if number is None:
            self.events.pop(0)
        else:
            self.events = [event for event in self.events if event.number != number]

    def correct(self, number: int, value: Any) -> None:
        self.events = [
            event._replace(value=value) if event.number == number else event
            for event in self.events
        ]

    @property
    def values(self) -> list[Any]:
        return [event.value for event in self.events]
