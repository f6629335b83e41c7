"""Windows of time that are told again when late events change them (IStream).

    told       |---- 9 ----|
                  |---- 9 ----|
                     |---- 7 ----|
    late event      ^ 8              the third is 8 now; the others have not changed

Events are kept for the lateness beyond the range, so that a window that may still
change can be answered once more, from the stretch of time that it covers.  A change is
followed up before time goes on: afterwards its events may be gone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .kit import Kit
from .late_window import LateCell
from .policies import NEWEST, RANGE
from .results import Part, Result

Array = np.ndarray[Any, Any]


class RetoldCell(LateCell):
    """`seen` are values that were taken, `due` those that wait, by the window's end.

    `boundary` is the end of the next window to be told; `changed` are the instants of
    changes that nobody has followed up yet.
    """

    def __init__(self, kit: Kit, capacity: int, lateness: int) -> None:
        super().__init__(kit, capacity)
        self.lateness = lateness
        self.boundary: int | None = None
        self.seen: dict[int, Any] = {}
        self.due: dict[int, Any] = {}
        self.changed: set[int] = set()
        self.memory.words[RANGE] = kit.rules.range + kit.rules.every + lateness

    # --- events

    def flush(self) -> None:
        """Let events in up to each end of a window, and answer it there."""
        if len(self.pending):
            source, events = self.pending.taken()
            self.let_in(source, events, 0, len(events[0]))

    def take_in(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> int:
        """Let an event wait, or put it among those that came before it."""
        if tick is not None and self.newest is not None and tick < self.newest:
            self.flush()
            self.changed.add(tick)
        return super().take_in(numbers, tick, others)

    def correct(self, place: int, number: int, tick: int, numbers: list[Any]) -> None:
        """Another value for the event at that place."""
        self.changed.add(tick)
        super().correct(place, number, tick, numbers)

    def remove(self, place: int, tick: int) -> None:
        """Take the event at that place out."""
        self.changed.add(tick)
        super().remove(place, tick)

    def elapse(self, tick: int) -> None:
        """Time goes on without an event."""
        self.flush()
        if self.boundary is not None:
            self._tell(tick)
        self.newest = tick if self.newest is None else max(self.newest, tick)

    def let_in(
        self, source: list[Array], events: tuple[Array, ...], start: int, stop: int
    ) -> list[Part]:
        """Events in order, up to each end of a window, which is answered there."""
        for i in range(start, stop):
            tick = int(events[0][i])
            if self.boundary is None:
                self.boundary = self.next_end(tick)
            if tick >= self.boundary:
                self._follow_up()
                super().let_in(source, events, start, i)
                start = i
                self._tell(tick)
        self._follow_up()
        super().let_in(source, events, start, stop)
        return []

    # --- results

    def next_end(self, tick: int) -> int:
        """The first end of a window after an instant."""
        rules = self.kit.rules
        return tick - (tick - rules.anchor) % rules.every + rules.every

    def _tell(self, tick: int) -> None:
        """All windows that end up to an instant; empty ones have no result."""
        self._follow_up()
        rules = self.kit.rules
        assert self.boundary is not None
        while self.boundary <= tick:
            end = self.boundary
            value = self.between(end - rules.range, end)
            if value is not None:
                self.due[end] = value[0]
            last = int(self.memory.words[NEWEST]) + rules.range
            self.boundary = end + rules.every if end < last else self.next_end(tick)
        final = tick - self.lateness
        self.seen = {
            end: one for end, one in self.seen.items() if end > final or end in self.due
        }

    def _follow_up(self) -> None:
        """Answer again the windows that changes fall into."""
        rules = self.kit.rules
        final = int(self.memory.words[NEWEST]) - self.lateness
        ends = set()
        for tick in self.changed:
            end = self.next_end(tick)
            while (
                self.boundary is not None
                and end <= tick + rules.range
                and end < self.boundary
            ):
                ends.add(end)
                end += rules.every
        self.changed.clear()
        for end in ends:
            if end <= final:
                continue
            value = self.between(end - rules.range, end)
            if value is not None:
                self.due[end] = value[0]
            elif end in self.seen:
                self.due[end] = None
            else:
                self.due.pop(end, None)

    def take(self) -> list[Result]:
        """Results that are new, or other than those that were taken before."""
        self.flush()
        self._follow_up()
        found = []
        for end in sorted(self.due):
            value, before = self.due[end], end in self.seen
            if not before or not same_value(self.seen[end], value):
                start = end - self.kit.rules.range
                found.append(Result(None, start, end, value, before))
                self.seen[end] = value
        self.due.clear()
        return found

    @property
    def owes(self) -> bool:
        """Whether results wait to be taken."""
        return bool(self.due or self.changed)

    def between(self, first: int, last: int) -> tuple[Any] | None:
        """The result of the events at instants [first, last), if there are any."""
        some = self.kit.module.call_between(self.argument, first, last)
        return (self.read(),) if some else None

    # --- the open window: it ends after the newest event

    def look(self) -> Any:
        """Its result."""
        self.flush()
        if self.newest is None:
            return None
        end = self.next_end(self.newest)
        found = self.between(end - self.kit.rules.range, end)
        return None if found is None else found[0]

    def held(self) -> int:
        """How many events are in it; memory holds more."""
        return len(self._open())

    def drop(self, many: int) -> None:
        """Evict its oldest."""
        for place, tick in self._open()[:many]:
            self.remove(place, tick)

    def _open(self) -> list[tuple[int, int]]:
        """Places and instants of its events."""
        self.flush()
        if self.newest is None:
            return []
        start = self.next_end(self.newest) - self.kit.rules.range
        places, _, times = self.alive()
        inside = times >= start
        pairs = zip(places[inside].tolist(), times[inside].tolist(), strict=True)
        return list(pairs)


def same_value(a: Any, b: Any) -> bool:
    """Whether two results are equal; NaN equals NaN."""
    if isinstance(a, dict) and isinstance(b, dict):
        return all(same_value(a[name], b[name]) for name in a)
    return bool(a == b or (a != a and b != b))


__all__ = ["RetoldCell", "same_value"]
