"""SBA, the sequential boundary aggregator: PBA in one thread.

Slices are grouped into chunks as long as the window.  A window is the end of one
chunk and the beginning of the next:

                 boundary                boundary
    |-- lcs: suffixes --|-- csa: prefixes --|
              |------ window -------|
              lcs[start]   csa[stop - 1]

Where windows move by one slice (`stride`), two things make it fast.  Two chunks are
scanned side by side, suffixes and prefixes together: four independent chains of
combines.  And a chunk longer than `BLOCK` is scanned in blocks that stay in the
first-level cache, with the slices between a block and its window's last block as one
partial, `middle`:

    chunk c                               chunk c + 1
    |  block 0  |  block 1  |  block 2  |  block 0  |  block 1  |  block 2  |
              suffix |------- middle -----------------| prefix

    window = suffix within its first block + middle + prefix within its last

Invariants for the block at `a`, of length b, in a chunk of `width` slices:

    suffix[j] == slice[a + j] + ... + slice[a + b - 1]
    prefix[j] == slice[a + width] + ... + slice[a + width + j - 1]      for j > 0
    middle    == slice[a + b] + ... + slice[a + width - 1]
    window that starts at a + j == suffix[j] + middle + prefix[j]

Over irregular windows (`slide`) a window past the last chunk begins the next, which is
Two-Stacks Lite; so it is one event at a time, where the next chunk is not known yet.

Tried, 8M float64, share of one read-and-write pass at windows 16 to 1M: plain chunks
0.27 to 0.39; four blocks side by side 0.29 to 0.52 (sixteen base addresses do not fit
the registers); two side by side 0.34 to 0.51; these, with many short chunks at a time
and results prefetched while scanning, see `benchmarks/RESULTS.md`.
"""

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    emit,
    expect,
    join,
    leaf,
    load,
    store,
)

from ._algorithm import Algorithm
from .two_stacks_lite import STEPS, prepare, slide

BLOCK = 1024  # windows up to this long are chunks of one block
LEAST = 512  # the block of longer ones
FEW_FIELDS = 6
LONG = 64  # slices: shorter chains are too short to wait for
GROUP = 1024  # windows answered at a time, where chunks are shorter


def stage(width, chunk):
    room = max(GROUP, 2 * min(width, BLOCK))
    return allocate(room), allocate(room), allocate((width + LEAST - 1) // LEAST + 1)


def _scan_two(source, a, width, b, q, suffix, prefix, out, at):
    """Suffixes and prefixes for the blocks at a and a + b, to places q and q + b.

    Gives the totals of the blocks `width` further on.  How many chains run at once
    depends on how many fields fit the registers: four of one field, two of more, and
    one (`_scan_one`) of many, where chunks are not short.
    """
    c = a + width
    s0, s1 = leaf(source, a + b - 1), leaf(source, a + 2 * b - 1)
    p0, p1 = leaf(source, c), leaf(source, c + b)
    store(suffix, q + b - 1, s0)
    store(suffix, q + 2 * b - 1, s1)
    narrow = len(IDENTITY) == 1
    for k in range(1, b):
        j = b - 1 - k
        if k & 3 == 0:
            expect(out, at + 2 * k)
        s0 = join(leaf(source, a + j), s0)
        store(suffix, q + j, s0)
        s1 = join(leaf(source, a + b + j), s1)
        store(suffix, q + b + j, s1)
        if narrow:
            store(prefix, q + k, p0)
            p0 = join(p0, leaf(source, c + k))
            store(prefix, q + b + k, p1)
            p1 = join(p1, leaf(source, c + b + k))
    if not narrow:
        for k in range(1, b):
            store(prefix, q + k, p0)
            p0 = join(p0, leaf(source, c + k))
            store(prefix, q + b + k, p1)
            p1 = join(p1, leaf(source, c + b + k))
    return p0, p1


def _scan_one(source, a, width, b, q, many, suffix, prefix):
    """The same for one block, of which `many` windows are asked for."""
    s = leaf(source, a + b - 1)
    store(suffix, q + b - 1, s)
    for j in range(b - 2, -1, -1):
        s = join(leaf(source, a + j), s)
        store(suffix, q + j, s)
    if many > 1:
        p = leaf(source, a + width)
        store(prefix, q + 1, p)
        for k in range(2, many):
            p = join(p, leaf(source, a + width + k - 1))
            store(prefix, q + k, p)


def _cut_first(source, a, q, suffix, prefix):
    """Write the window that is a whole chunk as its first slice and the rest.

    So every window is a suffix and a prefix, none of them empty, and one long loop
    answers many chunks.
    """
    store(prefix, q, load(suffix, q + 1))
    store(suffix, q, leaf(source, a))


def _answer(out, at, many, suffix, prefix):
    """Windows whose middle is empty: suffix and prefix meet."""
    for j in range(many):
        emit(out, at + j, join(load(suffix, j), load(prefix, j)))


def _answer_around(out, at, q, many, suffix, middle, prefix):
    """Windows of the block at place q, around its middle."""
    emit(out, at, join(load(suffix, q), middle))
    for j in range(1, many):
        newer = join(middle, load(prefix, q + j))
        emit(out, at + j, join(load(suffix, q + j), newer))


def _totals(source, first, width, totals):
    """One partial per block of the first chunk."""
    for p in range((width + LEAST - 1) // LEAST):
        lo = first + p * LEAST
        total = leaf(source, lo)
        for i in range(lo + 1, min(lo + LEAST, first + width)):
            total = join(total, leaf(source, i))
        store(totals, p, total)


def _stride_blocks(source, first, count, width, at, scratch, out):
    """Windows longer than a block: `totals` holds one partial per block."""
    suffix, prefix, totals = scratch
    blocks = (width + LEAST - 1) // LEAST
    _totals(source, first, width, totals)
    chunk = np.int64(0)
    while chunk < count:
        for p in range(blocks - 2, -1, -1):  # totals of this chunk become suffixes
            store(totals, p, join(load(totals, p), load(totals, p + 1)))
        run = IDENTITY  # the next chunk's blocks so far
        p = 0
        while p < blocks and chunk + p * LEAST < count:
            lo = chunk + p * LEAST
            two = p + 2 < blocks and lo + 2 * LEAST < count
            b = LEAST if two else min(LEAST, chunk + width - lo)
            total = after = IDENTITY
            if two:
                total, after = _scan_two(
                    source, first + lo, width, b, 0 * b, suffix, prefix, out, at + lo
                )
            else:
                many = min(b, count - lo)
                _scan_one(source, first + lo, width, b, 0 * b, many, suffix, prefix)
                if many == b and lo + b < count:
                    last = leaf(source, first + lo + width + b - 1)
                    total = last if b == 1 else join(load(prefix, b - 1), last)
            for lane in range(2 if two else 1):
                here, start = p + lane, lo + lane * b
                middle = run
                if here == 0:
                    middle = load(totals, here + 1)
                elif here + 1 < blocks:
                    middle = join(load(totals, here + 1), run)
                many = min(b, count - start)
                q = lane * b
                _answer_around(out, at + start, q, many, suffix, middle, prefix)
                run = total if here == 0 else join(run, total)
                store(totals, here, total)
                total = after
            p += 2 if two else 1
        chunk += width


def stride(source, first, count, width, at, scratch, out):
    if width > BLOCK:
        _stride_blocks(source, first, count, width, at, scratch, out)
        return
    if width == 1:
        for i in range(count):
            emit(out, at + i, leaf(source, first + i))
        return
    suffix, prefix, _ = scratch
    one_by_one = len(IDENTITY) > FEW_FIELDS and width >= LONG
    pair = 2 * width
    most = max(GROUP // pair, 1)
    chunk = np.int64(0)
    while chunk + pair < count:
        pairs = min(most, (count - 1 - chunk) // pair)
        for k in range(pairs):
            q = k * pair
            a, to = first + chunk + q, at + chunk + q
            if not one_by_one:
                _scan_two(source, a, width, width, q, suffix, prefix, out, to)
            for o in range(0, pair, width):
                if one_by_one:
                    _scan_one(source, a + o, width, width, q + o, width, suffix, prefix)
                _cut_first(source, a + o, q + o, suffix, prefix)
        _answer(out, at + chunk, pairs * pair, suffix, prefix)
        chunk += pairs * pair
    while chunk < count:
        many, a, q = min(width, count - chunk), first + chunk, np.int64(0)
        _scan_one(source, a, width, width, q, many, suffix, prefix)
        _cut_first(source, a, q, suffix, prefix)
        _answer(out, at + chunk, many, suffix, prefix)
        chunk += width


SBA = Algorithm(
    name="sba",
    title="SBA: suffixes of one chunk, prefixes of the next",
    needs=Law.NONE,
    time="3",
    worst="n + 2",
    space="n + 2",
    source="PBA 5.1 (KDD 2021)",
    prepare=prepare,
    slide=slide,
    stage=stage,
    stride=stride,
    steps=STEPS,
)
