"""Slides a few windows with an inverse: a running value each, up to four in a loop.

Running values are variables of their own: an array of them would be memory that each
input reads and writes, so that there is a loop for two, three and four windows.
"""

import numpy as np

from windrow.kernels.vocabulary import combine, emit, inverse, leaf

from .single_window import move_on, slide_running


def advance(source, i, newest, prefix, width, out, to):
    """Move one window on to input i; gives its running value."""
    # a window is prefix[end] - input[start]
    prefix = inverse(combine(prefix, newest), leaf(source, i - width))
    emit(out, to - width, prefix)
    return prefix


def slide_2(source, first, length, q, ranges, at, out):
    w0, w1 = ranges[q], ranges[q + 1]
    t0, t1 = at[q], at[q + 1]
    end = min(w1, length)  # of the longest of them
    p0 = slide_running(source, first, w0, end, t0, out)
    p1 = slide_running(source, first, w1, end, t1, out)
    for i in range(end, length):
        newest = leaf(source, first + i)
        p0 = advance(source, first + i, newest, p0, w0, out, t0 + i + 1)
        p1 = advance(source, first + i, newest, p1, w1, out, t1 + i + 1)


def slide_3(source, first, length, q, ranges, at, out):
    w0, w1, w2 = ranges[q], ranges[q + 1], ranges[q + 2]
    t0, t1, t2 = at[q], at[q + 1], at[q + 2]
    end = min(w2, length)  # of the longest of them
    p0 = slide_running(source, first, w0, end, t0, out)
    p1 = slide_running(source, first, w1, end, t1, out)
    p2 = slide_running(source, first, w2, end, t2, out)
    for i in range(end, length):
        newest = leaf(source, first + i)
        p0 = advance(source, first + i, newest, p0, w0, out, t0 + i + 1)
        p1 = advance(source, first + i, newest, p1, w1, out, t1 + i + 1)
        p2 = advance(source, first + i, newest, p2, w2, out, t2 + i + 1)


def slide_4(source, first, length, q, ranges, at, out):
    w0, w1, w2, w3 = ranges[q], ranges[q + 1], ranges[q + 2], ranges[q + 3]
    t0, t1, t2, t3 = at[q], at[q + 1], at[q + 2], at[q + 3]
    end = min(w3, length)  # of the longest of them
    p0 = slide_running(source, first, w0, end, t0, out)
    p1 = slide_running(source, first, w1, end, t1, out)
    p2 = slide_running(source, first, w2, end, t2, out)
    p3 = slide_running(source, first, w3, end, t3, out)
    for i in range(end, length):
        newest = leaf(source, first + i)
        p0 = advance(source, first + i, newest, p0, w0, out, t0 + i + 1)
        p1 = advance(source, first + i, newest, p1, w1, out, t1 + i + 1)
        p2 = advance(source, first + i, newest, p2, w2, out, t2 + i + 1)
        p3 = advance(source, first + i, newest, p3, w3, out, t3 + i + 1)


def run_few(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows that are a running value each, four by four."""
    for k in range(len(firsts)):
        first, length, q = firsts[k], lasts[k] - firsts[k], np.int64(0)
        while q + 4 <= len(ranges):
            slide_4(source, first, length, q, ranges, at, out)
            q += 4
        rest = len(ranges) - q
        if rest == 3:
            slide_3(source, first, length, q, ranges, at, out)
        elif rest == 2:
            slide_2(source, first, length, q, ranges, at, out)
        elif rest == 1:
            slide_running(source, first, ranges[q], length, at[q], out)
        move_on(length, ranges, slides, at)
