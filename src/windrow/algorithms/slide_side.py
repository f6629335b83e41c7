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

# ruff: noqa: N806, SIM300 -- F and E are the ends of the window in all step forms

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

from ._algorithm import Algorithm, FormCosts
from ._ring import prepare
from ._stepwise import Stepwise


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


def _turn(values, suffix, mask, start, scanned, edge):
    """`_scan_back` over values in a ring."""
    if scanned == edge and start < edge:
        scanned -= 1
        store(suffix, scanned & mask, load(values, scanned & mask))
    for j in range(scanned - 1, start - 1, -1):
        older, newer = load(values, j & mask), load(suffix, (j + 1) & mask)
        store(suffix, j & mask, combine(older, newer))


def insert(scratch, ints, state, value, tick):
    values, _, mask = scratch
    F, E, flip, scanned, edge, spent = ints
    store(values, E & mask, value)
    if E == flip:
        prefix = value
    else:
        prefix = combine(state[0], value)
    return (F, E + 1, flip, scanned, edge, spent), (prefix,)


def evict(scratch, ints, state):
    return (ints[0] + 1, ints[1], ints[2], ints[3], ints[4], ints[5]), state


def since(scratch, ints, state, start):
    values, suffix, mask = scratch
    F, E, flip, scanned, edge, spent = ints
    if F > flip:  # the suffixes are used up: all there is becomes suffixes
        _turn(values, suffix, mask, F, E, E)
        flip, spent = E, 0 * spent
    partial = IDENTITY
    if start < flip:
        partial = load(suffix, start & mask)
        if flip < E:
            partial = combine(partial, state[0])
    elif start == flip and start < E:
        partial = state[0]
    elif start < E:
        if edge < E:
            scanned = edge = E
        if start < scanned:
            _turn(values, suffix, mask, start, scanned, edge)
            spent += scanned - start
            scanned = start
        spent -= 1
        partial = load(suffix, start & mask)
        if spent >= E - F:  # go on with the scan: it becomes the suffixes
            _turn(values, suffix, mask, F, scanned, edge)
            flip, spent = E, 0 * spent
    return partial, (F, E, flip, scanned, edge, spent), state


def whole(scratch, ints, state):
    return since(scratch, ints, state, ints[0])


SLIDE_SIDE = Algorithm(
    name="slide_side",
    title="SlideSide: suffixes up to a boundary, a prefix from it",
    needs=Law.NONE,
    time="< 3",
    worst="n - 1",
    space="p",
    source="Theodorakis, Pietzuch, Pirk (EDBT 2020); LightSaber 2.1, 5",
    prepare=prepare,
    slide=slide,
    many=True,
    steps=Stepwise(insert, evict, whole, begin=(0,) * 6, state=1, rings=2, since=since),
    online=FormCosts("< 3", "n", "2 p + 1"),
    several=FormCosts("< k + sqrt(n) + 2", "n + k", "p"),
    listed=FormCosts("< k + sqrt(n) + 2", "n + k", "2 p + k + 1"),
)
