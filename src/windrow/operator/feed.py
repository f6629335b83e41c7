"""Lets batches in, key by key, and refuses events that come too late."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import plain_array
from windrow.errors import BadInput
from windrow.windows import Duration

from .description import hashable
from .events import EventReader
from .inputs import Events, Others, Source, check_length
from .keyed import KeyedWindows
from .late_windows import LateWindow
from .layout import Array
from .results import ResultBatch, Results
from .window import KeyWindow

if TYPE_CHECKING:
    from .setup import OperatorSetup

Function = Callable[..., Any]
Runs = list[tuple[Any, Array | None]]
NO_EVENT = (None, -np.inf, -np.inf)


class OrderCheck:
    """Refuses events that go back in time too far, and deltas that fall."""

    def __init__(self, reader: EventReader, lateness: Duration | None) -> None:
        self.reader, self.lateness = reader, lateness
        self._late = 0 if lateness is None else lateness.amount

    def check_event(
        self,
        last: tuple[int | None, float, float],
        tick: int | None,
        others: Others,
    ) -> None:
        """Refuse an event that comes too late, or whose delta falls.

        `last` are the newest instant, mark and signal.
        """
        newest, mark, signal = last
        if tick is not None and newest is not None and newest - tick > self._late:
            raise self._backwards(tick, newest)
        if others[0] < mark:
            raise _falling(others[0])
        if others[1] < signal:
            raise _falling(others[1])

    def check_batch(
        self, before: tuple[int | None, float, float], events: Events
    ) -> None:
        """Refuse times that go back too far, and deltas that fall."""
        ticks, marks, signals, _ = events
        newest, *last = before
        if len(ticks):
            first = ticks[0] if newest is None else newest
            highest = np.maximum.accumulate(np.concatenate(([first], ticks[:-1])))
            late = highest - ticks > self._late
            if late.any():
                at = int(np.argmax(late))
                raise self._backwards(int(ticks[at]), int(highest[at]))
        for column, value in zip((marks, signals), last, strict=True):
            if len(column) and (falls := np.diff(column, prepend=value) < 0).any():
                raise _falling(float(column[np.argmax(falls)]))

    def check_batches(
        self, last: tuple[Array, Array, Array], codes: Array, events: Events
    ) -> None:
        """The same for a batch of many keys, by `last` of each and the events' keys."""
        order = np.argsort(codes, kind="stable")
        own = codes[order]
        begins = np.diff(own, prepend=-1) != 0
        for number, column in enumerate(events[:3]):
            if not len(column):
                continue
            values = column[order]
            before = np.append(values[:1], values[:-1])
            before[begins] = last[number][own[begins]]
            falls = values < before
            if falls.any():
                at = int(np.argmax(falls))
                if number == 0:
                    raise self._backwards(int(values[at]), int(before[at]))
                raise _falling(float(values[at]))

    def _backwards(self, tick: int, newest: int) -> BadInput:
        cause = f"the newest event is at {self.reader.instant(newest)}"
        hint = "sort the events, or let them come late: lateness='1 minute'"
        if self.lateness is not None:
            cause += f", and events may be {self.lateness.text} late"
            hint = "route such events elsewhere, or allow more lateness"
        fact = f"cannot go back to {self.reader.instant(tick)}"
        return BadInput.because(fact, cause, hint)


def _falling(value: float) -> BadInput:
    return BadInput.because(
        f"cannot go back to {value:g}",
        "a column that a delta measures must never fall",
        "sort the events by it, or let a duration or a number of rows rule the window",
    )


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
    source = program.columns.arrays(columns)
    payloads = program.columns.payload_rows(columns)
    known = [windows.slot(key) for key in distinct]
    setup.order.check_batches(windows.last_of(known), codes, events)
    own = [
        windows.open(key) if slot is None else slot
        for key, slot in zip(distinct, known, strict=True)
    ]
    slots = np.array(own, np.int64)[codes]
    batches = windows.feed(slots, source, events, payloads) if count else []
    return Results(program.columns.request, batches, program.bounds)
