"""Subtract-on-Evict: one running partial, the oldest slice taken off again.

      start                 stop
        |------- whole -------|
        ^ inverse             ^ combine

Invariant, between any two windows:

    whole == slice[start] + ... + slice[stop - 1]

Exact for whole numbers only: what has left a float sum leaves its rounding error
behind, and an infinity never leaves, so the planner never picks it for floats.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    inverse,
    leaf,
    start_of,
    stop_of,
)

from ._algorithm import Algorithm


def prepare(widest, chunk):
    return ()


def slide(source, bounds, count, at, scratch, out):
    whole = IDENTITY
    start = stop = 0
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            start = stop = first
            whole = IDENTITY
        while stop < last:
            whole = combine(whole, leaf(source, stop))
            stop += 1
        while start < first:
            whole = inverse(whole, leaf(source, start))
            start += 1
        emit(out, at + i, whole)


def stride(source, first, count, width, at, scratch, out):
    whole = leaf(source, first)
    for i in range(first + 1, first + width):
        whole = combine(whole, leaf(source, i))
    emit(out, at, whole)
    for i in range(1, count):
        whole = combine(whole, leaf(source, first + width + i - 1))
        whole = inverse(whole, leaf(source, first + i - 1))
        emit(out, at + i, whole)


SUBTRACT_ON_EVICT = Algorithm(
    name="subtract_on_evict",
    title="Subtract-on-Evict: one running partial, the oldest taken off",
    needs=Law.INVERTIBLE,
    time="2",
    worst="2",
    space="1",
    source="SlickDeque 2.2 (Panes (Inv), R-Int), RA 3.2",
    prepare=prepare,
    slide=slide,
    stage=prepare,
    stride=stride,
)
