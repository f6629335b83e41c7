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

from collections.abc import Callable, Iterable
from typing import Any

from windrow.errors import BadInput
from windrow.windows.policy_numbers import COUNT

from .inputs import Events, Others, Source
from .policies import NEWEST, RANGE
from .read_results import same_value
from .results import Result, ResultBatch
from .runtime import WindowProgram
from .window import LEAST, KeyWindow


class LateWindow(KeyWindow):
    """A window whose events may come late, and be corrected or taken out."""

    def take_in(self, numbers: list[Any], tick: int | None, others: Others) -> int:
        """Let an event wait, or put it among those that came before it."""
        if tick is None or self.newest is None or tick >= self.newest:
            return super().take_in(numbers, tick, others)
        self.flush()
        self.note_change(tick)
        while not self.program.steps.call_place(self.memory, tick, *numbers):
            self.widen()
        self.first += 1
        policies = self.program.policies
        if policies.evict == COUNT and self.count() > policies.range:
            self.drop(self.count() - policies.range)
        return self.first - 1

    def let_in_all(self, source: Source, events: Events) -> list[ResultBatch]:
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
        self, source: Source, events: Events, start: int, stop: int
    ) -> list[ResultBatch]:
        """Events [start, stop) of a batch, which are in order."""
        if start == stop:
            return []
        stretch = tuple(column[start:stop] for column in events)
        slots = [slot[start:stop] for slot in source]
        return self.absorb(slots, stretch, stop - start)

    def absorb(self, source: Source, events: Events, count: int) -> list[ResultBatch]:
        """Let events in; one by one where results are made of those that are there."""
        if count < 2 or not self.program.columns.holds:
            return super().absorb(source, events, count)
        batches = []
        for i in range(count):
            own = tuple(column[i : i + 1] for column in events)
            batches += super().absorb([slot[i : i + 1] for slot in source], own, 1)
        return batches

    def find(self, tick: int, number: int) -> int:
        """The place of an event, or -1."""
        self.flush()
        return int(self.program.steps.call_find(self.memory, tick, number))

    def correct(self, place: int, number: int, tick: int, numbers: list[Any]) -> None:
        """Another value for the event at that place."""
        self.note_change(tick)
        self.program.steps.call_correct(self.memory, place, number, *numbers)

    def remove(self, place: int, tick: int) -> None:
        """Take the event at that place out."""
        self.note_change(tick)
        self.program.steps.call_remove(self.memory, place)
        self.tidy()

    def note_change(self, tick: int) -> None:
        """An event at that instant comes late, is corrected or taken out."""

    def numbers_between(self, first: int, last: int) -> Iterable[int]:
        """The numbers of the events from one to another: late ones stand between."""
        numbers: list[int] = self.alive()[1].tolist()
        return numbers[numbers.index(first) : numbers.index(last) + 1]


class RevisedWindow(LateWindow):
    """A window of time whose results are reported again when they change.

    `reported` are the values that were taken, `due` those that wait, by the window's
    end; `boundary` is the end of the next window to be answered, `changed` are the
    instants of changes that nobody has followed up yet.
    """

    def __init__(
        self, program: WindowProgram, capacity: int, least: int = LEAST
    ) -> None:
        super().__init__(program, capacity, least)
        self.boundary: int | None = None
        self.reported: dict[int, Any] = {}
        self.due: dict[int, Any] = {}
        self.changed: set[int] = set()
        policies = program.policies
        self.memory.words[RANGE] = policies.range + policies.every + program.lateness

    # --- events

    def flush(self) -> None:
        """Let events in up to each end of a window, and answer it there."""
        if len(self.pending):
            source, events = self.pending.take_all()
            self.let_in(source, events, 0, len(events[0]))

    def note_change(self, tick: int) -> None:
        """Windows over that instant are to be answered again."""
        self.changed.add(tick)

    def elapse(self, tick: int) -> None:
        """Time goes on without an event; those that no window may need leave."""
        self.flush()
        if self.boundary is not None:
            self._report(tick)
        super().elapse(tick)

    def let_in(
        self, source: Source, events: Events, start: int, stop: int
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
            self._answer(end)
            last = int(self.memory.words[NEWEST]) + policies.range
            self.boundary = end + policies.every if end < last else self.next_end(tick)
        final = tick - self.program.lateness
        self.reported = {
            end: value
            for end, value in self.reported.items()
            if end > final or end in self.due
        }

    def _follow_up(self) -> None:
        """Answer again the windows that changes fall into."""
        policies = self.program.policies
        final = int(self.memory.words[NEWEST]) - self.program.lateness
        ends: set[int] = set()
        if self.boundary is not None:
            for tick in self.changed:
                stop = min(tick + policies.range + 1, self.boundary)
                ends.update(range(self.next_end(tick), stop, policies.every))
        self.changed.clear()
        for end in ends:
            if end <= final or self._answer(end):
                continue
            if end in self.reported:
                self.due[end] = None
            else:
                self.due.pop(end, None)

    def _answer(self, end: int) -> bool:
        """The result of the window that ends there is due, if it holds any event."""
        any_events = self._read_window(end)
        if any_events:
            self.due[end] = self.read()
        return any_events

    def _read_window(self, end: int) -> bool:
        """Write the result of a window by its end; False if it holds no event."""
        start = end - self.program.policies.range
        return bool(self.program.steps.call_between(self.memory, start, end))

    def take_results(self, key: Any) -> list[Result]:
        """Results that are new, or other than those that were taken before."""
        self.flush()
        self._follow_up()
        results, instant = [], self.program.reader.instant
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

    # --- the open window: it ends after the newest event

    def look(self) -> Any:
        """The result of the open window."""
        self.flush()
        if self.newest is None or not self._read_window(self.next_end(self.newest)):
            return None
        return self.read()

    def size(self) -> int:
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
        places, _, times = self.alive()
        inside = times >= self.next_end(self.newest) - self.program.policies.range
        return list(zip(places[inside].tolist(), times[inside].tolist(), strict=True))


def find_event(
    window_of: Callable[[Any], Any], handle: Any, what: str
) -> tuple[LateWindow, int, int, int]:
    """The window, place, instant and number of the event that a handle stands for."""
    key, tick, number = handle if isinstance(handle, tuple) else (None, 0, handle)
    window = window_of(key)
    if window is not None and not isinstance(window, LateWindow):
        raise BadInput.because(
            f"cannot {what} an event by its handle",
            f"{window.program.kernel.algorithm.name} is first in, first out",
            "make the operator with algorithm='flat_fat'",
        )
    place = -1 if window is None else window.find(tick or 0, number)
    if window is None or place < 0:
        raise BadInput.because(
            f"cannot {what} the event {handle!r}",
            "it is not in the window any more",
            "keep handles only as long as their events",
        )
    return window, place, tick or 0, number
