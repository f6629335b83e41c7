r"""Implements Cumulative and Selective Sweeping: windows sweep sorted bounds.

    starts, sorted     s1  s2     s3        s4  s5
    ends, sorted            e2        e1      e4       e3  e5
    window                      |-----------|
    begun              s1  s2     s3        .               those before its end
    over                    e2                              those before its start

Cumulative Sweeping combines what has begun and takes off what is over: it needs an
inverse, and the cost of an event does not depend on its length.  Selective Sweeping
pushes what has begun on a heap, with the winner on top:

           s2
         /    \                  what is over stays until it comes to the top, where
       s1      s3                it is taken off

A partial wins if `combine` gives it back, so that it must be selective; of two events
the one that ends first is the older one.  Indexes of events stand for sorted arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    inverse,
    leaf,
    peek,
    poke,
    same,
)
from windrow.loops import arrays

from ._columns import fold_overlaps, fold_pieces
from ._technique import Array, Costs, Fields, Technique, Windows, Work
from .events import Events


def _in_order(events: Events, instants: Array) -> Array:
    """The numbers of events in the order of those instants, run by run."""
    return np.lexsort((instants, events.run))


def sweep_counts(
    source, starts, lasts, by_start, by_end, froms, tos, begins, range_, counts, out
):
    at = 0
    for k in range(len(counts)):
        whole = IDENTITY
        next_start = next_end = peek(froms, k)
        stop = peek(tos, k)
        for i in range(at, at + peek(counts, k)):
            begin = peek(begins, i)
            end = begin + range_
            while next_start < stop and peek(starts, peek(by_start, next_start)) < end:
                whole = combine(whole, leaf(source, peek(by_start, next_start)))
                next_start += 1
            while next_end < stop and peek(lasts, peek(by_end, next_end)) < begin:
                whole = inverse(whole, leaf(source, peek(by_end, next_end)))
                next_end += 1
            emit(out, i, whole)
        at += peek(counts, k)


def _both_orders(work: Work) -> tuple[Array, Array]:
    events = work.laid.events
    return _in_order(events, events.starts), _in_order(events, events.lasts)


def _sweep_counts(work: Work, indexes: Any, windows: Windows) -> Fields:
    events, frames = work.laid.events, windows.frames
    out = arrays(work.product.out_dtypes, len(windows))
    work.run(sweep_counts, work.source, events.starts, events.lasts,
             *indexes, events.firsts, events.stops, frames.begins, windows.range,
             frames.counts, out)  # fmt: skip
    return out


CUMULATIVE_SWEEPING = Technique(
    name="cumulative_sweeping",
    title="Cumulative Sweeping: sorted starts counted on, sorted ends taken off",
    needs=Law.COMMUTATIVE | Law.INVERTIBLE,
    costs=Costs("2", "0", "2 N", "2 E"),
    paper="2 log N an event to keep its bounds sorted, 2 N b / w a window",
    source="Piatov, Helmer (SSTD 2017); SES 5.3, Table 4",
    prepare=_both_orders,
    answer=_sweep_counts,
)


def wins(source, a, b):
    """Whether `combine` selects event a of a and b."""
    if a < b:
        return same(combine(leaf(source, a), leaf(source, b)), leaf(source, a))
    return not same(combine(leaf(source, b), leaf(source, a)), leaf(source, b))


def push(source, heap, size, event):
    at = size
    while at > 0:
        above = (at - 1) // 2
        other = peek(heap, above)
        if not wins(source, event, other):
            break
        poke(heap, at, other)
        at = above
    poke(heap, at, event)


def pop(source, heap, size):
    """Take the top off a heap of that size."""
    last = peek(heap, size - 1)
    at = 0
    while 2 * at + 1 < size - 1:
        below = 2 * at + 1
        if below + 1 < size - 1 and wins(
            source, peek(heap, below + 1), peek(heap, below)
        ):
            below += 1
        if not wins(source, peek(heap, below), last):
            break
        poke(heap, at, peek(heap, below))
        at = below
    poke(heap, at, last)


def sweep_winners(
    source, firsts, lasts, by_start, froms, tos, starts, stops, counts, heap, out
):
    """Sweep slices, which tell the same as instants: windows begin and end at edges."""
    at = 0
    for k in range(len(counts)):
        next_start, stop = peek(froms, k), peek(tos, k)
        size = 0
        for i in range(at, at + peek(counts, k)):
            begin, end = peek(starts, i), peek(stops, i)
            while next_start < stop and peek(firsts, peek(by_start, next_start)) < end:
                push(source, heap, size, peek(by_start, next_start))
                size += 1
                next_start += 1
            while size > 0 and peek(lasts, peek(heap, 0)) < begin:
                pop(source, heap, size)
                size -= 1
            if size > 0:
                emit(out, i, leaf(source, peek(heap, 0)))
            else:
                emit(out, i, IDENTITY)
        at += peek(counts, k)


def columns_of_winners(
    source, firsts, lasts, _by_start, _from, _to, starts, stops, _counts, _heap, out
):
    """All windows side by side; the winner is the fold of events by their ends."""
    order = np.argsort(lasts, kind="stable")
    pieces, firsts, lasts = fold_pieces(source, firsts, lasts, order)
    partial = fold_overlaps(pieces, firsts, lasts, starts, stops)
    emit(out, slice(0, len(starts)), partial)


def _start_order(work: Work) -> Array:
    return _in_order(work.laid.events, work.laid.events.starts)


def _sweep_winners(work: Work, by_start: Any, windows: Windows) -> Fields:
    laid, events, frames = work.laid, work.laid.events, windows.frames
    out = arrays(work.product.out_dtypes, len(windows))
    heap = np.empty(int((events.stops - events.firsts).max(initial=0)), np.int64)
    work.run(sweep_winners, work.source, laid.firsts, laid.lasts, by_start,
             events.firsts, events.stops, frames.starts, frames.stops, frames.counts,
             heap, out, columns=columns_of_winners)  # fmt: skip
    return out


SELECTIVE_SWEEPING = Technique(
    name="selective_sweeping",
    title="Selective Sweeping: a heap of what has begun, the winner on top",
    needs=Law.SELECTIVE,
    costs=Costs("3 log E", "0", "3 E log E", "2 E"),
    paper="log N an event and a window, 2 N kept",
    source="Piatov, Helmer (SSTD 2017); SES 5.3, Table 4",
    prepare=_start_order,
    answer=_sweep_winners,
)
