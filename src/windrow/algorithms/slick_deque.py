"""SlickDeque (Non-Inv): a deque of the slices that can still be an answer.

Where `combine` selects one of its two sides, a slice that loses to a younger one
will never be an answer again, and is dropped; what stays is in falling order:

    slices      6   5   0   1   3             max, over ranges 5 and 3
    deque      (0,6) (1,5)         (4,3)
    answers     ^ range 5: first node at or after 0
                            range 3: first node at or after 2

Nodes are (position, partial), from head to tail.  Invariants, between any two
windows, for nodes a before b:

    keep <= a.position < b.position < stop
    combine(a.partial, b.partial) == a.partial,  not b.partial
    slice[i] + ... + slice[stop - 1] == partial of the first node at or after i

Several selective aggregates, a range, and sums beside them go by parts: a deque for
each part that selects, a running answer for each that can be taken off exactly, two
stacks for any other, all in one pass (`_parts.py`).

Nodes stand in a ring that is doubled where it is full and made smaller where less than
an eighth of it is in use: memory follows the nodes, of which random values have few,
and not the window.

Windows that stop at the same slice come longest first, so `walk` goes over the deque
once for all of them.  (The paper's answer loops print `pos < startPos` with startPos
one before the window; nodes there must be passed as well.)
"""

# ruff: noqa: N806 -- F and E are the ends of the window in all step forms

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
    peek,
    poke,
    same,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._parts import Ways
from ._ring import ring
from ._stepwise import Stepwise
from .slick_deque_inv import INV_STEPS
from .two_stacks_lite import LITE_STEPS

NODES = 256  # places of a ring at first; it is never smaller


def prepare(widest, chunk):
    return ring(widest)


def make_deque(size):
    return np.empty(size, np.int64), allocate(size), size - 1


def resize_deque(deque, size, head, tail):
    """The same nodes in a ring of another size."""
    positions, partials, mask = deque
    fresh = make_deque(size)
    for node in range(head, tail):
        poke(fresh[0], node & fresh[2], peek(positions, node & mask))
        store(fresh[1], node & fresh[2], load(partials, node & mask))
    return fresh


def slide(source, bounds, count, at, scratch, out):
    """Windows while the ring fits; it is doubled where it is full, and given back."""
    deque = make_deque(min(scratch, NODES))
    ends = (0, 0, 0, 0, 0)
    i = 0
    while i < count:
        i, ends = slide_nodes(source, bounds, i, count, at, deque, ends, out)
        if i < count:
            head, tail, size = ends[0], ends[1], 2 * (deque[2] + 1)
            while size > NODES and 4 * (tail - head) < size:
                size //= 2
            deque = resize_deque(deque, size, head, tail)


def slide_nodes(source, bounds, i, count, at, deque, ends, out):
    """Windows from i on, as long as the ring is neither full nor almost empty."""
    positions, partials, mask = deque
    head, tail, walk, stop, kept = ends
    while i < count:
        keep, first, last = keep_of(bounds, i), start_of(bounds, i), stop_of(bounds, i)
        if keep >= stop:  # nothing of the last window is left: begin anew
            head, stop = tail, keep
        if keep != kept:
            while head < tail and peek(positions, head & mask) < keep:
                head += 1
            kept = keep
        if stop < last:
            walk = head
        while stop < last and tail - head <= mask:
            new = leaf(source, stop)
            while head < tail:
                back = load(partials, (tail - 1) & mask)
                if not same(combine(back, new), new):
                    break
                tail -= 1
            poke(positions, tail & mask, stop)
            store(partials, tail & mask, new)
            tail += 1
            stop += 1
        if stop < last:
            break
        walk = max(walk, head)
        while walk < tail and peek(positions, walk & mask) < first:
            walk += 1
        if walk < tail:
            emit(out, at + i, load(partials, walk & mask))
        else:
            emit(out, at + i, IDENTITY)
        i += 1
        if mask >= NODES and 8 * (tail - head) < mask:
            break
    return i, (head, tail, walk, stop, kept)


def insert(scratch, ints, state, value, tick):
    partials, positions, mask = scratch
    F, E, head, tail = ints
    while head < tail:
        if not same(combine(load(partials, (tail - 1) & mask), value), value):
            break
        tail -= 1
    positions[tail & mask] = E
    store(partials, tail & mask, value)
    return (F, E + 1, head, tail + 1), state


def evict(scratch, ints, state):
    _, positions, mask = scratch
    F, E, head, tail = ints
    if positions[head & mask] == F:
        head += 1
    return (F + 1, E, head, tail), state


def whole(scratch, ints, state):
    partials, _, mask = scratch
    head, tail = ints[2], ints[3]
    if head < tail:
        return load(partials, head & mask), ints, state
    return IDENTITY, ints, state


def since(scratch, ints, state, start):
    """The first node at or after `start`: halving, as nodes stand by their places."""
    partials, positions, mask = scratch
    low, high = ints[2], ints[3]
    while low < high:
        middle = (low + high) >> 1
        if positions[middle & mask] < start:
            low = middle + 1
        else:
            high = middle
    if low < ints[3]:
        return load(partials, low & mask), ints, state
    return IDENTITY, ints, state


DEQUE_STEPS = Stepwise(
    insert,
    evict,
    whole,
    begin=(0,) * 4,
    numbers=1,
    span=(2, 3),
    nodes=((2, 3),),
    since=since,
)

SLICK_DEQUE = Algorithm(
    name="slick_deque",
    title="SlickDeque (Non-Inv): a deque of those slices that can still be an answer",
    needs=Law.SELECTIVE,
    time="< 2",
    worst="n",
    space="p",
    source="SlickDeque 3.2, Algorithm 2 (EDBT 2018)",
    prepare=prepare,
    slide=slide,
    many=True,
    steps=DEQUE_STEPS,
    ways=Ways(deque=DEQUE_STEPS, running=INV_STEPS, stacks=LITE_STEPS),
    online=FormCosts("< 2", "n", "p"),
    several=FormCosts("< 2", "n", "p"),
    listed=FormCosts("< 2", "n", "p + k"),
)
