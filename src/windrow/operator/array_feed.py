"""Feeds arrays of numbers to windows that report every row, as arrays.

    events before       |---- tail ----|                  the last of them, kept
    a batch                            |------ values ------|
    results             |--------------|^^^^^^^^^^^^^^^^^^^^|  one slide over both

One event at a time an algorithm stores all that it knows between two events, which its
array form keeps in registers.  So a batch is slid over together with the events that
the window holds, by the algorithm's array form (by two threads with pba), or by one
graph for all windows of a list.  What stays is the tail: the window's memory is filled
from it when somebody needs it, and not between one batch and the next.

Short batches, and whatever is no array of numbers, go the other ways.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import Q_EVERY, Q_NEXT, Q_RANGE, slide_regular
from windrow.batch.results import written
from windrow.graph import slide_graph
from windrow.kernels import Product

from .inputs import NO_EVENTS
from .layout import Array
from .many import ManyWindow
from .policies import RANGE, TOTAL
from .quick import entry_of
from .results import ResultBatch, Results
from .runtime import WindowProgram
from .window import KeyWindow, places_for

Function = Callable[..., Any]
Made = tuple[Callable[[], list[ResultBatch]], int]  # results once read; how many
_NUMBERS = np.dtype(np.float64), np.dtype(np.int64)
NO_MASK: Array = np.empty(0, np.bool_)
LEAST = 2048  # numbers: shorter batches are done before an array form begins
MORE = 16  # times as many where steps are fast: calling an array form takes 30 us
# How many times its length a batch may be slid over: pba's steps take 30 ns and its
# arrays 2, sba's 5 and 2; elsewhere a step is as fast as an array form.
PBA_WINDOWS, FAST_WINDOWS, OTHER_WINDOWS = 8, 0.5, 0.25


def is_numbers(values: Any, kinds: tuple[Any, ...] = _NUMBERS) -> bool:
    """Whether a batch is an array of such numbers that a kernel reads as it stands."""
    if type(values) is not np.ndarray or values.dtype not in kinds:
        return False
    return values.ndim == 1 and values.flags.c_contiguous


def array_feed(window: KeyWindow, feed: Function) -> Function:
    """`feed` of an array of numbers, to windows that report every row."""
    request, column = window.program.columns.request, window.pending.column
    kinds = (np.dtype(column.typecode),)
    ways: WindowFeed = (
        ListFeed(window) if isinstance(window, ManyWindow) else WindowFeed(window)
    )

    def quick(values: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let a batch of events in, and give all results that fell due."""
        if at is not None or key is not None or not is_numbers(values, kinds):
            return feed(values, at, key)
        if len(column):
            window.flush()
        made = ways.answer(values)
        if made is None:
            return feed(values, at, key)
        return Results(request, made[0], pa.array, made[1])

    return quick


class WindowFeed:
    """The ways of a batch through one window; `tail` are its events, if as an array."""

    def __init__(self, window: KeyWindow) -> None:
        self.window, self.program = window, window.program
        self.by_arrays = slides_arrays(self.program)
        self.masks = len(self.program.columns.slots.masks)
        self.step = self.program.steps.accounts.get("call_rows")
        self.calls: dict[bool, Function] = {}  # machine code, for arrays of a kind
        kinds = self.program.kernel.product.out_dtypes
        self.dtypes, self.ones = tuple(map(np.dtype, kinds)), NO_MASK
        self.base = np.zeros(1, np.int64)  # nobody asks for positions here
        algorithm, steps = self.program.kernel.algorithm, self.program.kernel.steps
        self.windows = OTHER_WINDOWS if algorithm.stride is None else FAST_WINDOWS
        self.windows = PBA_WINDOWS if steps.chunk else self.windows
        self.least = LEAST if steps.chunk else LEAST * MORE
        self.recent: list[Array] = []  # batches that went one by one, up to `upto`
        self.upto = 0

    @property
    def longest(self) -> int:
        """Events that the longest window holds."""
        return self.program.policies.range

    def answer(self, values: Array) -> Made | None:
        """The results of a batch; None: not by these ways."""
        count = len(values)
        if count < self.least:
            return self.one_by_one(values)
        window, tail, longest = self.window, self.window.tail, self.longest
        pays = self.by_arrays and self.windows * count >= longest
        if tail is None and not window.total:
            tail = values[:0]
        if tail is not None and pays:
            joined = np.concatenate([tail[1:], values]) if len(tail) else values
            if len(joined) >= longest:
                return self.slid(joined, count)
        if pays and count >= 2 * longest:
            return self.both(values)
        return self.one_by_one(values, pays=pays)

    def slid(self, joined: Array, count: int) -> Made:
        """The last `count` values are new, those before them were in the window."""
        out = slide_batch(self.program, joined)
        new = min(len(joined) - self.longest + 1, count)
        self.leave(joined, self.window.first + count)
        return self.batches(tuple(array[-new:] for array in out))

    def both(self, values: Array) -> Made | None:
        """Events in memory: the first go one by one; then windows are the batch's."""
        head = self.one_by_one(values[: self.longest])
        if head is None:
            return None
        rest, count = self.slid(values, len(values) - self.longest)
        return lambda: [*head[0](), *rest()], head[1] + count

    def one_by_one(self, values: Array, *, pays: bool = False) -> Made | None:
        """All events one by one; noted where it pays to slide over arrays."""
        window, count = self.window, len(values)
        before = window.first
        out = self.write_rows(values)
        if out is None:
            return None
        window.first = before + count
        made = self.batches(out)
        if pays:  # the next batch may go by arrays
            self.recent = [*(self.recent if self.upto == before else ()), values.copy()]
            self.upto = window.first
            if sum(map(len, self.recent)) >= self.longest == window.count():
                self.leave(np.concatenate(self.recent), window.first)
                self.recent = []
        return made

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
        self.write_rows(tail)

    def write_rows(self, values: Array) -> tuple[Array, ...] | None:
        """The results of events one by one; None where the rings are too small."""
        count, window = len(values), self.window
        out = tuple([np.empty(count, kind) for kind in self.dtypes])
        source: tuple[Array, ...] = (values, self.base)
        if self.masks:
            if len(self.ones) < count:
                self.ones = np.ones(count, np.bool_)
            source = (values, self.ones[:count], self.base)
        call = self.calls.get(values.flags.writeable)
        if call is not None:
            made = call(window.argument, source, count, out)
        else:
            made = self._first_rows(source, count, out)
        if made == count:
            return out
        return None if made < 0 else tuple([array[:made] for array in out])

    def _first_rows(self, source: Any, count: int, out: Any) -> int:
        """Calls up to the first compiled one for arrays of that kind."""
        step = self.step
        assert step is not None
        made = int(step(self.window.memory, source, count, out))
        machine = step.compiled(self.window.memory, source, count, out)
        if machine is not None:
            kind = source[0].flags.writeable
            self.calls[kind] = entry_of(machine) or machine
        return made

    def batches(self, out: tuple[Array, ...]) -> Made:
        """The results of windows that ended with the last events."""
        last, range_, count = self.window.first, self.longest, len(out[0])

        def made() -> list[ResultBatch]:
            ends = np.arange(last - count + 1, last + 1)
            return [ResultBatch(None, ends - range_, ends, out, None)]

        return made, count


class ListFeed(WindowFeed):
    """The ways of a batch through a list of windows that all report every row."""

    def __init__(self, window: ManyWindow) -> None:
        super().__init__(window)
        self.list = window

    @property
    def longest(self) -> int:
        """Events that the longest window holds."""
        return int(self.list.rules[:, Q_RANGE].max())

    def answer(self, values: Array) -> Made | None:
        """The results of a batch; None where windows report at their own pace."""
        window, rules, count = self.list, self.list.rules, len(values)
        longest, tail = self.longest, window.tail
        least = max(LEAST, longest if tail is None else longest // 2)
        every_row = (rules[:, Q_EVERY] == 1).all()
        if not self.by_arrays or count < least or window.untaken or not every_row:
            return None
        if tail is not None:
            return self.slid(np.concatenate([tail, values]), count)
        if not window.total and (rules[:, Q_NEXT] == rules[:, Q_RANGE]).all():
            return self.slid(values, count)
        return self.both(values) if count >= 2 * longest else None

    def both(self, values: Array) -> Made:
        """Events in memory: the first go one by one; then windows are the batch's."""
        head = self.absorb(values[: self.longest])
        rest, count = self.slid(values, len(values) - self.longest)
        count += sum(len(batch.begins) for batch in head)
        return lambda: [*head, *rest()], count

    def slid(self, joined: Array, count: int) -> Made:
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

        return made, sum(own)

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
