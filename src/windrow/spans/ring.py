"""Keeps slices in a ring: those that a window to come still needs, and no others.

    slices      . . . | 4   5   6 | 7   8   9 | 10  11 ...
                      start       stop        top
                      |- window --|- awaited -|            events that last beyond the
                                                           window end in one of these

A slice has two parts, of events that end in it and of events that go on beyond; with
several levels it has two for each (`se_slicing.py`).  A window is released when no
event to come overlaps it, and by then `ends` of its slices are final.  So they are slid
over as they stand, by two stacks in the ring itself:

    window  ==  ends[start] . back . goes[stop - 1]            one level

    ends[j & mask]  ==  ends of slices j, ..., flip - 1        start <= j < flip
    back            ==  ends of slices flip, ..., final - 1    final: stop of the last

With levels, `ends` of a slice are joined when it becomes final; the tail takes `goes`
of all levels of the last slice, and both parts of the levels that reach back to it.

An event costs an insertion for each slice that it crosses (for each `height` of them),
a window three combines and the tail; where the paper's Algorithm 4 combines all slices
of a window, this one does so once in as many windows.  All functions are steps without
state: `ints` are flip, final and top.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    LEVELS,
    combine,
    emit,
    load,
    peek,
    store,
)
from windrow.loops import arrays
from windrow.slicing.fold import fold_run

from ._columns import fold_overlaps, fold_pieces
from ._technique import Fields, Windows, Work

APART = 8  # places between levels: a power of two apart they share a set of the cache
INLINE = ("add_slices", "join_range", "insert_event", "release_window", "tail_of")


def places_of(size: int, height: int) -> int:
    """The places of a ring of `size` slices: level k begins at k * (size + APART)."""
    return height * size + (height - 1) * APART


def how(height: int) -> dict[str, Any]:
    """How these steps are assembled; slices of one level have loops of their own."""
    return {"inline": INLINE, "constants": (("LEVELS", int(height > 1)),)}


def add_slices(ends, goes, size, height, top, upto):
    """Make room for the slices below `upto`, empty ones (Algorithms 2, 5 and 6)."""
    for j in range(top, upto):
        for k in range(height):
            store(ends, k * (size + APART) + (j & (size - 1)), IDENTITY)
            store(goes, k * (size + APART) + (j & (size - 1)), IDENTITY)
    return max(top, upto)


def join_range(parts, partial, start, stop):
    """Combine a partial into neighbours; past the ring's end they go on at 0."""
    for j in range(start, stop):
        store(parts, j, combine(load(parts, j), partial))


def insert_event(ends, goes, size, height, ints, partial, first, last):
    """Insert an event into the slices that it crosses (Algorithms 3 and 7).

    It ends in a slice that is not final.  What goes on beyond a final slice is asked
    for by no window to come.
    """
    flip, final, top = ints
    top = add_slices(ends, goes, size, height, top, last + 1)
    mask = size - 1
    if LEVELS:
        at = min(last - first, height - 1) * (size + APART) + (last & mask)
        store(ends, at, combine(load(ends, at), partial))
        for j in range(last - height, max(first, final) - 1, -height):
            at = min(j - first, height - 1) * (size + APART) + (j & mask)
            store(goes, at, combine(load(goes, at), partial))
    else:
        low = max(first, final)
        at = low & mask
        past = at + max(last - low, 0)
        join_range(goes, partial, at, min(past, size))
        join_range(goes, partial, 0, past - size)
        at = last & mask
        store(ends, at, combine(load(ends, at), partial))
    return flip, final, top


def release_window(ends, goes, size, height, ints, back, start, stop):
    """Combine the slices of a window (Algorithms 4 and 8); those before are free."""
    flip, final, top = ints
    top = add_slices(ends, goes, size, height, top, stop + height - 1)
    mask = size - 1
    if start >= final:  # nothing of the last window is left
        flip = final = start
        back = IDENTITY
    elif start >= flip:  # the front is used up: the back becomes the front
        suffix = IDENTITY
        for j in range(final - 1, start - 1, -1):
            suffix = combine(load(ends, j & mask), suffix)
            store(ends, j & mask, suffix)
        flip = final
        back = IDENTITY
    while final < stop:
        whole = load(ends, final & mask)
        if height > 1:
            for k in range(1, height):
                whole = combine(whole, load(ends, k * (size + APART) + (final & mask)))
            store(ends, final & mask, whole)
        back = combine(back, whole)
        final += 1
    whole = combine(back, tail_of(ends, goes, size, height, stop - 1))
    if start < flip:
        whole = combine(load(ends, start & mask), whole)
    return whole, (flip, final, top), back


def tail_of(ends, goes, size, height, last):
    """Combine what goes on beyond a slice: its levels, and those that reach back."""
    mask = size - 1
    tail = load(goes, last & mask)
    for k in range(1, height):
        tail = combine(tail, load(goes, k * (size + APART) + (last & mask)))
    for j in range(1, height):
        for k in range(j, height):
            at = k * (size + APART) + ((last + j) & mask)
            tail = combine(tail, combine(load(ends, at), load(goes, at)))
    return tail


def alike(firsts, lasts, i):
    """Find the end of the events from i on that cross the same slices as event i.

    Neighbours mostly do.  They are combined in a register and inserted once, which
    keeps their order (events of 5,000, 1,000 / 200: 25 -> 62 M events/s, a noisy run).
    """
    first, last = peek(firsts, i), peek(lasts, i)
    i += 1
    while i < len(firsts) and peek(firsts, i) == first and peek(lasts, i) == last:
        i += 1
    return i


def walk_events(
    source, firsts, lasts, starts, stops, reach, size, height, ends, goes, out
):
    """Insert events in the order of their ends; release a window when it is complete.

    The longest event reaches back over `reach` slices: one that ends as many past a
    window cannot overlap it.
    """
    back = IDENTITY
    i = 0
    if len(starts) > 0:
        start = peek(starts, 0)
        ints = start, start, start
        for w in range(len(starts)):
            stop = peek(stops, w)
            while i < len(firsts) and peek(lasts, i) < stop + reach:
                first, last, after = (
                    peek(firsts, i),
                    peek(lasts, i),
                    alike(firsts, lasts, i),
                )
                partial = fold_run(source, i, after)
                ints = insert_event(
                    ends, goes, size, height, ints, partial, first, last
                )
                i = after
            whole, ints, back = release_window(
                ends, goes, size, height, ints, back, peek(starts, w), stop
            )
            emit(out, w, whole)


def columns_of_walk(
    source, firsts, lasts, starts, stops, _reach, _size, _height, _ends, _goes, out
):
    """All windows side by side: what overlaps each, in the order of ends."""
    order = np.arange(len(firsts))
    pieces, firsts, lasts = fold_pieces(source, firsts, lasts, order)
    partial = fold_overlaps(pieces, firsts, lasts, starts, stops)
    emit(out, slice(0, len(starts)), partial)


def walk(work: Work, windows: Windows) -> Fields:
    """Walk over events in the order of their ends, with `work.ring` slices."""
    laid, product, frames = work.laid, work.product, windows.frames
    places = places_of(work.ring, work.height)
    ends, goes = (arrays(product.dtypes, places) for _ in range(2))
    out = arrays(product.out_dtypes, len(windows))
    work.run(walk_events, work.source, laid.firsts, laid.lasts, frames.starts,
             frames.stops, work.reach, work.ring, work.height, ends, goes, out,
             columns=columns_of_walk, **how(work.height))  # fmt: skip
    return out
