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
    suffix = allocate(room)
    width, to = ranges[0], at[0]
    for k in range(len(firsts)):
        first, count = firsts[k], lasts[k] - firsts[k] - width + 1
        if count > 0:
            slide_scans(source, first, count, width, to, suffix, out)
            to += count
    at[0] = to


def slide_running(source, first, count, width, to, out):
    prefix = leaf(source, first)  # prefix scan: eager, one running value
    for i in range(first + 1, first + width):
        prefix = combine(prefix, leaf(source, i))
    emit(out, to, prefix)
    for i in range(1, count):
        # a window is prefix[end] - input[start]
        prefix = combine(prefix, leaf(source, first + width + i - 1))
        prefix = inverse(prefix, leaf(source, first + i - 1))
        emit(out, to + i, prefix)


def run_running(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows that are one running value, from which the oldest input is taken off."""
    width, to = ranges[0], at[0]
    for k in range(len(firsts)):
        first, count = firsts[k], lasts[k] - firsts[k] - width + 1
        if count > 0:
            slide_running(source, first, count, width, to, out)
            to += count
    at[0] = to


def run_inputs(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows of one input."""
    to = at[0]
    for k in range(len(firsts)):
        first, count = firsts[k], lasts[k] - firsts[k]
        for i in range(count):
            emit(out, to + i, leaf(source, first + i))  # input[start]
        to += count
    at[0] = to


__all__ = ["run_inputs", "run_running", "run_scans", "scan_back"]
