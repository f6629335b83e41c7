"""Feeds arrays of numbers to windows that report every row.

    a batch         one call over the window's memory, stretch by stretch
    a long one      |---- tail ----|------ values ------|     with pba
                                   ^^^^^^^^^^^^^^^^^^^^^^     one slide over both

A batch goes through the window's memory in one call (`call_rows`).  With pba a long one
is slid over as an array, by two threads, together with the events that the window
holds.  What stays then is the tail: the window's memory is filled from it when somebody
needs it, and not between one batch and the next.

Whatever is no array of numbers goes the long way (`long_ways.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import empty, ndarray

from windrow.algorithms import ROOM, slide_regular
from windrow.batch.results import written
from windrow.kernels import Product
from windrow.loops import arrays

from .layout import Array
from .policies import NODE_BATCH, TOTAL
from .quick import entry_of
from .results import Results, RowResults, joined_results
from .runtime import WindowProgram
from .window import KeyWindow, places_for

Function = Callable[..., Any]
_NUMBERS = np.dtype(np.float64), np.dtype(np.int64)
NO_MASK: Array = np.empty(0, np.bool_)
LEAST = 1 << 15  # numbers: calling an array form takes 30 us
WINDOWS = 2  # that a batch is long at least: its array form slides over one more


def is_numbers(values: Any) -> bool:
    """Whether a batch is an array of numbers that a kernel reads as it stands."""
    if type(values) is not np.ndarray or values.dtype not in _NUMBERS:
        return False
    return values.ndim == 1 and values.flags.c_contiguous


class ArrayFeed:
    """`feed` of arrays of numbers; whatever else comes goes the long way."""

    def __init__(self, window: KeyWindow, long_feed: Function) -> None:
        self.window, self.program, self.long_feed = window, window.program, long_feed
        self.column, columns = window.pending.column, self.program.columns
        self.kind = np.dtype(np.dtype(self.column.typecode).name)
        self.strides = (self.column.itemsize,)
        self.range, self.request = self.program.policies.range, columns.request
        self.by_arrays = slides_arrays(self.program)
        self.step = self.program.steps.accounts["call_rows"]
        self.call: Function | None = None  # machine code, once there is some
        product = self.program.kernel.product
        self.dtypes = tuple(map(np.dtype, product.out_dtypes))
        self.one = self.dtypes[0] if len(self.dtypes) == 1 else None
        self.masks, self.least = len(columns.slots.masks), LEAST
        self.ones = np.ones(LEAST, np.bool_) if self.masks else NO_MASK
        self.room = arrays(product.dtypes, ROOM)

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

    def new_out(self, count: int) -> tuple[Array, ...]:
        """Arrays for results."""
        return tuple([empty(count, kind) for kind in self.dtypes])

    def write_rows(self, values: Array, out: tuple[Array, ...]) -> int:
        """Write results up to the last, and give how many; less than 0: nothing."""
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

    def answer(self, values: Array) -> Results | None:
        """The results of a batch; None where it goes the long way."""
        raise NotImplementedError


class WindowFeed(ArrayFeed):
    """The ways of a batch through one window; `tail` are its events, if as an array."""

    def __init__(self, window: KeyWindow, long_feed: Function) -> None:
        super().__init__(window, long_feed)
        self.by_arrays &= self.program.kernel.algorithm.threads > 1

    def answer(self, values: Array) -> Results | None:
        """The results of a batch; None: not by these ways."""
        count, window, longest = len(values), self.window, self.range
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
        new = min(len(joined) - self.range + 1, count)
        self.leave(joined, self.window.first + count)
        out = tuple(array[-new:] for array in out)
        return RowResults(self.request, out, new, self.window.first, self.range)

    def both(self, values: Array) -> Results | None:
        """Events in memory: the first go one by one; then windows are the batch's."""
        head = self.one_by_one(values[: self.range])
        if head is None:
            return None
        rest = self.slid(values, len(values) - self.range)
        return joined_results(head, rest)

    def one_by_one(self, values: Array) -> Results | None:
        """All events in their order, from the window's memory."""
        out, count, window = self.new_out(len(values)), len(values), self.window
        if self.program.kernel.nodes:
            made = self.by_nodes(values, out)
        else:
            places = places_for(min(self.range, window.count() + count))
            if places > window.places:
                window.resize(places)
            made = self.write_rows(values, out)
        if made < 0:
            return None
        last = window.first = window.first + count
        return RowResults(self.request, out, made, last, self.range)

    def by_nodes(self, values: Array, out: tuple[Array, ...]) -> int:
        """The same in pieces, so that the ring follows the nodes, and no batch."""
        window, made = self.window, 0
        count = NODE_BATCH if self.range > NODE_BATCH else max(len(values), 1)
        for at in range(0, len(values), count):
            need = min(self.range, window.used() + count)
            if not need <= window.places <= 4 * need:
                window.resize(max(places_for(need), window.least))
            piece = values[at : at + count]
            made += self.write_rows(piece, tuple([array[at:] for array in out]))
        return made

    def leave(self, values: Array, last: int) -> None:
        """The window is the last of these values, in no memory until it is needed."""
        window, tail = self.window, values[-self.range :].copy()
        places = max(window.places, places_for(len(tail)))
        masks, room = self.masks, self.room

        def refill(window: KeyWindow) -> None:
            program = window.program
            memory = program.memory(places)
            memory.words[TOTAL] = last - len(tail)
            window.adopt(memory)
            slots = tail, *(np.ones(len(tail), np.bool_),) * bool(masks)
            out = arrays(program.kernel.product.out_dtypes, len(tail))
            program.steps.call_rows(memory, slots, out, room)

        window.first = last
        window.leave_memory(tail, refill)


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
