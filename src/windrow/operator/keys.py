"""Keys of an operator's windows: which can be kept, and which key each event has.

    key=["b", "a", "b"]   ->   ["b", "a"] in order of coming, codes [0, 1, 0]
                               ->   ("b", events 0 and 2), ("a", event 1)

A key must be found again: by a dict, and after a save by what the save has of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.columns import plain_array
from windrow.errors import BadInput

from .description import text_of, value_of
from .layout import Array
from .read_values import check_length

Runs = list[tuple[Any, Array | None]]


def check_keyed(keyed: bool | None, key: Any) -> None:
    """Refuse a key where an operator has one window, and none where it has several."""
    if keyed and key is None:
        raise BadInput.because(
            "cannot tell which window is meant",
            "the operator has one for each key, and no key is given",
            "give key=",
        )
    if keyed is False and key is not None:
        raise BadInput.because(
            f"cannot look for the window of key {key!r}",
            "the operator has one window, and no keys",
            "leave key out, or make another operator",
        )


def check_key(key: Any) -> None:
    """Refuse a key that would come back from a save as another one.

    Text, bytes, truths, numbers, dates, datetimes, NumPy's scalars and tuples of them
    come back equal and of the same type.  A NaN equals nothing, so that its window
    could never be found again; objects of other types would have to be pickled.
    """
    if type(key) in (str, int, bool, bytes):
        return
    if type(key) is tuple:
        for entry in hashable(key):
            check_key(entry)
        return
    try:
        back = value_of(text_of(hashable(key)))
        same = type(back) is type(key) and bool(back == key)
    except (TypeError, ValueError, OverflowError, pa.ArrowException):
        same = False
    if not same:
        cause = f"an object of type {type(key).__name__} cannot be saved"
        if key != key:
            cause = "it does not equal itself, and could not be found again"
        raise _unusable(key, cause)


def check_handle(handle: Any, what: str) -> None:
    """Refuse what `insert` never gave: a number, or a key, an instant and a number."""
    numbers: tuple[Any, ...] = (handle,)
    if isinstance(handle, tuple) and len(handle) == 3:
        hashable(handle[0])
        numbers = (handle[1] or 0, handle[2])
    if not all(isinstance(number, int) for number in numbers):
        raise BadInput.because(
            f"cannot {what} the event {handle!r}",
            "that is no handle of an event",
            "give what insert gave for it",
        )


def hashable(key: Any) -> Any:
    """The key, refused if windows cannot be found by it."""
    try:
        hash(key)
    except TypeError as error:
        raise _unusable(key, str(error)) from error
    return key


def _unusable(key: Any, cause: str) -> BadInput:
    return BadInput.because(
        f"cannot keep a window for the key {key!r}",
        cause,
        "use text, bytes, numbers, dates, datetimes, or tuples of these",
    )


def key_codes(keys: Any, count: int) -> tuple[list[Any], Array]:
    """The keys of a batch in the order in which they come, and which each event has.

    Keys that are equal are one key, as in a dict: 1, 1.0 and True, 0.0 and -0.0.
    """
    if not hasattr(keys, "__len__") and not hasattr(keys, "__iter__"):
        raise BadInput.because(
            f"cannot give keys to {count} events",
            f"{keys!r} is one key",
            "give a key for each event",
        )
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
