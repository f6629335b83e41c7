r"""Implements Selective Sweeping: a heap of the events that have begun.

    starts, sorted     s1  s2     s3        s4  s5
    window                      |-----------|
    pushed             s1  s2     s3                        begun before its end
    heap                      s2
                            /    \                           the winner on top; off with
                          s1      s3                        it if it ended before the
                                                            window

What ended long ago stays on the heap until it comes to the top, where it is taken off.
A partial wins if `combine` gives it back, so that it must be selective; of two events
the one that ends first is the older one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.aggregates import Law
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, peek, poke, same

from ._technique import Array, Fields, Technique, Windows, Work
from .cumulative_sweeping import in_order


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
    source, starts, lasts, by_start, froms, tos, begins, range_, counts, heap, out
):
    at = 0
    for k in range(len(counts)):
        next_start, stop = peek(froms, k), peek(tos, k)
        size = 0
        for i in range(at, at + peek(counts, k)):
            begin = peek(begins, i)
            end = begin + range_
            while next_start < stop and peek(starts, peek(by_start, next_start)) < end:
                push(source, heap, size, peek(by_start, next_start))
                size += 1
                next_start += 1
            while size > 0 and peek(lasts, peek(heap, 0)) < begin:
                pop(source, heap, size)
                size -= 1
            emit(out, i, leaf(source, peek(heap, 0)) if size > 0 else IDENTITY)
        at += peek(counts, k)


def _index(work: Work) -> Array:
    return in_order(work.laid.events, work.laid.events.starts)


def _answer(work: Work, by_start: Any, windows: Windows) -> Fields:
    events, frames = work.laid.events, windows.frames
    out = arrays(work.product.out_dtypes, len(windows))
    heap = np.empty(int((events.stops - events.firsts).max(initial=0)), np.int64)
    work.run(sweep_winners, work.source, events.starts, events.lasts,
             by_start, events.firsts, events.stops, frames.begins, windows.range,
             frames.counts, heap, out)  # fmt: skip
    return out


SELECTIVE_SWEEPING = Technique(
    name="selective_sweeping",
    title="Selective Sweeping: a heap of what has begun, the winner on top",
    needs=Law.SELECTIVE,
    insert="log N",
    release="log N",
    space="2 N",
    source="Piatov, Helmer (SSTD 2017); SES 5.3, Table 4",
    prepare=_index,
    answer=_answer,
)
