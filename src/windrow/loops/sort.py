"""Sorts rows by the codes of their keys: stable, by counting, on several threads.

    codes         1   0   1   0   1
    sizes         2 of 0, 3 of 1              counted piece by piece
    place         2   0   3   1   4           where each row goes: the next of its code

Each piece of rows has next places of its own, behind those of the pieces before it:
threads do not meet, and the order is that of one pass.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .arrays import arrays
from .columns import read
from .compiled import compiled
from .threads import over_rows

Array = np.ndarray[Any, Any]

BLOCK = 4096


def _no_value_falls(values: Array) -> bool:
    return not bool((values[1:] < values[:-1]).any())


@compiled(columns=_no_value_falls)
def is_sorted(values):  # type: ignore[no-untyped-def]
    """Whether no value is less than the one before it: without a branch in a block."""
    for start in range(1, len(values), BLOCK):
        falls = False
        for i in range(start, min(start + BLOCK, len(values))):
            falls |= read(values, i) < read(values, i - 1)
        if falls:
            return False
    return True


def _step_columns(values: Array) -> int:
    if not _no_value_falls(values):
        return -1
    return int(np.diff(values).max(initial=0))


@compiled(columns=_step_columns)
def _longest_step(values):  # type: ignore[no-untyped-def]
    """The longest step from one value to the next; -1 if one falls."""
    longest = np.uint64(0)
    for start in range(1, len(values), BLOCK):
        falls = False
        for i in range(start, min(start + BLOCK, len(values))):
            before, value = read(values, i - 1), read(values, i)
            falls |= value < before
            longest = max(longest, np.uint64(value - before))
        if falls:
            return np.int64(-1)
    return np.int64(longest)


def longest_step_in(values: Array, rows: slice) -> int:
    """The longest step to a value of a piece; -1 if one falls."""
    return int(_longest_step(values[max(rows.start - 1, 0) : rows.stop]))


def is_sorted_in(values: Array, rows: slice) -> bool:
    """Whether no value of a piece is less than the one before it."""
    return bool(is_sorted(values[max(rows.start - 1, 0) : rows.stop]))


def stable_order(codes: Array, size: int) -> Array:
    """The places of codes in [0, size) in ascending order, equal ones as they stand.

    numpy sorts words of 16 bits by counting, the others by comparing: two rounds of the
    first take a fifth of the time of the second (1M codes: 17 and 80 ms).
    """
    order = np.argsort(codes.astype(np.uint16), kind="stable")  # by the low word
    shift = 16
    while size > 1 << shift:
        high = (codes[order] >> shift).astype(np.uint16)
        order = order[np.argsort(high, kind="stable")]
        shift += 16
    return order


def _count_columns(codes: Array, order: Array, sizes: Array) -> None:
    some = codes[order] if len(order) else codes
    sizes += np.bincount(some, minlength=len(sizes))


@compiled(columns=_count_columns)
def _count_codes(codes, order, sizes):  # type: ignore[no-untyped-def]
    for i in range(len(order) if len(order) > 0 else len(codes)):
        sizes[codes[order[i] if len(order) > 0 else i]] += 1


def _sort_places(codes: Array, order: Array, next_place: Array, place: Array) -> None:
    rows = order if len(order) else np.arange(len(codes))
    by_key = rows[stable_order(codes[rows], len(next_place))]
    sizes = np.bincount(codes[rows], minlength=len(next_place))
    firsts = next_place - (np.cumsum(sizes) - sizes)
    place[by_key] = np.arange(len(by_key)) + firsts[codes[by_key]]


@compiled(columns=_sort_places)
def _find_places(codes, order, next_place, place):  # type: ignore[no-untyped-def]
    """Sort by counting: stable, one pass, whatever the number of keys."""
    for i in range(len(order) if len(order) > 0 else len(codes)):
        row = order[i] if len(order) > 0 else i
        place[row] = next_place[codes[row]]
        next_place[codes[row]] += 1


def _scatter(values: Array, place: Array, out: Array) -> None:
    rows = place >= 0
    if rows.all():
        out[place] = values
    else:
        out[place[rows]] = values[rows]


@compiled(columns=_scatter)
def write_places(values, place, out):  # type: ignore[no-untyped-def]
    """Put each value at its place; -1 leaves it out."""
    for row in range(len(values)):
        if place[row] >= 0:
            out[place[row]] = values[row]


def _place_dtype(rows: int) -> str:
    return "int32" if rows < 2**31 else "int64"


def _no_places(rows: int) -> Array:
    return np.full(rows, -1, _place_dtype(rows))


def places_of(order: Array, rows: int) -> Array:
    """The place of each of so many rows in `order`; -1: it is not there."""
    place = _no_places(rows)
    place[order] = np.arange(len(order), dtype=place.dtype)
    return place


def group_by_code(
    codes: Array, order: Array | None, keys: int, threads: int
) -> tuple[Array | None, Array]:
    """The place of each row, by key and within a key by `order`; key sizes."""
    if order is not None and len(order) == 0:
        return _no_places(len(codes)), np.zeros(keys, np.int64)
    none = np.empty(0, np.int64)
    place: Array | None = None
    if order is not None:
        place = _no_places(len(codes))
    elif not all(over_rows(partial(is_sorted_in, codes), len(codes), threads)):
        (place,) = arrays((_place_dtype(len(codes)),), len(codes))
    if keys * threads > len(codes):  # a table of sizes for each piece would be large
        threads = 1

    def pick(rows: slice) -> tuple[Array, Array]:
        """The codes of a piece of the rows, or all of them with a piece of `order`."""
        return (codes[rows], none) if order is None else (codes, order[rows])

    def count(rows: slice) -> tuple[slice, Array]:
        sizes = np.zeros(keys, np.int64)
        _count_codes(*pick(rows), sizes)
        return rows, sizes

    pieces = over_rows(count, len(codes) if order is None else len(order), threads)
    sizes = np.sum([of_piece for _, of_piece in pieces], axis=0)
    if place is None:
        return None, sizes
    next_place = {0: np.cumsum(sizes) - sizes}
    for rows, of_piece in pieces:
        next_place[rows.stop] = next_place[rows.start] + of_piece

    def find(rows: slice) -> None:
        own = place[rows] if order is None else place
        _find_places(*pick(rows), next_place[rows.start].copy(), own)

    over_rows(find, len(codes) if order is None else len(order), threads)
    return place, sizes
