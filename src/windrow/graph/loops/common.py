"""Holds what the code of all graphs has in common: these functions are lifted."""

import numpy as np

from windrow.kernels.vocabulary import IDENTITY, allocate, combine, leaf


def fold(source, start, stop):
    """Combine inputs [start, stop)."""
    partial = IDENTITY
    for i in range(start, stop):
        partial = combine(partial, leaf(source, i))
    return partial


def move_on(length, ranges, slides, at):
    """Let the results of the next run stand after those of this one."""
    for q in range(len(ranges)):
        at[q] += max((length - ranges[q]) // slides[q] + 1, 0)


def stack_state(rooms):
    """Memory for the stacks of windows that span so many totals."""
    count = len(rooms)
    places = np.zeros(count, np.int64)
    for q in range(1, count):
        places[q] = places[q - 1] + rooms[q - 1]
    front, back = allocate(places[-1] + rooms[-1]), allocate(count)
    flips, bases = np.zeros(count, np.int64), np.zeros(count, np.int64)
    return front, places, back, flips, bases, np.zeros(count, np.int64)
