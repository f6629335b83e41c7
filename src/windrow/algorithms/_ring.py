"""Sizes a ring, the memory that holds the last few slices.

    slice      ...  6   7   8   9  10  11         window [7, 11) in a ring of 4
    place           2   3   0   1   2   3         i & mask, where mask == 4 - 1

The length is a power of two, so that the place is one AND: a division for each slice
would cost more than its combine.
"""

from windrow.kernels.vocabulary import allocate


def ring(widest):
    """The least power of two that holds `widest` slices."""
    size = 1
    while size < widest:
        size *= 2
    return size


def prepare(widest, chunk):
    """A ring of partials, and its mask."""
    size = ring(widest)
    return allocate(size), size - 1
