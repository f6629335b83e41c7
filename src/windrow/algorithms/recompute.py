"""Recompute: fold every window from scratch.

    window i        |-----------------|      stop - start - 1 combines
    window i + 1       |-----------------|   and again

It has no state and no invariant.  It is the last resort of the planner, and the fastest
for windows of a few slices.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
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
    for i in range(count):
        start, stop = start_of(bounds, i), stop_of(bounds, i)
        if start < stop:
            whole = leaf(source, start)
        else:
            whole = IDENTITY
        for j in range(start + 1, stop):
            whole = combine(whole, leaf(source, j))
        emit(out, at + i, whole)


def insert(scratch, ints, state, value, tick):
    part, mask = scratch
    store(part, ints[1] & mask, value)
    return (ints[0], ints[1] + 1), state


def evict(scratch, ints, state):
    return (ints[0] + 1, ints[1]), state


def whole(scratch, ints, state):
    part, mask = scratch
    total = IDENTITY
    for i in range(ints[0], ints[1]):
        total = combine(total, load(part, i & mask))
    return total, ints, state


STEPS = Stepwise(insert, evict, whole)

RECOMPUTE = Algorithm(
    name="recompute",
    title="Recompute: fold every window from scratch",
    needs=Law.NONE,
    time="n - 1",
    worst="n - 1",
    space="1",
    source="SlickDeque 2.2 (Naive), PBA 3.1 (Recal)",
    prepare=prepare,
    slide=slide,
    many=True,
    steps=STEPS,
    online=FormCosts("n", "n", "p"),
)
