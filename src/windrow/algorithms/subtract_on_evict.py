"""Subtract-on-Evict: one running partial, from which the oldest slice is removed.

      start                 stop
        |------- whole -------|
        ^ inverse             ^ combine

Invariant, between any two windows:

    whole == slice[start] + ... + slice[stop - 1]

Exact for whole numbers only: a float sum keeps the rounding errors of values that have
left, and an infinity never leaves, so the planner never picks it for floats.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    inverse,
    leaf,
    load,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._stepwise import Stepwise


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


def insert(scratch, ints, state, value, tick):
    part, mask = scratch
    store(part, ints[1] & mask, value)
    return (ints[0], ints[1] + 1), (combine(state[0], value),)


def evict(scratch, ints, state):
    """Remove the oldest; an empty window is exact again, even for floats."""
    part, mask = scratch
    oldest = load(part, ints[0] & mask)
    if ints[0] + 1 < ints[1]:
        rest = inverse(state[0], oldest)
    else:
        rest = IDENTITY
    return (ints[0] + 1, ints[1]), (rest,)


def whole(scratch, ints, state):
    return state[0], ints, state


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
    steps=Stepwise(insert, evict, whole, state=1, constant=True),
    strided=FormCosts("2", "2", "1"),
    online=FormCosts("2", "2", "p + 1"),
)
