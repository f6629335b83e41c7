"""Short ways for plain numbers: an append for an event, one call for a result.

    one window              insert, query    a number of which nothing else is known
                            feed             an array, for windows that report every row
    many keys               insert           a number, or a dict of numbers
    a list of windows       query            all results after one number

Whatever else comes goes the long way (`operator.py`, `feed.py`), which takes about ten
times as long and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_regular
from windrow.batch.results import written

from .events import EventReader, nanoseconds
from .keyed import KeyedWindows
from .layout import Array
from .many import ManyWindow
from .results import ResultBatch, Results
from .runtime import WindowProgram
from .window import MOST, KeyWindow

Function = Callable[..., Any]
_KEYS = {str, int, bytes}


def quick_insert_of(
    windows: KeyedWindows, reader: EventReader, insert: Function
) -> Function:
    """`insert` for many keys: a number, or a dict of numbers with its instant.

    What is anything else goes the long way, `insert`, which also says what is wrong.
    """
    pending, on, numeric = windows.pending, reader.on, reader.numeric
    dated = numeric is False and reader.scale is None
    slots, newest, waiting = windows.slots, windows.newest, windows.waiting
    add_waiting, add_tick = waiting.append, pending.events[0].append
    names = windows.program.columns.plain_names
    arrays, known = pending.slots[: len(names)], pending.slots[len(names) :]
    add_masks = [mask.append for mask in known]
    add_number = arrays[0].append if len(names) == 1 else None

    def add_row(value: Any) -> None:
        """The numbers of an event; all of them, or none and an error."""
        if type(value) is not dict:
            raise TypeError
        row = [value[name] for name in names]
        added = 0
        try:
            for array, number in zip(arrays, row, strict=True):
                array.append(number)
                added += 1
        except (TypeError, OverflowError):
            for array in arrays[:added]:
                array.pop()
            raise
        if not names:
            pending.column.append(0.0)

    def quick(value: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        if type(key) not in _KEYS:
            return insert(value, at, key)
        slot = slots.get(key)
        tick = at
        if at is None and on is not None and type(value) is dict:
            tick = value.get(on)
        if dated and type(tick) is datetime:
            reader.zoned = tick.tzinfo is not None
            tick = nanoseconds(tick)
        elif numeric is None:
            if at is not None:
                return insert(value, at, key)
        elif not numeric or type(tick) is not int:
            return insert(value, at, key)
        if tick is not None and slot is not None and tick < newest[slot]:
            return insert(value, at, key)
        try:
            if add_number is not None and type(value) is not dict:
                add_number(value)
            else:
                add_row(value)
        except (TypeError, OverflowError, KeyError):
            return insert(value, at, key)
        for add_mask in add_masks:
            add_mask(1)
        if slot is None:
            slot = windows.open(key)
        if tick is not None:
            add_tick(tick)
            newest[slot] = tick
        add_waiting(slot)
        number = windows.events
        windows.events = number + 1
        if len(waiting) >= MOST:
            windows.flush()
        return key, tick, number

    return quick


def quick_calls(
    window: KeyWindow, insert: Function, query: Function
) -> tuple[Function, Function]:
    """`insert` and `query` over one window; what is given are the long ways."""
    column, known = window.pending.column, window.pending.known
    append, pop = column.append, column.pop
    step = window.program.steps.accounts["call_quick"]
    call: Function = step

    def learn(_: Array, value: Any) -> Any:
        """Calls up to the first compiled one: later ones go past the dispatcher."""
        nonlocal call
        count = step(window.memory, value)
        compiled = step.compiled(window.memory, value)
        call = learn if compiled is None else _entry_of(compiled)
        return count

    call = learn

    def quick_insert(value: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        if at is None and key is None:
            try:
                append(value)
            except (TypeError, OverflowError):  # said in words there
                return insert(value, at, key)
            waiting = len(column)
            if waiting == MOST:
                window.flush()
                return window.first - 1
            return window.first + waiting - 1
        return insert(value, at, key)

    def quick_query(key: Any = None, at: Any = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing."""
        alone = key is None and at is None and len(column) == 1 and not known
        if alone and call(window.argument, column[0]) > 0:
            pop()
            window.first += 1
            return window.read()
        return query(key, at)

    if isinstance(window, ManyWindow):
        return quick_insert, _query_of_list(window, query)
    return quick_insert, query if window.program.policies.waits else quick_query


def _query_of_list(window: ManyWindow, query: Function) -> Function:
    """`query` of a list of windows, with the one event that waits."""
    column, known = window.pending.column, window.pending.known
    step = window.program.steps.accounts["call_quick_many"]
    entry: Function | None = None  # numba's function, past its dispatcher

    def learn(number: Any) -> int:
        """Calls up to the first compiled one: later ones go past the dispatcher."""
        nonlocal entry
        size = step(window.memory, *window.arguments, number)
        compiled = step.compiled(window.memory, *window.arguments, number)
        entry = None if compiled is None else _entry_of(compiled)
        return int(size)

    def quick_query(key: Any = None, at: Any = None) -> Any:
        """The aggregate of what is in each window, by its name."""
        if key is None and at is None and len(column) == 1 and not known:
            number = column[0]
            if entry is None:
                size = learn(number)
            else:
                size = entry(window.argument, *window.arguments, number)
            if size > 0:  # the event is in every window
                del column[0]
                window.first += 1
                return window.read_full()
        return query(key, at)

    return quick_query


def _entry_of(compiled: Function) -> Function:
    """What numba's dispatcher calls once it knows the types: 0.27 us, not 0.40."""
    overloads = list(getattr(compiled, "overloads", {}).values())
    return overloads[0].entry_point if len(overloads) == 1 else compiled


def quick_feed(window: KeyWindow, feed: Function) -> Function:
    """`feed` for windows of rows that report every row, from an array of numbers.

    Of a batch much longer than the window only both ends go event by event: what lies
    between is slid over as an array (`slide_batch`), by two threads with pba.
    """
    program, column = window.program, window.pending.column
    request, step = program.columns.request, program.steps.accounts["call_rows"]
    dtypes = request.product.out_dtypes
    dtype, range_ = np.dtype(column.typecode), program.policies.range
    base = np.zeros(1, np.int64)  # nobody asks for positions here
    ones = np.ones(max(MOST, range_), np.bool_)
    masks = len(program.columns.slots.masks)
    compiled: dict[bool, Function | None] = {}  # for arrays that can be written or not
    whole_arrays = slides_arrays(program)

    def rows(values: Array, out: tuple[Array, ...]) -> int:
        """Events one by one; gives how many results there are, or -1: no room yet."""
        count = len(values)
        source = (values, ones[:count], base) if masks else (values, base)
        call = compiled.get(values.flags.writeable)
        if call is None:
            call = step.compiled(window.memory, source, count, out)
            compiled[values.flags.writeable] = call
        if call is None:
            return int(step(window.memory, source, count, out))
        return int(call(window.argument, source, count, out))

    def quick(values: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let a batch of events in, and give all results that fell due."""
        if (
            at is not None
            or key is not None
            or type(values) is not np.ndarray
            or values.dtype != dtype
            or values.ndim != 1
            or not values.flags.c_contiguous
        ):
            return feed(values, at, key)
        if len(column):
            window.flush()
        count = len(values)
        by_array = whole_arrays and count >= 4 * range_
        if masks and not by_array and count > len(ones):
            return feed(values, at, key)
        out = tuple([np.empty(count, kind) for kind in dtypes])
        results = rows(values[:range_] if by_array else values, out)
        if results < 0:
            return feed(values, at, key)
        if by_array:
            slide_batch(program, values[1:], tuple(array[results:] for array in out))
            results += count - range_
            window.begin_anew(count - 2 * range_)
            rows(values[-range_:], tuple(np.empty(range_, kind) for kind in dtypes))
        last = window.first = window.first + count

        def batches() -> list[ResultBatch]:
            """The last of these windows ended with event `last` - 1."""
            ends = np.arange(last - results + 1, last + 1)
            written = tuple(array[:results] for array in out)
            return [ResultBatch(None, ends - range_, ends, written, None)]

        return Results(request, batches, pa.array)

    return quick


def slides_arrays(program: WindowProgram) -> bool:
    """Whether results of a batch may come from the algorithm's array form."""
    product, plain = program.kernel.product, program.columns.without_nulls
    if product.has_users or program.kernel.interpreted:
        return False
    return [output.dtypes for output in plain.product.outputs] == [
        output.dtypes for output in product.outputs
    ]


def slide_batch(program: WindowProgram, values: Array, out: tuple[Array, ...]) -> None:
    """The results of all windows that lie within an array without nulls."""
    plain, kernel = program.columns.without_nulls.product, program.kernel
    bounds = np.zeros(1, np.int64), np.array([len(values)])
    width, count = program.policies.range, len(values) - program.policies.range + 1
    results = slide_regular(
        kernel.algorithm,
        plain,
        (values,),
        *bounds,
        width,
        lane=program.steps.lane,
    )
    own = written(kernel.product, out)
    for (new, valid), (found, known) in zip(own, written(plain, results), strict=True):
        for target, array in zip(new, found, strict=True):
            target[:count] = array
        if valid is not None:
            valid[:count] = True if known is None else known
