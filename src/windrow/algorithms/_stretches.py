"""Slides over stretches of a batch, where an algorithm has nothing to decide.

Between two turns (a flip, the end of a chunk, the end of the ring) each event lets the
oldest one leave and reports: `count` events are a few loops over neighbouring places.

    ring       |.....f==============|........e.....|       suffixes read, values written
    batch                           i==============|       prefixes, scanned in lanes
    result     suffix[f + k] + ahead + back + prefix[k]

Before a window is full there is nothing to report: its events are copied to the ring,
and added up (`take_rows`).

`room` is memory for prefixes or suffixes of four lanes, scanned side by side, as in
`_lanes.py`; partials of many fields would not fit the registers, and are scanned in one
chain.  A stretch never passes the end of the ring: `upto_end` says how far that is.
"""

from windrow.kernels.vocabulary import IDENTITY, combine, emit, leaf, load, store

LANE = 256
ROOM = 4 * LANE
FEW_FIELDS = 2


def upto_end(i, mask):
    """Places from event i to the end of the ring."""
    return mask + 1 - (i & mask)


def lane_of(count):
    """How long each of four lanes is; 0 where one chain is better."""
    if len(IDENTITY) > FEW_FIELDS:
        return 0
    return min(count >> 2, LANE)


def build_suffixes(ring, mask, first, stop, after, room):
    """Replace the partials of events [first, stop) by suffixes, before `after`."""
    while stop > first:
        begin = max(first, (stop - 1) & ~mask)
        after = _scan_back(ring, begin & mask, stop - begin, after, room)
        stop = begin
    return after


def _scan_back(ring, at, count, after, room):
    """The same for neighbouring places; gives the longest suffix."""
    while count > 0:
        lane = lane_of(count)
        if lane == 0:
            count -= 1
            after = combine(load(ring, at + count), after)
            store(ring, at + count, after)
        else:
            count -= 4 * lane
            a = at + count
            s0 = s1 = s2 = s3 = IDENTITY
            for k in range(lane - 1, -1, -1):
                s0 = combine(load(ring, a + k), s0)
                store(room, k, s0)
                s1 = combine(load(ring, a + lane + k), s1)
                store(room, lane + k, s1)
                s2 = combine(load(ring, a + 2 * lane + k), s2)
                store(room, 2 * lane + k, s2)
                s3 = combine(load(ring, a + 3 * lane + k), s3)
                store(room, 3 * lane + k, s3)
            for o in range(3 * lane, -1, -lane):
                for k in range(lane):
                    store(ring, a + o + k, combine(load(room, o + k), after))
                after = load(ring, a + o)
    return after


def _before(ahead, back):
    """What lies between a suffix and a prefix; `ahead` is None where that is less."""
    if ahead is None:
        return back
    return combine(ahead, back)


def answer_stretch(source, i, count, ring, f, ahead, back, room, out, made):
    """Report after each event; suffixes are read from place f on.  Gives the back."""
    done = 0
    while done < count:
        lane = lane_of(count - done)
        if lane == 0:
            back = combine(back, leaf(source, i + done))
            whole = combine(load(ring, f + done), _before(ahead, back))
            emit(out, made + done, whole)
            done += 1
        else:
            a = i + done
            p0 = p1 = p2 = p3 = IDENTITY
            for k in range(lane):
                p0 = combine(p0, leaf(source, a + k))
                store(room, k, p0)
                p1 = combine(p1, leaf(source, a + lane + k))
                store(room, lane + k, p1)
                p2 = combine(p2, leaf(source, a + 2 * lane + k))
                store(room, 2 * lane + k, p2)
                p3 = combine(p3, leaf(source, a + 3 * lane + k))
                store(room, 3 * lane + k, p3)
            for o in range(0, 4 * lane, lane):
                before = _before(ahead, back)
                for k in range(lane):
                    newer = combine(before, load(room, o + k))
                    whole = combine(load(ring, f + done + o + k), newer)
                    emit(out, made + done + o + k, whole)
                back = combine(back, load(room, o + lane - 1))
            done += 4 * lane
    return back


def keep_stretch(source, i, count, ring, e):
    """Put the partials of events at the places from e on."""
    for k in range(count):
        store(ring, e + k, leaf(source, i + k))


def add_stretch(source, i, count, back):
    """The back with so many events more, added up in four lanes."""
    done, lane = 0, count >> 2
    if len(IDENTITY) <= FEW_FIELDS and lane > 0:
        done, a = 4 * lane, i
        t0, t1 = leaf(source, a), leaf(source, a + lane)
        t2, t3 = leaf(source, a + 2 * lane), leaf(source, a + 3 * lane)
        for k in range(1, lane):
            t0 = combine(t0, leaf(source, a + k))
            t1 = combine(t1, leaf(source, a + lane + k))
            t2 = combine(t2, leaf(source, a + 2 * lane + k))
            t3 = combine(t3, leaf(source, a + 3 * lane + k))
        back = combine(combine(combine(combine(back, t0), t1), t2), t3)
    for k in range(done, count):
        back = combine(back, leaf(source, i + k))
    return back


def take_rows(source, i, count, ring, e, back):
    """Let events in without an answer, to the places from e on; gives the back.

    No event has left before the first window is full: the ring does not end there.
    """
    while i < count:
        some = min(count - i, ROOM)
        back = add_stretch(source, i, some, back)
        keep_stretch(source, i, some, ring, e)
        e, i = e + some, i + some
    return back
