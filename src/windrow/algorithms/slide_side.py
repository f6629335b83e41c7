"""SlideSide: two stacks that share their values, for any number of ranges.

The slices are scanned backwards up to a boundary, `flip`, and forwards from it:

      keep              flip                stop
        |--- suffixes ----|---- prefix -------|
            |------------ window -------------|       suffix[start] + prefix
                               |--- window ---|       suffix[start], scanned as needed
                            scanned         edge

A range that starts past the boundary is scanned backwards from the stop, and every
shorter range with the same stop is read off that scan.  The boundary moves up to
the stop when the oldest range has passed it, or when such scans have cost as many
combines, beyond one for each window, as moving it would.

Invariants, between any two windows:

    suffix[i] == slice[i] + ... + slice[flip - 1]       for keep <= i < flip
    suffix[i] == slice[i] + ... + slice[edge - 1]       for flip < scanned <= i < edge
    prefix    == slice[flip] + ... + slice[stop - 1]    if flip < stop

One range costs 3 combines a slide, all ranges from 1 to n together n - 1, and a
range of r beside one of n about min(r, 2n / r) more.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
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
from ._ring import prepare


def _scan_back(source, suffix, mask, start, scanned, edge):
    """Lengthen the suffixes that reach `edge` from `scanned` down to `start`."""
    if scanned == edge and start < edge:
        scanned -= 1
        store(suffix, scanned & mask, leaf(source, scanned))
    for j in range(scanned - 1, start - 1, -1):
        whole = combine(leaf(source, j), load(suffix, (j + 1) & mask))
        store(suffix, j & mask, whole)


def slide(source, bounds, count, at, scratch, out):
    suffix, mask = scratch
    prefix = IDENTITY
    flip = stop = scanned = edge = spent = 0
    for i in range(count):
        keep, start, last = keep_of(bounds, i), start_of(bounds, i), stop_of(bounds, i)
        if keep > flip:  # the suffixes are used up: all there is becomes suffixes
            _scan_back(source, suffix, mask, keep, last, last)
            flip = stop = last
            spent = 0
        while stop < last:
            newest = leaf(source, stop)
            if stop == flip:
                prefix = newest
            else:
                prefix = combine(prefix, newest)
            stop += 1

        whole = IDENTITY
        if start < flip:
            whole = load(suffix, start & mask)
            if flip < stop:
                whole = combine(whole, prefix)
        elif start == flip and start < stop:
            whole = prefix
        elif start < stop:
            if edge < stop:
                scanned = edge = stop
            if start < scanned:
                _scan_back(source, suffix, mask, start, scanned, edge)
                spent += scanned - start
                scanned = start
            spent -= 1
            whole = load(suffix, start & mask)
            if spent >= stop - keep:  # go on with the scan: it becomes the suffixes
                _scan_back(source, suffix, mask, keep, scanned, edge)
                flip = stop
                spent = 0
        emit(out, at + i, whole)


SLIDE_SIDE = Algorithm(
    name="slide_side",
    title="SlideSide: suffixes up to a boundary, a prefix from it",
    needs=Law.NONE,
    time="3",
    worst="n - 1",
    space="n + 1, n rounded up to a power of two",
    source="Theodorakis, Pietzuch, Pirk (EDBT 2020); LightSaber 2.1, 5",
    prepare=prepare,
    slide=slide,
    many=True,
)
