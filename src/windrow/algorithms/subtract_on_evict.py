"""Subtract-on-Evict: one running partial, from which the oldest slice is removed.

      start                 stop
        |------- whole -------|
        ^ inverse             ^ combine

Invariant, between any two windows:

    whole == slice[start] + ... + slice[stop - 1]

Exact for whole numbers only: a float sum keeps the rounding errors of values that have
left, and an infinity never leaves, so the planner never picks it for floats.
"""

# ruff: noqa: N806 -- F and E are the ends of the window in all step forms

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
from ._stretches import keep_stretch, lane_of, take_rows, upto_end


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


def fill_rows(memory, ints, state, tick, source, i, count, room):
    part, mask = memory[1]
    F, E = ints
    back = take_rows(source, i, count, part, E & mask, state[0])
    return (F, E + count - i), (back,)


def slide_rows(memory, ints, state, tick, source, i, count, room, out, made):
    """From one end of the ring to the next, in four lanes.

    A lane begins with what the window is there: without the events that have left
    before it, and with those that have come, each as one total.
    """
    part, mask = memory[1]
    F, E = ints
    rest = state[0]
    while i < count:
        some = min(count - i, E - F, upto_end(E, mask), upto_end(F, mask))
        f, lane = F & mask, lane_of(some)
        if E - F == 1:  # the window is empty between two events
            rest = leaf(source, i)
            emit(out, made, rest)
        elif lane == 0:
            for k in range(some):
                rest = inverse(rest, load(part, f + k))
                rest = combine(rest, leaf(source, i + k))
                emit(out, made + k, rest)
        else:
            some = 4 * lane
            rest = _slide_lanes(rest, part, f, source, i, lane, out, made)
        keep_stretch(source, i, some, part, E & mask)
        F, E, i, made = F + some, E + some, i + some, made + some
    return (F, E), (rest,)


def _slide_lanes(rest, part, f, source, i, lane, out, made):
    f1, f2, f3 = f + lane, f + 2 * lane, f + 3 * lane
    i1, i2, i3 = i + lane, i + 2 * lane, i + 3 * lane
    old0, old1, old2 = load(part, f), load(part, f1), load(part, f2)
    new0, new1, new2 = leaf(source, i), leaf(source, i1), leaf(source, i2)
    for k in range(1, lane):
        old0 = combine(old0, load(part, f + k))
        new0 = combine(new0, leaf(source, i + k))
        old1 = combine(old1, load(part, f1 + k))
        new1 = combine(new1, leaf(source, i1 + k))
        old2 = combine(old2, load(part, f2 + k))
        new2 = combine(new2, leaf(source, i2 + k))
    r0 = rest
    r1 = combine(inverse(r0, old0), new0)
    r2 = combine(inverse(r1, old1), new1)
    r3 = combine(inverse(r2, old2), new2)
    at1, at2, at3 = made + lane, made + 2 * lane, made + 3 * lane
    for k in range(lane):
        r0 = combine(inverse(r0, load(part, f + k)), leaf(source, i + k))
        emit(out, made + k, r0)
        r1 = combine(inverse(r1, load(part, f1 + k)), leaf(source, i1 + k))
        emit(out, at1 + k, r1)
        r2 = combine(inverse(r2, load(part, f2 + k)), leaf(source, i2 + k))
        emit(out, at2 + k, r2)
        r3 = combine(inverse(r3, load(part, f3 + k)), leaf(source, i3 + k))
        emit(out, at3 + k, r3)
    return r3


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
    steps=Stepwise(
        insert,
        evict,
        whole,
        state=1,
        constant=True,
        fill_rows=fill_rows,
        slide_rows=slide_rows,
    ),
    strided=FormCosts("2", "2", "1"),
    online=FormCosts("2", "2", "p + 1"),
    fed=FormCosts("3.5", "1.5 min(n, 1024) + 2", "p + 1025"),
)
