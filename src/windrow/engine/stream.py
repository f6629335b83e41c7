"""Rows in stream order: by key, then by time, ties as they arrived.

    table rows      0   1   2   3   4
    key             b   a   b   a   b
    time            5   3   4   9   4

    order           1   3 | 2   4   0          runs: [0, 2) is a, [2, 5) is b

A table that stands in this order already is used as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numba import njit

from windrow.errors import BadInput
from windrow.plan.clock import Clock

from .columns import numbers, plain_array
from .keys import key_codes, sort_nulls_first

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Stream:
    """Runs [firsts[k], lasts[k]) of rows, one for each row of `keys`.

    `order[i]` is the row of the table that stands at place i (None: as it is).
    `times` are ticks in stream order; in each run the first `unplaced[k]` rows have
    no time at all.
    """

    order: Array | None
    firsts: Array
    lasts: Array
    keys: pa.Table
    times: Array | None
    unplaced: Array | None = None

    def __len__(self) -> int:
        return int(self.lasts[-1]) if len(self.lasts) else 0

    def gather(self, values: Array) -> Array:
        """A column's values in stream order."""
        return values if self.order is None else values[self.order]

    def gather_arrow(self, column: pa.ChunkedArray) -> pa.Array:
        """An Arrow column in stream order."""
        array = plain_array(column)
        return array if self.order is None else array.take(pa.array(self.order))


def stream_of(
    table: pa.Table,
    by: Sequence[str],
    clock: Clock | None,
    ties: Sequence[str] = (),
    *,
    keep_unplaced: bool = False,
) -> Stream:
    """Put a table's rows in stream order.

    Rows without a time are left out, or with `keep_unplaced` stand first.
    """
    times, placed = (None, None) if clock is None else _times(table, clock)
    order = _time_order(table, clock, times, placed, ties, keep_unplaced)
    if by:
        codes, keys = key_codes(table, by)
        order, sizes = _group(codes, order, len(keys))
        firsts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        lasts = firsts + sizes
        if not keep_unplaced and placed is not None:  # a key may have lost all its rows
            left = sizes > 0
            keys, firsts, lasts = keys.filter(pa.array(left)), firsts[left], lasts[left]
    else:
        rows = len(table) if order is None else len(order)
        keys = pa.table({})
        firsts = np.zeros(min(rows, 1), np.int64)
        lasts = np.full(min(rows, 1), rows, np.int64)
    if times is not None and order is not None:
        times = times[order]
    unplaced = None
    if keep_unplaced and placed is not None:
        there = placed if order is None else placed[order]
        before = np.concatenate([[0], np.cumsum(~there)])
        unplaced = before[lasts] - before[firsts]
    return Stream(order, firsts, lasts, keys, times, unplaced)


def _times(table: pa.Table, clock: Clock) -> tuple[Array, Array | None]:
    column = numbers(table.column(clock.column), clock.column)
    times = column.values
    if times.dtype != np.int64:
        times = times.astype(np.int64)
    if clock.factor != 1:
        limit = (2**63 - 1) // clock.factor
        known = times if column.valid is None else times[column.valid]
        if len(known) and (known.max() > limit or known.min() < -limit):
            raise BadInput.because(
                f"cannot count the times of column {clock.column!r} in {clock.instant}",
                "some lie too far from 1970 for that unit",
                "use durations that are whole numbers of the column's own unit",
            )
        times = times * clock.factor
    return times, column.valid


def _time_order(
    table: pa.Table,
    clock: Clock | None,
    times: Array | None,
    placed: Array | None,
    ties: Sequence[str],
    keep_unplaced: bool,
) -> Array | None:
    """Rows by time, ties by the named columns, then as they arrived."""
    if clock is None or times is None:
        return None
    if ties:
        order = sort_nulls_first(table, [clock.column, *ties])
        return order if placed is None or keep_unplaced else order[placed[order]]
    if placed is not None:
        known = np.flatnonzero(placed)
        order = known[np.argsort(times[known], kind="stable")]
        return np.concatenate([np.flatnonzero(~placed), order]) if keep_unplaced else order
    if _is_sorted(times):
        return None
    return np.argsort(times, kind="stable")


@njit(cache=True, nogil=True)
def _is_sorted(values):  # type: ignore[no-untyped-def]
    for i in range(1, len(values)):
        if values[i] < values[i - 1]:
            return False
    return True


@njit(cache=True, nogil=True)
def _scatter(codes, before, places, order):  # type: ignore[no-untyped-def]
    """Counting sort: stable, one pass, whatever the number of keys."""
    for i in range(len(order)):
        row = before[i] if len(before) > 0 else i
        place = places[codes[row]]
        order[place] = row
        places[codes[row]] = place + 1


def _group(codes: Array, order: Array | None, keys: int) -> tuple[Array | None, Array]:
    """Rows by key, within a key in the order given; and the size of each key."""
    here = codes if order is None else codes[order]
    sizes = np.bincount(here, minlength=keys).astype(np.int64)
    if order is None and (keys == 1 or _is_sorted(codes)):
        return None, sizes
    places = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
    small = len(codes) < 2**31
    grouped = np.empty(len(here), np.int32 if small else np.int64)
    before = np.empty(0, np.int64) if order is None else order
    _scatter(codes, before, places, grouped)
    return grouped, sizes


def check_sorted(times: Array, what: str) -> None:
    """Refuse times that fall, where order was promised."""
    if len(times) and not _is_sorted(times):
        at = int(np.argmax(times[1:] < times[:-1])) + 1
        raise BadInput.because(
            f"cannot slide over {what}",
            f"they are not in order: entry {at} lies before entry {at - 1}",
            "sort values and times together by time first",
        )
