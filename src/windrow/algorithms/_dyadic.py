"""Numbers blocks of 1, 2, 4, ... slices in a circular array, as in a heap.

    level 2                1                    capacity == 4
    level 1        2               3            block of slice i at a level:
    level 0    4       5       6       7            place(capacity, level, i)
    slice    ..,0,4  ..,1,5  ..,2,6  ..,3,7

Block b of a level covers slices [b << level, (b + 1) << level) of the stream.  A
slice shares its places with the one `capacity` before it, so that the array holds any
block of the last `capacity` slices, and no block passes its end.
"""

from windrow.kernels.vocabulary import IDENTITY, allocate, combine, load

from ._ring import ring


def prepare(widest, chunk):
    """Room for the blocks of all levels, and how many slices they hold."""
    capacity = ring(widest)
    return allocate(2 * capacity), capacity


def place(capacity, level, i):
    """The place of the block of a level that holds slice i."""
    return (capacity + (i & (capacity - 1))) >> level


def cover(nodes, capacity, start, stop):
    """[start, stop) from the fewest whole blocks, in stream order."""
    whole = IDENTITY
    level = 0
    i = start
    while i < stop:
        while (i >> level) & 1 == 0 and 2 << level <= min(stop - i, capacity):
            level += 1
        while 1 << level > stop - i:
            level -= 1
        block = load(nodes, place(capacity, level, i))
        if i == start:
            whole = block
        else:
            whole = combine(whole, block)
        i += 1 << level
    return whole
