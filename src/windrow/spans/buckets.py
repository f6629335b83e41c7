"""Implements Tuple Buckets and Aggregate Buckets: nothing is shared by windows.

    event            ========
    windows     |--------|                into the bucket of each window that it
                   |--------|             overlaps, as it comes
                      |--------|

A tuple bucket holds the numbers of the window's events, in the order of their ends, and
is folded at the window's release.  That is the definition itself: it asks for no law,
and serves what has no partial.  An aggregate bucket is a partial, and a release is one
`lower`.  In both an event costs as much as windows overlap it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, load, peek, store
from windrow.loops import arrays, compiled, ordinals
from windrow.windows import Frames

from ._numbering import count_bounds
from ._technique import Array, Costs, Fields, Technique, Windows, Work
from .events import LaidEvents
from .se_slicing import clear


def overlapped(laid: LaidEvents, frames: Frames) -> tuple[Array, Array]:
    """The windows around each slice, by which the windows of an event are found.

    `first` holds the slice or is the next to come, `last` holds it or is the one
    before: an event overlaps windows first[its first slice] ... last[its last slice].
    """
    slices = np.arange(len(laid))
    first = np.searchsorted(frames.stops, slices, side="right")
    last = np.searchsorted(frames.starts, slices, side="right") - 1
    return first, last


def fill_buckets(laid: LaidEvents, frames: Frames) -> tuple[Array, Array]:
    """The events of each window: bucket w is positions[offsets[w] : offsets[w + 1]]."""
    first, last = overlapped(laid, frames)
    windows = len(frames.begins)
    lows, highs = first[laid.firsts], last[laid.lasts] + 1
    begun, ended = count_bounds(lows, highs, windows + 1)
    offsets = np.zeros(windows + 1, np.int64)
    np.cumsum(np.cumsum(begun - ended)[:-1], out=offsets[1:])
    positions = np.empty(offsets[-1], np.int64)
    _fill(lows, highs, offsets[:-1].copy(), positions)
    return offsets, positions


def _fill_columns(lows, highs, _, positions):
    """The same; the buckets follow each other."""
    counts = highs - lows
    windows = np.repeat(lows, counts) + ordinals(counts)
    events = np.repeat(np.arange(len(lows)), counts)
    positions[:] = events[np.argsort(windows, kind="stable")]


@compiled(columns=_fill_columns)
def _fill(lows, highs, room, positions):
    for i in range(len(lows)):
        for w in range(lows[i], highs[i]):
            positions[room[w]] = i
            room[w] += 1


def fold_buckets(source, offsets, positions, out):
    for w in range(len(offsets) - 1):
        whole = IDENTITY
        for j in range(peek(offsets, w), peek(offsets, w + 1)):
            whole = combine(whole, leaf(source, peek(positions, j)))
        emit(out, w, whole)


def _fold_each(work: Work, _: Any, windows: Windows) -> Fields:
    out = arrays(work.product.out_dtypes, len(windows))
    offsets, positions = fill_buckets(work.laid, windows.frames)
    work.run(fold_buckets, work.source, offsets, positions, out)
    return out


TUPLE_BUCKETS = Technique(
    name="tuple_buckets",
    title="Tuple Buckets: the events of each window, folded at its release",
    needs=Law.NONE,
    costs=Costs("0", "N", "N", "E (m + w) / b"),
    paper="(m + w) / b positions an event, N (m + w) / b kept",
    source="Li et al. (SIGMOD 2005); SES 5.3, Table 4",
    answer=_fold_each,
)


def combine_buckets(source, first, last, firsts, lasts, buckets, out):
    clear(buckets)
    for i in range(len(firsts)):
        partial = leaf(source, i)
        start, stop = peek(first, peek(firsts, i)), peek(last, peek(lasts, i)) + 1
        for w in range(start, stop):
            store(buckets, w, combine(load(buckets, w), partial))
    for w in range(len(buckets[0])):
        emit(out, w, load(buckets, w))


def _combine_each(work: Work, _: Any, windows: Windows) -> Fields:
    laid, product = work.laid, work.product
    first, last = overlapped(laid, windows.frames)
    buckets = arrays(product.dtypes, len(windows))
    out = arrays(product.out_dtypes, len(windows))
    work.run(combine_buckets, work.source, first, last, laid.firsts, laid.lasts,
             buckets, out)  # fmt: skip
    return out


AGGREGATE_BUCKETS = Technique(
    name="aggregate_buckets",
    title="Aggregate Buckets: a partial for each window",
    needs=Law.NONE,
    costs=Costs("(m + w) / b", "0", "0", "(T + w) / b"),
    paper="w / b partials kept",
    source="Traub et al. (EDBT 2019); SES 5.3, Table 4",
    answer=_combine_each,
)
