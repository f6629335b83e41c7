"""Lets events in, a batch key by key and numbers by a short way; finds them again.

The short way is for one window whose event is a number, of which nothing else is known:
an append, and one call of the kernel.  The long way takes about ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_regular
from windrow.batch.columns import plain_array
from windrow.batch.results import written
from windrow.errors import BadInput

from .description import hashable
from .events import EventReader, check_length, nanoseconds
from .inputs import Events, Source
from .keyed import KeyedWindows
from .late_windows import LateWindow
from .layout import Array
from .many import ManyWindow
from .results import ResultBatch, Results
from .runtime import WindowProgram
from .setup import OperatorSetup
from .window import MOST, KeyWindow

Function = Callable[..., Any]
_KEYS = {str, int, bytes}
Runs = list[tuple[Any, Array | None]]
NO_EVENT = (None, -np.inf, -np.inf)


def key_codes(keys: Any, count: int) -> tuple[list[Any], Array]:
    """The keys of a batch in the order in which they come, and which each event has.

    Keys that are equal are one key, as in a dict: 1, 1.0 and True, 0.0 and -0.0.
    """
    keys = keys if hasattr(keys, "__len__") else list(keys)
    check_length(keys, count, f"cannot give keys to {count} events", "keys")
    column = _key_column(keys) if count else None
    if column is not None:
        encoded = column.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        if not column.null_count and len(set(map(hashable, distinct))) == len(distinct):
            codes = encoded.indices.to_numpy()
            return _in_order_of_coming(distinct, codes)
        keys = column.to_pylist()
    numbers: dict[Any, int] = {}
    try:
        rows = [numbers.setdefault(key, len(numbers)) for key in keys]
    except TypeError:
        for key in keys:
            hashable(key)
        raise
    if None in numbers:
        raise BadInput.because(
            "cannot give an event to no key", "a key is null", "leave such events out"
        )
    return list(numbers), np.array(rows, np.int64)


def _in_order_of_coming(distinct: list[Any], codes: Array) -> tuple[list[Any], Array]:
    """Without the keys that no event has: a dictionary may have such."""
    used, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(used), np.int64)
    rank[order] = np.arange(len(used))
    return [distinct[code] for code in used[order].tolist()], rank[inverse]


def runs_of(distinct: list[Any], codes: Array) -> Runs:
    """Each key with the numbers of its events."""
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(1, len(distinct)))
    return list(zip(distinct, np.split(order, edges), strict=False))


def _key_column(keys: Any) -> pa.Array | None:
    """Keys as an Arrow column; None where they are Python objects already."""
    if isinstance(keys, (pa.ChunkedArray, pa.Array)):
        return plain_array(keys)
    if str(getattr(keys, "dtype", "object")) != "object":
        return pa.array(keys)
    return None


def _pick(values: Array, rows: Array | None) -> Array:
    """Those rows of an array; None is all, and an empty array stays as it is."""
    whole = rows is None or not len(values)
    return values if whole else np.ascontiguousarray(values[rows])


def feed_batch(
    setup: OperatorSetup,
    window_of: Function,
    columns: Mapping[str, Any],
    values: Any,
    at: Any,
    runs: Runs,
    count: int,
) -> Results:
    """Let the rows of each key in; the results that fell due, key by key."""
    program = setup.program_for_batch(columns)
    ticks = setup.reader.ticks_of(at, values, count)
    source = program.columns.arrays(columns)
    events = (ticks, *setup.reader.other_columns(columns, count))
    payloads = program.columns.payload_rows(columns)
    batches: list[ResultBatch] = []
    events_of = [tuple(_pick(column, rows) for column in events) for _, rows in runs]
    for (key, _), own_events in zip(runs, events_of, strict=True):
        window = window_of(key, create=False)
        setup.check_batch(NO_EVENT if window is None else window.last, own_events)
    for (key, rows), own_events in zip(runs, events_of, strict=True):
        window = window_of(key)
        slots = [_pick(slot, rows) for slot in source]
        if payloads is not None:
            own = payloads if rows is None else [payloads[i] for i in rows.tolist()]
            window.payloads.update(enumerate(own, window.total))
        size = count if rows is None else len(rows)
        results = _let_in(window, slots, own_events, size)
        batches += [batch._replace(key=key) for batch in results]
    return Results(program.columns.request, batches, program.bounds)


def _let_in(
    window: KeyWindow, source: Source, events: Events, count: int
) -> list[ResultBatch]:
    window.flush()
    untaken, window.untaken = window.untaken, []
    ticks, marks, signals, _ = events
    if len(ticks) and isinstance(window, LateWindow):
        return [*untaken, *window.let_in_all(source, events)]
    if len(ticks):
        window.newest = int(ticks[-1])
    if len(marks):
        window.last_mark = float(marks[-1])
    if len(signals):
        window.last_signal = float(signals[-1])
    return [*untaken, *window.absorb(source, events, count)]


def feed_keys(
    setup: OperatorSetup,
    windows: KeyedWindows,
    columns: Mapping[str, Any],
    values: Any,
    at: Any,
    distinct: list[Any],
    codes: Array,
) -> Results:
    """Let rows in by the codes of their keys; the results that fell due, key by key."""
    program, count = windows.program, len(codes)
    events = (
        setup.reader.ticks_of(at, values, count),
        *setup.reader.other_columns(columns, count),
    )
    source = program.columns.arrays(columns)
    payloads = program.columns.payload_rows(columns)
    known = [windows.slot(key) for key in distinct]
    setup.check_batches(windows.last_of(known), codes, events)
    own = [
        windows.open(key) if slot is None else slot
        for key, slot in zip(distinct, known, strict=True)
    ]
    slots = np.array(own, np.int64)[codes]
    batches = windows.feed(slots, source, events, payloads) if count else []
    return Results(program.columns.request, batches, program.bounds)


def find_event(
    window_of: Function, handle: Any, what: str
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
