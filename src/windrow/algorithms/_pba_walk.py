"""PBA over windows given as arrays: a window past the last chunk begins the next.

    window i        |--- lcs ---|-- csa --|
    window i + 1        |- lcs -|--- csa ------|
    window i + 2                     |---- lcs ---|-- csa --|       a new chunk
                                flip                 flip

The chunks follow from the bounds alone, without any value, so both threads walk over
the bounds: the second computes suffixes of as many chunks as fit its buffer, the main
thread follows with `back`, the running csa.  Invariants, between windows:

    lcs[origin + i - base] == slice[i] + ... + slice[flip - 1]   for base <= i < flip
    back                   == slice[flip] + ... + slice[stop - 1]
"""

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

from ._lanes import scan_suffixes


def fill_walk(source, bounds, i, count, marks, lcs, room, lanes):
    """The second thread: lcs of the next chunks, from window i on, while there is room.

    `marks` holds the flip and stop.  Returns the first window that needs more.
    """
    flip, stop = marks[0], marks[1]
    used = 0
    while i < count:
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:
            flip = stop = first
        elif first >= flip:
            if used + stop - first > room:
                break
            scan_suffixes(source, first, stop, lcs, used, lanes)
            used += stop - first
            flip = stop
        stop = max(stop, last)
        i += 1
    marks[0], marks[1] = flip, stop
    return i


def answer_walk(source, bounds, i, until, marks, lcs, state, out):
    """The main thread: windows [i, until), over the chunks of `fill_walk`."""
    flip, stop = marks[0], marks[1]
    if i > 0:
        back = load(state, 0)
    else:
        back = IDENTITY
    base = used = origin = 0
    while i < until:
        first, last = start_of(bounds, i), stop_of(bounds, i)
        if first >= stop:
            flip = stop = first
            back = IDENTITY
        elif first >= flip:
            base, origin, flip = first, used, stop
            used += stop - first
            back = IDENTITY
        while stop < last:
            back = combine(back, leaf(source, stop))
            stop += 1
        if first < flip:
            emit(out, i, combine(load(lcs, origin + first - base), back))
        else:
            emit(out, i, back)
        i += 1
    marks[0], marks[1] = flip, stop
    store(state, 0, back)
