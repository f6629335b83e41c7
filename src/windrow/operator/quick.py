"""Short ways for plain numbers: an append for an event, one call for a result.

    one window              insert, query    a number of which nothing else is known
    many keys               insert, query    a number, or a dict of numbers
    a list of windows       query            all results after one number

Whatever else comes goes the long way (`long_ways.py`), which takes about ten times as
long and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windrow.windows.policy_numbers import TIME

from .events import EventReader
from .keyed import KeyedWindows
from .many import ManyWindow
from .policies import NEVER
from .window import MOST, KeyWindow

Function = Callable[..., Any]
_KEYS = {str, int, bytes}


def quick_insert_of(
    windows: KeyedWindows, reader: EventReader, insert: Function
) -> Function:
    """`insert` for many keys: a number, or a dict of numbers with its instant.

    What is anything else goes the long way, `insert`, which also says what is wrong.
    """
    pending, on, read_tick = windows.pending, reader.on, reader.steady_reads.get
    slots, newest, waiting = windows.slots, windows.newest, windows.waiting
    ticks, add_waiting = pending.events[0], waiting.append
    add_tick = ticks.append
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
        tick = at
        if at is None and on is not None and type(value) is dict:
            tick = value.get(on)
        read = read_tick(type(tick))
        if read is None or type(key) not in _KEYS:
            return insert(value, at, key)
        slot = slots.get(key)
        try:
            tick = read(tick)
            if tick is not None:
                if slot is not None and tick < newest[slot]:
                    return insert(value, at, key)
                add_tick(tick)
            if add_number is not None and type(value) is not dict:
                add_number(value)
            else:
                add_row(value)
        except (TypeError, ValueError, OverflowError, KeyError):
            del ticks[len(waiting) :]
            return insert(value, at, key)
        for add_mask in add_masks:
            add_mask(1)
        if slot is None:
            slot = windows.open(key)
        if tick is not None:
            newest[slot] = tick
        add_waiting(slot)
        number = windows.events
        windows.events = number + 1
        if len(waiting) >= MOST:
            windows.flush()
        return key, tick, number

    return quick


def quick_query_of(windows: KeyedWindows, query: Function) -> Function:
    """`query` for many keys: the one event that waits, and its result, in one call."""
    program, pending, arena = windows.program, windows.pending, windows.arena
    policies, step = program.policies, program.steps.accounts["call_one_key"]
    if policies.waits and policies.trigger != TIME:
        return query
    slots, waiting, ticks = windows.slots, windows.waiting, pending.events[0]
    columns = pending.slots
    pops = [column.pop for column in (waiting, *(columns or [pending.column]))]
    if policies.timed:
        pops.append(ticks.pop)
    entry: Function | None = None  # numba's function, past its dispatcher

    def quick(key: Any = None, at: Any = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing."""
        nonlocal entry
        if at is not None or len(waiting) != 1 or type(key) not in _KEYS:
            return query(key, at)
        if entry is None:
            value = query(key, at)
            if program.steps.call_one_key is not step:  # it is compiled
                entry = entry_of(step.machine())
            return value
        slot, tick = waiting[0], ticks[0] if ticks else 0
        if slots.get(key) != slot or slot >= arena.count:
            return query(key, at)
        if policies.waits and not tick < arena.due.item(slot) < NEVER:
            return query(key, at)
        numbers = tuple([column[0] for column in columns])
        keys = arena.flat, arena.where, arena.due, slot
        size = entry(*keys, tick, 0.0, windows.out, numbers)
        if size < 0:
            return query(key, at)
        for pop in pops:
            pop()
        if not size:
            windows.give_back()
        return windows.read()

    return quick


def quick_calls(
    window: KeyWindow, insert: Function, query: Function
) -> tuple[Function, Function]:
    """`insert` and `query` over one window; what is given are the long ways."""
    column, known = window.pending.column, window.pending.known
    append, pop = column.append, column.pop
    step = window.program.steps.accounts["call_quick"]
    entry: Function | None = None  # numba's function, past its dispatcher

    def learn(number: Any) -> int:
        """Calls up to the first compiled one: later ones go past the dispatcher."""
        nonlocal entry
        size = step(window.memory, number)
        compiled = step.compiled(window.memory, number)
        entry = None if compiled is None else entry_of(compiled) or compiled
        return int(size)

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
        if key is None and at is None and len(column) == 1 and not known:
            n = column[0]
            size = learn(n) if entry is None else entry(window.argument, n)
            if size > 0:
                pop()
                window.first += 1
                return window.read()
            if not size:  # it is in, and nodes have become few
                pop()
                window.first += 1
                window.tidy()
                return window.read()
        return query(key, at)

    if isinstance(window, ManyWindow):
        return quick_insert, _query_of_list(window, query)
    return quick_insert, query if window.program.policies.waits else quick_query


def _query_of_list(window: ManyWindow, query: Function) -> Function:
    """`query` of a list of windows, with the one event that waits."""
    column, known = window.pending.column, window.pending.known
    pop, step = column.pop, window.program.steps.accounts["call_quick_many"]
    entry: Function | None = None  # numba's function, past its dispatcher

    def learn(number: Any) -> int:
        """Calls up to the first compiled one: later ones go past the dispatcher."""
        nonlocal entry
        size = step(window.memory, *window.arguments, number)
        compiled = step.compiled(window.memory, *window.arguments, number)
        entry = None if compiled is None else entry_of(compiled) or compiled
        return int(size)

    def quick_query(key: Any = None, at: Any = None) -> Any:
        """The aggregate of what is in each window, by its name."""
        if key is None and at is None and len(column) == 1 and not known:
            number = column[0]
            if entry is None:
                size = learn(number)
            else:
                size = entry(window.argument, *window.arguments, number)
            if size >= 0:  # the event is in every window
                pop()
                window.first += 1
                if size < window.few:  # a longer window was removed, or nodes are few
                    window.tidy()
                read = window.read_values
                return dict(zip(window.names, read())) if read else window.read_all()  # noqa: B905 - as many, and 0.1 us
        return query(key, at)

    return quick_query


def entry_of(compiled: Function) -> Function | None:
    """What numba's dispatcher calls once it knows the types: 0.27 us, not 0.40."""
    overloads = list(getattr(compiled, "overloads", {}).values())
    return overloads[0].entry_point if len(overloads) == 1 else None
