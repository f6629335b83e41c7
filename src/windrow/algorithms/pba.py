"""PBA, the parallel boundary aggregator: suffixes of chunks from a second thread.

Slices are grouped into chunks of `b`.  A window is the end of one chunk, the chunks
between, and the beginning of the last:

            chunk c          chunk c + 1        chunk c + 2
    |------- lcs ---------|----- ca -----|-- csa --------------|
                |------------ window ----------|
              lcs[start]       ca          csa[stop - 1]

Invariants, for chunk c of slices [lo, hi):

    lcs[i - lo] == slice[i] + ... + slice[hi - 1]      left cumulative, whole array
    csa         == slice[lo] + ... + slice[i]          cumulative, the current one
    ca[c]       == slice[lo] + ... + slice[hi - 1]     the last csa of the chunk

A window never needs lcs and csa of the same chunk, so the second thread makes `lcs`
of chunks that are complete while the main thread goes on with `csa` and the answers:
at most 3 combines a slide there.  Windows that start in chunk c stop in chunk
c + reach, the first of them after its place `skew`, then in the one after it:

    reach, skew == divmod(width - 1, b)

Chunks of `TURN` slices and more are scanned in lanes (`_lanes.py`): a lane's prefixes
start at its own first slice, and what lies before them, `ahead`, is put on when they
are used.  That is still 3 combines a slide, and 2 more a lane.

`_two_threads.py` runs the threads, `_pba_walk.py` has the chunks of windows given as
arrays, and `_pba_steps.py` takes one event at a time in one thread.
"""

from typing import Any

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    announce,
    combine,
    emit,
    leaf,
    load,
    look,
    peek,
    poke,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._lanes import LANE, TURN, make_lanes, make_room, scan_prefixes, scan_suffixes
from ._pba_steps import PBA_STEPS
from ._pba_walk import answer_walk, fill_walk
from ._two_threads import ALONE, ANSWERED, NEXT, SLOT, conduct
from .two_stacks_lite import prepare, slide


def best_chunk(range_: Any, slide: Any) -> Any:
    """Theorem 1: slices in a chunk, for which no window W[r, s] waits for its lcs.

    A window has n = r // s slices.  The lcs of a chunk takes b combines after its last
    slice and is needed when the first window that starts within it stops: a shorter
    chunk is ready sooner and needed later.  The chunk is as long as a window of few
    slices, about s / (s + 1) of one of many; n // b == 1 always, so that a window
    spans at most three chunks.
    """
    slices, rest = range_ // slide, range_ % slide
    if slices <= slide + rest + 1:
        return slices
    return (slide * (slices + 1) + rest + 1) // (slide + 1)


def chunk_of(width, chunk):
    """The chunk, at most a window long; that of Theorem 1 if `chunk` is 0."""
    return min(chunk, width) if chunk > 0 else best_chunk(width, np.int64(1))


def stage(width, chunk):
    b = chunk_of(width, chunk)
    return make_room(b), make_room((width - 1) // b + 2), make_lanes(), b


def _before_lane(ca, csa):
    """The slices between lcs and a prefix; `ca` is None where they are one chunk's."""
    if ca is None:
        return csa
    return combine(ca, csa)


def _answer_ends(source, e, many, csa, ca, lcs, q, lanes, out, at):
    """Windows that stop after slices e, e + 1, ...: lcs, ca and csa; gives csa."""
    done = 0
    while done + TURN <= many:
        scan_prefixes(source, e + done, lanes, out, at + done)
        for lane in range(4):
            ahead = _before_lane(ca, csa)
            o, i = lane * LANE, done + lane * LANE
            for k in range(LANE):
                newer = combine(ahead, load(lanes, o + k))
                emit(out, at + i + k, combine(load(lcs, q + i + k), newer))
            csa = combine(csa, load(lanes, o + LANE - 1))
        done += TURN
    for j in range(done, many):
        csa = combine(csa, leaf(source, e + j))
        emit(out, at + j, combine(load(lcs, q + j), _before_lane(ca, csa)))
    return csa


def fill_chunks(source, lo, many, b, lcs, q, lanes):
    """Fill in lcs of `many` chunks from slice lo on, from place q on."""
    for c in range(many):
        scan_suffixes(source, lo + c * b, lo + (c + 1) * b, lcs, q + c * b, lanes)


def begin_chunks(source, first, width, b, state):
    """The main thread, before its first window: csa, and ca of the chunks before.

    csa stands at place 0 of `state`, ca of chunk c at 1 + c % (reach + 1).
    """
    reach = (width - 1) // b
    store(state, 0, IDENTITY)
    for c in range(1, reach + 1):
        csa = IDENTITY
        for i in range(first + c * b, first + min((c + 1) * b, width - 1)):
            csa = combine(csa, leaf(source, i))
        store(state, 1 + c % (reach + 1), csa)
        store(state, 0, csa)


def answer_chunks(
    source, first, c, many, count, width, b, lcs, place, state, lanes, at, out
):
    """Windows that start in chunks [c, c + many), of `count` in all.

    `out` is written from `at` on; lcs of chunk c stands at `place`.
    """
    reach, skew = (width - 1) // b, (width - 1) % b
    csa = load(state, 0)
    for here in range(c, c + many):
        q, start = place + (here - c) * b, here * b
        near = min(b - skew, count - start)  # those that stop in chunk here + reach
        far = min(b, count - start) - near
        ca = IDENTITY
        for j in range(here + 1, here + reach):
            older = load(state, 1 + j % (reach + 1))
            if j == here + 1:
                ca = older
            else:
                ca = combine(ca, older)
        e = first + start + width - 1
        to = at + start
        if reach == 0:  # chunks as long as the window: this one is the window
            emit(out, to, load(lcs, q))
        elif reach == 1:
            csa = _answer_ends(source, e, near, csa, None, lcs, q, lanes, out, to)
            ca = csa
        else:
            csa = _answer_ends(source, e, near, csa, ca, lcs, q, lanes, out, to)
            ca = combine(ca, csa)
        if near < b - skew:
            return
        store(state, 1 + (here + reach) % (reach + 1), csa)
        csa = IDENTITY
        e, q, to = e + near, q + near, to + near
        if reach == 0:
            csa = _answer_ends(source, e, far, csa, None, lcs, q, lanes, out, to)
        else:
            csa = _answer_ends(source, e, far, csa, ca, lcs, q, lanes, out, to)
    store(state, 0, csa)


def fill_ahead(source, first, count, b, many, lcs, marks, lanes):
    """The second thread: lcs of groups of `many` chunks, while there is a free slot.

    Gives up if the main thread does not move on; returns whether all is filled.
    """
    chunks = (count + b - 1) // b
    groups = (chunks + many - 1) // many
    slots = len(marks) - SLOT
    g = marks[NEXT]
    looks = 0
    while g < groups and looks < many * b:
        answered = look(marks, ANSWERED)
        g = max(g, answered)  # the main thread has filled some itself
        if g - answered >= slots:
            looks += 1
        elif g < groups:
            c, q = g * many, (g % slots) * many * b
            some = min(many, chunks - c)
            fill_chunks(source, first + c * b, some, b, lcs, q, lanes)
            announce(marks, SLOT + g % slots, g + 1)
            g += 1
            looks = 0
    marks[NEXT] = g
    return g >= groups


def answer_behind(source, first, count, width, b, many, rooms, state, marks, at, out):
    """The main thread: all windows, from slots that the second has filled.

    A group that does not come for too long is filled here, to room of its own, so that
    nothing waits for a thread without a core.
    """
    lcs, own, lanes = rooms
    chunks = (count + b - 1) // b
    slots = len(marks) - SLOT
    patience = 4 * many * b
    begin_chunks(source, first, width, b, state)
    for g in range((chunks + many - 1) // many):
        c = g * many
        some = min(many, chunks - c)
        looks = 0
        while looks < patience and look(marks, SLOT + g % slots) != g + 1:
            looks += 1
        if looks < patience:
            room, q = lcs, (g % slots) * many * b
        else:
            room, q = own, 0 * b
            fill_chunks(source, first + c * b, some, b, own, q, lanes)
            patience //= 2
            poke(marks, ALONE, peek(marks, ALONE) + 1)
        answer_chunks(
            source, first, c, some, count, width, b, room, q, state, lanes, at, out
        )
        announce(marks, ANSWERED, g + 1)


def stride(source, first, count, width, at, scratch, out):
    """The work of both threads in one, chunk by chunk, for small windows."""
    lcs, state, lanes, b = scratch
    begin_chunks(source, first, width, b, state)
    zero, one = np.int64(0), np.int64(1)
    for c in range((count + b - 1) // b):
        fill_chunks(source, first + c * b, one, b, lcs, zero, lanes)
        answer_chunks(
            source, first, c, one, count, width, b, lcs, zero, state, lanes, at, out
        )


PBA = Algorithm(
    name="pba",
    title="PBA: suffixes of chunks by a second thread, answers by the first",
    needs=Law.NONE,
    time="3",
    worst="n + 1",
    space="n + 1",
    source="PBA 4 (KDD 2021)",
    prepare=prepare,
    slide=slide,
    stage=stage,
    stride=stride,
    slide_entries=(make_room, make_lanes, fill_walk, answer_walk),
    stride_entries=(
        make_room,
        make_lanes,
        chunk_of,
        fill_chunks,
        fill_ahead,
        answer_behind,
    ),
    conduct=conduct,
    threads=2,
    uneven="two_stacks_lite",
    steps=PBA_STEPS,
    strided=FormCosts(
        "4 if n < 4096 else 5",
        "n + 1 if n < 4096 else 2 n",
        "n / 2 + 2053",
    ),
    threaded=FormCosts("< 3", "3", "4 max(32768, n / 2) + n + 8350"),
    online=FormCosts("< 4", "4", "2 p + 2"),
    fed=FormCosts("5", "n + min(n / 2, 1024)", "2 p + 1026"),
)
