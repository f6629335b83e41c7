"""FlatFAT one event at a time, and out of order: RA's own use of it.

The leaves are a circular buffer [F, E).  Inserts and evictions only move its ends;
the tree is brought up to date when an answer is asked for, each node once, however
many events came between (RA 5, Algorithm 2).

    leaves   . 4 7 3 2 . .      an event goes from the middle: a hole, the neutral
               F       E        element in its leaf; nothing moves
    leaves   . 4 7 _ 2 . .      a late one comes: the younger ones shift up to the
                                next hole, or to the end

`alive` tells leaves from holes.  [keep, stop) is the window that the tree was last
renewed for; `places[:dirty]` are leaves in it that have changed since.  Invariant:

    tree[v] == the slices below v in [keep, stop), but for nodes above a dirty leaf

Where the buffer is full, holes are squeezed out if they are a quarter of it, else it
is doubled; where less than a quarter is in use, it is halved.  Both cost O(1) an
event.  To squeeze is to `move` within the same memory.
"""

# ruff: noqa: N806, SIM300 -- F and E are the ends of the window in all step forms

from windrow.kernels.vocabulary import IDENTITY, load, store

from ._dyadic import cover
from ._fat_tree import answer_from, renew_level, renew_node
from ._stepwise import AnyPlace, Stepwise


def insert(scratch, ints, state, value, tick):
    tree, alive, _, mask = scratch
    F, E, keep, stop, live, dirty = ints
    store(tree, mask + 1 + (E & mask), value)
    alive[E & mask] = 1
    return (F, E + 1, keep, stop, live + 1, dirty), state


def evict(scratch, ints, state):
    _, alive, _, mask = scratch
    F, E, keep, stop, live, dirty = ints
    F += 1
    while F < E and alive[F & mask] == 0:
        F += 1
    return (F, E, keep, stop, live - 1, dirty), state


def sort_first(places, count):
    """Put the first numbers in order, in place (Shell's way).

    Without a slice or an array of its own: then machine code counts no holders of
    arrays, and an event takes half of the time.
    """
    gap = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, count):
            number, j = places[i], i
            while j >= gap and places[j - gap] > number:
                places[j] = places[j - gap]
                j -= gap
            places[j] = number
        gap //= 3


def renew(scratch, ints):
    """Bring the tree up to date; gives the ints."""
    tree, _, places, mask = scratch
    F, E, keep, stop, live, dirty = ints
    if F >= stop or F < keep:
        keep = stop = F
    capacity = mask + 1
    if dirty > 1:
        sort_first(places, dirty)
    if dirty > 0 or F > keep or E > stop:
        level = 1
        while capacity >> level > 0:
            first, last = renew_level(tree, capacity, level, (keep, stop), (F, E))
            for k in range(dirty):
                block = places[k] >> level
                if first <= block < last:
                    renew_node(tree, capacity, level, block, F, E)
                    first = block + 1
            level += 1
    return (F, E, F, E, live, 0 * dirty)


def whole(scratch, ints, state):
    tree, _, _, mask = scratch
    ints = renew(scratch, ints)
    F, E = ints[0], ints[1]
    return answer_from(tree, mask + 1, F, F, E), ints, state


def since(scratch, ints, state, start):
    ints = renew(scratch, ints)
    tree, mask, F, E = scratch[0], scratch[3], ints[0], ints[1]
    return answer_from(tree, mask + 1, F, start, E), ints, state


def between(scratch, start, stop):
    """The events at places [start, stop) of a tree that is up to date."""
    return cover(scratch[0], scratch[3] + 1, start, stop)


def mark(scratch, ints, i):
    """Remember that the leaf at place i has changed; gives the ints."""
    places = scratch[2]
    F, E, keep, stop, live, dirty = ints
    if keep <= i < stop:
        if dirty > scratch[3]:
            F, E, keep, stop, live, dirty = renew(scratch, ints)
        places[dirty] = i
        dirty += 1
    return (F, E, keep, stop, live, dirty)


def correct(scratch, ints, i, value):
    """Another value for the event at place i."""
    tree, _, _, mask = scratch
    store(tree, mask + 1 + (i & mask), value)
    return mark(scratch, ints, i)


def remove(scratch, ints, state, i):
    """The event at place i goes, wherever it stands."""
    tree, alive, _, mask = scratch
    if i == ints[0]:
        return evict(scratch, ints, state)[0]
    store(tree, mask + 1 + (i & mask), IDENTITY)
    alive[i & mask] = 0
    F, E, keep, stop, live, dirty = mark(scratch, ints, i)
    return (F, E, keep, stop, live - 1, dirty)


def make_way(scratch, ints, i):
    """Shift events from place i on towards the young end, up to the next hole.

    Gives where the hole was, and the ints; leaf i is free then, and counts as alive.
    """
    tree, alive, _, mask = scratch
    F, E, keep, stop, live, dirty = ints
    hole = i
    while hole < E and alive[hole & mask] == 1:
        hole += 1
    if hole == E:
        E += 1
    ints = (F, E, keep, stop, live + 1, dirty)
    for j in range(hole, i, -1):
        store(tree, mask + 1 + (j & mask), load(tree, mask + 1 + ((j - 1) & mask)))
        alive[j & mask] = 1
        ints = mark(scratch, ints, j)
    alive[i & mask] = 1
    return hole, mark(scratch, ints, i)


def move(scratch, ints, wider):
    """Copy what is alive to other memory, without the holes; gives the ints there."""
    tree, alive, _, mask = scratch
    new_tree, new_alive, _, new_mask = wider
    F, E, live = ints[0], ints[1], ints[4]
    at = F
    for i in range(F, E):
        if alive[i & mask] == 1:
            leaf = load(tree, mask + 1 + (i & mask))
            store(new_tree, new_mask + 1 + (at & new_mask), leaf)
            new_alive[at & new_mask] = 1
            at += 1
    return (F, at, F, F, live, 0 * live)


FAT_STEPS = Stepwise(
    insert,
    evict,
    whole,
    begin=(0,) * 6,
    slots=2,
    numbers=2,
    live=4,
    move=move,
    any_place=AnyPlace(correct, remove, make_way, between),
    since=since,
)
