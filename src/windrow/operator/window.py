"""Keeps one window of an operator: its memory, and the events that wait to get in.

    insert ->  pending  --flush-->  memory  --look-->  one result
                  |                    |
             a growing array      one flat array, `call_*` of the compiled module

Events wait in Python until somebody asks, as RA batches them until its trigger: an
insert is an append, and a result after one insert is one compiled call.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.kernels import arrays
from windrow.windows.policy_numbers import COUNT, PUNCTUATION, TIME

from .inputs import WaitingEvents
from .layout import Memory
from .policies import BOUNDARY, EVERY, MASK, SINCE, TOTAL
from .results import (
    Result,
    ResultBatch,
    Results,
    payloads_at,
    reader_of,
    same_value,
)
from .runtime import WindowProgram

Array = np.ndarray[Any, Any]
MOST = 4096  # events that wait
LEAST = 16  # places of a window that grows


class KeyWindow:
    """The window of one key; `first` is the number of the first event that waits."""

    def __init__(self, program: WindowProgram, capacity: int) -> None:
        self.program = program
        self.pending = WaitingEvents(program.columns, program.policies)
        self.first = 0
        self.newest: int | None = None
        self.payloads: dict[int, tuple[Any, ...]] = {}
        self.untaken: list[ResultBatch] = []  # results that nobody has taken
        self.last_report: Any = None  # the value that was last reported by hand
        self.last_mark = self.last_signal = 0.0
        self.adopt(program.memory(capacity))

    def adopt(self, memory: Memory) -> None:
        """Live in that memory from now on."""
        self.memory, self.argument = memory, memory.argument
        out = [memory.sections[k] for k in memory.layout.named("out")]
        self.read: Callable[[], Any] = reader_of(
            self.program.columns.request, out, self.payload_at
        )

    @property
    def total(self) -> int:
        """Events ever, those that wait included."""
        return self.first + len(self.pending)

    def take_in(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> int:
        """Let an event wait; gives its number.  `others`: mark, signal and flag."""
        number = self.total
        self.pending.add(numbers, tick, others)
        self.newest = self.newest if tick is None else tick
        self.last_mark, self.last_signal = others[:2]
        if len(self.pending) >= MOST:
            self.flush()
        return number

    def flush(self) -> None:
        """Let in all that wait; results that fall due wait in their turn."""
        count = len(self.pending)
        if not count:
            return
        source, events = self.pending.take_all()
        batches = self.absorb(source, events, count)
        if self.program.policies.waits:
            self.untaken += batches

    def absorb(
        self, source: list[Array], events: tuple[Array, ...], count: int
    ) -> list[ResultBatch]:
        """Let events in, and give the results that fell due."""
        program = self.program
        every_row = not program.policies.waits
        room = count if every_row else min(count, 1 << 16) + 64
        base = np.zeros(1, np.int64)
        batches: list[ResultBatch] = []
        i = 0
        while i < count:
            out = arrays(program.kernel.product.out_dtypes, room)
            begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
            base[0] = int(self.memory.words[TOTAL]) - i
            i, results, full = program.module.call_feed(
                self.argument, (*source, base), events, i, count, out, begins, ends
            )
            if results:
                batches.append(self.result_batch(results, out, begins, ends))
            if full:
                self.widen()
        self.first = int(self.memory.words[TOTAL])
        self.tidy()
        return batches

    def look(self) -> Any:
        """The result as it stands; None if there are no events."""
        if len(self.pending) == 1 and self._insert_and_look():
            return self.read()
        self.flush()
        if not self.count():  # nothing to lower: an identity may be absent
            return None
        self.program.module.call_look(self.argument)
        return self.read()

    def _insert_and_look(self) -> bool:
        """One waiting event and its result in one call, where nothing falls due."""
        program = self.program
        tick, mark, numbers = self.pending.only()
        if program.policies.waits and self._may_fall_due(tick):
            return False
        if program.module.call_one(self.argument, tick, mark, *numbers) < 0:
            return False  # no room
        self.pending.clear()
        self.first += 1
        if self.payloads:
            self.tidy()
        return True

    def _may_fall_due(self, tick: int) -> bool:
        """Whether an event at that instant may make a result fall due."""
        words, trigger = self.memory.words, self.program.policies.trigger
        if trigger == TIME:
            return not self.first or tick >= words[BOUNDARY]
        return trigger != COUNT or bool(words[SINCE] + 1 >= words[EVERY])

    def held(self) -> int:
        """How many events the window holds."""
        self.flush()
        return self.count()

    def drop(self, many: int) -> None:
        """Evict the oldest."""
        self.flush()
        self.program.module.call_drop(self.argument, many)
        self.tidy()

    def elapse(self, tick: int) -> None:
        """Time goes on without an event."""
        self.flush()
        program, room, full = self.program, 1 << 10, True
        while full:
            out = arrays(program.kernel.product.out_dtypes, room)
            begins, ends = np.empty(room, np.int64), np.empty(room, np.int64)
            results, full = program.module.call_elapse(
                self.argument, tick, out, begins, ends
            )
            if results:
                self.untaken.append(self.result_batch(results, out, begins, ends))
        self.newest = tick if self.newest is None else max(self.newest, tick)
        self.tidy()

    def punctuate(self) -> None:
        """A punctuation: a result falls due, all events leave."""
        policies, size = self.program.policies, self.held()
        if not size:
            return
        if policies.trigger == PUNCTUATION:
            self.look()
            places = self.memory.layout.named("out")
            out = [self.memory.sections[k].copy() for k in places]
            end = np.array([self.memory.words[TOTAL]])
            self.untaken.append(self.result_batch(1, out, end - size, end))
        if policies.evict == PUNCTUATION:
            self.drop(size)

    def take_results(
        self, key: Any, bounds: Callable[[Array], pa.Array]
    ) -> list[Result]:
        """Results that nobody has taken: what fell due, or what has changed (IStream).

        `bounds` writes the starts and ends of windows.
        """
        self.flush()
        if self.program.policies.waits:
            batches, self.untaken = self.untaken, []
            results = Results(self.program.columns.request, batches, bounds)
            return [result._replace(key=key) for result in results]
        value, size, last = self.look(), self.count(), self.last_report
        if not size or (last is not None and same_value(last[0], value)):
            return []
        self.last_report = (value,)
        return [Result(key, self.total - size, self.total, value)]

    @property
    def has_results(self) -> bool:
        """Whether results wait to be taken."""
        return bool(self.untaken)

    def widen(self) -> None:
        """Make room: squeeze out holes where there are many, else double."""
        capacity = int(self.memory.words[MASK]) + 1
        if 4 * self.count() <= 3 * capacity:
            self.program.module.call_move(self.argument, self.argument)
        else:
            self.resize(2 * capacity)

    def resize(self, capacity: int) -> None:
        """Move to memory of another capacity, with the result that was last written.

        It may not have been read yet: memory is given back between the two.
        """
        old, new = self.memory, self.program.memory(capacity)
        self.program.module.call_move(old.argument, new.argument)
        for place in new.layout.named("out"):
            new.sections[place][:] = old.sections[place]
        self.adopt(new)

    def tidy(self) -> None:
        """Give back memory and payloads that nobody needs any more."""
        steps, capacity = self.program.kernel.steps, int(self.memory.words[MASK]) + 1
        size = self.count()
        if not steps.fifo and capacity > LEAST and 4 * size < capacity:
            self.resize(max(capacity // 2, LEAST))
        if len(self.payloads) > 2 * (size + len(self.pending)) + LEAST:
            present = self._numbers()
            self.payloads = {
                number: payload
                for number, payload in self.payloads.items()
                if number >= self.first or number in present
            }

    def _numbers(self) -> Container[int]:
        """The numbers of the events in memory."""
        if self.program.kernel.steps.fifo:
            return range(self.first - self.count(), self.first)
        return frozenset(self.alive()[1].tolist())

    def alive(self) -> tuple[Array, Array, Array]:
        """Places, numbers and instants of the events in memory that is not FIFO."""
        words, memory = self.memory.words, self.memory
        where = np.arange(int(words[0]), int(words[1]))
        places = where & int(words[MASK])

        def section(name: str) -> Array:
            return memory.sections[memory.layout.named(name)[0]]

        there = section("number")[places] == 1
        marks = section("marks")
        times = marks[places][there] if len(marks) else places[there]
        return where[there], section("ids")[places][there], times

    def count(self) -> int:
        """How many events are in memory."""
        words, live = self.memory.words, self.program.kernel.steps.live
        return int(words[live]) if live is not None else int(words[1] - words[0])

    def result_batch(
        self, count: int, out: Any, begins: Array, ends: Array
    ) -> ResultBatch:
        """Results as they were written, with the payloads that they point to."""
        request, names = self.program.columns.request, self.program.columns.payloads
        written = tuple(array[:count] for array in out)
        payloads = payloads_at(request, written, self.payload_at) if names else None
        return ResultBatch(None, begins[:count], ends[:count], written, payloads)

    def payload_at(self, number: int, name: str) -> Any:
        """What event `number` had in that column."""
        return self.payloads[number][self.program.columns.payloads.index(name)]


__all__ = ["LEAST", "MOST", "KeyWindow"]
