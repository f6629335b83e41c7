"""Runs of equal keys in a table that is sorted by them already.

    key     a   a   b   b   b   c
    firsts  0       2           5           lasts  2  5  6

Whoever sorted says what is equal: neighbours are compared, never hashed, so that
keys of any type serve.  A null equals a null, and a NaN a NaN of the same bits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types as pat

from windrow.windows.clock import Clock

from .columns import plain_array
from .sorted_rows import Stream, times_of

Array = np.ndarray[Any, Any]

_BITS = {16: pa.int16(), 32: pa.int32(), 64: pa.int64()}


def run_bounds(table: pa.Table, names: Sequence[str]) -> tuple[Array, Array]:
    """First and one past last row of each run of rows that agree in those columns."""
    rows = len(table)
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    changed = np.zeros(rows - 1, bool)
    for name in names:
        changed |= changes(plain_array(table.column(name)))
    firsts = np.concatenate([[0], np.flatnonzero(changed) + 1])
    return firsts, np.append(firsts[1:], rows)


def changes(array: pa.Array) -> Array:
    """Whether each value but the first differs from the one before it."""
    if len(array) < 2:
        return np.zeros(max(len(array) - 1, 0), bool)
    kind = array.type
    if pat.is_struct(kind):
        changed = np.zeros(len(array) - 1, bool)
        for child in array.flatten():
            changed |= changes(child)
    elif pat.is_nested(kind):
        values = [repr(value) for value in array.to_pylist()]  # NaN is like itself
        pairs = zip(values[1:], values, strict=False)
        changed = np.array([after != before for after, before in pairs])
    elif pat.is_null(kind):
        return np.zeros(len(array) - 1, bool)
    else:
        if pat.is_floating(kind):  # by its bits, so that NaN is like itself
            array = array.view(_BITS[kind.bit_width])
        differs = pc.not_equal(array[1:], array[:-1])
        changed = pc.fill_null(differs, False).to_numpy(zero_copy_only=False)
    if array.null_count:
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        changed = changed | (valid[1:] != valid[:-1])
    return changed


def sorted_stream(table: pa.Table, by: Sequence[str], clock: Clock | None) -> Stream:
    """The stream of a table whose rows stand in order of keys and time.

    Rows without a time stand first in their key.
    """
    firsts, lasts = run_bounds(table, by)
    keys = table.select(list(by)).take(pa.array(firsts)) if by else pa.table({})
    if clock is None:
        return Stream(None, firsts, lasts, keys, None)
    times, known = times_of(table, clock)
    unplaced = None
    if known is not None:
        before = np.concatenate([[0], np.cumsum(~known)])
        unplaced = before[lasts] - before[firsts]
    return Stream(None, firsts, lasts, keys, times, unplaced)
