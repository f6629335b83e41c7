"""Recompute: fold every window from scratch.

    window i        |-----------------|      stop - start - 1 combines
    window i + 1       |-----------------|   and again

It has no state and no invariant.  It is the last resort of the planner, and the fastest
for windows of a few slices.  Where these move by one slice (`stride`), each length up
to 8 has its own loop: a fold whose length the compiler knows is unrolled, and since no
window waits for another, vectors answer several at a time.  Partials are tallies there,
and the origin of a window is its oldest slice.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    emit_tally,
    join_tallies,
    leaf,
    load,
    origin,
    start_of,
    stop_of,
    store,
    tally,
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


def stage(width, chunk):
    return ()


def _fold(source, first, count, width, at, out):
    """Windows of `width` slices, each one slice after the last."""
    for i in range(count):
        a = first + i
        o = origin(source, a)
        whole = tally(source, a, o)
        for j in range(1, width):
            whole = join_tallies(whole, tally(source, a + j, o))
        emit_tally(out, at + i, whole, width)


def stride(source, first, count, width, at, scratch, out):
    if width == 1:
        _fold(source, first, count, 1, at, out)
    elif width == 2:
        _fold(source, first, count, 2, at, out)
    elif width == 3:
        _fold(source, first, count, 3, at, out)
    elif width == 4:
        _fold(source, first, count, 4, at, out)
    elif width == 5:
        _fold(source, first, count, 5, at, out)
    elif width == 6:
        _fold(source, first, count, 6, at, out)
    elif width == 7:
        _fold(source, first, count, 7, at, out)
    elif width == 8:
        _fold(source, first, count, 8, at, out)
    else:
        _fold(source, first, count, width, at, out)


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
    stage=stage,
    stride=stride,
    many=True,
    steps=STEPS,
    strided=FormCosts("n - 1", "n - 1", "1"),
    online=FormCosts("n", "n", "p"),
    several=FormCosts("< k n", "k n - k", "1"),
)
