"""Lets batches of events in, key by key, and finds events by their handles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import plain_array
from windrow.errors import BadInput

from .description import hashable
from .events import check_length
from .inputs import Events, Source
from .keyed import KeyedWindows
from .late_windows import LateWindow
from .layout import Array
from .results import ResultBatch, Results
from .setup import OperatorSetup
from .window import KeyWindow

Function = Callable[..., Any]
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
