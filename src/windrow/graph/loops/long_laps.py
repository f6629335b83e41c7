"""Slides many windows with an inverse: prefixes of a whole lap, and differences."""

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

from .single_window import move_on, scan_back

BLOCK = 2048  # prefixes at a time, where only the newest is needed: they stay in L1


def scan_on(source, first, low, high, partial, prefix, at):
    """Prefix scan: eager; prefix[at + i] is that of inputs before low + i."""
    for p in range(low, high):
        store(prefix, at + p - low, partial)
        partial = combine(partial, leaf(source, first + p))
    return partial


def meet(out, to, count, suffix, i, prefix, j, step):
    """Windows that are suffix[i] + prefix[j], and so on."""
    if step == 1:
        for n in range(count):
            emit(out, to + n, combine(load(suffix, i + n), load(prefix, j + n)))
    else:
        for n in range(count):
            o = n * step
            emit(out, to + n, combine(load(suffix, i + o), load(prefix, j + o)))


def leave(out, to, count, prefix, i, j, step):
    """Windows that are prefix[i] - prefix[j], and so on."""
    if step == 1:
        for n in range(count):
            emit(out, to + n, inverse(load(prefix, i + n), load(prefix, j + n)))
    else:
        for n in range(count):
            o = n * step
            emit(out, to + n, inverse(load(prefix, i + o), load(prefix, j + o)))


def slide_laps(source, first, length, lap, ranges, slides, at, suffix, prefix, out):
    reach = ranges[-1]  # how far back suffixes are needed
    for begin in range(0, length + 1, lap):
        if begin > 0:  # trigger-point
            scan_back(source, first + begin - reach, reach, suffix)
        partial = IDENTITY
        end = min(begin + lap, length + 1)
        for low in range(begin, end, BLOCK):
            high = min(low + BLOCK, end)
            upto = min(high, length)
            partial = scan_on(source, first, low, upto, partial, prefix, low - begin)
            if high > length:
                store(prefix, length - begin, partial)
            for q in range(len(ranges)):  # window q: from p - width to p
                width, step = ranges[q], slides[q]
                p = max(low, width)
                p += (width - p) % step
                # a window is suffix[start] + prefix[end]
                until = min(begin + width, high)
                if p < until:
                    count = (until - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    i = p - width - begin + reach
                    meet(out, to, count, suffix, i, prefix, p - begin, step)
                    p += count * step
                # a window is prefix[end] - prefix[start]
                if p < high:
                    count = (high - 1 - p) // step + 1
                    to = at[q] + (p - width) // step
                    leave(out, to, count, prefix, p - begin, p - begin - width, step)


def run_laps(source, firsts, lasts, ranges, slides, at, lap, alone, room, out):
    """Windows that are differences of one lap's prefixes, or lie in two laps."""
    suffix, prefix = allocate(room), allocate(lap)
    for k in range(len(firsts)):
        first, length = firsts[k], lasts[k] - firsts[k]
        if ranges[0] <= length:
            slide_laps(
                source, first, length, lap, ranges, slides, at, suffix, prefix, out
            )
        move_on(length, ranges, slides, at)
