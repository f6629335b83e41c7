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
level by level: the path of F, and what lies above the new slices.  Where one slice
came, both paths are climbed with the node below at hand, not read again.

Where windows are even and move by one slice (`stride`), and the aggregate commutes, the
new slice takes the place of the oldest: unused leaves hold the neutral element, one
path is climbed without a branch, and the root is the answer.

    tree[v] == the slices of the window below v, in whatever order
"""

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    commutes,
    emit,
    keep_of,
    leaf,
    load,
    start_of,
    stop_of,
    store,
)

from ._algorithm import Algorithm, FormCosts
from ._dyadic import place, prepare
from ._fat_steps import FAT_STEPS
from ._fat_tree import answer_from, climb_back, climb_front, renew_level


def _update(source, tree, capacity, before, keep, stop):
    """Bring the tree from the window `before` to [keep, stop), level by level."""
    for i in range(before[1], stop):
        store(tree, place(capacity, 0, i), leaf(source, i))
    level = 1
    while capacity >> level > 0:
        renew_level(tree, capacity, level, before, (keep, stop))
        level += 1


def slide(source, bounds, count, at, scratch, out):
    tree, capacity = scratch
    keep = stop = 0
    for i in range(count):
        oldest, last = keep_of(bounds, i), stop_of(bounds, i)
        if oldest >= stop:  # nothing of the last window is left: begin anew
            keep = stop = oldest
        if last == stop + 1:
            if oldest > keep:
                climb_front(tree, capacity, oldest, stop)
            climb_back(tree, capacity, oldest, stop, leaf(source, stop))
            keep, stop = oldest, last
        elif oldest > keep or last > stop:
            _update(source, tree, capacity, (keep, stop), oldest, last)
            keep, stop = oldest, last
        emit(out, at + i, answer_from(tree, capacity, keep, start_of(bounds, i), stop))


def _replace(tree, capacity, slot, whole):
    """Put a slice into a slot, and give the root."""
    node = capacity + slot
    store(tree, node, whole)
    while node > 1:
        whole = combine(load(tree, node ^ 1), whole)
        node >>= 1
        store(tree, node, whole)
    return whole


def _stride_in_any_order(source, first, count, width, at, tree, capacity, out):
    for i in range(2 * capacity):
        store(tree, i, IDENTITY)
    slot = width - 1
    for i in range(slot):
        store(tree, capacity + i, leaf(source, first + i))
    for node in range(capacity - 1, 0, -1):
        store(tree, node, combine(load(tree, 2 * node), load(tree, 2 * node + 1)))
    for i in range(count):
        whole = _replace(tree, capacity, slot, leaf(source, first + width - 1 + i))
        emit(out, at + i, whole)
        slot += 1
        if slot == width:
            slot = 0


def _stride_in_order(source, first, count, width, at, tree, capacity, out):
    stop = first + width - 1
    _update(source, tree, capacity, (first, first), first, stop)
    for i in range(first, first + count):
        if i > first:
            climb_front(tree, capacity, i, stop)
        climb_back(tree, capacity, i, stop, leaf(source, stop))
        stop += 1
        emit(out, at + i - first, answer_from(tree, capacity, i, i, stop))


def stride(source, first, count, width, at, scratch, out):
    tree, capacity = scratch
    if commutes():
        _stride_in_any_order(source, first, count, width, at, tree, capacity, out)
    else:
        _stride_in_order(source, first, count, width, at, tree, capacity, out)


FLAT_FAT = Algorithm(
    name="flat_fat",
    title="FlatFAT: a binary tree over a circular buffer",
    needs=Law.NONE,
    time="1.5 log2(p) - 1",
    worst="2 log2(p) + 1",
    space="2 p",
    source="RA 4, 5 (VLDB 2015)",
    prepare=prepare,
    slide=slide,
    stage=prepare,
    stride=stride,
    many=True,
    steps=FAT_STEPS,
    strided=FormCosts("1.5 log2(p) - 1", "2 log2(p) + 1", "2 p"),
    online=FormCosts("1.5 log2(p) - 1", "2 log2(p) + 1", "2 p"),
    several=FormCosts("< k log2(p) + 3", "2 k log2(p) + 1", "2 p"),
    listed=FormCosts("< k log2(p) + 3", "2 k log2(p) + 1", "2 p + k"),
)
