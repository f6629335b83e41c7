"""Slides the windows of a list over one array, by laps whose scans all of them share.

    laps     |---- b ----|---------|---------|---- c ----|
    window        |suffix|     totals[b + 1]      |prefix|  ends in lap c, starts in b

Laps are as long as the shortest window, or shorter: a window that lies in one lap is
that lap.  All windows that end in lap c and start in lap b have the same laps between,
so that each result is two combines of neighbouring places, without a chain.
"""

from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, load, store

FEW_FIELDS = 2  # of partials whose lanes fit the registers


def scan_lap(source, a, stop, suffix, prefix):
    """Prefixes and suffixes of events [a, stop), at their places."""
    before = after = IDENTITY
    for i in range(a, stop):
        before = combine(before, leaf(source, i))
        store(prefix, i, before)
    for i in range(stop - 1, a - 1, -1):
        after = combine(leaf(source, i), after)
        store(suffix, i, after)


def scan_prefixes(source, a, lap, prefix):
    """Prefixes of four laps from event a on, side by side."""
    b, c, d = a + lap, a + 2 * lap, a + 3 * lap
    p0 = p1 = p2 = p3 = IDENTITY
    for k in range(lap):
        p0 = combine(p0, leaf(source, a + k))
        store(prefix, a + k, p0)
        p1 = combine(p1, leaf(source, b + k))
        store(prefix, b + k, p1)
        p2 = combine(p2, leaf(source, c + k))
        store(prefix, c + k, p2)
        p3 = combine(p3, leaf(source, d + k))
        store(prefix, d + k, p3)


def scan_suffixes(source, a, lap, suffix):
    """Suffixes of four laps from event a on, side by side."""
    b, c, d = a + lap, a + 2 * lap, a + 3 * lap
    s0 = s1 = s2 = s3 = IDENTITY
    for k in range(lap - 1, -1, -1):
        s0 = combine(leaf(source, a + k), s0)
        store(suffix, a + k, s0)
        s1 = combine(leaf(source, b + k), s1)
        store(suffix, b + k, s1)
        s2 = combine(leaf(source, c + k), s2)
        store(suffix, c + k, s2)
        s3 = combine(leaf(source, d + k), s3)
        store(suffix, d + k, s3)


def answer_between(suffix, start, middle, prefix, e, count, out, at):
    """Windows that start at places from `start` on, and end with events from e on."""
    for k in range(count):
        newer = combine(middle, load(prefix, e + k))
        emit(out, at + k, combine(load(suffix, start + k), newer))


def answer_lap(low, high, c, lap, ranges, suffix, prefix, totals, out, at, apart):
    """Windows that end with events [low, high) of lap c; the first result goes to `at`.

    Events before the first of the array are in no window.
    """
    longest = ranges[0]
    for q in range(1, len(ranges)):
        longest = max(longest, ranges[q])
    between = IDENTITY
    store(totals, c, between)
    for b in range(c - 1, max((low + 1 - longest) // lap, 0), -1):
        between = combine(load(suffix, b * lap), between)
        store(totals, b, between)
    for q in range(len(ranges)):
        e = max(low, ranges[q] - 1)
        while e < high:
            start = e + 1 - ranges[q]
            b = start // lap
            to = at + q * apart + e - low
            if b == c:
                count = 1
                emit(out, to, load(prefix, e))
            else:
                count = min(high - e, (b + 1) * lap - start)
                middle = load(totals, b + 1)
                answer_between(suffix, start, middle, prefix, e, count, out, to)
            e += count


def call_laps(source, begin, stop, ranges, lap, suffix, prefix, totals, out, at, apart):
    """Windows that end with events [begin, stop) of the source, of each of the ranges.

    The result of window q after event i goes to place at + i - begin + q * apart.
    """
    c = begin * 0
    while c * lap < stop:
        some = 1
        if (c + 4) * lap <= stop and len(IDENTITY) <= FEW_FIELDS:
            some = 4
            scan_suffixes(source, c * lap, lap, suffix)
            if (c + 4) * lap > begin:  # no window ends in laps before that
                scan_prefixes(source, c * lap, lap, prefix)
        else:
            scan_lap(source, c * lap, min(c * lap + lap, stop), suffix, prefix)
        for own in range(c, c + some):
            low, high = max(own * lap, begin), min(own * lap + lap, stop)
            if low < high:
                to = at + low - begin
                answer_lap(
                    low, high, own, lap, ranges, suffix, prefix, totals, out, to, apart
                )
        c += some
