"""DABA Lite: DABA with one queue of partials and two running aggregates.

A node needs its own partial or its aggregate, never both at a time, so one queue
serves; what DABA reads off the young ends of l_R and l_B is kept in two variables:

    F        L        R        A        B        E
    |- done -|-- l_L -|-- l_R -|-- l_A -|-- l_B -|
      suffix   suffix   values   suffix   values
      to B     to R    |---- middle ----| - back |

Invariants, after each insert and evict:

    part[i] == slice[i] + ... + slice[B - 1]           for F <= i < L
    part[i] == slice[i] + ... + slice[R - 1]           for L <= i < R
    part[i] == slice[i]                                for R <= i < A
    part[i] == slice[i] + ... + slice[B - 1]           for A <= i < B
    part[i] == slice[i]                                for B <= i < E
    middle  == slice[R] + ... + slice[B - 1]           while L < R
    back    == slice[B] + ... + slice[E - 1]

    F == E,  or  R - L == A - R  and  (B - L) + 1 == (B - F) - (E - B)

Since `middle` does not change while l_R and l_A trade nodes, turning one node of
l_L costs one combine where DABA needs two.
"""

# ruff: noqa: N803, N806 -- the six pointers have the names of the paper

from typing import Any

import numpy as np

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
from ._ring import prepare
from ._stepwise import Stepwise


def _shrink_lite(part, mask, L, A, B, middle):
    """Turn the oldest node of l_L and the youngest of l_R: two combines."""
    if A < B:
        of_a = load(part, A & mask)
    else:
        of_a = IDENTITY
    store(part, L & mask, combine(load(part, L & mask), middle))
    store(part, (A - 1) & mask, combine(load(part, (A - 1) & mask), of_a))


def _fixup_lite(part, mask, F, L, R, A, B, E, middle, back):
    """One step of the flip that is under way; gives L, R, A, B, middle, back."""
    if F == B:  # at most one slice is left, and it is its own aggregate
        return E, E, E, E, IDENTITY, IDENTITY
    if L == B:  # all is turned: flip
        L, A, B = F, E, E
        middle, back = back, IDENTITY
    if L == R:  # nothing to turn: shift
        return L + 1, R + 1, A + 1, B, middle, back
    _shrink_lite(part, mask, L, A, B, middle)
    return L + 1, R, A - 1, B, middle, back


def insert(scratch, ints, state, value, tick):
    part, mask = scratch
    F, E, L, R, A, B = ints
    middle, back = state
    back = combine(back, value)
    store(part, E & mask, value)
    E += 1
    L, R, A, B, middle, back = _fixup_lite(part, mask, F, L, R, A, B, E, middle, back)
    return (F, E, L, R, A, B), (middle, back)


def evict(scratch, ints, state):
    part, mask = scratch
    F, E, L, R, A, B = ints
    middle, back = state
    F += 1
    L, R, A, B, middle, back = _fixup_lite(part, mask, F, L, R, A, B, E, middle, back)
    return (F, E, L, R, A, B), (middle, back)


def whole(scratch, ints, state):
    part, mask = scratch
    F, B = ints[0], ints[5]
    if F < B:
        front = load(part, F & mask)
    else:
        front = IDENTITY
    return combine(front, state[1]), ints, state


def slide(source, bounds, count, at, scratch, out):
    zero = np.int64(0)
    ints: Any = (zero, zero, zero, zero, zero, zero)
    state = (IDENTITY, IDENTITY)
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= ints[1]:  # nothing of the last window is left: begin anew
            ints = (first, first, first, first, first, first)
            state = (IDENTITY, IDENTITY)
        while ints[0] < first:
            ints, state = evict(scratch, ints, state)
        while ints[1] < last:
            value = leaf(source, ints[1])
            ints, state = insert(scratch, ints, state, value, ints[1])
        partial, ints, state = whole(scratch, ints, state)
        emit(out, at + i, partial)


DABA_LITE = Algorithm(
    name="daba_lite",
    title="DABA Lite: DABA with one queue of partials and two running aggregates",
    needs=Law.NONE,
    time="4",
    worst="6",
    space="p + 2",
    source="Tangwongsan, Hirzel, Schneider (VLDB Journal 2021)",
    prepare=prepare,
    slide=slide,
    steps=Stepwise(insert, evict, whole, begin=(0,) * 6, state=2, constant=True),
    online=FormCosts("4", "6", "p + 2"),
)
