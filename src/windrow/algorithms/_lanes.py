"""Scans prefixes and suffixes in four independent lanes.

One chain of combines is slower than memory, since each waits for the one before.  So
`TURN` slices are scanned as four lanes of `LANE`, side by side:

    |---- lane 0 ----|---- lane 1 ----|---- lane 2 ----|---- lane 3 ----|
     p0 p0 p0 ...     p1 p1 p1 ...     p2 p2 p2 ...     p3 p3 p3 ...

and the partial of the slices before a lane (or after it) is combined on in a second
step, which has no chain.  The lanes stay in the first-level cache, and the slices of
the next turn are fetched meanwhile.
"""

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    approach,
    combine,
    expect,
    leaf,
    load,
    store,
)

LANE = 512
TURN = 4 * LANE


def make_room(n):
    return allocate(n)


def make_lanes():
    return allocate(TURN)


def scan_suffixes(source, lo, hi, lcs, q, lanes):
    """Suffixes of slices [lo, hi), the paper's lcs, put at place q of `lcs`.

    They are combined from `lanes` and not in place: for a selective `combine` LLVM
    would make that a masked store, which took as long as all the rest.
    """
    j = hi - lo
    after = IDENTITY
    while j >= TURN:
        j -= TURN
        a = lo + j
        s0 = s1 = s2 = s3 = IDENTITY
        for k in range(LANE - 1, -1, -1):
            if k & 1 == 0:
                approach(source, a - TURN + 4 * k)
            s0 = combine(leaf(source, a + k), s0)
            store(lanes, k, s0)
            s1 = combine(leaf(source, a + LANE + k), s1)
            store(lanes, LANE + k, s1)
            s2 = combine(leaf(source, a + 2 * LANE + k), s2)
            store(lanes, 2 * LANE + k, s2)
            s3 = combine(leaf(source, a + 3 * LANE + k), s3)
            store(lanes, 3 * LANE + k, s3)
        for lane in range(3, -1, -1):
            o = lane * LANE
            for k in range(LANE):
                store(lcs, q + j + o + k, combine(load(lanes, o + k), after))
            after = load(lcs, q + j + o)
    while j > 0:
        j -= 1
        after = combine(leaf(source, lo + j), after)
        store(lcs, q + j, after)


def scan_prefixes(source, a, lanes, out, at):
    """Prefixes of four lanes from slice a on, each from its own first slice.

    The results from `at` on will be written next, and are prefetched meanwhile.
    """
    p0 = p1 = p2 = p3 = IDENTITY
    for k in range(LANE):
        if k & 1 == 0:
            expect(out, at + 4 * k)
            approach(source, a + TURN + 4 * k)
        p0 = combine(p0, leaf(source, a + k))
        store(lanes, k, p0)
        p1 = combine(p1, leaf(source, a + LANE + k))
        store(lanes, LANE + k, p1)
        p2 = combine(p2, leaf(source, a + 2 * LANE + k))
        store(lanes, 2 * LANE + k, p2)
        p3 = combine(p3, leaf(source, a + 3 * LANE + k))
        store(lanes, 3 * LANE + k, p3)
