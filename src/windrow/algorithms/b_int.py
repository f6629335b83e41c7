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

from ._algorithm import Algorithm
from ._dyadic import cover, place, prepare


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


B_INT = Algorithm(
    name="b_int",
    title="B-Int: base intervals of 1, 2, 4, ... slices",
    needs=Law.NONE,
    time="log2(n)",
    worst="2 log2(n)",
    space="2n, n rounded up to a power of two",
    source="Arasu, Widom (VLDB 2004); SlickDeque 2.2",
    prepare=prepare,
    slide=slide,
    many=True,
)
