"""A whole batch of events, key by key.

Keys are told apart once for the batch; the events of each stay in their order.  What
would be refused is refused before the first event gets in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import BadInput

from .description import hashable
from .late_window import LateCell
from .order_checks import check_batch, pick
from .pending import NONE
from .results import Part
from .setting import Setting
from .window import Cell

Array = np.ndarray[Any, Any]
_PLAIN = {str, int, bool, bytes}


def feed_batch(
    setting: Setting,
    cell_of: Callable[..., Any],
    columns: Mapping[str, Any],
    ticks: Array | None,
    runs: list[tuple[Any, Array | None]],
    count: int,
) -> list[Part]:
    """Let the batch in; the results that fell due, key by key.

    `runs` has the rows of each key.
    """
    kit = setting.kit
    assert kit is not None
    source = kit.inputs.arrays(columns)
    others = setting.given.other_columns(columns, count)
    payloads = kit.inputs.payload_rows(columns)
    parts: list[Part] = []
    for key, rows in runs:
        cell = cell_of(key, create=False)
        check_batch(setting, cell, ticks, others, rows)
    for key, rows in runs:
        cell = cell_of(key)
        mine = [pick(one, rows) for one in source]
        times = NONE[0] if ticks is None else pick(ticks, rows)
        events = (times, *(pick(one, rows) if len(one) else one for one in others))
        number = (
            len(times) if ticks is not None else count if rows is None else len(rows)
        )
        if payloads is not None:
            chosen = payloads if rows is None else [payloads[i] for i in rows.tolist()]
            cell.payloads.update(enumerate(chosen, cell.total))
        parts += _let_in(cell, key, mine, events, number)
    return parts


def _let_in(
    cell: Cell, key: Any, source: list[Array], events: tuple[Array, ...], count: int
) -> list[Part]:
    cell.flush()
    waiting, cell.waiting = cell.waiting, []
    if len(events[0]) and isinstance(cell, LateCell):
        return _named(key, [*waiting, *cell.let_in_all(source, events)])
    if len(events[0]):
        cell.newest = int(events[0][-1])
    if len(events[1]):
        cell.last_mark = float(events[1][-1])
    if len(events[2]):
        cell.last_signal = float(events[2][-1])
    return _named(key, [*waiting, *cell.absorb(source, events, count)])


def _named(key: Any, parts: list[Part]) -> list[Part]:
    return [part._replace(key=key) for part in parts] if key is not None else parts


def runs_of(keys: Any, count: int) -> list[tuple[Any, Array | None]]:
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
    return [(key, np.array(mine)) for key, mine in rows.items()]


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


__all__ = ["feed_batch", "runs_of"]
