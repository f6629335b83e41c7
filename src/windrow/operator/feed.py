"""Lets events in: a batch key by key, and plain numbers by a short way.

    runs_of       the rows of each key in a batch
    check_batch   refuses times that go back, and deltas that fall, before any gets in
    feed_batch    the events of each key, in their order
    quick_calls   insert and query of one number: an append, and one compiled call

The short way is for one window whose event is a number, of which nothing else is known.
The long way takes about ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import BadInput
from windrow.windows.policy_numbers import DELTA

from .description import hashable
from .inputs import NO_EVENTS
from .late_windows import LateWindow
from .results import ResultBatch, Results, RowResults
from .setup import OperatorSetup
from .window import MOST, KeyWindow

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]
Runs = list[tuple[Any, Array | None]]
Others = tuple[float, float, int]
_PLAIN = {str, int, bool, bytes}


def runs_of(keys: Any, count: int) -> Runs:
    """Each key with the numbers of its events; None is all of them.

    Keys that are equal are one key, as in a dict: 1, 1.0 and True, 0.0 and -0.0.
    """
    if keys is None:
        return [(None, None)] if count else []
    keys = keys if hasattr(keys, "__len__") else list(keys)
    if len(keys) != count:
        raise BadInput.because(
            f"cannot give keys to {count} events",
            f"there are {len(keys)} keys",
            "give one for each event",
        )
    column = _key_column(keys) if count else None
    if column is not None:
        encoded = column.dictionary_encode()
        distinct = encoded.dictionary.to_pylist()
        equal = len(distinct) - len(set(map(hashable, distinct)))
        if not column.null_count and not equal:
            codes = encoded.indices.to_numpy()
            order = np.argsort(codes, kind="stable")
            edges = np.searchsorted(codes[order], np.arange(1, len(distinct)))
            return list(zip(distinct, np.split(order, edges), strict=True))
        keys = column.to_pylist()
    rows: dict[Any, list[int]] = {}
    for row, key in enumerate(keys):
        rows.setdefault(hashable(key), []).append(row)
    if None in rows:
        raise BadInput.because(
            "cannot give an event to no key", "a key is null", "leave such events out"
        )
    return [(key, np.array(own)) for key, own in rows.items()]


def _key_column(keys: Any) -> pa.Array | None:
    """Keys as an Arrow column; None where some might change their type in one."""
    if isinstance(keys, pa.ChunkedArray):
        keys = keys.combine_chunks()
    if isinstance(keys, pa.Array):
        encoded = pa.types.is_dictionary(keys.type)
        return keys.dictionary_decode() if encoded else keys
    if str(getattr(keys, "dtype", "object")) != "object":
        return pa.array(keys)
    kinds = set(map(type, keys))
    if len(kinds) > 1 or not kinds <= _PLAIN:
        return None
    try:
        return pa.array(list(keys))
    except (pa.ArrowException, ValueError, OverflowError):  # past 64 bits, surrogates
        return None


def check_event(
    setup: OperatorSetup, window: KeyWindow, tick: int | None, others: Others
) -> None:
    """Refuse an event that comes too late, or whose delta falls."""
    newest, policies = window.newest, setup.policies
    if tick is not None and newest is not None and newest - tick > _allowed(setup):
        raise _backwards(setup, tick, newest)
    if policies.evict == DELTA and window.total and others[0] < window.last_mark:
        raise _falling(others[0])
    if policies.trigger == DELTA and window.total and others[1] < window.last_signal:
        raise _falling(others[1])


def check_batch(
    setup: OperatorSetup,
    window: KeyWindow | None,
    ticks: Array | None,
    others: tuple[Array, ...],
    rows: Array | None,
) -> None:
    """Refuse times that go back too far, and deltas that fall."""
    if ticks is not None:
        own = _pick(ticks, rows)
        newest = own[0] if window is None or window.newest is None else window.newest
        highest = np.maximum.accumulate(np.concatenate(([newest], own[:-1])))
        late = highest - own > _allowed(setup)
        if late.any():
            at = int(np.argmax(late))
            raise _backwards(setup, int(own[at]), int(highest[at]))
    for column, last in zip(others[:2], ("last_mark", "last_signal"), strict=True):
        if len(column):
            own = _pick(column, rows)
            new = window is None or not window.total
            before = own[0] if new else getattr(window, last)
            falls = np.diff(np.concatenate(([before], own))) < 0
            if falls.any():
                raise _falling(float(own[np.argmax(falls)]))


def _allowed(setup: OperatorSetup) -> int:
    return 0 if setup.lateness is None else setup.lateness.amount


def _backwards(setup: OperatorSetup, tick: int, newest: int) -> BadInput:
    instants = setup.reader.instants
    assert instants is not None
    cause = f"the newest event is at {instants.instant(newest)}"
    if setup.lateness is None:
        hint = "sort the events, or let them come late: lateness='1 minute'"
    else:
        cause += f", and events may be {setup.lateness.text} late"
        hint = "route such events elsewhere, or allow more lateness"
    return BadInput.because(f"cannot go back to {instants.instant(tick)}", cause, hint)


def _falling(value: float) -> BadInput:
    return BadInput.because(
        f"cannot go back to {value:g}",
        "a column that a delta measures must never fall",
        "sort the events by it, or let a duration or a number of rows rule the window",
    )


def _pick(values: Array, rows: Array | None) -> Array:
    """Those rows of an array; None is all."""
    return values if rows is None else np.ascontiguousarray(values[rows])


def feed_batch(
    setup: OperatorSetup,
    window_of: Function,
    columns: Mapping[str, Any],
    ticks: Array | None,
    runs: Runs,
    count: int,
) -> list[ResultBatch]:
    """Let the batch in; the results that fell due, key by key.

    `runs` has the rows of each key.
    """
    program = setup.program
    assert program is not None
    source = program.columns.arrays(columns)
    others = setup.reader.other_columns(columns, count)
    payloads = program.columns.payload_rows(columns)
    batches: list[ResultBatch] = []
    for key, rows in runs:
        window = window_of(key, create=False)
        check_batch(setup, window, ticks, others, rows)
    for key, rows in runs:
        window = window_of(key)
        slots = [_pick(slot, rows) for slot in source]
        times = NO_EVENTS[0] if ticks is None else _pick(ticks, rows)
        events = (
            times,
            *(_pick(other, rows) if len(other) else other for other in others),
        )
        if payloads is not None:
            own = payloads if rows is None else [payloads[i] for i in rows.tolist()]
            window.payloads.update(enumerate(own, window.total))
        size = count if rows is None else len(rows)
        results = _let_in(window, slots, events, size)
        batches += [batch._replace(key=key) for batch in results]
    return batches


def _let_in(
    window: KeyWindow, source: list[Array], events: tuple[Array, ...], count: int
) -> list[ResultBatch]:
    window.flush()
    untaken, window.untaken = window.untaken, []
    if len(events[0]) and isinstance(window, LateWindow):
        return [*untaken, *window.let_in_all(source, events)]
    if len(events[0]):
        window.newest = int(events[0][-1])
    if len(events[1]):
        window.last_mark = float(events[1][-1])
    if len(events[2]):
        window.last_signal = float(events[2][-1])
    return [*untaken, *window.absorb(source, events, count)]


def quick_calls(
    window: KeyWindow, insert: Function, query: Function
) -> tuple[Function, Function]:
    """`insert` and `query` over one window; what is given are the long ways."""
    column, known = window.pending.column, window.pending.known
    append, pop = column.append, column.pop
    call = compiled = window.program.module.call_quick

    def learn(argument: Array, value: Any) -> Any:
        """The first call: later ones know the types, and go past the dispatcher."""
        nonlocal call
        count = compiled(argument, value)
        call = _entry_of(compiled)
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

    def quick_query(key: Any = None) -> Any:
        """The aggregate of what is in the window; None if that is nothing."""
        alone = key is None and len(column) == 1 and not known
        if alone and call(window.argument, column[0]) > 0:
            pop()
            window.first += 1
            return window.read()
        return query(key)

    return quick_insert, query if window.program.policies.waits else quick_query


def _entry_of(compiled: Function) -> Function:
    """What numba's dispatcher calls once it knows the types: 0.27 us, not 0.40."""
    overloads = list(getattr(compiled, "overloads", {}).values())
    return overloads[0].entry_point if len(overloads) == 1 else compiled


def quick_feed(window: KeyWindow, feed: Function) -> Function:
    """`feed` for windows of rows that report every row, from an array of numbers."""
    program, column = window.program, window.pending.column
    request, module = program.columns.request, program.module
    dtypes = request.product.out_dtypes
    dtype, range_ = np.dtype(column.typecode), program.policies.range
    base = np.zeros(1, np.int64)  # nobody asks for positions here
    ones = np.ones(MOST, np.bool_)
    masks = len(program.columns.slots.masks)

    def quick(values: Any = None, at: Any = None, key: Any = None) -> Any:
        """Let a batch of events in, and give all results that fell due."""
        if (
            at is not None
            or key is not None
            or type(values) is not np.ndarray
            or values.dtype != dtype
            or values.ndim != 1
            or not values.flags.c_contiguous
            or (masks and len(values) > MOST)
        ):
            return feed(values, at, key)
        if len(column):
            window.flush()
        count = len(values)
        source = (values, ones[:count], base) if masks else (values, base)
        out = tuple([np.empty(count, kind) for kind in dtypes])
        results = module.call_rows(window.argument, source, count, out)
        if results < 0:  # no room yet
            return feed(values, at, key)
        window.first += count
        return Results(
            request, RowResults(results, window.first, range_, out), pa.array
        )

    return quick


__all__ = ["check_event", "feed_batch", "quick_calls", "quick_feed", "runs_of"]
