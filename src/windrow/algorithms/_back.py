"""Walks frames of rows around instants, with a cursor for each end.

    times            1   2   2       5       9     of rows; they rise within a run
    asks                     3       5             instants; they rise too
    [-2, 1) of 3     |-----------)                 rows at 1 <= time < 4
    [-2, 1) of 5                 |---|

The frame of an instant holds the rows of its run at [ask + far, ask + near): the last
hour of a row, itself included, is far = -hour + 1, near = 1.  With `most` above 0 it
holds the last so many rows before ask + near, however old.  No bound is ever stored.
Invariant, after each step: [LOW, HIGH) are the rows of frame STEP.
"""

import numpy as np

from windrow.kernels.vocabulary import peek, poke, prepare, slide

STEP, LOW, HIGH = 0, 1, 2
CURSORS = 3


def run_back(source, times, runs, asks, frames, far, near, most, marks, chunk, out):
    """Frames [frames[0][k], frames[1][k]) of asks over the rows of run k, for all k."""
    widest = np.int64(1)
    for k in range(len(runs[0])):
        low = high = runs[0][k]
        for i in range(frames[0][k], frames[1][k]):
            ask = peek(asks, i)
            while high < runs[1][k] and peek(times, high) < ask + near:
                high += 1
            if most > 0:
                low = max(low, high - most)
            else:
                while low < high and peek(times, low) < ask + far:
                    low += 1
            widest = max(widest, high - low)
    scratch = prepare(widest, chunk)
    for k in range(len(runs[0])):
        head, count = frames[0][k], frames[1][k] - frames[0][k]
        if count > 0:
            poke(marks, STEP, -1)
            poke(marks, LOW, runs[0][k])
            poke(marks, HIGH, runs[0][k])
            bounds = times, asks, head, runs[1][k], far, near, marks, most
            slide(source, bounds, count, head, scratch, out)


def back_start(bounds, i):
    if peek(bounds[6], STEP) != i:
        next_frame(bounds, i)
    return peek(bounds[6], LOW)


def back_stop(bounds, i):
    if peek(bounds[6], STEP) != i:
        next_frame(bounds, i)
    return peek(bounds[6], HIGH)


def next_frame(bounds, i):
    """Move both cursors on; arrays are not named, see `_cursor.next_stretch`."""
    low, high, last = peek(bounds[6], LOW), peek(bounds[6], HIGH), bounds[3]
    ask = peek(bounds[1], bounds[2] + i)
    while high < last and peek(bounds[0], high) < ask + bounds[5]:
        high += 1
    if bounds[7] > 0:
        low = max(low, high - bounds[7])
    else:
        while low < high and peek(bounds[0], low) < ask + bounds[4]:
            low += 1
    poke(bounds[6], STEP, i)
    poke(bounds[6], LOW, low)
    poke(bounds[6], HIGH, high)
