"""Keeps one window of an operator: its memory, and the events that wait to get in.

    insert ->  pending  --flush-->  memory  --look-->  one result
                  |                    |
             a growing array      one flat array, `call_*` of the compiled module

Events wait in Python until somebody asks, as RA batches them until its trigger: an
insert is an append, and a result after one insert is one compiled call.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from windrow.loops import arrays
from windrow.windows.policy_numbers import COUNT, PUNCTUATION, TIME

from .inputs import Events, Others, Source
from .layout import Array, Memory
from .policies import BOUNDARY, EVERY, INTS, LEAST_NODES, MASK, SINCE, TOTAL
from .read_results import payloads_at, reader_of, same_value
from .results import Result, ResultBatch, Results
from .runtime import WindowProgram
from .waiting import WaitingEvents

MOST = 4096  # events that wait
LEAST = 16  # places of a window that grows


def places_for(events: int) -> int:
    """Places of a ring that holds so many events: a power of two."""
    return 1 << max(events - 1, 0).bit_length()


class KeyWindow:
    """The window of one key; `first` is the number of the first event that waits.

    Memory is doubled where it is full, and given back where less than a quarter of it
    is in use, which is `few` places, down to `least` places (RA 5.1.1).
    """

    def __init__(
        self, program: WindowProgram, capacity: int, least: int = LEAST
    ) -> None:
        if program.kernel.nodes:
            capacity = least = min(capacity, LEAST_NODES)
        self.program, self.least = program, least
        self.pending = WaitingEvents(program.columns, program.policies)
        self.first = 0
        self.newest: int | None = None
        self.payloads: dict[int, tuple[Any, ...]] = {}
        self.untaken: list[ResultBatch] = []  # results that nobody has taken
        self.last_report: Any = None  # the value that was last reported by hand
        self.last_mark = self.last_signal = -np.inf
        self.adopt(program.memory(capacity))

    tail: Array | None = None
    """The events as an array of numbers, as long as memory is not needed."""

    def leave_memory(self, tail: Array, refill: Callable[[KeyWindow], None]) -> None:
        """Hold the events of `tail` alone, until somebody needs memory (`refill`)."""
        self.tail, self._refill = tail, refill
        self.__dict__.pop("memory", None)
        self.__dict__.pop("argument", None)

    def __getattr__(self, name: str) -> Any:
        """Memory that was left is filled again where it is asked for."""
        if name in ("memory", "argument") and self.tail is not None:
            self.tail = None
            self._refill(self)
            return self.__dict__[name]
        raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")

    def adopt(self, memory: Memory) -> None:
        """Live in that memory from now on."""
        self.memory, self.argument = memory, memory.flat
        self.places = memory.capacity
        self.few = -(-self.places // 4) if self.places > self.least else 0
        request, own = self.program.columns.request, weakref.proxy(self)
        self.read: Callable[[], Any] = reader_of(request, memory.named("out"), own)

    @property
    def last(self) -> tuple[int | None, float, float]:
        """The newest instant, mark and signal."""
        return self.newest, self.last_mark, self.last_signal

    @property
    def total(self) -> int:
        """Events ever, those that wait included."""
        return self.first + len(self.pending)

    def take_in(self, numbers: list[Any], tick: int | None, others: Others) -> int:
        """Let an event wait; gives its number."""
        number = self.total
        self.pending.add(numbers, tick, others)
        self.newest = self.newest if tick is None else tick
        self.last_mark, self.last_signal, _ = others
        if len(self.pending) >= MOST:
            self.flush()
        return number

    def flush(self) -> None:
        """Let in all that wait; results that fall due wait in their turn."""
        if count := len(self.pending):
            self.keep_waiting(self.absorb(*self.pending.take_all(), count))

    def keep_waiting(self, batches: list[ResultBatch]) -> None:
        """Keep results until they are taken, where any are reported so."""
        if self.program.policies.waits:
            self.untaken += batches

    def absorb(self, source: Source, events: Events, count: int) -> list[ResultBatch]:
        """Let events in, and give the results that fell due."""
        base, batches, i = np.zeros(1, np.int64), [], 0
        while i < count:
            out = self.room_for(count - i)
            base[0] = int(self.memory.words[TOTAL]) - i
            feed = (self.memory, (*source, base), events, i, count)
            i, made, full = self.step("feed")(*feed, *out)
            if made:
                batches.append(self.result_batch(made, *out))
            if full:
                self.widen()
        self.first = int(self.memory.words[TOTAL])
        self.tidy()
        return batches

    def step(self, name: str) -> Callable[..., Any]:
        """The loop of that name, over the memory of this window."""
        step: Callable[..., Any] = getattr(self.program.steps, f"call_{name}")
        return step

    def room_for(self, events: int) -> tuple[Any, ...]:
        """Arrays for results, and for the begins and ends of their windows."""
        waits = self.program.policies.waits
        return self.room(min(events, 1 << 16) + 64 if waits else events)

    def room(self, count: int) -> tuple[Any, ...]:
        """The same for so many results."""
        out = arrays(self.program.kernel.product.out_dtypes, count)
        return out, np.empty(count, np.int64), np.empty(count, np.int64)

    def look(self) -> Any:
        """The result as it stands; None if there are no events."""
        if len(self.pending) == 1 and self._insert_and_look():
            return self.read()
        self.flush()
        if not self.count():  # nothing to lower: an identity may be absent
            return None
        self.program.steps.call_look(self.memory)
        return self.read()

    def _insert_and_look(self) -> bool:
        """One waiting event and its result in one call, where nothing falls due."""
        program = self.program
        tick, mark, numbers = self.pending.only()
        if program.policies.waits and self._may_fall_due(tick):
            return False
        size = program.steps.call_one(self.memory, tick, mark, *numbers)
        if size < 0:
            return False  # no room
        self.pending.clear()
        self.first += 1
        if size < self.few or self.payloads:
            self.tidy()
        return True

    def _may_fall_due(self, tick: int) -> bool:
        """Whether an event at that instant may make a result fall due."""
        words, trigger = self.memory.words, self.program.policies.trigger
        if trigger == TIME:
            return not self.first or tick >= words[BOUNDARY]
        return trigger != COUNT or bool(words[SINCE] + 1 >= words[EVERY])

    def size(self) -> int:
        """How many events the window holds."""
        self.flush()
        return self.count()

    def drop(self, many: int) -> None:
        """Evict the oldest."""
        self.flush()
        self.step("drop")(self.memory, many)
        self.tidy()

    def elapse(self, tick: int) -> None:
        """Time goes on without an event."""
        self.flush()
        full = True
        while full:
            out = self.room(1 << 10)
            made, full = self.step("elapse")(self.memory, tick, *out)
            if made:
                self.keep_waiting([self.result_batch(made, *out)])
        self.newest = tick if self.newest is None else max(self.newest, tick)
        self.tidy()

    def pass_to(self, tick: int) -> None:
        """Time goes on to an instant, if it is not there yet."""
        if self.newest is None or tick > self.newest:
            self.elapse(tick)

    def punctuate(self) -> None:
        """A punctuation: a result falls due, all events leave."""
        policies, size = self.program.policies, self.size()
        if not size:
            return
        if policies.trigger == PUNCTUATION:
            self.look()
            out = [section.copy() for section in self.memory.named("out")]
            end = np.array([self.memory.words[TOTAL]])
            self.untaken.append(self.result_batch(1, out, end - size, end))
        if policies.evict == PUNCTUATION:
            self.drop(size)

    def take_results(self, key: Any) -> list[Result]:
        """What fell due and nobody has taken, or the result if it changed (IStream)."""
        self.flush()
        if self.program.policies.waits:
            return self.take_untaken(key)
        value, size, last = self.look(), self.count(), self.last_report
        if not size or (last is not None and same_value(last[0], value)):
            return []
        self.last_report = (value,)
        return [Result(key, self.total - size, self.total, value)]

    def take_untaken(self, key: Any) -> list[Result]:
        """What fell due and nobody has taken."""
        program, batches = self.program, self.untaken
        self.untaken = []
        results = Results(program.columns.request, batches, program.bounds)
        return [result._replace(key=key) for result in results]

    @property
    def has_results(self) -> bool:
        """Whether results wait to be taken."""
        return bool(self.untaken)

    def widen(self) -> None:
        """Make room: squeeze out holes where there are many, else double."""
        if 4 * self.used() <= 3 * self.memory.capacity:
            self.program.steps.call_move(self.memory, self.memory)
        else:
            self.resize(2 * self.memory.capacity)

    def resize(self, capacity: int) -> None:
        """Move to memory of another capacity, with the result that was last written.

        It may not have been read yet: memory is given back between the two.
        """
        old, new = self.memory, Memory(self.program.kernel.layout, capacity)
        self.program.steps.call_move(old, new)
        for section, result in zip(new.named("out"), old.named("out"), strict=True):
            section[:] = result
        self.adopt(new)

    def tidy(self) -> None:
        """Give back memory and payloads that nobody needs any more."""
        size, used = self.count(), self.used()
        if used < self.few:
            self.resize(max(places_for(2 * used), self.least))
        if len(self.payloads) > 2 * (size + len(self.pending)) + LEAST:
            present: Container[int] = range(self.first - size, self.first)
            if not self.program.kernel.steps.fifo:
                present = frozenset(self.alive()[1].tolist())
            self.payloads = {
                number: payload
                for number, payload in self.payloads.items()
                if number >= self.first or number in present
            }

    def alive(self) -> tuple[Array, Array, Array]:
        """Places, numbers and instants of the events in memory that is not FIFO."""
        words, memory = self.memory.words, self.memory
        where = np.arange(int(words[INTS]), int(words[INTS + 1]))
        where = where[memory.named("number")[0][where & int(words[MASK])] == 1]
        places = where & int(words[MASK])
        (marks,), (ids,) = memory.named("marks"), memory.named("ids")
        return where, ids[places], marks[places] if len(marks) else places

    def count(self) -> int:
        """How many events are in memory."""
        ints, live = self.memory.words[INTS:], self.program.kernel.steps.live
        return int(ints[live]) if live is not None else int(ints[1] - ints[0])

    def used(self) -> int:
        """How many places are in use: one for each event, or for each node."""
        ints, nodes = self.memory.words[INTS:], self.program.kernel.nodes
        if not nodes:
            return self.count()
        return max(int(ints[high] - ints[low]) for low, high in nodes)

    def result_batch(
        self, count: int, out: Any, begins: Array, ends: Array
    ) -> ResultBatch:
        """Results as they were written, with the payloads that they point to."""
        request, names = self.program.columns.request, self.program.columns.payloads
        written = tuple(array[:count] for array in out)
        payloads = payloads_at(request, written, self) if names else None
        return ResultBatch(None, begins[:count], ends[:count], written, payloads)

    def payload_at(self, number: int, name: str) -> Any:
        """What event `number` had in that column."""
        return self.payloads[number][self.program.columns.payloads.index(name)]

    def payloads_between(self, first: int, last: int, name: str) -> list[Any]:
        """What the events of the window from one to another had in that column."""
        place = self.program.columns.payloads.index(name)
        return [self.payloads[n][place] for n in self.numbers_between(first, last)]

    def numbers_between(self, first: int, last: int) -> Iterable[int]:
        """The numbers of the events from one to another, in their order."""
        return range(first, last + 1)
