"""A whole batch of events, key by key.

Keys are told apart once for the batch; the events of each stay in their order.  What
would be refused is refused before the first event gets in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.errors import BadInput

from .late_window import LateCell
from .order_checks import check_batch, pick
from .pending import NONE
from .results import Part
from .setting import Setting
from .window import Cell

Array = np.ndarray[Any, Any]


def feed_batch(
    setting: Setting,
    cell_of: Callable[..., Any],
    columns: Mapping[str, Any],
    ticks: Array | None,
    keys: Any,
    count: int,
) -> list[Part]:
    """Let the batch in; the results that fell due, key by key."""
    kit = setting.kit
    assert kit is not None
    source = kit.inputs.arrays(columns)
    others = setting.given.other_columns(columns, count)
    payloads = _payloads(kit.inputs.payloads, columns)
    parts: list[Part] = []
    runs = list(_runs(keys, count))
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


def _runs(keys: Any, count: int) -> Iterator[tuple[Any, Array | None]]:
    """Each key with the numbers of its events; None is all of them."""
    if keys is None:
        if count:
            yield None, None
        return
    column = keys if isinstance(keys, (pa.Array, pa.ChunkedArray)) else pa.array(keys)
    if len(column) != count:
        raise BadInput.because(
            f"cannot give keys to {count} events",
            f"there are {len(column)} keys",
            "give one for each event",
        )
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if column.null_count:
        raise BadInput.because(
            "cannot give an event to no key", "a key is null", "leave such events out"
        )
    encoded = column.dictionary_encode()
    codes = encoded.indices.to_numpy()
    order = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[order], np.arange(len(encoded.dictionary) + 1))
    for k, key in enumerate(encoded.dictionary.to_pylist()):
        yield key, order[edges[k] : edges[k + 1]]


def _payloads(
    names: list[str], columns: Mapping[str, Any]
) -> list[tuple[Any, ...]] | None:
    if not names:
        return None
    lists = []
    for name in names:
        given = columns[name]
        column = given if hasattr(given, "combine_chunks") else pa.array(given)
        lists.append(column.to_pylist())
    return list(zip(*lists, strict=True))


__all__ = ["feed_batch"]
