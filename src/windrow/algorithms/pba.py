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

Chunks of `TURN` slices and more are scanned in four lanes of `LANE` slices that do
not wait for each other (one chain of combines is slower than memory); a lane's
prefixes start at its own first slice, and what lies before them, `ahead`, is put on
when they are used: 3 combines a slide still, and 2 more a lane.

Over windows given as arrays a boundary falls where the last chunk ran out, which the
bounds alone tell: both threads walk them, one for the suffixes, one for the answers.
"""

import numpy as np

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

from ._algorithm import Algorithm
from ._two_threads import conduct
from .two_stacks_lite import prepare, slide

LANE = 512
TURN = 4 * LANE


def best_chunk(range_, slide):
    """Theorem 1: slices in a chunk, for which no window W[r, s] waits for its lcs.

    With n = r // s slices a window, lcs of a chunk takes n combines and must be there
    when the next window after the boundary stops: a chunk as long as the window is
    right for few slices, about s / (s + 1) of it for many.  n // b == 1 always, so
    that a window spans at most three chunks.
    """
    slices, rest = range_ // slide, range_ % slide
    if slices <= slide + rest + 1:
        return slices
    return (slide * (slices + 1) + rest + 1) // (slide + 1)


def chunk_of(width, chunk):
    """The chunk asked for, at most a window long; Theorem 1's where none is."""
    return min(chunk, width) if chunk > 0 else best_chunk(width, np.int64(1))


def stage(width, chunk):
    b = chunk_of(width, chunk)
    return make_room(b), make_room((width - 1) // b + 2), make_room(TURN), b


def make_room(n):
    return allocate(n)


def _suffixes(source, lo, hi, lcs, q):
    """Make lcs of slices [lo, hi), at place q."""
    j = hi - lo
    after = IDENTITY
    while j >= TURN:
        j -= TURN
        a, p = lo + j, q + j
        s0 = s1 = s2 = s3 = IDENTITY
        for k in range(LANE - 1, -1, -1):
            s0 = combine(leaf(source, a + k), s0)
            store(lcs, p + k, s0)
            s1 = combine(leaf(source, a + LANE + k), s1)
            store(lcs, p + LANE + k, s1)
            s2 = combine(leaf(source, a + 2 * LANE + k), s2)
            store(lcs, p + 2 * LANE + k, s2)
            s3 = combine(leaf(source, a + 3 * LANE + k), s3)
            store(lcs, p + 3 * LANE + k, s3)
        for lane in range(3, -1, -1):
            o = p + lane * LANE
            for k in range(LANE):
                store(lcs, o + k, combine(load(lcs, o + k), after))
            after = load(lcs, o)
    while j > 0:
        j -= 1
        after = combine(leaf(source, lo + j), after)
        store(lcs, q + j, after)


def _prefixes(source, a, prefix):
    """Prefixes of four lanes from slice a on, each from its own first slice."""
    p0 = p1 = p2 = p3 = IDENTITY
    for k in range(LANE):
        p0 = combine(p0, leaf(source, a + k))
        store(prefix, k, p0)
        p1 = combine(p1, leaf(source, a + LANE + k))
        store(prefix, LANE + k, p1)
        p2 = combine(p2, leaf(source, a + 2 * LANE + k))
        store(prefix, 2 * LANE + k, p2)
        p3 = combine(p3, leaf(source, a + 3 * LANE + k))
        store(prefix, 3 * LANE + k, p3)


def _answer_around_ca(source, e, many, csa, ca, lcs, q, prefix, out, at):
    """Windows that stop after slices e, e + 1, ...: lcs, ca and csa; gives csa."""
    done = 0
    while done + TURN <= many:
        _prefixes(source, e + done, prefix)
        for lane in range(4):
            ahead = combine(ca, csa)
            o, i = lane * LANE, done + lane * LANE
            for k in range(LANE):
                newer = combine(ahead, load(prefix, o + k))
                emit(out, at + i + k, combine(load(lcs, q + i + k), newer))
            csa = combine(csa, load(prefix, o + LANE - 1))
        done += TURN
    for j in range(done, many):
        csa = combine(csa, leaf(source, e + j))
        emit(out, at + j, combine(load(lcs, q + j), combine(ca, csa)))
    return csa


def _answer_next_to(source, e, many, csa, lcs, q, prefix, out, at):
    """The same where no whole chunk lies between."""
    done = 0
    while done + TURN <= many:
        _prefixes(source, e + done, prefix)
        for lane in range(4):
            o, i = lane * LANE, done + lane * LANE
            for k in range(LANE):
                newer = combine(csa, load(prefix, o + k))
                emit(out, at + i + k, combine(load(lcs, q + i + k), newer))
            csa = combine(csa, load(prefix, o + LANE - 1))
        done += TURN
    for j in range(done, many):
        csa = combine(csa, leaf(source, e + j))
        emit(out, at + j, combine(load(lcs, q + j), csa))
    return csa


def fill_chunks(source, lo, many, b, lcs):
    """The second thread: lcs of `many` chunks, the first of which begins at lo."""
    for c in range(many):
        _suffixes(source, lo + c * b, lo + (c + 1) * b, lcs, c * b)


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


def answer_chunks(source, first, c, many, count, width, b, lcs, state, prefix, at, out):
    """The main thread: windows that start in chunks [c, c + many), of `count` in all.

    `out` is written from `at` on; `lcs` begins with chunk c.
    """
    reach, skew = (width - 1) // b, (width - 1) % b
    csa = load(state, 0)
    for here in range(c, c + many):
        q, start = (here - c) * b, here * b
        near = min(b - skew, count - start)  # those that stop in chunk here + reach
        far = min(b, count - start) - near
        ca = IDENTITY
        for j in range(here + 1, here + reach):
            older = load(state, 1 + j % (reach + 1))
            ca = older if j == here + 1 else combine(ca, older)
        e = first + start + width - 1
        if reach == 0:  # chunks as long as the window: this one is the window
            emit(out, at + start, load(lcs, q))
        elif reach == 1:
            csa = _answer_next_to(source, e, near, csa, lcs, q, prefix, out, at + start)
            ca = csa
        else:
            csa = _answer_around_ca(
                source, e, near, csa, ca, lcs, q, prefix, out, at + start
            )
            ca = combine(ca, csa)
        if near < b - skew:
            return
        store(state, 1 + (here + reach) % (reach + 1), csa)
        csa = IDENTITY
        e, q, start = e + near, q + near, start + near
        if reach == 0:
            csa = _answer_next_to(source, e, far, csa, lcs, q, prefix, out, at + start)
        else:
            csa = _answer_around_ca(
                source, e, far, csa, ca, lcs, q, prefix, out, at + start
            )
    store(state, 0, csa)


def stride(source, first, count, width, at, scratch, out):
    """Both threads' work in one, chunk by chunk: what small windows get."""
    lcs, state, prefix, b = scratch
    begin_chunks(source, first, width, b, state)
    one = np.int64(1)
    for c in range((count + b - 1) // b):
        fill_chunks(source, first + c * b, one, b, lcs)
        answer_chunks(
            source, first, c, one, count, width, b, lcs, state, prefix, at, out
        )


def fill_walk(source, bounds, i, count, marks, lcs, room):
    """The second thread: lcs of the next chunks, from window i on, while there is room.

    `marks` holds the walk's flip and stop.  Gives the window that needs the next.
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
            _suffixes(source, first, stop, lcs, used)
            used += stop - first
            flip = stop
        stop = max(stop, last)
        i += 1
    marks[0], marks[1] = flip, stop
    return i


def answer_walk(source, bounds, i, until, marks, lcs, state, out):
    """The main thread: windows [i, until), over the chunks that `fill_walk` made."""
    flip, stop = marks[0], marks[1]
    back = load(state, 0) if i > 0 else IDENTITY
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


PBA = Algorithm(
    name="pba",
    title="PBA: suffixes of chunks by a second thread, answers by the first",
    needs=Law.NONE,
    time="< 3",
    worst="3",
    space="3n/2 + 2",
    source="PBA 4 (KDD 2021)",
    prepare=prepare,
    slide=slide,
    stage=stage,
    stride=stride,
    slide_entries=(make_room, fill_walk, answer_walk),
    stride_entries=(make_room, chunk_of, fill_chunks, begin_chunks, answer_chunks),
    conduct=conduct,
    threads=2,
)
