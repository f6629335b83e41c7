"""B-Int, base intervals: partials of all aligned stretches of 1, 2, 4, ... slices.

    level 3   |               8               |              16
    level 2   |       8       |      12       |      16
    level 1   |   8   |  10   |  12   |  14   |  16   |
    level 0   | 8 | 9 |10 |11 |12 |13 |14 |15 |16 |17 |
                    |--10---|------12-------|--16---|         window [10, 18)

An interval is computed when its last slice arrives, and each level is a circular
array.  A window is the fewest intervals that cover it, in stream order.

Invariant, between any two windows, for each aligned stretch [i, i + 2**level) that
lies within [keep, stop):

    level[i] == slice[i] + ... + slice[i + 2**level - 1]

Next to FlatFAT: no node is ever computed twice, and none while it is incomplete,
so that a slide costs one combine on average before the answer; but the whole
window has no node of its own unless it is aligned.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
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
from ._dyadic import cover, place, prepare
from ._stepwise import Stepwise


def _complete(levels, capacity, keep, stop):
    """The intervals that end at `stop` and that a window may still need."""
    level, length = 0, 2
    while stop & (length - 1) == 0 and stop - length >= keep:
        older = load(levels, place(capacity, level, stop - length))
        newer = load(levels, place(capacity, level, stop - 1))
        level += 1
        store(levels, place(capacity, level, stop - 1), combine(older, newer))
        length *= 2


def slide(source, bounds, count, at, scratch, out):
    levels, capacity = scratch
    stop = 0
    for i in range(count):
        keep, last = keep_of(bounds, i), stop_of(bounds, i)
        stop = max(stop, keep)  # what no window needs is not read
        while stop < last:
            store(levels, place(capacity, 0, stop), leaf(source, stop))
            stop += 1
            _complete(levels, capacity, keep, stop)
        emit(out, at + i, cover(levels, capacity, start_of(bounds, i), stop))


def insert(scratch, ints, state, value, tick):
    levels, mask = scratch
    store(levels, place(mask + 1, 0, ints[1]), value)
    _complete(levels, mask + 1, ints[0], ints[1] + 1)
    return (ints[0], ints[1] + 1), state


def evict(scratch, ints, state):
    return (ints[0] + 1, ints[1]), state


def since(scratch, ints, state, start):
    return cover(scratch[0], scratch[1] + 1, start, ints[1]), ints, state


def whole(scratch, ints, state):
    return since(scratch, ints, state, ints[0])


def move(scratch, ints, wider):
    """Insert all slices again: intervals stand at other places there."""
    levels, mask = scratch
    new_levels, new_mask = wider
    for i in range(ints[0], ints[1]):
        slice_ = load(levels, place(mask + 1, 0, i))
        store(new_levels, place(new_mask + 1, 0, i), slice_)
        _complete(new_levels, new_mask + 1, ints[0], i + 1)
    return ints


B_INT = Algorithm(
    name="b_int",
    title="B-Int: base intervals of 1, 2, 4, ... slices",
    needs=Law.NONE,
    time="log2(n)",
    worst="2 log2(n)",
    space="2 p",
    source="Arasu, Widom (VLDB 2004); SlickDeque 2.2",
    prepare=prepare,
    slide=slide,
    many=True,
    steps=Stepwise(insert, evict, whole, slots=2, move=move, since=since),
    online=FormCosts("log2(n)", "2 log2(n)", "2 p"),
    several=FormCosts("< k log2(n) + 1", "2 k log2(n)", "2 p"),
    listed=FormCosts("< k log2(n) + 1", "2 k log2(n)", "2 p + k"),
)
