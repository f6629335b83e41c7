"""SlickDeque (Inv): one running answer for each distinct range.

Windows of several ranges end at the same slice; each range takes the new slice on
and its own oldest off:

                 start[0]         start[1]          stop
    range 0         |---------------- whole[0] -------|
    range 1                          |--- whole[1] ---|
                    ^ inverse        ^ inverse        ^ combine, each

Invariant, for each range q, between any two windows of it:

    whole[q] == slice[start[q]] + ... + slice[stop[q] - 1]

With one range it is Subtract-on-Evict, and is exact for whole numbers only, for the
same reason.  The slices themselves stand in the source, which is the paper's array
of partials; a window at the beginning of the stream takes nothing off, where the
paper takes off the initial value of an array not yet filled.
"""

from dataclasses import replace

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    inverse,
    leaf,
    load,
    query_of,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._stepwise import Stepwise
from .recompute import STEPS
from .subtract_on_evict import evict, insert, prepare, stride, whole


def _count_ranges(bounds, count):
    most = 0
    for i in range(count):
        most = max(most, query_of(bounds, i) + 1)
    return most


def slide(source, bounds, count, at, scratch, out):
    ranges = _count_ranges(bounds, count)
    starts, stops = np.zeros(ranges, np.int64), np.zeros(ranges, np.int64)
    wholes = allocate(ranges)
    for i in range(count):
        q, first, last = query_of(bounds, i), start_of(bounds, i), stop_of(bounds, i)
        start, stop = starts[q], stops[q]
        if first >= stop:  # nothing of the last window is left: begin anew
            start = stop = first
            whole = IDENTITY
        else:
            whole = load(wholes, q)
        while stop < last:
            whole = combine(whole, leaf(source, stop))
            stop += 1
        while start < first:
            whole = inverse(whole, leaf(source, start))
            start += 1
        store(wholes, q, whole)
        starts[q], stops[q] = start, stop
        emit(out, at + i, whole)


INV_STEPS = Stepwise(
    insert,
    evict,
    whole,
    state=1,
    constant=True,
    list_form=replace(STEPS, running=True),
)

SLICK_DEQUE_INV = Algorithm(
    name="slick_deque_inv",
    title="SlickDeque (Inv): one running answer for each distinct range",
    needs=Law.INVERTIBLE,
    time="2",
    worst="2",
    space="1",
    source="SlickDeque 3.2, Algorithm 1 (EDBT 2018)",
    prepare=prepare,
    slide=slide,
    stage=prepare,
    stride=stride,
    many=True,
    steps=INV_STEPS,
    strided=FormCosts("2", "2", "1", by="subtract_on_evict"),
    online=FormCosts("2", "2", "p + 1"),
    several=FormCosts("2 k", "2 k", "k"),
    listed=FormCosts("2 k", "2 k", "p + k"),
)
