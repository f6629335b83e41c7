"""Lets events leave an operator by one policy, and results fall due by another.

    for each event    1  time triggers whose instant has passed      results
                      2  what has to leave before it comes           evict
                      3  the event                                   insert
                      4  triggers by count, delta or punctuation     results

                      evict                         trigger
    BY_HAND           never                         never
    COUNT             beyond `range` rows           every `every` rows
    TIME              older than `range`            at instants `every` apart
    DELTA             further than d from the newest    each d further
    PUNCTUATION       all, after a marked event     after a marked event

Policies are constants of the generated module, so that a loop has no branch for those
it does not have.  Windows that are evicted and triggered by time are aligned: they
hold [end - range, end) for ends at `anchor` + k * every, and one that holds nothing
has no result.  Elsewhere time evicts what is not later than the newest less `range`.
"""

from windrow.kernels.vocabulary import (
    EVICT,
    NUMBERED,
    ORDERED,
    TRIGGER,
    emit,
    evict,
    insert,
    peek,
    poke,
    size_of,
    whole,
)
from windrow.windows.policy_numbers import COUNT, DELTA, PUNCTUATION, TIME

# words: the algorithm's ints come last, from INTS on
RANGE, EVERY, ANCHOR, BOUNDARY, NEWEST, SINCE, TOTAL, MASK, INTS = range(9)
# floats
FURTHEST, STEP, LAST = range(3)
FLOATS = 3

READY, FULL, NO_ROOM = range(3)

# an arena of many windows: free lists by level, then whether a window found no smaller
# block, the end of blocks, and how many words are free
SHORT, TOP, FREE, HEAD = 61, 62, 63, 64
LEAST_KEY = 4  # places of a window among many
LEAST_NODES = 256  # places of a ring that follows its nodes
NODE_BATCH = 1 << 13  # events for which such a ring has places before they come
LEAST_ARENA = 1 << 12  # words: blocks of fewer are left where they are
NEVER = 2**63 - 1


def next_end(words, tick):
    """The first instant after `tick` at which a result falls due."""
    every = words[EVERY]
    return tick - (tick - words[ANCHOR]) % every + every


def drop_before(scratch, ints, state, marks, mask, limit):
    """Evict events older than `limit`."""
    while size_of(ints) > 0 and peek(marks, ints[0] & mask) < limit:
        ints, state = evict(scratch, ints, state)
    return ints, state


def drop_all(scratch, ints, state):
    """Evict everything."""
    while size_of(ints) > 0:
        ints, state = evict(scratch, ints, state)
    return ints, state


def make_room_for(words, scratch, ints, state, marks, floats, tick, mark):
    """Evict what must not be there when the event comes."""
    mask = words[MASK]
    if EVICT == COUNT:
        while size_of(ints) >= words[RANGE]:
            ints, state = evict(scratch, ints, state)
    if EVICT == TIME:
        limit = tick - words[RANGE] + 1
        if TRIGGER == TIME:
            limit = words[BOUNDARY] - words[RANGE]
        ints, state = drop_before(scratch, ints, state, marks, mask, limit)
    if EVICT == DELTA:
        furthest = mark - floats[FURTHEST]
        ints, state = drop_before(scratch, ints, state, marks, mask, furthest)
    return ints, state


def put(words, scratch, ints, state, marks, ids, value, tick, mark):
    """The event itself, with what it will be evicted and found by."""
    if ORDERED:
        poke(marks, ints[1] & words[MASK], tick)
    if EVICT == DELTA:
        poke(marks, ints[1] & words[MASK], mark)
    if NUMBERED:
        poke(ids, ints[1] & words[MASK], words[TOTAL])
    words[TOTAL] += 1
    words[SINCE] += 1
    words[NEWEST] = tick
    return insert(scratch, ints, state, value, tick)


def pass_time(words, scratch, ints, state, marks, tick, made, out, begins, ends):
    """Results that fall due up to `tick`; the last flag says that room ran out."""
    mask = words[MASK]
    range_ = words[RANGE]
    while words[BOUNDARY] <= tick:
        end = words[BOUNDARY]
        if EVICT == TIME:
            ints, state = drop_before(scratch, ints, state, marks, mask, end - range_)
        if size_of(ints) == 0 or (EVICT != TIME and words[SINCE] == 0):
            words[BOUNDARY] = next_end(words, tick)
            break
        if made >= len(begins) - 1:
            return ints, state, made, True
        partial, ints, state = whole(scratch, ints, state)
        emit(out, made, partial)
        ends[made] = end if EVICT == TIME else words[TOTAL]
        begins[made] = ends[made] - (range_ if EVICT == TIME else size_of(ints))
        made += 1
        words[SINCE] = 0
        words[BOUNDARY] = end + words[EVERY]
    return ints, state, made, False


def is_due(words, floats, events, i):
    """Whether the event that has just come makes a result fall due."""
    if TRIGGER == COUNT:
        return words[SINCE] >= words[EVERY]
    if TRIGGER == PUNCTUATION:
        return peek(events[3], i) != 0
    if TRIGGER == DELTA:
        signal = peek(events[2], i)
        if words[TOTAL] == 1:
            floats[LAST] = signal
        if signal - floats[LAST] > floats[STEP]:
            floats[LAST] = signal
            return True
    return False
