"""SlideSide (Inv): one running prefix scan, each window a difference of two prefixes.

    origin        start                 stop
      |---------- prefix[stop] ----------|
      |- prefix[start] -|---- window ----|

Invariant, between any two windows, for keep <= i <= stop, i > origin:

    prefix[i] == slice[origin] + ... + slice[i - 1]

and a window is `inverse(prefix[stop], prefix[start])`: the prefixes of the last
`widest` slices answer any number of ranges.

The scan restarts only where no window spans, so it holds more values than any window.
Exact for whole numbers (a wrapped total wraps back in the difference); a float sum
keeps the rounding errors and infinities of all values so far, so the planner never
picks it for floats.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    inverse,
    keep_of,
    leaf,
    load,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._ring import ring


def prepare(widest, chunk):
    capacity = ring(widest + 1)
    return allocate(capacity), capacity - 1


def slide(source, bounds, count, at, scratch, out):
    prefix, mask = scratch
    whole = IDENTITY
    origin = stop = 0
    for i in range(count):
        keep, start, last = keep_of(bounds, i), start_of(bounds, i), stop_of(bounds, i)
        if keep >= stop:  # nothing of the last window is left: begin anew
            origin = stop = keep
        while stop < last:
            newest = leaf(source, stop)
            if stop == origin:
                whole = newest
            else:
                whole = combine(whole, newest)
            stop += 1
            store(prefix, stop & mask, whole)

        if start >= stop:
            emit(out, at + i, IDENTITY)
        elif start == origin:
            emit(out, at + i, whole)
        else:
            emit(out, at + i, inverse(whole, load(prefix, start & mask)))


SLIDE_SIDE_INV = Algorithm(
    name="slide_side_inv",
    title="SlideSide (Inv): a running prefix scan, windows are differences",
    needs=Law.INVERTIBLE,
    time="2",
    worst="2",
    space="2 p",
    source="Theodorakis, Pietzuch, Pirk (EDBT 2020); LightSaber 2.1, 5",
    prepare=prepare,
    slide=slide,
    many=True,
    several=FormCosts("k + 1", "k + 1", "2 p"),
)
