"""Implements Tuple Buckets: the events of each window, folded at its release.

    event            ========
    windows     |--------|                its number goes into the bucket of each
                   |--------|             window that it overlaps
                      |--------|

Nothing is shared, and every event stands in as many buckets as windows overlap it.
It is the definition itself, asks for no law, and serves what has no partial: the
buckets are the positions of the events of each window, in the order of their ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow._compiled import compiled
from windrow.aggregates import Law
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, peek
from windrow.windows.frames import Frames

from ._technique import Array, Fields, Technique, Windows, Work
from .events import LaidEvents


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
    change = np.zeros(len(frames.begins) + 1, np.int64)
    _count(first, last, laid.firsts, laid.lasts, change)
    offsets = np.zeros(len(frames.begins) + 1, np.int64)
    np.cumsum(np.cumsum(change[:-1]), out=offsets[1:])
    positions = np.empty(offsets[-1], np.int64)
    _fill(first, last, laid.firsts, laid.lasts, offsets[:-1].copy(), positions)
    return offsets, positions


@compiled
def _count(first, last, firsts, lasts, change):
    for i in range(len(firsts)):
        change[first[firsts[i]]] += 1
        change[last[lasts[i]] + 1] -= 1


@compiled
def _fill(first, last, firsts, lasts, room, positions):
    for i in range(len(firsts)):
        for w in range(first[firsts[i]], last[lasts[i]] + 1):
            positions[room[w]] = i
            room[w] += 1


def fold_buckets(source, offsets, positions, out):
    for w in range(len(offsets) - 1):
        whole = IDENTITY
        for j in range(peek(offsets, w), peek(offsets, w + 1)):
            whole = combine(whole, leaf(source, peek(positions, j)))
        emit(out, w, whole)


def _answer(work: Work, _: Any, windows: Windows) -> Fields:
    out = arrays(work.product.out_dtypes, len(windows))
    offsets, positions = fill_buckets(work.laid, windows.frames)
    work.run(fold_buckets, work.source, offsets, positions, out)
    return out


TUPLE_BUCKETS = Technique(
    name="tuple_buckets",
    title="Tuple Buckets: the events of each window, folded at its release",
    needs=Law.NONE,
    insert="(m + w) / b",
    release="N",
    space="N (m + w) / b events",
    source="Li et al. (SIGMOD 2005); SES 5.3, Table 4",
    answer=_answer,
)
