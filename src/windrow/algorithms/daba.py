"""DABA, the de-amortised banker's aggregator: Two-Stacks that never stops to flip.

Two queues, `vals` and `aggs`, and six pointers that cut the window into lists:

    F        L        R        A        B        E
    |- done -|-- l_L -|-- l_R -|-- l_A -|-- l_B -|
    |----------- front, l_F ------------|- back -|

The flip only moves pointers: the front becomes l_L, the back l_R, and from then on
each insert and each evict turns one more node of both the right way round (`shrink`)
or, when all are turned, moves L, R and A on by one (`shift`).

Invariants, after each insert and evict:

    vals[i] == slice[i]                                for F <= i < E
    aggs[i] == slice[i] + ... + slice[B - 1]           for F <= i < L
    aggs[i] == slice[i] + ... + slice[R - 1]           for L <= i < R
    aggs[i] == slice[R] + ... + slice[i]               for R <= i < A
    aggs[i] == slice[i] + ... + slice[B - 1]           for A <= i < B
    aggs[i] == slice[B] + ... + slice[i]               for B <= i < E

    F == E,  or  R - L == A - R  and  (B - L) + 1 == (B - F) - (E - B)

The last equation says that l_L, l_R and l_A are turned just in time: the front is then
one longer than the back, and the next step may flip.
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
from ._stepwise import Stepwise
from .two_stacks import prepare


def _shrink_daba(vals, aggs, mask, L, R, A, B):
    """Turn the oldest node of l_L and the youngest of l_R: three combines."""
    of_l = load(aggs, L & mask)
    of_r = load(aggs, (A - 1) & mask)
    if A < B:
        of_a = load(aggs, A & mask)
    else:
        of_a = IDENTITY
    store(aggs, L & mask, combine(combine(of_l, of_r), of_a))
    store(aggs, (A - 1) & mask, combine(load(vals, (A - 1) & mask), of_a))


def _fixup_daba(vals, aggs, mask, F, L, R, A, B, E):
    """One step of the flip that is under way; gives the new L, R, A, B."""
    if F == B:  # at most one slice is left, and it is its own aggregate
        return E, E, E, E
    if L == B:  # all is turned: flip
        L, A, B = F, E, E
    if L == R:  # nothing to turn: shift
        return L + 1, R + 1, A + 1, B
    _shrink_daba(vals, aggs, mask, L, R, A, B)
    return L + 1, R, A - 1, B


def insert(scratch, ints, state, value, tick):
    vals, aggs, mask = scratch
    F, E, L, R, A, B = ints
    if B < E:
        below = load(aggs, (E - 1) & mask)
    else:
        below = IDENTITY
    store(vals, E & mask, value)
    store(aggs, E & mask, combine(below, value))
    E += 1
    L, R, A, B = _fixup_daba(vals, aggs, mask, F, L, R, A, B, E)
    return (F, E, L, R, A, B), state


def evict(scratch, ints, state):
    vals, aggs, mask = scratch
    F, E, L, R, A, B = ints
    F += 1
    L, R, A, B = _fixup_daba(vals, aggs, mask, F, L, R, A, B, E)
    return (F, E, L, R, A, B), state


def whole(scratch, ints, state):
    _, aggs, mask = scratch
    F, E, B = ints[0], ints[1], ints[5]
    if F < B:
        front = load(aggs, F & mask)
    else:
        front = IDENTITY
    if B < E:
        back = load(aggs, (E - 1) & mask)
    else:
        back = IDENTITY
    return combine(front, back), ints, state


def slide(source, bounds, count, at, scratch, out):
    zero = np.int64(0)
    ints: Any = (zero, zero, zero, zero, zero, zero)
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= ints[1]:  # nothing of the last window is left: begin anew
            ints = (first, first, first, first, first, first)
        while ints[0] < first:
            ints, _ = evict(scratch, ints, ())
        while ints[1] < last:
            ints, _ = insert(scratch, ints, (), leaf(source, ints[1]), ints[1])
        partial, _, _ = whole(scratch, ints, ())
        emit(out, at + i, partial)


DABA = Algorithm(
    name="daba",
    title="DABA: Two-Stacks whose flip is spread over all inserts and evicts",
    needs=Law.NONE,
    time="5",
    worst="8",
    space="2 p",
    source="Tangwongsan, Hirzel, Schneider (DEBS 2017); SlickDeque 2.2, 4.1",
    prepare=prepare,
    slide=slide,
    steps=Stepwise(insert, evict, whole, begin=(0,) * 6, rings=2, constant=True),
    online=FormCosts("5", "8", "2 p"),
)
