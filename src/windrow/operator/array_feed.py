"""Feeds arrays of numbers to windows that report every row, as arrays.

    events before       |---- tail ----|                  the last of them, kept
    a batch                            |------ values ------|
    results             |--------------|^^^^^^^^^^^^^^^^^^^^|  one slide over both

One event at a time an algorithm stores all that it knows between two events, which its
array form keeps in registers.  So a long batch is slid over together with the events
that the window holds, by the algorithm's array form (by two threads with pba), or by
one graph for all windows of a list.  What stays is the tail: the window's memory is
filled from it when somebody needs it, and not between one batch and the next.

Shorter batches go through the window's memory in one call (`call_rows`); whatever is no
array of numbers goes the long way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy import empty, ndarray

from windrow.algorithms import Q_EVERY, Q_NEXT, Q_RANGE, ROOM, slide_regular
from windrow.batch.results import written
from windrow.graph import slide_graph
from windrow.kernels import Product
from windrow.loops import arrays

from .inputs import NO_EVENTS
from .layout import Array
from .many import ManyWindow
from .policies import RANGE, TOTAL
from .quick import entry_of
from .results import ResultBatch, Results, RowResults, joined_results
from .runtime import WindowProgram
from .window import KeyWindow, places_for

Function = Callable[..., Any]
_NUMBERS = np.dtype(np.float64), np.dtype(np.int64)
NO_MASK: Array = np.empty(0, np.bool_)
LEAST = 1 << 15  # numbers: calling an array form takes 30 us
LIST_LEAST = 2048  # of a list
WINDOWS = 2  # that a batch is long at least: its array form slides over one more


def is_numbers(values: Any, kinds: tuple[Any, ...] = _NUMBERS) -> bool:
    """Whether a batch is an array of such numbers that a kernel reads as it stands."""
    if type(values) is not np.ndarray or values.dtype not in kinds:
        return False
    return values.ndim == 1 and values.flags.c_contiguous


def array_feed(window: KeyWindow, feed: Function) -> Function:
    """`feed` of an array of numbers, to windows that report every row."""
    if isinstance(window, ManyWindow):
        return ListFeed(window, feed).feed
    return WindowFeed(window, feed).feed


class WindowFeed:
    """The ways of a batch through one window; `tail` are its events, if as an array."""

    def __init__(self, window: KeyWindow, long_feed: Function) -> None:
        self.window, self.program = window, window.program
        self.long_feed, self.column = long_feed, window.pending.column
        self.kind = np.dtype(np.dtype(self.column.typecode).name)
        self.strides, self.range = (self.column.itemsize,), self.longest
        self.by_arrays = slides_arrays(self.program)
        self.request = self.program.columns.request
        self.masks = len(self.program.columns.slots.masks)
        self.step = self.program.steps.accounts.get("call_rows")
        self.call: Function | None = None  # machine code, once there is some
        product = self.program.kernel.product
        self.dtypes = tuple(map(np.dtype, product.out_dtypes))
        self.one = self.dtypes[0] if len(self.dtypes) == 1 else None
        self.ones = np.ones(LEAST, np.bool_) if self.masks else NO_MASK
        self.room = arrays(product.dtypes, ROOM)
        self.least = LEAST

    @property
    def longest(self) -> int:
        """Events that the longest window holds."""
        return self.program.policies.range

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let a batch of events in, and give all results that fell due."""
        if type(values) is not ndarray or at is not None or key is not None:
            return self.long_feed(values, at, key)
        dtype, window = values.dtype, self.window
        if dtype is not self.kind and dtype != self.kind:
            return self.long_feed(values, at, key)
        if values.strides != self.strides:
            return self.long_feed(values, at, key)
        if self.column:
            window.flush()
        call, count = self.call, len(values)
        if call is not None and count < self.least:  # each step here is 0.1 us
            slots = (values, self.ones[:count]) if self.masks else (values,)
            one = self.one
            out = self.new_out(count) if one is None else (empty(count, one),)
            made = call(window.argument, slots, out, self.room)
            if made >= 0:
                last = window.first = window.first + count
                return RowResults(self.request, out, made, last, self.range)
        results = self.answer(values)
        return self.long_feed(values, at, key) if results is None else results

    def answer(self, values: Array) -> Results | None:
        """The results of a batch; None: not by these ways."""
        count, window, longest = len(values), self.window, self.longest
        if count < max(self.least, WINDOWS * longest) or not self.by_arrays:
            return self.one_by_one(values)
        if window.tail is not None:
            return self.slid(np.concatenate([window.tail[1:], values]), count)
        if not window.total:
            return self.slid(values, count)
        return self.both(values)

    def slid(self, joined: Array, count: int) -> Results:
        """The last `count` values are new, those before them were in the window."""
        out = slide_batch(self.program, joined)
        new = min(len(joined) - self.longest + 1, count)
        self.leave(joined, self.window.first + count)
        out = tuple(array[-new:] for array in out)
        return RowResults(self.request, out, new, self.window.first, self.longest)

    def both(self, values: Array) -> Results | None:
        """Events in memory: the first go one by one; then windows are the batch's."""
        head = self.one_by_one(values[: self.longest])
        if head is None:
            return None
        rest = self.slid(values, len(values) - self.longest)
        return joined_results(head, rest)

    def one_by_one(self, values: Array) -> Results | None:
        """All events in their order, from the window's memory."""
        out, count = self.new_out(len(values)), len(values)
        made = self.write_rows(values, out)
        if made < 0:
            return None
        last = self.window.first = self.window.first + count
        return RowResults(self.request, out, made, last, self.longest)

    def leave(self, values: Array, last: int) -> None:
        """The window is the last of these values, in no memory until it is needed."""
        window, tail = self.window, values[-self.longest :].copy()
        places = max(window.places, places_for(len(tail)))

        def refill() -> None:
            memory = self.program.memory(places)
            memory.words[TOTAL] = last - len(tail)
            window.adopt(memory)
            self.refill(tail)

        window.first = last
        window.leave_memory(tail, refill)

    def refill(self, tail: Array) -> None:
        """Let the events of a window into its new memory."""
        self.write_rows(tail, self.new_out(len(tail)))

    def new_out(self, count: int) -> tuple[Array, ...]:
        """Arrays for results."""
        return tuple([np.empty(count, kind) for kind in self.dtypes])

    def write_rows(self, values: Array, out: tuple[Array, ...]) -> int:
        """Write results, and give how many; -1 where the rings are too small."""
        slots: tuple[Array, ...] = (values,)
        if self.masks:
            count = len(values)
            if len(self.ones) < count:
                self.ones = np.ones(count, np.bool_)
            slots = (values, self.ones[:count])
        if self.call is not None:
            made: int = self.call(self.window.argument, slots, out, self.room)
            return made
        step, arguments = self.step, (self.window.memory, slots, out, self.room)
        assert step is not None
        made = step(*arguments)
        machine = step.compiled(*arguments)
        if machine is not None:  # later calls go past the dispatcher, to which arrays
            self.call = entry_of(machine) or machine  # that are read only are another
        return made


class ListFeed(WindowFeed):
    """The ways of a batch through a list of windows that all report every row."""

    def __init__(self, window: ManyWindow, long_feed: Function) -> None:
        self.list = window
        super().__init__(window, long_feed)

    @property
    def longest(self) -> int:
        """Events that the longest window holds."""
        return int(self.list.rules[:, Q_RANGE].max())

    def answer(self, values: Array) -> Results | None:
        """The results of a batch; None where windows report at their own pace."""
        window, rules, count = self.list, self.list.rules, len(values)
        longest, tail = self.longest, window.tail
        least = max(LIST_LEAST, longest if tail is None else longest // 2)
        every_row = (rules[:, Q_EVERY] == 1).all()
        if not self.by_arrays or count < least or window.untaken or not every_row:
            return None
        if tail is not None:
            return self.slid(np.concatenate([tail, values]), count)
        if not window.total and (rules[:, Q_NEXT] == rules[:, Q_RANGE]).all():
            return self.slid(values, count)
        return self.both(values) if count >= 2 * longest else None

    def both(self, values: Array) -> Results:
        """Events in memory: the first go one by one; then windows are the batch's."""
        head = Results(self.request, self.absorb(values[: self.longest]), pa.array)
        return joined_results(head, self.slid(values, len(values) - self.longest))

    def slid(self, joined: Array, count: int) -> Results:
        """All windows by one graph; results stand event by event once they are read."""
        program, ranges = self.program, self.list.rules[:, Q_RANGE].copy()
        plain = program.columns.without_nulls.product
        if joined.dtype.kind == "i" and are_small(joined):
            plain = program.columns.of_small_numbers
        ends = np.zeros(1, np.int64), np.array([len(joined)])
        windows, lane = [(range_, 1) for range_ in ranges.tolist()], program.steps.lane
        found = slide_graph(plain, (joined,), *ends, windows, lane=lane)
        self.leave(joined, self.window.first + count)
        last, names = self.window.first, tuple(self.list.names)
        own = [min(len(results[0]), count) for results in found]

        def made() -> list[ResultBatch]:
            table = [np.empty((count, len(own)), kind) for kind in self.dtypes]
            for q, results in enumerate(found):
                columns = shown(program, plain, results)
                for array, column in zip(table, columns, strict=True):
                    array[count - own[q] :, q] = column[len(column) - own[q] :]
            ends = np.repeat(np.arange(last - count + 1, last + 1), len(own))
            owners = np.tile(np.arange(len(own)), count)
            out = tuple(array.reshape(-1) for array in table)
            if min(own) < count:  # windows that were not full at first
                is_there = np.arange(count)[:, None] >= count - np.array(own)
                rows = np.flatnonzero(is_there)
                ends, owners = ends[rows], owners[rows]
                out = tuple(array[rows] for array in out)
            begins = ends - ranges[owners]
            return [ResultBatch(None, begins, ends, out, None, owners, names)]

        return Results(self.request, made, pa.array, sum(own))

    def refill(self, tail: Array) -> None:
        """Let the events of all windows into their new memory."""
        window, words = self.list, self.list.memory.words
        words[RANGE] = len(tail)
        window.rules[:, Q_NEXT] = words[TOTAL] + 1
        window.begin_ranges()
        self.absorb(tail)

    def absorb(self, values: Array) -> list[ResultBatch]:
        """Let events in one by one."""
        ones = (np.ones(len(values), np.bool_),) * bool(self.masks)
        return self.list.absorb([values, *ones], NO_EVENTS, len(values))


def slides_arrays(program: WindowProgram) -> bool:
    """Whether results of a batch may come from the algorithm's array form."""
    product, plain = program.kernel.product, program.columns.without_nulls
    if product.has_users or program.kernel.interpreted:
        return False
    return [output.dtypes for output in plain.product.outputs] == [
        output.dtypes for output in product.outputs
    ]


def slide_batch(program: WindowProgram, values: Array) -> tuple[Array, ...]:
    """The results of all windows that lie within an array without nulls."""
    plain = program.columns.without_nulls.product
    bounds = np.zeros(1, np.int64), np.array([len(values)])
    work = program.kernel.algorithm, plain, (values,), *bounds, program.policies.range
    return shown(program, plain, slide_regular(*work, lane=program.steps.lane))


def are_small(values: Array) -> bool:
    """Whether no sum of whole numbers passes 64 bits: one word a sum is enough."""
    most = max(-int(values.min()), int(values.max()))
    return most * len(values) < 2**63


def shown(
    program: WindowProgram, plain: Product, results: tuple[Array, ...]
) -> tuple[Array, ...]:
    """Results over values that are all there and small, as where they may not be."""
    arrays = list[Array]()
    pairs = zip(written(plain, results), program.kernel.product.outputs, strict=True)
    for (found, known), output in pairs:
        if len(found) < len(output.dtypes):  # a total of one word, where two are read
            arrays += [found[0] >> 32, found[0] & 0xFFFFFFFF]
        else:
            arrays += found
        if output.nullable:
            arrays.append(np.ones(len(found[0]), bool) if known is None else known)
    return tuple(arrays)


__all__ = ["array_feed", "is_numbers"]
