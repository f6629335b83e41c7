"""Two-Stacks: a queue made of two stacks, each node with the aggregate below it.

Slices are pushed on the back stack and popped from the front stack.  Each node is a
pair: the slice's own partial, and the aggregate of all below it in its stack.  When
the front is used up, the back is flipped on to it, node by node:

    start             flip            stop
      |---- front ------|---- back -----|
      top         bottom|bottom       top

Both stacks live in one ring of pairs, since together they never hold more than the
window.  Invariants, between any two windows:

    vals[i] == slice[i]                                for start <= i < stop
    aggs[i] == slice[i] + ... + slice[flip - 1]        for start <= i < flip
    aggs[i] == slice[flip] + ... + slice[i]            for flip <= i < stop
"""

# ruff: noqa: N806, SIM300 -- F and E are the ends of the window in all step forms

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
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
    size = ring(widest)
    return allocate(size), allocate(size), size - 1


def _flip_back(vals, aggs, mask, start, stop):
    """Push every node of the back on the front, the youngest first."""
    below = IDENTITY
    for i in range(stop - 1, start - 1, -1):
        below = combine(load(vals, i & mask), below)
        store(aggs, i & mask, below)


def slide(source, bounds, count, at, scratch, out):
    vals, aggs, mask = scratch
    start = flip = stop = 0
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            start = flip = stop = first
        while start < first:
            if start == flip:
                _flip_back(vals, aggs, mask, start, stop)
                flip = stop
            start += 1
        while stop < last:
            value = leaf(source, stop)
            if flip < stop:
                below = load(aggs, (stop - 1) & mask)
            else:
                below = IDENTITY
            store(vals, stop & mask, value)
            store(aggs, stop & mask, combine(below, value))
            stop += 1
        if start < flip:
            front = load(aggs, start & mask)
        else:
            front = IDENTITY
        if flip < stop:
            back = load(aggs, (stop - 1) & mask)
        else:
            back = IDENTITY
        emit(out, at + i, combine(front, back))


def insert(scratch, ints, state, value, tick):
    vals, aggs, mask = scratch
    F, E, flip = ints
    if flip < E:
        below = load(aggs, (E - 1) & mask)
    else:
        below = IDENTITY
    store(vals, E & mask, value)
    store(aggs, E & mask, combine(below, value))
    return (F, E + 1, flip), state


def evict(scratch, ints, state):
    vals, aggs, mask = scratch
    F, E, flip = ints
    if F == flip:
        _flip_back(vals, aggs, mask, F, E)
        flip = E
    return (F + 1, E, flip), state


def whole(scratch, ints, state):
    _, aggs, mask = scratch
    F, E, flip = ints
    if F < flip:
        front = load(aggs, F & mask)
    else:
        front = IDENTITY
    if flip < E:
        back = load(aggs, (E - 1) & mask)
    else:
        back = IDENTITY
    return combine(front, back), ints, state


TWO_STACKS = Algorithm(
    name="two_stacks",
    title="Two-Stacks: a queue of two stacks, each node with what lies below it",
    needs=Law.NONE,
    time="3",
    worst="n + 2",
    space="2 p",
    source="SlickDeque 2.2, 4.1; Tangwongsan, Hirzel, Schneider (DEBS 2017)",
    prepare=prepare,
    slide=slide,
    steps=Stepwise(insert, evict, whole, begin=(0, 0, 0), rings=2),
    online=FormCosts("3", "n + 2", "2 p"),
)
