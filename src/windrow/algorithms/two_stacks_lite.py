"""Two-Stacks Lite: a queue kept as a front of suffix aggregates and one back sum.

The window [start, stop) is cut at `flip`:

    base     start           flip            stop
      |........|--- front -----|---- back -----|

Invariants, between any two windows:

    front[i - base] == slice[i] + ... + slice[flip - 1]     for start <= i < flip
    back            == slice[flip] + ... + slice[stop - 1]
"""

# ruff: noqa: N806, SIM300 -- F and E are the ends of the window in all step forms

from dataclasses import replace

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
from ._stepwise import Stepwise
from ._stretches import (
    answer_stretch,
    build_suffixes,
    keep_stretch,
    take_rows,
    upto_end,
)
from .recompute import STEPS as RING_STEPS


def prepare(widest, chunk):
    return allocate(widest)


def slide(source, bounds, count, at, scratch, out):
    front = scratch
    back = IDENTITY
    base = flip = stop = 0
    for i in range(count):
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:  # nothing of the last window is left: begin anew
            base = flip = stop = first
            back = IDENTITY
        elif first >= flip:  # the front is used up: the back becomes the front
            base, flip = first, stop
            suffix = IDENTITY
            for j in range(stop - 1, first - 1, -1):
                suffix = combine(leaf(source, j), suffix)
                store(front, j - base, suffix)
            back = IDENTITY
        while stop < last:
            back = combine(back, leaf(source, stop))
            stop += 1
        if first < flip:
            head = load(front, first - base)
        else:
            head = IDENTITY
        emit(out, at + i, combine(head, back))


def insert(scratch, ints, state, value, tick):
    part, mask = scratch
    F, E, flip = ints
    store(part, E & mask, value)
    return (F, E + 1, flip), (combine(state[0], value),)


def evict(scratch, ints, state):
    """One event at a time the back keeps its values in the ring, up to the flip."""
    part, mask = scratch
    F, E, flip = ints
    if F == flip:
        suffix = IDENTITY
        for j in range(E - 1, F - 1, -1):
            suffix = combine(load(part, j & mask), suffix)
            store(part, j & mask, suffix)
        return (F + 1, E, E), (IDENTITY,)
    return (F + 1, E, flip), state


def whole(scratch, ints, state):
    part, mask = scratch
    F, _, flip = ints
    if F < flip:
        head = load(part, F & mask)
    else:
        head = IDENTITY
    return combine(head, state[0]), ints, state


def fill_rows(memory, ints, state, tick, source, i, count, room):
    part, mask = memory[1]
    F, E, flip = ints
    back = take_rows(source, i, count, part, E & mask, state[0])
    return (F, E + count - i, flip), (back,)


def slide_rows(memory, ints, state, tick, source, i, count, room, out, made):
    """From flip to flip: suffixes of the front, prefixes of the batch."""
    part, mask = memory[1]
    F, E, flip = ints
    back = state[0]
    while i < count:
        if F == flip:
            build_suffixes(part, mask, F, E, IDENTITY, room)
            flip, back = E, IDENTITY
        some = min(count - i, flip - F - 1, upto_end(E, mask), upto_end(F + 1, mask))
        if some > 0:
            f = (F + 1) & mask
            back = answer_stretch(source, i, some, part, f, None, back, room, out, made)
        else:  # the front is used up with the event that leaves
            some = 1
            back = combine(back, leaf(source, i))
            emit(out, made, back)
        keep_stretch(source, i, some, part, E & mask)
        F, E, i, made = F + some, E + some, i + some, made + some
    return (F, E, flip), (back,)


STEPS = Stepwise(
    insert,
    evict,
    whole,
    begin=(0, 0, 0),
    state=1,
    fill_rows=fill_rows,
    slide_rows=slide_rows,
)
LITE_STEPS = replace(STEPS, list_form=replace(RING_STEPS, stacks=True))

TWO_STACKS_LITE = Algorithm(
    name="two_stacks_lite",
    title="Two-Stacks Lite: a front of suffix aggregates and one back sum",
    needs=Law.NONE,
    time="3",
    worst="n + 1",
    space="n + 1",
    source="Tangwongsan, Hirzel, Schneider (VLDB Journal 2021); SlickDeque 2.2",
    prepare=prepare,
    slide=slide,
    steps=LITE_STEPS,
    online=FormCosts("3", "n + 2", "p + 1"),
    listed=FormCosts("< 3 k", "k n + 2 k", "k p + k + p"),
    fed=FormCosts("5", "2 n + min(n, 1024) + 2", "p + 1025"),
)
