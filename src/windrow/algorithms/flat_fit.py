"""FlatFIT, a flat and fast index traverser: partials with a pointer to their end.

    slice       start   .   .   .   .   b   .   .   c   stop
    pointer       |------------------>  |------->   |-->|
    partial     [start, b)            [b, c)      [c, stop)

A window is answered by jumping along the pointers from its start to its stop, with
the positions on a stack; on the way back each position on the path is made to
reach the stop, so that the next window takes the path in one jump:

    pointer       |------------------------------------>|
                                        |-------------->|

Invariant, between any two windows, for each i in [keep, stop):

    partial[i] == slice[i] + ... + slice[pointer[i] - 1]    and  i < pointer[i] <= stop

Where all jumps are of one slice, the window is walked through (a reset, every
n + 1 slides), and all of its positions are on the stack.
"""

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    keep_of,
    leaf,
    load,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._ring import ring
from ._stepwise import Stepwise


def prepare(widest, chunk):
    capacity = ring(widest)
    pointers = np.empty(capacity, np.int64)
    positions = np.empty(capacity, np.int64)
    return allocate(capacity), pointers, positions


def _traverse(partials, pointers, positions, start, stop):
    """[start, stop) by jumps; each position on the path then reaches the stop."""
    mask = len(pointers) - 1
    depth = 0
    slot = start & mask
    while pointers[slot] < stop:
        positions[depth] = slot
        depth += 1
        slot = pointers[slot] & mask
    whole = load(partials, slot)
    while depth > 0:
        depth -= 1
        slot = positions[depth]
        whole = combine(load(partials, slot), whole)
        store(partials, slot, whole)
        pointers[slot] = stop
    return whole


def slide(source, bounds, count, at, scratch, out):
    partials, pointers, positions = scratch
    mask = len(pointers) - 1
    stop = 0
    for i in range(count):
        start, last = start_of(bounds, i), stop_of(bounds, i)
        stop = max(stop, keep_of(bounds, i))  # what no window needs is not read
        while stop < last:
            store(partials, stop & mask, leaf(source, stop))
            pointers[stop & mask] = stop + 1
            stop += 1
        whole = IDENTITY
        if start < stop:
            whole = _traverse(partials, pointers, positions, start, stop)
        emit(out, at + i, whole)


def insert(scratch, ints, state, value, tick):
    partials, pointers, _, mask = scratch
    store(partials, ints[1] & mask, value)
    pointers[ints[1] & mask] = ints[1] + 1
    return (ints[0], ints[1] + 1), state


def evict(scratch, ints, state):
    return (ints[0] + 1, ints[1]), state


def since(scratch, ints, state, start):
    partials, pointers, positions, _ = scratch
    if start >= ints[1]:
        return IDENTITY, ints, state
    return _traverse(partials, pointers, positions, start, ints[1]), ints, state


def whole(scratch, ints, state):
    return since(scratch, ints, state, ints[0])


FLAT_FIT = Algorithm(
    name="flat_fit",
    title="FlatFIT: partials that say how far they reach",
    needs=Law.NONE,
    time="< 3",
    worst="n - 1",
    space="p",
    source="Shein, Chrysanthis, Labrinidis (SSDBM 2017); SlickDeque 2.2, 4.1",
    prepare=prepare,
    slide=slide,
    many=True,
    steps=Stepwise(insert, evict, whole, numbers=2, since=since),
    online=FormCosts("< 3", "n - 1", "p"),
    several=FormCosts("< 2 k + log2(n)", "n + k", "p"),
    listed=FormCosts("< 2 k + log2(n)", "n + k", "p + k"),
)
