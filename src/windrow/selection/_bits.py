"""Keeps a set of small whole numbers as bits, and finds the neighbours of a number.

    bits     0110 0000 0000 1000 ...      a bit for each number
    above    1    0    0    1             a bit for each word of `bits` that is not 0
    top      1                            and for each word of `above`

A word has 32 bits, so that a step upwards skips 1,024 numbers and one at the top
32,768: the next member is found in a few steps, however few there are.
"""

from windrow.loops import highest_bit, lowest_bit

SHIFT, MASK = 5, 31


def insert(bits, above, top, i):
    """Add a number to the set."""
    word = i >> SHIFT
    bits[word] |= 1 << (i & MASK)
    above[word >> SHIFT] |= 1 << (word & MASK)
    top[word >> 10] |= 1 << ((word >> SHIFT) & MASK)


def remove(bits, above, top, i):
    """Take a number out of the set."""
    word = i >> SHIFT
    bits[word] &= ~(1 << (i & MASK))
    if bits[word] == 0:
        high = word >> SHIFT
        above[high] &= ~(1 << (word & MASK))
        if above[high] == 0:
            top[high >> SHIFT] &= ~(1 << (high & MASK))


def next_member(bits, above, top, i):
    """The first member from i on; there must be one."""
    word = i >> SHIFT
    rest = bits[word] >> (i & MASK)
    if rest != 0:
        return i + lowest_bit(rest)
    word += 1
    high = word >> SHIFT
    rest = above[high] >> (word & MASK)
    if rest != 0:
        word += lowest_bit(rest)
    else:
        high += 1
        at = high >> SHIFT
        rest = top[at] >> (high & MASK)
        if rest != 0:
            high += lowest_bit(rest)
        else:
            at += 1
            while top[at] == 0:
                at += 1
            high = (at << SHIFT) + lowest_bit(top[at])
        word = (high << SHIFT) + lowest_bit(above[high])
    return (word << SHIFT) + lowest_bit(bits[word])


def previous_member(bits, above, top, i):
    """The last member before i; there must be one."""
    word = i >> SHIFT
    rest = bits[word] & ((1 << (i & MASK)) - 1)
    if rest != 0:
        return (word << SHIFT) + highest_bit(rest)
    high = word >> SHIFT
    rest = above[high] & ((1 << (word & MASK)) - 1)
    if rest != 0:
        word = (high << SHIFT) + highest_bit(rest)
    else:
        at = high >> SHIFT
        rest = top[at] & ((1 << (high & MASK)) - 1)
        if rest == 0:
            at -= 1
            while top[at] == 0:
                at -= 1
            rest = top[at]
        high = (at << SHIFT) + highest_bit(rest)
        word = (high << SHIFT) + highest_bit(above[high])
    return (word << SHIFT) + highest_bit(bits[word])
