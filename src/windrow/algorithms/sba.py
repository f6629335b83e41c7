"""SBA, the sequential boundary aggregator: PBA in one thread.

Slices are grouped into chunks as long as the window.  A window is the end of one
chunk and the beginning of the next:

                 boundary                boundary
    |-- lcs: suffixes --|-- csa: prefixes --|
              |------ window -------|
              lcs[start]   csa[stop - 1]

Where windows move on by one slice (`stride`), two things make it fast.  Two
chunks are scanned side by side, suffixes and prefixes together: four chains of
combines that do not wait for each other.  And a chunk longer than `BLOCK` is
scanned in blocks that stay in the first-level cache, with what lies between a
block and its window's last block kept as one partial, `middle`:

    chunk c                               chunk c + 1
    |  block 0  |  block 1  |  block 2  |  block 0  |  block 1  |  block 2  |
              suffix |------- middle -----------------| prefix

    window = suffix within its first block + middle + prefix within its last

Invariants for the block at `a`, of length b, in a chunk of `width` slices:

    suffix[j] == slice[a + j] + ... + slice[a + b - 1]
    prefix[j] == slice[a + width] + ... + slice[a + width + j]
    middle    == slice[a + b] + ... + slice[a + width - 1]

Over windows that are not regular (`slide`) the boundary falls where the last chunk
ran out, which makes it Two-Stacks Lite.

Tried, 8M float64, share of one read-and-write pass at windows 16 to 1M: plain
chunks 0.27 to 0.39; four blocks side by side 0.29 to 0.52 (sixteen base
addresses do not fit the registers); two blocks side by side 0.34 to 0.51.
"""

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import allocate, combine, emit, leaf, load, store

from ._algorithm import Algorithm
from .two_stacks_lite import prepare, slide

BLOCK = 1024  # windows up to this long are chunks of one block
LEAST = 512  # the block of longer ones


def stage(width, chunk):
    block = min(width, BLOCK)
    return (
        allocate(2 * block),
        allocate(2 * block),
        allocate((width + LEAST - 1) // LEAST + 1),
    )


def _scan_two(source, a, width, b, suffix, prefix):
    """Suffixes and prefixes for the blocks at a and a + b, four chains at once."""
    c = a + width
    s0, s1 = leaf(source, a + b - 1), leaf(source, a + 2 * b - 1)
    p0, p1 = leaf(source, c), leaf(source, c + b)
    store(suffix, b - 1, s0)
    store(suffix, 2 * b - 1, s1)
    store(prefix, 0, p0)
    store(prefix, b, p1)
    for k in range(1, b):
        j = b - 1 - k
        s0 = combine(leaf(source, a + j), s0)
        store(suffix, j, s0)
        s1 = combine(leaf(source, a + b + j), s1)
        store(suffix, b + j, s1)
        p0 = combine(p0, leaf(source, c + k))
        store(prefix, k, p0)
        p1 = combine(p1, leaf(source, c + b + k))
        store(prefix, b + k, p1)


def _scan_one(source, a, width, b, there, suffix, prefix):
    """The same for one block, of whose prefix only `there` slices exist."""
    s = leaf(source, a + b - 1)
    store(suffix, b - 1, s)
    for j in range(b - 2, -1, -1):
        s = combine(leaf(source, a + j), s)
        store(suffix, j, s)
    if there > 0:
        p = leaf(source, a + width)
        store(prefix, 0, p)
        for k in range(1, min(b, there)):
            p = combine(p, leaf(source, a + width + k))
            store(prefix, k, p)


def _answer(out, at, q, many, suffix, prefix):
    """Windows of one block whose middle is empty: suffix and prefix meet."""
    emit(out, at, load(suffix, q))
    for j in range(1, many):
        emit(out, at + j, combine(load(suffix, q + j), load(prefix, q + j - 1)))


def _answer_around(out, at, q, many, suffix, middle, prefix):
    """Windows of one block, around its middle."""
    emit(out, at, combine(load(suffix, q), middle))
    for j in range(1, many):
        newer = combine(middle, load(prefix, q + j - 1))
        emit(out, at + j, combine(load(suffix, q + j), newer))


def _stride_blocks(source, first, count, width, at, scratch, out):
    """Windows longer than a block: `totals` holds one partial per block."""
    suffix, prefix, totals = scratch
    blocks = (width + LEAST - 1) // LEAST
    for p in range(blocks):
        lo = first + p * LEAST
        total = leaf(source, lo)
        for i in range(lo + 1, min(lo + LEAST, first + width)):
            total = combine(total, leaf(source, i))
        store(totals, p, total)
    chunk = np.int64(0)
    while chunk < count:
        for p in range(blocks - 2, -1, -1):  # totals of this chunk become suffixes
            store(totals, p, combine(load(totals, p), load(totals, p + 1)))
        run = load(totals, 0)  # the next chunk's blocks so far, once there is one
        p = 0
        while p < blocks and chunk + p * LEAST < count:
            lo = chunk + p * LEAST
            two = p + 2 < blocks and lo + 2 * LEAST < count
            b = LEAST if two else min(LEAST, chunk + width - lo)
            if two:
                _scan_two(source, first + lo, width, b, suffix, prefix)
            else:
                there = count - 1 - lo
                _scan_one(source, first + lo, width, b, there, suffix, prefix)
            for lane in range(2 if two else 1):
                here, q = p + lane, lane * b
                start = lo + q
                many = min(b, count - start)
                middle = run
                if here == 0:
                    middle = load(totals, 1)
                elif here + 1 < blocks:
                    middle = combine(load(totals, here + 1), run)
                _answer_around(out, at + start, q, many, suffix, middle, prefix)
                total = load(prefix, q + b - 1)
                run = total if here == 0 else combine(run, total)
                store(totals, here, total)
            p += 2 if two else 1
        chunk += width


def stride(source, first, count, width, at, scratch, out):
    if width > BLOCK:
        _stride_blocks(source, first, count, width, at, scratch, out)
        return
    suffix, prefix, _ = scratch
    chunk = np.int64(0)
    while chunk + 2 * width < count:
        _scan_two(source, first + chunk, width, width, suffix, prefix)
        for lane in range(2):
            q = lane * width
            _answer(out, at + chunk + q, q, width, suffix, prefix)
        chunk += 2 * width
    while chunk < count:
        there = count - 1 - chunk
        _scan_one(source, first + chunk, width, width, there, suffix, prefix)
        many = min(width, count - chunk)
        _answer(out, at + chunk, np.int64(0), many, suffix, prefix)
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
)
