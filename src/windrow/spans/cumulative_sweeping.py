"""Implements Cumulative Sweeping: sorted starts and ends, swept by windows.

    starts, sorted     s1  s2     s3        s4  s5
    ends, sorted            e2        e1      e4       e3  e5
    window                      |-----------|
    counted on         s1  s2     s3        .               those before its end
    taken off               e2                              those before its start

Two indexes stand for two sorted arrays here.  It needs an inverse; the cost of an
event does not depend on its length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.aggregates import Law
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, emit, inverse, leaf, peek

from ._technique import Array, Fields, Technique, Windows, Work
from .events import Events


def in_order(events: Events, instants: Array) -> Array:
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


def _index(work: Work) -> tuple[Array, Array]:
    events = work.laid.events
    return in_order(events, events.starts), in_order(events, events.lasts)


def _answer(work: Work, indexes: Any, windows: Windows) -> Fields:
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
    insert="2 log N",
    release="2 N b / w",
    space="2 N",
    source="Piatov, Helmer (SSTD 2017); SES 5.3, Table 4",
    prepare=_index,
    answer=_answer,
)
