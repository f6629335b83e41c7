"""Slides one window: by suffixes and a prefix, by a running value, or by inputs."""

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    emit,
    inverse,
    leaf,
    load,
    store,
)


def scan_back(source, first, lap, suffix):
    """Suffix scan: lazy, once the lap that begins at `first` is complete."""
    partial = leaf(source, first + lap - 1)
    store(suffix, lap - 1, partial)
    for j in range(lap - 2, -1, -1):
        partial = combine(leaf(source, first + j), partial)
        store(suffix, j, partial)


def move_on(length, ranges, slides, at):
    """Let the results of the next run stand after those of this one."""
    for q in range(len(ranges)):
        at[q] += max((length - ranges[q]) // slides[q] + 1, 0)


def slide_scans(source, first, count, width, to, suffix, out):
    for begin in range(0, count, width):
        scan_back(source, first + begin, width, suffix)  # trigger-point
        emit(out, to + begin, load(suffix, 0))
        prefix = IDENTITY  # prefix scan: eager, one running value
        for j in range(1, min(width, count - begin)):
            # a window is suffix[start] + prefix[end]
            prefix = combine(prefix, leaf(source, first + begin + width + j - 1))
            emit(out, to + begin + j, combine(load(suffix, j), prefix))


def run_scans(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows that are a suffix of one lap and a prefix of the next."""
    suffix, width = allocate(room), ranges[0]
    for k in range(len(firsts)):
        length = lasts[k] - firsts[k]
        slide_scans(source, firsts[k], length - width + 1, width, at[0], suffix, out)
        at[0] += max(length - ranges[0] + 1, 0)


def slide_running(source, first, width, end, to, out):
    """Slide one window over inputs [first, first + end); gives its running value."""
    if width > end:
        return IDENTITY
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(1, width):
        prefix = combine(prefix, leaf(source, first + i))
    emit(out, to, prefix)
    for i in range(width, end):
        # a window is prefix[end] - input[start]
        prefix = combine(prefix, leaf(source, first + i))
        prefix = inverse(prefix, leaf(source, first + i - width))
        emit(out, to + i + 1 - width, prefix)
    return prefix


def run_running(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows that are one running value, from which the oldest input is taken off."""
    for k in range(len(firsts)):
        length = lasts[k] - firsts[k]
        slide_running(source, firsts[k], ranges[0], length, at[0], out)
        at[0] += max(length - ranges[0] + 1, 0)


def run_inputs(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows of one input."""
    for k in range(len(firsts)):
        first, length, to = firsts[k], lasts[k] - firsts[k], at[0]
        for i in range(length):
            emit(out, to + i, leaf(source, first + i))  # input[start]
        at[0] += max(length - ranges[0] + 1, 0)
