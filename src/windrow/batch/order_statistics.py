"""Computes order statistics of ranges of rows: quantiles, ranks, modes, the top few.

    values     null dropped already, any type that has an order
    numbers    what is compared: numbers as they are, ticks, ranks of strings
    rows       which row of a window is the answer, by `selection/`
    result     its value, or a number between two

A window of no values gives null, and an empty list where a list is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates.order_functions import CONTINUOUS
from windrow.errors import BadInput
from windrow.loops import (
    arrays,
    as_arrow,
    as_numpy,
    in_threads,
    limited,
    steadily,
)
from windrow.loops import compute as pc
from windrow.selection import (
    NO_ROWS,
    Method,
    below,
    dense_codes,
    grow,
    index_table,
    limbs_of,
    median_distances,
    most_frequent,
    select,
    walk_trains,
    weigh,
)

from .columns import numbers, plain_array
from .results import take_positions

Array = np.ndarray[Any, Any]
PIECE = 1 << 18  # windows that a thread takes at once


def quantiles(
    values: pa.Array,
    starts: Array,
    stops: Array,
    selection: Method,
    q: float | tuple[float, ...] = 0.5,
    interpolation: str = "linear",
) -> pa.Array:
    """The quantile of each window, or the list of several."""
    several = q if isinstance(q, tuple) else (q,)
    sizes = stops - starts
    least, most = int(sizes.min(initial=2**62)), int(sizes.max(initial=0))
    tables = [index_table(each, interpolation, most) for each in several]
    targets = np.stack([index for index, _ in tables])
    if least == most:  # one number for all windows, and none of them is empty
        shares = [share[most] for _, share in tables]
    else:
        shares = [share[sizes] if share.any() else 0.0 for _, share in tables]
    steps = 2 if any(np.any(share) for share in shares) else 1
    empty = sizes == 0 if least == 0 else None
    compared = numbers(values, "the values").values
    rows = select(selection, compared, starts, stops, targets, steps)
    if interpolation in CONTINUOUS:
        floats = _floats(values)
        columns = [_between(floats, rows[j], s) for j, s in enumerate(shares)]
        lines: Array = columns[0] if len(columns) == 1 else np.stack(columns, axis=1)
        mask = None if empty is None else np.repeat(empty, len(several))
        found = as_arrow(lines.ravel(), mask=mask)
    else:
        found = take_positions(values, rows[:, :, 0].T.ravel())
    if not isinstance(q, tuple):
        return found
    counts = np.full(len(sizes), len(q)) if empty is None else len(q) * ~empty
    offsets = np.cumsum(counts, dtype=np.int64)
    if empty is not None:
        found = found.filter(as_arrow(np.repeat(~empty, len(q))))
    return _lists(np.concatenate([[0], offsets]), found, empty)


def moving_quantiles(
    values: pa.Array,
    width: int,
    threads: int,
    q: float = 0.5,
    interpolation: str = "linear",
) -> pa.Array:
    """The quantile of each window of `width` rows that moves on by one, as a float.

    The bounds of windows are nowhere in memory, and each thread writes to its part of
    the result: of 10M windows of 1,001 rows these took 4 of 10 parts of the time.
    """
    index, share = index_table(q, interpolation, width)
    compared, floats = numbers(values, "the values").values, _floats(values)
    windows = max(len(values) - width + 1, 0)
    (out,) = arrays(("float64",), windows)
    pieces = max(windows // max(4 * width, PIECE), 1)

    def walk(piece: int) -> None:
        since, until = (windows * end // pieces for end in (piece, piece + 1))
        if since < until:
            train = np.array([[since], [until + width - 1], [width]])
            trains = train[0], train[1], train[2]
            tables = index[None], NO_ROWS, share[None]
            own = out[None, since:until]
            walk_trains(compared, width, trains, *tables, floats, own)

    with steadily(), limited(threads):
        in_threads(walk, pieces, threads)
    return as_arrow(out)


def _between(floats: Array, rows: Array, share: Any) -> Array:
    """The number between a row and the next in order; any for a row of -1."""
    if not len(floats):
        return np.zeros(len(rows))
    low = floats[rows[:, 0]]
    if rows.shape[1] == 1:
        return low
    high = floats[rows[:, 1]]
    with np.errstate(all="ignore"):
        mixed = (1.0 - share) * low + share * high
    return np.where((low == high) | (share == 0.0), low, mixed)


def _floats(values: pa.Array) -> Array:
    kind = values.type
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return as_numpy(pc.cast(values, pa.float64()))
    return numbers(values, "the values").values.astype(np.float64)


def _lists(offsets: Array, values: pa.Array, empty: Array | None = None) -> pa.Array:
    """Lists of values; null where `empty`."""
    mask = as_arrow(empty) if empty is not None and empty.any() else None
    if offsets[-1] >= 2**31:
        return pa.LargeListArray.from_arrays(as_arrow(offsets), values, mask=mask)
    short = as_arrow(offsets.astype(np.int32))
    return pa.ListArray.from_arrays(short, values, mask=mask)


def top_or_bottom(
    values: pa.Array,
    starts: Array,
    stops: Array,
    selection: Method,
    k: int,
    *,
    top: bool,
) -> pa.Array:
    """The k largest values of each window, the largest first, or the smallest."""
    sizes = stops - starts
    longest = int(sizes.max(initial=0))
    n = np.arange(longest + 1)
    first = np.maximum(n - k, 0) if top else np.zeros(len(n), np.int64)
    steps = max(min(k, longest), 1)
    compared = numbers(values, "the values").values
    rows = select(selection, compared, starts, stops, first[None, :], steps)[0]
    counts = np.minimum(sizes, k)
    if top:
        places = counts[:, None] - 1 - np.arange(steps)
        rows = np.take_along_axis(rows, np.maximum(places, 0), axis=1)
    there = np.arange(steps) < counts[:, None]
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return _lists(offsets, values.take(as_arrow(rows[there])))


def modes(values: pa.Array, starts: Array, stops: Array) -> pa.Array:
    """The most frequent value of each window, the smallest of several."""
    compared = numbers(values, "the values").values
    if not len(compared):
        return pa.nulls(len(starts), values.type)
    codes, kinds, row_of = dense_codes(compared)
    out = np.empty(len(starts), np.int64)
    most_frequent(codes, kinds, starts, stops, out)
    return take_positions(values, np.where(out >= 0, row_of[out], -1))


def ranks(
    values: pa.Array,
    starts: Array,
    stops: Array,
    own: Array,
    *,
    method: str = "min",
    descending: bool = False,
    percent: bool = False,
) -> pa.Array:
    """The rank of row own[i] in window i, from 1 on; null where own[i] is -1.

    It counts itself also where it is not in the window.  With `percent`, the share of
    the other values of the window that come before it.
    """
    unknown = own < 0
    compared = numbers(values, "the values").values
    if not len(compared):
        return pa.nulls(len(own), pa.float64() if percent else pa.int64())
    codes, kinds, _ = dense_codes(compared)
    if descending:
        codes = kinds - 1 - codes
    tree = grow(codes, kinds)
    code = codes[np.maximum(own, 0)]
    less = below(tree, starts, stops, code)
    inside = (starts <= own) & (own < stops)
    if percent:
        others = stops - starts - inside
        share = less / np.maximum(others, 1)
        return as_arrow(share, mask=unknown)
    if method == "min":
        return as_arrow(less + 1, mask=unknown)
    upto = below(tree, starts, stops, code + 1) + ~inside
    if method == "max":
        return as_arrow(upto, mask=unknown)
    return as_arrow((less + 1 + upto) / 2.0, mask=unknown)


def weighted_medians(
    values: pa.Array, starts: Array, stops: Array, other: pa.Array
) -> pa.Array:
    """The value at which half of the weight of each window, `other`, is reached."""
    heavy = _floats(plain_array(other))
    if not (np.isfinite(heavy) & (heavy >= 0)).all():
        wrong = heavy[~(np.isfinite(heavy) & (heavy >= 0))][0]
        raise BadInput.because(
            f"cannot weigh a value by {wrong}",
            "a weight is a number of 0 or more",
            "leave such rows out, with where= or before the call",
        )
    if not len(heavy):
        return pa.nulls(len(starts), pa.float64())
    codes, kinds, row_of = dense_codes(numbers(values, "the values").values)
    out, after = np.empty((2, len(starts)), np.int64)
    limbs = limbs_of(heavy)
    weigh(codes, kinds, limbs.parts, limbs.gaps, starts, stops, out, after)
    rows = np.stack([row_of[np.maximum(out, 0)], row_of[np.maximum(after, 0)]], axis=1)
    half = np.where(after != out, 0.5, 0.0)
    return as_arrow(_between(_floats(values), rows, half), mask=out < 0)


def deviations(values: pa.Array, starts: Array, stops: Array) -> pa.Array:
    """The median distance of values from their median."""
    if not len(values):
        return pa.nulls(len(starts), pa.float64())
    compared = numbers(values, "the values").values
    found = median_distances(compared, _floats(values), starts, stops)
    return as_arrow(found, mask=stops == starts)


BY_ORDER: dict[str, Callable[..., pa.Array]] = {
    "median": quantiles,
    "quantile": quantiles,
    "percentile_disc": quantiles,
    "weighted_median": weighted_medians,
    "mad": deviations,
    "mode": modes,
    "top_k": partial(top_or_bottom, top=True),
    "bottom_k": partial(top_or_bottom, top=False),
    "rank": ranks,
    "percent_rank": partial(ranks, percent=True),
}
"""The functions of aggregates over values in order, by name."""

BY_INDEX = ("median", "quantile", "percentile_disc", "top_k", "bottom_k")
"""Those for which a method finds rows by their index."""
