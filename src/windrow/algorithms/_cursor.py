"""Walks the windows of slices with a cursor for each end: no bound is ever stored.

Slice j lies in the windows oldest[j], ..., newest[j], and neither falls within a run:

    slices               a       b           c
    oldest, newest      0 2     2 4        9 11

    windows            0 1 | 2 | 3 4 | ... | 9 10 11
    stretches           a   a b   b           c

A slice enters at window `oldest` and has left at window `newest` + 1.  From one such
event to the next, a stretch, all windows hold the same slices: the algorithm answers
the stretch as one window, and `emit` writes the result for all of them.  Windows that
hold no slice do not come out.  Invariants, after each step:

    [LOW, HIGH)       the slices of the stretch
    ENTERS, LEAVES    the windows at which slice HIGH enters, and slice LOW has left
    [FROM, UPTO)      the places of the stretch's results

A run of n slices has at most 2 n events; of several at one window, and past the last,
a step writes nothing.  The slice at LOW leaves after it enters, so that LEAVES is right
before it has entered too.
"""

import numpy as np

from windrow.kernels.vocabulary import peek, poke, prepare, slide

STEP, LOW, HIGH, ENTERS, LEAVES, FROM, UPTO = 0, 1, 2, 3, 4, 5, 6
MARKS = 7
NEVER = 2**63 - 1


def run_numbers(source, oldest, newest, firsts, lasts, widest, chunk, out):
    """Windows of slices whose window numbers are known; `out` ends with the marks."""
    scratch, marks = prepare(widest, chunk), out[-1]
    poke(marks, UPTO, 0)
    for k in range(len(firsts)):
        first, last = firsts[k], lasts[k]
        if first < last:
            poke(marks, STEP, -1)
            poke(marks, LOW, first)
            poke(marks, HIGH, first)
            poke(marks, ENTERS, peek(oldest, first))
            poke(marks, LEAVES, peek(newest, first) + 1)
            bounds = oldest, newest, last, marks
            slide(source, bounds, 2 * (last - first), np.int64(0), scratch, out)


def number_start(bounds, i):
    if peek(bounds[3], STEP) != i:
        next_stretch(bounds, i)
    return peek(bounds[3], LOW)


def number_stop(bounds, i):
    if peek(bounds[3], STEP) != i:
        next_stretch(bounds, i)
    return peek(bounds[3], HIGH)


def next_stretch(bounds, i):
    """Let the slices of the next event enter and leave.

    Which of the two it is cannot be predicted, so that no branch asks.  Arrays are not
    named: numba would count references, which made a step six times slower.
    """
    low, high = peek(bounds[3], LOW), peek(bounds[3], HIGH)
    enters, leaves = peek(bounds[3], ENTERS), peek(bounds[3], LEAVES)
    window, more = min(enters, leaves), np.int64(0)
    if window < NEVER:
        high += enters <= leaves
        low += leaves <= enters
        enters = leaves = NEVER
        if high < bounds[2]:
            enters = peek(bounds[0], high)
        if low < bounds[2]:
            leaves = peek(bounds[1], low) + 1
        if low < high:
            more = min(enters, leaves) - window
    upto = peek(bounds[3], UPTO)
    poke(bounds[3], STEP, i)
    poke(bounds[3], LOW, low)
    poke(bounds[3], HIGH, high)
    poke(bounds[3], ENTERS, enters)
    poke(bounds[3], LEAVES, leaves)
    poke(bounds[3], FROM, upto)
    poke(bounds[3], UPTO, upto + more)
