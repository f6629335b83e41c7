"""Feeds arrays of numbers to a list of windows that all report every row.

    batches before     |------------ recent ------------|      the last values, kept
    a batch                                     values   |------|
    window 1                             |-- memory 1 ---|^^^^^^|    one by one
    window 2                |------- memory 2 -----------|^^^^^^|
    or shared laps     |------------- recent ------------|^^^^^^|    all at once
    or one graph       |------------- recent ------------|^^^^^^|    of long batches

One event at a time a list goes through all of its windows for each event.  A batch that
is not much shorter than the longest window is slid over together with the values before
it, by laps whose scans all windows share (`lap_loops.py`): ten windows take 5 to 11 ns
an event, where they took 110 to 130.  Where windows are too short for laps, or too
long, a batch goes through one after the other, each in memory of its own, by the
fastest algorithm for batches (`Stepwise.slide_rows`), or through a graph if it is long.
The list's own memory is filled when somebody needs it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import Q_EVERY, Q_NEXT, Q_RANGE, ROOM, find
from windrow.graph import slide_graph
from windrow.kernels import Product
from windrow.loops import arrays
from windrow.windows.policy_numbers import COUNT, PolicyNumbers

from .array_feed import ArrayFeed, shown
from .inputs import NO_EVENTS
from .layout import Array, MemoryList
from .many import ManyWindow
from .policies import RANGE, TOTAL
from .quick import entry_of
from .results import ResultBatch, Results
from .runtime import OperatorKernel, WindowProgram
from .steps import BLOCK
from .window import places_for

Function = Callable[..., Any]
LEAST = 128  # numbers: to begin with, shorter batches go one by one
LONG = 1 << 15  # numbers that one graph answers for all windows
LAP = 512  # rows of a lap at most: four laps of prefixes and suffixes stay in L1
SHORT = 64  # windows that are shorter share no laps
LAPS = 64  # in the longest window at most: their totals are added up in each lap
PIECE = 1 << 13  # values that laps take at once
SMALL = 1 << 16  # results of a batch
POOLED = 1 << 17  # results whose memory comes from Arrow's pool, which keeps its pages


class RecentValues:
    """The last values of a stream, up to event number `upto`, in one array."""

    def __init__(self, dtype: Any) -> None:
        self.array, self.stop, self.upto = np.empty(0, dtype), 0, 0

    def forget(self, upto: int) -> None:
        """Begin anew, with event number `upto`."""
        self.array, self.stop, self.upto = self.array[:0], 0, upto

    def last(self, count: int) -> Array:
        """The last `count` of them, or all."""
        return self.array[max(self.stop - count, 0) : self.stop]

    def append(self, values: Array, keep: int) -> None:
        """Add the next values; at least `keep` are kept.

        Arrays that were given out stay as they are.
        """
        stop = self.stop + len(values)
        if stop > len(self.array):
            old = self.last(keep)
            self.array = np.empty(2 * (keep + len(values)), values.dtype)
            self.array[: len(old)] = old
            self.stop, stop = len(old), len(old) + len(values)
        self.array[self.stop : stop] = values
        self.stop, self.upto = stop, self.upto + len(values)


class ListFeed(ArrayFeed):
    """The ways of a batch through a list of windows that all report every row."""

    def __init__(self, window: ManyWindow, long_feed: Function) -> None:
        super().__init__(window, long_feed)
        self.list = window
        self.recent = RecentValues(self.kind)
        self.rules: Array | None = None
        self.each: WindowsAlone | None = None
        self.laps: SharedLaps | None = None
        self.is_small, self.most = False, 0  # most: the largest size of a value

    def answer(self, values: Array) -> Results | None:
        """The results of a batch; None where it goes one by one."""
        window, recent, count = self.list, self.recent, len(values)
        if window.rules is not self.rules:
            self._read_rules(window.rules)
        if not self.every_row or window.untaken:
            return None
        if window.tail is None and (count < LEAST or not self._may_enter()):
            if recent.upto != window.first:
                recent.forget(window.first)
            recent.append(values, self.longest)
            self.is_small = False  # they were not looked at
            return None
        small = self._are_small(values)
        found: Function
        if self.lap and 2 * count >= self.longest:
            found = self._by_laps(values, small)
        elif count >= max(LONG, self.longest):
            found = self._by_graph(values, small).__getitem__
            recent.append(values, self.longest)
        else:
            out = self._one_after_the_other(values, small)
            found = lambda q: tuple([array[q] for array in out])  # noqa: E731
            recent.append(values, self.longest)
        window.first = recent.upto
        if window.tail is None:  # `recent` has the values
            window.leave_memory(recent.array[:0], partial(_refill, recent))
        return self._results(found, count, small)

    def _read_rules(self, rules: Array) -> None:
        """Windows have come or gone."""
        self.rules, self.ranges = rules, rules[:, Q_RANGE].copy()
        self.longest = int(self.ranges.max())
        self.every_row = self.by_arrays and bool((rules[:, Q_EVERY] == 1).all())
        self.each, self.laps = None, None
        lap = min(int(self.ranges.min()), LAP)
        shares = len(rules) > 1 and lap >= SHORT and self.longest <= LAPS * lap
        self.lap = lap if shares else 0

    def _may_enter(self) -> bool:
        """Whether the values of all windows are known, and nothing else is to come."""
        window, recent = self.list, self.recent
        if not window.total:
            recent.forget(0)
            return bool((window.rules[:, Q_NEXT] == self.ranges).all())
        if recent.upto != window.first or recent.stop < self.longest:
            return False
        return window.count() == self.longest

    def _are_small(self, values: Array) -> bool:
        """Whether one word is enough for any sum of whole numbers in a window."""
        if self.kind.kind != "i" or not len(values):
            return False
        most = max(-int(values.min()), int(values.max()))
        if not self.is_small or most > self.most:
            before = self.recent.last(self.longest)
            if len(before):
                most = max(most, -int(before.min()), int(before.max()))
            self.most = most
        self.is_small = self.most * (self.longest + len(values)) < 2**63
        return self.is_small

    def _product(self, small: bool) -> Product:
        columns = self.program.columns
        return columns.of_small_numbers if small else columns.without_nulls.product

    def _by_graph(self, values: Array, small: bool) -> list[tuple[Array, ...]]:
        """All windows by one graph."""
        joined = np.concatenate([self.recent.last(self.longest), values])
        ends = np.zeros(1, np.int64), np.array([len(joined)])
        windows = [(range_, 1) for range_ in self.ranges.tolist()]
        lane = self.program.steps.lane
        return slide_graph(self._product(small), (joined,), *ends, windows, lane=lane)

    def _by_laps(self, values: Array, small: bool) -> Function:
        """All windows by the laps that they share, over the values before them too."""
        laps, product, recent = self.laps, self._product(small), self.recent
        if laps is None or laps.product is not product:
            laps = self.laps = SharedLaps(product, self.ranges, self.lap)
        count = len(values)
        recent.append(values, self.longest)
        out = laps.slide(recent.array[: recent.stop], count, self.list.first)
        return lambda q: tuple([array[q * count : q * count + count] for array in out])

    def _one_after_the_other(self, values: Array, small: bool) -> list[Array]:
        """Each window in memory of its own."""
        each, product = self.each, self._product(small)
        if each is None or each.upto != self.list.first or each.product is not product:
            before = self.recent.last(self.longest)
            each = WindowsAlone(self.program, product, self.ranges)
            each.feed(before, self.list.first - len(before))
            self.each = each
        return each.feed(values, self.list.first)

    def _results(self, found: Function, count: int, small: bool) -> Results:
        """Results of each window, which stand event by event once they are read."""
        last, names, ranges = self.list.first, self.list.names, self.ranges
        own = [count] * len(names)
        many = count * len(names)
        if last - count < self.longest:  # windows that were not full at first
            own = np.clip(last - ranges + 1, 0, count).tolist()
            many = sum(own)

        def made() -> list[ResultBatch]:
            table = [np.empty((count, len(own)), kind) for kind in self.dtypes]
            for q in range(len(own)):
                columns = shown(self.program, self._product(small), found(q))
                for array, column in zip(table, columns, strict=True):
                    array[count - own[q] :, q] = column[len(column) - own[q] :]
            ends = np.repeat(np.arange(last - count + 1, last + 1), len(own))
            owners = np.tile(np.arange(len(own)), count)
            out = tuple(array.reshape(-1) for array in table)
            if min(own) < count:
                is_there = np.arange(count)[:, None] >= count - np.array(own)
                rows = np.flatnonzero(is_there)
                ends, owners = ends[rows], owners[rows]
                out = tuple(array[rows] for array in out)
            begins = ends - ranges[owners]
            windows = tuple(names)
            return [ResultBatch(None, begins, ends, out, None, owners, windows)]

        return Results(self.request, made, pa.array, many)


def _refill(recent: RecentValues, window: ManyWindow) -> None:
    """Let the events of all windows into new memory of the list."""
    ranges = window.rules[:, Q_RANGE]
    longest = int(ranges.max())
    tail = recent.last(longest)
    memory = window.program.memory(max(window.places, places_for(len(tail))))
    memory.words[TOTAL] = window.first - len(tail)
    window.adopt(memory)
    memory.words[RANGE] = longest
    window.rules[:, Q_NEXT] = np.maximum(ranges, memory.words[TOTAL] + 1)
    window.begin_ranges()
    ones = (np.ones(len(tail), np.bool_),) * bool(window.program.columns.slots.masks)
    window.absorb([tail, *ones], NO_EVENTS, len(tail))


def kernel_of(product: Product) -> OperatorKernel:
    """The loops of a product for batches: what has an inverse is taken off."""
    name = "subtract_on_evict" if product.undoable else "two_stacks_lite"
    return OperatorKernel(find(name), product, COUNT, COUNT)


class SharedLaps:
    """The windows of a list over one array: what is known between batches is values."""

    def __init__(self, product: Product, ranges: Array, lap: int) -> None:
        self.product, self.ranges, self.lap = product, ranges, lap
        self.longest = int(ranges.max())
        self.step = kernel_of(product).steps_in_lane().accounts["call_laps"]
        self.call: Function | None = None  # machine code, once there is some
        self.dtypes = tuple(map(np.dtype, product.out_dtypes))
        self.base = np.zeros(1, np.int64)  # the number of the first value that is read
        self.room: tuple[Any, ...] = ()
        self.places = 0

    def slide(self, values: Array, count: int, first: int) -> tuple[Array, ...]:
        """Results by window: after event i at place i, if the window is full by then.

        Event `first` is the first of the last `count` values.
        """
        out, base = self._new_out(len(self.ranges) * count), self.base
        at, done = len(values) - count, 0
        while done < count:
            piece = PIECE if self.call else BLOCK
            some = min(max(piece, 2 * self.longest), count - done)
            begin = max(at + done - self.longest + 1, 0)
            own, stop = at + done - begin, at + done + some - begin
            base[0] = first - at + begin
            room = self.room if stop <= self.places else self._more_room(stop)
            source = values[begin : begin + stop], base
            given = source, own, stop, self.ranges, self.lap, *room, out, done, count
            if self.call is not None:
                self.call(*given)
            else:
                self.step(*given)
                machine = self.step.compiled(*given)
                if machine is not None:
                    self.call = entry_of(machine) or machine
            done += some
        return out

    def _new_out(self, count: int) -> tuple[Array, ...]:
        """Arrays for results: few without a question to any pool, or room for more."""
        if count > SMALL:
            most = arrays(self.product.out_dtypes, max(count, POOLED))
            return tuple([array[:count] for array in most])
        return tuple([np.empty(count, kind) for kind in self.dtypes])

    def _more_room(self, places: int) -> tuple[Any, ...]:
        """Memory for suffixes, prefixes and totals."""
        lengths, self.places = (places, places, places // self.lap + 2), places
        self.room = tuple([arrays(self.product.dtypes, n) for n in lengths])
        return self.room


class WindowsAlone:
    """The windows of a list, each in memory of its own."""

    def __init__(self, program: WindowProgram, product: Product, ranges: Array) -> None:
        kernel = kernel_of(product)
        self.product, self.upto, self.count = product, 0, len(ranges)
        self.step = kernel.steps_in_lane().accounts["call_rows_each"]
        self.call: Function | None = None  # machine code, once there is some
        self.room = arrays(product.dtypes, ROOM)
        own = replace(program, kernel=kernel, steps=kernel.steps_in_lane())
        memories = []
        for range_ in ranges.tolist():
            policies = PolicyNumbers(COUNT, COUNT, range_, 1, since=1 - range_)
            memories.append(replace(own, policies=policies).memory(places_for(range_)))
        self.memories = MemoryList([len(memory.flat) for memory in memories])
        for memory in memories:
            self.memories.add(memory, kernel.layout)

    def feed(self, values: Array, first: int) -> list[Array]:
        """Let events in, of which that is the first; a row of results a window.

        The result after event i stands at place i; that of a window that is not full
        is not there.
        """
        if first != self.upto:
            for memory in self.memories.memories.values():
                memory.words[TOTAL] = first
        count, memories = len(values), self.memories
        out = arrays(self.product.out_dtypes, self.count * count)
        given = memories.ends, (values,), out, self.room, 0, count
        if self.call is not None:
            self.call(memories.flat, *given)
        else:
            self.step(memories, *given)
            machine = self.step.compiled(memories, *given)
            if machine is not None:
                self.call = entry_of(machine) or machine
        self.upto = first + count
        return [array.reshape(self.count, count) for array in out]
