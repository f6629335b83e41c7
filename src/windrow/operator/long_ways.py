"""Holds the windows of an operator, by key, and lets events of any kind reach them.

    operator.py   -->   quick.py, array_feed.py, list_feed.py     short ways
        |                              |
        +---------------------->  long_ways.py                    windows by key

Short ways go on here where they do not serve an event, and nothing here points back
to them or to the operator.  So an operator that nobody holds gives its memory back at
once: the garbage collector would wait, as it counts objects and not how large they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .array_feed import is_numbers
from .events import as_columns
from .inputs import Events, Source
from .keyed import KeyedWindows
from .keys import Runs, check_key, check_keyed, hashable, key_codes, runs_of
from .late_windows import LateWindow
from .layout import Array
from .results import ResultBatch, Results
from .setup import OperatorSetup, or_forget
from .window import KeyWindow

Function = Callable[..., Any]
NO_EVENT = (None, -np.inf, -np.inf)


class LongWays:
    """The windows of an operator: `windows` one by one, or `shared` in one place.

    `keyed` is None until the first event tells whether events have keys.
    """

    def __init__(
        self,
        setup: OperatorSetup,
        windows: dict[Any, KeyWindow],
        shared: KeyedWindows | None,
        keyed: bool | None,
    ) -> None:
        self.setup, self.reader = setup, setup.reader
        self.windows, self.shared, self.keyed = windows, shared, keyed

    def insert(self, value: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let an event in; what has to leave leaves.  Gives a handle to the event."""
        return or_forget(self.setup, self._insert, value, at, key)

    def _insert(self, value: Any, at: Any, key: Any) -> Any:
        check_keyed(self.keyed, key)
        if key is not None and key not in self._known(key):
            check_key(key)
        event, tick = self.reader.event(value), self.reader.tick_of(at, value)
        program = self.setup.program_for(event)
        columns, others = program.columns, self.reader.others(event)
        numbers, payload = columns.event(event)
        if key is not None and (shared := self._share()) is not None:
            slot = shared.slots.get(key)
            if slot is not None:
                self.setup.order.check_event(shared.state_of(slot), tick, others)
            try:
                return shared.insert(key, numbers, tick, others, payload)
            finally:
                self._keep_shared(shared)
        window = self.window(key, create=False)
        if window is not None:
            self.setup.order.check_event(window.last, tick, others)
        else:
            window = self.window(key)
        if payload:
            window.payloads[window.total] = payload
        number = window.take_in(numbers, tick, others)
        return number if tick is None and not self.keyed else (key, tick, number)

    def feed(self, values: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let a batch in; None if its window was made only now, and takes arrays."""
        return or_forget(self.setup, self._feed, values, at, key)

    def _feed(self, values: Any, at: Any, key: Any) -> Any:
        values = as_columns(values)
        columns, count = self.reader.batch(values)
        check_keyed(self.keyed, key)
        if key is None:
            plain = count and at is None and not self.windows and is_numbers(values)
            if plain and self.setup.program_for_batch(columns).takes_numbers:
                self.window(None)  # nothing can be refused: it may go by arrays
                return None
            runs: Runs = [(None, None)] if count else []
            feed = (self.setup, self.window, columns, values, at, runs, count)
            return feed_batch(*feed)
        return self._feed_keys(columns, values, at, key, count)

    def _feed_keys(
        self, columns: Any, values: Any, at: Any, key: Any, count: int
    ) -> Results:
        distinct, codes = key_codes(key, count)
        for name in distinct:
            if name not in self._known(name):
                check_key(name)
        self.setup.program_for_batch(columns)
        if (shared := self._share()) is None:
            runs = runs_of(distinct, codes)
            feed = (self.setup, self.window, columns, values, at, runs, count)
            return feed_batch(*feed)
        try:
            return feed_keys(self.setup, shared, columns, values, at, distinct, codes)
        finally:
            self._keep_shared(shared)

    def query(self, key: Any = None, at: Any = None) -> Any:
        """The aggregate of what is in the window of a key."""
        check_keyed(self.keyed, hashable(key))
        tick = None if at is None else self.reader.tick(at)
        if self.shared is not None:
            value = self.shared.query(key, tick)
        else:
            window = self.window(key, create=False)
            if window is not None and tick is not None:
                window.pass_to(tick)
            value = None if window is None else window.look()
        return self.setup.empty() if value is None else value

    def window(self, key: Any, create: bool = True) -> Any:
        """The window of a key; None if there is none and none is wanted."""
        check_keyed(self.keyed, key)
        try:
            window = self.windows.get(key)
        except TypeError:
            hashable(key)
            raise
        if window is None and create:
            self.keyed = key is not None
            window = self.windows[key] = self.setup.new_window(keyed=self.keyed)
        return window

    def window_of(self, key: Any) -> Any:
        """The window of a key, or all of them where they stand in one place."""
        return self.window(key, create=False) if self.shared is None else self.shared

    def _share(self) -> KeyedWindows | None:
        """The windows of all keys in one place, if they can be."""
        if self.shared is None and not self.windows:
            return self.setup.new_windows()
        return self.shared

    def _keep_shared(self, shared: KeyedWindows) -> None:
        """Have keys from the first event on that was not refused."""
        if shared.slots:
            self.shared, self.keyed = shared, True

    def _known(self, key: Any) -> Any:
        """The keys that have a window, by which a key can be looked up."""
        hashable(key)
        return self.windows if self.shared is None else self.shared.slots


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
    source, payloads = program.columns.batch(columns)
    events = (ticks, *setup.reader.other_columns(columns, count))
    batches: list[ResultBatch] = []
    events_of = [tuple(_pick(column, rows) for column in events) for _, rows in runs]
    for (key, _), own_events in zip(runs, events_of, strict=True):
        window = window_of(key, create=False)
        setup.order.check_batch(NO_EVENT if window is None else window.last, own_events)
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
    source, payloads = program.columns.batch(columns)
    known = [windows.slot(key) for key in distinct]
    setup.order.check_batches(windows.last_of(known), codes, events)
    own = [
        windows.open(key) if slot is None else slot
        for key, slot in zip(distinct, known, strict=True)
    ]
    slots = np.array(own, np.int64)[codes]
    batches = windows.feed(slots, source, events, payloads) if count else []
    return Results(program.columns.request, batches, program.bounds)
