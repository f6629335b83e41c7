"""Slides many windows without an inverse: over scans of short laps that they share."""

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    leaf,
    load,
    store,
)

from .single_window import move_on, scan_back


def scan_lap(source, first, lap, have, suffix, i, prefix, j, totals, number):
    """Prefix scan: eager; suffix scan: lazy, if the lap is complete."""
    partial = IDENTITY
    for o in range(have):
        store(prefix, j + o, partial)
        partial = combine(partial, leaf(source, first + o))
    if have < lap:
        store(prefix, j + have, partial)
        return
    store(totals, number, partial)
    partial = IDENTITY
    for o in range(lap - 1, -1, -1):
        partial = combine(leaf(source, first + o), partial)
        store(suffix, i + o, partial)


def scan_laps(source, first, lap, suffix, i, prefix, totals, number):
    """Both scans of four complete laps, which do not wait for each other."""
    a = b = c = d = IDENTITY
    for o in range(lap):
        store(prefix, o, a)
        a = combine(a, leaf(source, first + o))
        store(prefix, lap + o, b)
        b = combine(b, leaf(source, first + lap + o))
        store(prefix, 2 * lap + o, c)
        c = combine(c, leaf(source, first + 2 * lap + o))
        store(prefix, 3 * lap + o, d)
        d = combine(d, leaf(source, first + 3 * lap + o))
    store(totals, number, a)
    store(totals, number + 1, b)
    store(totals, number + 2, c)
    store(totals, number + 3, d)
    a = b = c = d = IDENTITY
    for o in range(lap - 1, -1, -1):
        a = combine(leaf(source, first + o), a)
        store(suffix, i + o, a)
        b = combine(leaf(source, first + lap + o), b)
        store(suffix, i + lap + o, b)
        c = combine(leaf(source, first + 2 * lap + o), c)
        store(suffix, i + 2 * lap + o, c)
        d = combine(leaf(source, first + 3 * lap + o), d)
        store(suffix, i + 3 * lap + o, d)


def middle_of(stack, at, flips, bases, backs, q, totals, low, high):
    """Combine totals[low:high], a lap on each time: two stacks for each window."""
    if low >= high:
        return IDENTITY
    if low >= flips[q]:  # trigger-point: the suffixes are used up
        partial = IDENTITY
        for j in range(high - 1, low - 1, -1):
            partial = combine(load(totals, j), partial)
            store(stack, at + j - low, partial)
        bases[q], flips[q] = low, high
        store(backs, q, IDENTITY)
        return partial
    back = combine(load(backs, q), load(totals, high - 1))
    store(backs, q, back)
    return combine(load(stack, at + low - bases[q]), back)


def answer_around(out, to, count, suffix, i, middle, prefix, j, step):
    """Windows that are suffix[i] + middle + prefix[j], and so on."""
    if step == 1:
        for n in range(count):
            newer = combine(middle, load(prefix, j + n))
            emit(out, to + n, combine(load(suffix, i + n), newer))
    else:
        for n in range(count):
            newer = combine(middle, load(prefix, j + n * step))
            emit(out, to + n, combine(load(suffix, i + n * step), newer))


def slide_shared(source, first, length, lap, q0, ranges, slides, at, scratch, out):
    suffix, prefix, totals, stack, backs, flips, bases, mask = scratch
    flips[:] = 0
    for block in range(0, length // lap + 1, 4):
        if (block + 4) * lap <= length and len(IDENTITY) == 1:
            place = (block & mask) * lap
            start = first + block * lap
            scan_laps(source, start, lap, suffix, place, prefix, totals, block)
        else:
            for c in range(block, min(block + 4, length // lap + 1)):
                have, place = min(lap, length - c * lap), (c & mask) * lap
                i, j = first + c * lap, (c - block) * lap
                scan_lap(source, i, lap, have, suffix, place, prefix, j, totals, c)
        for c in range(block, min(block + 4, length // lap + 1)):
            high, j = min(lap, length - c * lap + 1), (c - block) * lap
            room = np.int64(0)
            for q in range(q0, len(ranges)):  # windows that end in lap c, at offset o
                width, step = ranges[q], slides[q]
                whole, rest = width // lap, width % lap
                stack_at, room = room, room + whole
                if c < whole:
                    continue
                middle = middle_of(
                    stack, stack_at, flips, bases, backs, q, totals, c - whole + 1, c
                )
                # a window is suffix[start] + total[between] + prefix[end]
                o = (width - c * lap) % step
                if o < rest and c > whole:  # one lap more lies between
                    count = (min(rest, high) - 1 - o) // step + 1
                    if count > 0:
                        to = at[q] + (c * lap + o - width) // step
                        i = ((c - whole - 1) & mask) * lap + lap + o - rest
                        more = combine(load(totals, c - whole), middle)
                        answer_around(
                            out, to, count, suffix, i, more, prefix, j + o, step
                        )
                if o < rest:
                    o += (rest - o + step - 1) // step * step
                if o < high:
                    count = (high - 1 - o) // step + 1
                    to = at[q] + (c * lap + o - width) // step
                    i = ((c - whole) & mask) * lap + o - rest
                    answer_around(
                        out, to, count, suffix, i, middle, prefix, j + o, step
                    )


def shared_scratch(firsts, lasts, ranges, lap, alone):
    """Room for the scans of laps, their totals, and a stack for each window."""
    longest = np.int64(0)
    for k in range(len(firsts)):
        longest = max(longest, lasts[k] - firsts[k])
    laps = np.int64(4)  # of which suffixes are stored: more than any window spans
    while laps < ranges[-1] // lap + 6:
        laps *= 2
    stacks = np.int64(0)
    for q in range(alone, len(ranges)):
        stacks += ranges[q] // lap
    count = len(ranges)
    flips, bases = np.zeros(count, np.int64), np.zeros(count, np.int64)
    suffix, prefix = allocate(laps * lap), allocate(4 * lap)
    totals, stack = allocate(longest // lap + 4), allocate(stacks)
    backs = allocate(count)
    return suffix, prefix, totals, stack, backs, flips, bases, laps - 1


def slide_alone(source, first, length, width, step, to, suffix, out):
    for begin in range(0, length - width + 1, width):
        scan_back(source, first + begin, width, suffix)  # trigger-point
        prefix = IDENTITY  # prefix scan: eager, one running value
        for j in range(min(width, length - width + 1 - begin)):
            # a window is suffix[start] + prefix[end]
            if (begin + j) % step == 0:
                partial = combine(load(suffix, j), prefix)
                emit(out, to + (begin + j) // step, partial)
            if first + begin + width + j < first + length:
                prefix = combine(prefix, leaf(source, first + begin + width + j))


def answer_alone(source, first, length, ranges, slides, at, alone, suffix, out):
    """The shortest windows, each over laps of its own."""
    for q in range(alone):
        slide_alone(source, first, length, ranges[q], slides[q], at[q], suffix, out)


def run_alone(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """All windows over laps of their own."""
    suffix = allocate(room)
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
        answer_alone(source, first, length, ranges, slides, at, alone, suffix, out)
        move_on(length, ranges, slides, at)


def run_shared(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """All windows over laps that they share."""
    scratch = shared_scratch(firsts, lasts, ranges, lap, alone)
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
        slide_shared(
            source, first, length, lap, alone, ranges, slides, at, scratch, out
        )
        move_on(length, ranges, slides, at)


def run_mixed(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """The shortest windows over laps of their own, the others over shared ones."""
    suffix = allocate(room)
    scratch = shared_scratch(firsts, lasts, ranges, lap, alone)
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
        answer_alone(source, first, length, ranges, slides, at, alone, suffix, out)
        slide_shared(
            source, first, length, lap, alone, ranges, slides, at, scratch, out
        )
        move_on(length, ranges, slides, at)
