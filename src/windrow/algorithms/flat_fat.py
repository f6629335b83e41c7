"""FlatFAT: a flat fixed-size aggregator, a binary tree over a circular buffer.

The leaves are a circular buffer of `capacity` slots, the root is node 1, and the
children of node v are 2v and 2v + 1.  The window runs from the front F to the back
B; once B has wrapped round it stands before F and the buffer is *inverted*:

                 1                                    1
           2           3                        2           3
        4     5     6     7                  4     5     6     7
             F=7    3    B=2                B=9   F=7    3     2

      7 3 2 is the root            7 3 2 9 is suffix(F), then prefix(B)

Invariant, between any two windows, for each node whose slots hold slices of
[keep, stop):

    tree[v] == the slices of [keep, stop) below v

or, where those are torn because both F and B stand below v in an inverted buffer,
the ones up to B only: what is read never needs such a node, and so `combine` is
called in stream order alone.  The tree holds no neutral element in unused slots:
`keep` and `stop` tell which half of a node is in use (RA 5.2), so nothing has to
be cleared between keys.

Between two answers, m slices that came or went renew each node above them once,
level by level: the path of F, and what lies above the new slices.
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    allocate,
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
from ._dyadic import cover, place
from ._ring import ring


def prepare(widest, chunk):
    capacity = ring(widest)
    return allocate(2 * capacity), capacity


def _renew(tree, capacity, level, block, keep, stop):
    """One inner node from its two halves; a half outside the window is left out."""
    middle = (2 * block + 1) << (level - 1)
    older = place(capacity, level - 1, middle - 1)
    newer = place(capacity, level - 1, middle)
    if middle <= keep:
        whole = load(tree, newer)
    elif middle >= stop:
        whole = load(tree, older)
    else:
        whole = combine(load(tree, older), load(tree, newer))
    store(tree, place(capacity, level, middle), whole)


def _update(source, tree, capacity, before, keep, stop):
    """Bring the tree from the window `before` to [keep, stop), level by level."""
    old_keep, old_stop = before
    for i in range(old_stop, stop):
        store(tree, place(capacity, 0, i), leaf(source, i))
    level, blocks = 0, capacity
    while blocks > 1:
        level += 1
        blocks //= 2
        front, back = keep >> level, (stop - 1) >> level
        torn = back - front == blocks  # both are the same node: it belongs to the back
        fresh = old_stop >> level if stop > old_stop else back + 1
        shrunk = keep > old_keep and front << level < keep
        if shrunk and front < fresh and not torn:
            _renew(tree, capacity, level, front, keep, stop)
        for block in range(max(fresh, front + 1 if torn else front), back + 1):
            _renew(tree, capacity, level, block, keep, stop)


def _answer(tree, capacity, keep, start, stop):
    """The root if it is the window; else the fewest nodes, suffix before prefix.

    `cover` never passes the end of the array within one block, so an inverted
    buffer needs no case of its own.
    """
    inverted = (keep ^ (stop - 1)) >= capacity  # not in the same turn of the buffer
    if start == keep and start < stop and not inverted:
        return load(tree, 1)
    return cover(tree, capacity, start, stop)


def slide(source, bounds, count, at, scratch, out):
    tree, capacity = scratch
    keep = stop = 0
    for i in range(count):
        oldest, last = keep_of(bounds, i), stop_of(bounds, i)
        if oldest >= stop:  # nothing of the last window is left: begin anew
            keep = stop = oldest
        if oldest > keep or last > stop:
            _update(source, tree, capacity, (keep, stop), oldest, last)
            keep, stop = oldest, last
        emit(out, at + i, _answer(tree, capacity, keep, start_of(bounds, i), stop))


FLAT_FAT = Algorithm(
    name="flat_fat",
    title="FlatFAT: a binary tree over a circular buffer",
    needs=Law.NONE,
    time="1.5 log2(n)",
    worst="3 log2(n)",
    space="2n, n rounded up to a power of two",
    source="RA 4, 5 (VLDB 2015)",
    prepare=prepare,
    slide=slide,
    many=True,
)
