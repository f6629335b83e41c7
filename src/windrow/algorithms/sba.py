"""SBA, the sequential boundary aggregator: PBA in one thread.

Slices are grouped into chunks as long as the window.  A window is the end of one
chunk and the beginning of the next:

                 boundary                boundary
    |-- lcs: suffixes --|-- csa: prefixes --|
              |------ window -------|
              lcs[start]   csa[stop - 1]

Where windows move by one slice (`stride`), three things make it fast.  Two chunks are
scanned side by side, suffixes and prefixes together: four independent chains of
combines.  A chunk longer than `BLOCK` is scanned in blocks that stay in the
first-level cache, with the slices between a block and its window's last block as one
partial, `middle`:

    chunk c                               chunk c + 1
    |  block 0  |  block 1  |  block 2  |  block 0  |  block 1  |  block 2  |
              suffix |------- middle -----------------| prefix

    window = suffix within its first block + middle + prefix within its last

And within a block partials are tallies, which need not count their rows; the origin of
a block's tallies is the first slice of its prefixes, which is in all of its windows but
the one that ends there, `head`.  Invariants for the block at `a`, of length b, in a
chunk of `width` slices:

    suffix[j] == slice[a + j] + ... + slice[a + b - 1]                  for j > 0
    prefix[j] == slice[a + width] + ... + slice[a + width + j - 1]      for j > 0
    middle    == slice[a + b] + ... + slice[a + width - 1]
    head      == slice[a] + ... + slice[a + width - 1]
    window that starts at a + j == suffix[j] + middle + prefix[j]       for j > 0

Over irregular windows (`slide`) a window past the last chunk begins the next, which is
Two-Stacks Lite; so it is one event at a time, where the next chunk is not known yet.

Tried, 8M float64, share of one read-and-write pass at windows 16 to 1M: plain chunks
0.27 to 0.39; four blocks side by side 0.29 to 0.52 (sixteen base addresses do not fit
the registers); two side by side 0.34 to 0.51; these, with many short chunks at a time
and results prefetched while scanning, `windrow bench run kernels`.
"""

import numpy as np

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    allocate_tallies,
    approach,
    emit,
    emit_tally,
    expect,
    join,
    join_tallies,
    leaf,
    load,
    load_tally,
    origin,
    partial_of,
    store,
    store_tally,
    tally,
    tally_of,
)

from ._algorithm import Algorithm, FormCosts
from .two_stacks_lite import STEPS, prepare, slide

BLOCK = 1024  # windows up to this long are chunks of one block
LEAST = BLOCK // 2  # blocks of longer ones, but for their last
FEW_FIELDS = 6
LONG = 64  # slices: shorter chains are too short to wait for
GROUP = 1024  # windows answered at a time, where chunks are shorter


def stage(width, chunk):
    room = max(GROUP, 2 * min(width, BLOCK))
    totals = allocate(width // LEAST + 3)
    return allocate_tallies(room), allocate_tallies(room), totals


def _scan_two(source, a, width, b, q, suffix, prefix, out, at):
    """Suffixes and prefixes for the blocks at a and a + b, to places q and q + b.

    How many chains run at once depends on how many fields fit the registers: four of
    one field, two of more, and one (`_scan_one`) of many, where chunks are not short.
    """
    c = a + width
    o0, o1 = origin(source, c), origin(source, c + b)
    s0, s1 = tally(source, a + b - 1, o0), tally(source, a + 2 * b - 1, o1)
    p0, p1 = tally(source, c, o0), tally(source, c + b, o1)
    store_tally(suffix, q + b - 1, s0)
    store_tally(suffix, q + 2 * b - 1, s1)
    narrow = len(s0) == 1
    for k in range(1, b - 1):
        j = b - 1 - k
        if k & 3 == 0:
            expect(out, at + 2 * k)
            approach(source, a + 2 * b + 2 * k)
            approach(source, c + 2 * b + 2 * k)
        s0 = join_tallies(tally(source, a + j, o0), s0)
        store_tally(suffix, q + j, s0)
        s1 = join_tallies(tally(source, a + b + j, o1), s1)
        store_tally(suffix, q + b + j, s1)
        if narrow:
            store_tally(prefix, q + k, p0)
            p0 = join_tallies(p0, tally(source, c + k, o0))
            store_tally(prefix, q + b + k, p1)
            p1 = join_tallies(p1, tally(source, c + b + k, o1))
    if not narrow:
        for k in range(1, b - 1):
            store_tally(prefix, q + k, p0)
            p0 = join_tallies(p0, tally(source, c + k, o0))
            store_tally(prefix, q + b + k, p1)
            p1 = join_tallies(p1, tally(source, c + b + k, o1))
    store_tally(prefix, q + b - 1, p0)
    store_tally(prefix, q + 2 * b - 1, p1)


def _scan_one(source, a, width, b, q, many, suffix, prefix):
    """The same for one block, of which `many` windows are asked for."""
    if many < 2:
        return
    o = origin(source, a + width)
    s = tally(source, a + b - 1, o)
    store_tally(suffix, q + b - 1, s)
    for j in range(b - 2, 0, -1):
        s = join_tallies(tally(source, a + j, o), s)
        store_tally(suffix, q + j, s)
    p = tally(source, a + width, o)
    store_tally(prefix, q + 1, p)
    for k in range(2, many):
        p = join_tallies(p, tally(source, a + width + k - 1, o))
        store_tally(prefix, q + k, p)


def _all_but_last(source, a, n):
    """The tally of slices [a, a + n - 1), from the first of them."""
    o = origin(source, a)
    p = tally(source, a, o)
    for i in range(a + 1, a + n - 1):
        p = join_tallies(p, tally(source, i, o))
    return p


def _total(source, a, n, p):
    """The partial of the n slices from a on; `p` is the tally of all but the last."""
    o = origin(source, a)
    if n > 1:
        return partial_of(join_tallies(p, tally(source, a + n - 1, o)), o, n)
    return partial_of(tally(source, a, o), o, n)


def _put_head(source, a, width, q, head, suffix, prefix):
    """Write the window that is a whole chunk as two parts, `head` and its last slice.

    So every window is a suffix and a prefix, none of them empty, and one long loop
    answers many chunks.
    """
    store_tally(suffix, q, head)
    store_tally(prefix, q, tally(source, a + width - 1, origin(source, a)))


def _answer(out, at, many, width, suffix, prefix):
    """Windows whose middle is empty: suffix and prefix meet."""
    for j in range(many):
        whole = join_tallies(load_tally(suffix, j), load_tally(prefix, j))
        emit_tally(out, at + j, whole, width)


def _answer_around(out, at, q, many, width, suffix, middle, prefix):
    """Windows of the block at place q but its first, around its middle."""
    for j in range(1, many):
        newer = join_tallies(middle, load_tally(prefix, q + j))
        whole = join_tallies(load_tally(suffix, q + j), newer)
        emit_tally(out, at + j, whole, width)


def _length(left, width):
    """Slices in the block that begins `left` slices before its chunk's end.

    Two blocks are scanned at a time, so what is left over by whole ones is halved.
    """
    rest = width % BLOCK
    if left > rest:
        return LEAST
    return min(left, max(rest // 2, 1))


def _totals(source, first, width, totals):
    """One partial per block of the first chunk; how many blocks it has."""
    p, lo = 0, first
    while lo < first + width:
        n = _length(first + width - lo, width)
        store(totals, p, _total(source, lo, n, _all_but_last(source, lo, n)))
        p, lo = p + 1, lo + n
    return p


def _stride_blocks(source, first, count, width, at, scratch, out):
    """Windows longer than a block: `totals` holds one partial per block."""
    suffix, prefix, totals = scratch
    blocks = _totals(source, first, width, totals)
    chunk = np.int64(0)
    while chunk < count:
        for p in range(blocks - 2, -1, -1):  # totals of this chunk become suffixes
            store(totals, p, join(load(totals, p), load(totals, p + 1)))
        run = IDENTITY  # the next chunk's blocks so far
        p, lo, end = 0, chunk, chunk + width
        while lo < min(end, count):
            b, q = _length(end - lo, width), np.int64(0)
            lanes = 2 if lo + 2 * b <= min(end, count - 1) else 1
            a, to = first + lo, at + lo
            if lanes == 2 and b == LEAST:  # known to the compiler: a tenth faster
                _scan_two(source, a, width, LEAST, q, suffix, prefix, out, to)
            elif lanes == 2:
                _scan_two(source, a, width, b, q, suffix, prefix, out, to)
            else:
                _scan_one(source, a, width, b, q, min(b, count - lo), suffix, prefix)
            for lane in range(lanes):
                here, start, q = p + lane, lo + lane * b, lane * b
                many = min(b, count - start)
                head, middle = load(totals, here), run
                if here == 0:
                    middle = load(totals, here + 1)
                else:
                    head = join(head, run)
                    if here + 1 < blocks:
                        middle = join(load(totals, here + 1), run)
                emit(out, at + start, head)
                if start + 1 < count:
                    c = first + start + width
                    around = tally_of(middle, origin(source, c))
                    _answer_around(
                        out, at + start, q, many, width, suffix, around, prefix
                    )
                if start + b < count:
                    total = _total(source, c, b, load_tally(prefix, q + b - 1))
                    if here == 0:
                        run = total
                    else:
                        run = join(run, total)
                    store(totals, here, total)
            p, lo = p + lanes, lo + lanes * b
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
    head = _all_but_last(source, first, width)
    one_by_one = len(head) > FEW_FIELDS and width >= LONG
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
                _put_head(source, a + o, width, q + o, head, suffix, prefix)
                head = load_tally(prefix, q + o + width - 1)
        _answer(out, at + chunk, pairs * pair, width, suffix, prefix)
        chunk += pairs * pair
    while chunk < count:
        many, a, q = min(width, count - chunk), first + chunk, np.int64(0)
        _scan_one(source, a, width, width, q, many, suffix, prefix)
        _put_head(source, a, width, q, head, suffix, prefix)
        _answer(out, at + chunk, many, width, suffix, prefix)
        head = load_tally(prefix, width - 1)
        chunk += width


SBA = Algorithm(
    name="sba",
    title="SBA: suffixes of one chunk, prefixes of the next",
    needs=Law.NONE,
    time="3",
    worst="n + 1",
    space="n + 1",
    source="PBA 5.1 (KDD 2021)",
    prepare=prepare,
    slide=slide,
    stage=stage,
    stride=stride,
    uneven="two_stacks_lite",
    steps=STEPS,
    strided=FormCosts(
        "3 if n <= 1024 else 4",
        "n + 2048",
        "4 min(max(n, 512), 1024) + n / 512 + 3",
    ),
    online=FormCosts("3", "n + 2", "p + 1", by="two_stacks_lite"),
    fed=FormCosts("5", "2 n + min(n, 1024) + 2", "p + 1025", by="two_stacks_lite"),
)
