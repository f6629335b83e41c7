"""Keeps windows whose events come late, are corrected, or go by their handles.

Places stand in the order of instants, so a late event goes where it belongs; an event
is found again by its instant and its number.  Windows of time are reported once more
when a late event changes them (IStream):

    reported   |---- 9 ----|
                  |---- 9 ----|
                     |---- 7 ----|
    late event      ^ 8              the third is 8 now; the others have not changed

Events are kept for the lateness beyond the range, so that a window that may still
change can be answered once more, from the stretch of time that it covers.  A change is
followed up before time goes on: afterwards its events may be gone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.windows.policy_numbers import COUNT

from .events import Instants
from .policies import NEWEST, RANGE
from .results import Result, ResultBatch, same_value
from .runtime import WindowProgram
from .window import KeyWindow

Array = np.ndarray[Any, Any]


class LateWindow(KeyWindow):
    """A window whose events may come late, and be corrected or taken out."""

    def take_in(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> int:
        """Let an event wait, or put it among those that came before it."""
        if tick is None or self.newest is None or tick >= self.newest:
            return super().take_in(numbers, tick, others)
        self.flush()
        while not self.program.module.call_place(self.argument, tick, *numbers):
            self.widen()
        number = self.first
        self.first += 1
        policies = self.program.policies
        if policies.evict == COUNT and self.count() > policies.range:
            self.drop(self.count() - policies.range)
        return number

    def let_in_all(
        self, source: list[Array], events: tuple[Array, ...]
    ) -> list[ResultBatch]:
        """A batch: stretches in order at once, late events one by one."""
        batches, start, ticks = [], 0, events[0].tolist()
        for i, tick in enumerate(ticks):
            if self.newest is not None and tick < self.newest:
                batches += self.let_in(source, events, start, i)
                self.take_in([slot[i].item() for slot in source], tick, (0.0, 0.0, 0))
                start = i + 1
            else:
                self.newest = tick
        return batches + self.let_in(source, events, start, len(ticks))

    def let_in(
        self, source: list[Array], events: tuple[Array, ...], start: int, stop: int
    ) -> list[ResultBatch]:
        """Events [start, stop) of a batch, which are in order."""
        if start == stop:
            return []
        stretch = tuple(column[start:stop] for column in events)
        slots = [slot[start:stop] for slot in source]
        return self.absorb(slots, stretch, stop - start)

    def find(self, tick: int, number: int) -> int:
        """The place of an event, or -1."""
        self.flush()
        return int(self.program.module.call_find(self.argument, tick, number))

    def correct(self, place: int, number: int, tick: int, numbers: list[Any]) -> None:
        """Another value for the event at that place."""
        del tick  # who keeps results wants to know
        self.program.module.call_correct(self.argument, place, number, *numbers)

    def remove(self, place: int, tick: int) -> None:
        """Take the event at that place out."""
        del tick
        self.program.module.call_remove(self.argument, place)
        self.tidy()


class RevisedWindow(LateWindow):
    """A window of time whose results are reported again when they change.

    `reported` are the values that were taken, `due` those that wait, by the window's
    end; `boundary` is the end of the next window to be answered, `changed` are the
    instants of changes that nobody has followed up yet.
    """

    def __init__(
        self, program: WindowProgram, capacity: int, lateness: int, instants: Instants
    ) -> None:
        super().__init__(program, capacity)
        self.lateness, self.instants = lateness, instants
        self.boundary: int | None = None
        self.reported: dict[int, Any] = {}
        self.due: dict[int, Any] = {}
        self.changed: set[int] = set()
        policies = program.policies
        self.memory.words[RANGE] = policies.range + policies.every + lateness

    # --- events

    def flush(self) -> None:
        """Let events in up to each end of a window, and answer it there."""
        if len(self.pending):
            source, events = self.pending.take_all()
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
            self._report(tick)
        self.newest = tick if self.newest is None else max(self.newest, tick)

    def let_in(
        self, source: list[Array], events: tuple[Array, ...], start: int, stop: int
    ) -> list[ResultBatch]:
        """Events in order, up to each end of a window, which is answered there."""
        for i in range(start, stop):
            tick = int(events[0][i])
            if self.boundary is None:
                self.boundary = self.next_end(tick)
            if tick >= self.boundary:
                self._follow_up()
                super().let_in(source, events, start, i)
                start = i
                self._report(tick)
        self._follow_up()
        super().let_in(source, events, start, stop)
        return []

    # --- results

    def next_end(self, tick: int) -> int:
        """The first end of a window after an instant."""
        policies = self.program.policies
        return tick - (tick - policies.anchor) % policies.every + policies.every

    def _report(self, tick: int) -> None:
        """Answer all windows that end up to an instant; empty ones have no result."""
        self._follow_up()
        policies = self.program.policies
        assert self.boundary is not None
        while self.boundary <= tick:
            end = self.boundary
            value = self.between(end - policies.range, end)
            if value is not None:
                self.due[end] = value[0]
            last = int(self.memory.words[NEWEST]) + policies.range
            self.boundary = end + policies.every if end < last else self.next_end(tick)
        final = tick - self.lateness
        self.reported = {
            end: value
            for end, value in self.reported.items()
            if end > final or end in self.due
        }

    def _follow_up(self) -> None:
        """Answer again the windows that changes fall into."""
        policies = self.program.policies
        final = int(self.memory.words[NEWEST]) - self.lateness
        ends = set()
        for tick in self.changed:
            end = self.next_end(tick)
            while (
                self.boundary is not None
                and end <= tick + policies.range
                and end < self.boundary
            ):
                ends.add(end)
                end += policies.every
        self.changed.clear()
        for end in ends:
            if end <= final:
                continue
            value = self.between(end - policies.range, end)
            if value is not None:
                self.due[end] = value[0]
            elif end in self.reported:
                self.due[end] = None
            else:
                self.due.pop(end, None)

    def take_results(
        self, key: Any, bounds: Callable[[Array], pa.Array]
    ) -> list[Result]:
        """Results that are new, or other than those that were taken before."""
        del bounds  # instants are written one by one here
        self.flush()
        self._follow_up()
        results, instant = [], self.instants.instant
        for end in sorted(self.due):
            value, again = self.due[end], end in self.reported
            if not again or not same_value(self.reported[end], value):
                start = instant(end - self.program.policies.range)
                results.append(Result(key, start, instant(end), value, again))
                self.reported[end] = value
        self.due.clear()
        return results

    @property
    def has_results(self) -> bool:
        """Whether results wait to be taken."""
        return bool(self.due or self.changed)

    def between(self, first: int, last: int) -> tuple[Any] | None:
        """The result of the events at instants [first, last), if there are any."""
        any_events = self.program.module.call_between(self.argument, first, last)
        return (self.read(),) if any_events else None

    # --- the open window: it ends after the newest event

    def look(self) -> Any:
        """The result of the open window."""
        self.flush()
        if self.newest is None:
            return None
        end = self.next_end(self.newest)
        value = self.between(end - self.program.policies.range, end)
        return None if value is None else value[0]

    def held(self) -> int:
        """How many events are in the open window; memory holds more."""
        return len(self._open())

    def drop(self, many: int) -> None:
        """Evict the oldest events of the open window."""
        for place, tick in self._open()[:many]:
            self.remove(place, tick)

    def _open(self) -> list[tuple[int, int]]:
        """Places and instants of the events in the open window."""
        self.flush()
        if self.newest is None:
            return []
        start = self.next_end(self.newest) - self.program.policies.range
        places, _, times = self.alive()
        inside = times >= start
        pairs = zip(places[inside].tolist(), times[inside].tolist(), strict=True)
        return list(pairs)


__all__ = ["LateWindow", "RevisedWindow"]
