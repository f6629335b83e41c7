"""The tree of FlatFAT: one node from its halves, and answers from few nodes.

A half that lies outside the window [keep, stop) is left out, so that unused slots
need no neutral element (RA 5.2) and nothing has to be cleared.
"""

from windrow.kernels.vocabulary import combine, load, store

from ._dyadic import cover, place


def renew_node(tree, capacity, level, block, keep, stop):
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


def climb_front(tree, capacity, keep, last):
    """Renew the nodes above the oldest slice that slices were taken from.

    Up to where they meet those above the newest slice, which `climb_back` renews.
    """
    node, other = capacity + (keep & (capacity - 1)), capacity + (last & (capacity - 1))
    while node & 1 == 0 and node >> 1 != other >> 1:  # nothing has left these
        node >>= 1
        other >>= 1
    whole = load(tree, node)
    while node >> 1 != other >> 1:
        if node & 1 == 0:
            whole = combine(whole, load(tree, node + 1))
        node >>= 1
        other >>= 1
        store(tree, node, whole)


def climb_back(tree, capacity, keep, last, whole):
    """Renew the nodes above the newest slice, whose partial is `whole`."""
    node, low, size = capacity + (last & (capacity - 1)), last, 1
    store(tree, node, whole)
    while node > 1:
        if node & 1 == 1:
            if low > keep:
                whole = combine(load(tree, node - 1), whole)
            low -= size
        node >>= 1
        size *= 2
        store(tree, node, whole)


def _join_ends(tree, capacity, keep, stop):
    """The window of an inverted buffer: suffix of one turn, prefix of the next."""
    node = capacity + (keep & (capacity - 1))
    while node & 1 == 0:
        node >>= 1
    suffix = load(tree, node)
    while node > 1:
        if node & 1 == 0:
            suffix = combine(suffix, load(tree, node + 1))
        node >>= 1
    node = capacity + (stop & (capacity - 1))
    while node & 1 == 0:
        node >>= 1
    prefix = load(tree, node - 1)
    node >>= 1
    while node > 1:
        if node & 1 == 1:
            prefix = combine(load(tree, node - 1), prefix)
        node >>= 1
    return combine(suffix, prefix)


def answer_from(tree, capacity, keep, start, stop):
    """The root if it is the window; else the fewest nodes, suffix before prefix.

    `cover` never passes the end of the array within one block, so an inverted
    buffer needs no case of its own.
    """
    inverted = (keep ^ (stop - 1)) >= capacity  # not in the same turn of the buffer
    if start == keep and start < stop:
        if inverted:
            return _join_ends(tree, capacity, keep, stop)
        return load(tree, 1)
    return cover(tree, capacity, start, stop)


def renew_level(tree, capacity, level, before, window):
    """Nodes of a level above whatever came or went at the ends, each once.

    Gives the blocks [first, last) that were not looked at.
    """
    old_keep, old_stop = before
    keep, stop = window
    front, back = keep >> level, (stop - 1) >> level
    torn = back - front == capacity >> level  # one node: it belongs to the back
    fresh = old_stop >> level if stop > old_stop else back + 1
    shrunk = keep > old_keep and front << level < keep
    if torn:
        front += 1
    elif shrunk and front < fresh:
        renew_node(tree, capacity, level, front, keep, stop)
        front += 1
    for block in range(max(fresh, front), back + 1):
        renew_node(tree, capacity, level, block, keep, stop)
    return front, fresh
