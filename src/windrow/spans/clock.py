"""Runs SE-Slicing one event at a time: Algorithm 1, with its clock and its patience.

    clock - postpone            clock
          |                       |
    ======|                       |        windows that end by then are released: an
       ===|=======================|        event that is no longer than the time to
          |       ================|        postpone, and ends now, is in time for all

An event comes when it is over: the clock is the last instant of the newest.  First
windows fall due, then the event goes into the slices that it crosses (`ring.py`).  The
time to postpone is given, or is the longest event so far: then the first one of a new
length may have missed windows, which is counted.

    words    the clock, the next window to release, and what the ring needs to know
    reaches  of each slice, the first slice of the events that end in it

so that a window which no event overlaps is known without looking at partials.
"""

from windrow.kernels.vocabulary import combine, emit, leaf, load, store

from .ring import APART, INLINE, add_slices, insert_event, release_window, tail_of

CLOCK, NEXT, FLIP, FINAL, TOP, ENDED, NEWEST, LATE, TOTAL, CROSSED = range(10)
POSTPONE, LEARNS, RANGE, SLIDE, SHIFT, SIZE, HEIGHT, SINCE = range(10, 18)
PER, WIDTH, REST = range(18, 21)  # slices a step and a window; length of the first
WORDS = 21
FAR = 2**62  # past every slice
LONG_AGO = -(2**62)


def slice_of(words, instant):
    """Find the number of an instant's slice: one a step, or two (Pairs)."""
    since = instant - words[SHIFT]
    step = since // words[SLIDE]
    if words[PER] == 1:
        return step
    return 2 * step + (1 if since - step * words[SLIDE] >= words[REST] else 0)


def first_open(words, instant):
    """Find the number of the first window that ends after an instant."""
    return (instant - words[RANGE] - words[SHIFT]) // words[SLIDE] + 1


def forget_ends(words, reaches, upto):
    """Note that no event ends in the slices that are added now."""
    for j in range(words[TOP], upto):
        reaches[j & (words[SIZE] - 1)] = FAR


def is_overlapped(words, reaches, start, stop):
    """Tell whether an event overlaps slices [start, stop): mostly one ends in them."""
    mask = words[SIZE] - 1
    for j in range(max(words[FINAL], start), min(stop, words[TOP])):
        if reaches[j & mask] < FAR:
            words[ENDED] = j
    if words[ENDED] >= start:
        return True
    found = False
    for j in range(stop, words[NEWEST] + 1):
        found = found or reaches[j & mask] < stop
    return found


def advance_clock(words, reaches, ends, goes, back, instant, made, out, begins):
    """Let time go on, and release what falls due (Algorithm 1, lines 5 to 8).

    Gives the number of results so far; there may be no room for all.
    """
    size, height, per = words[SIZE], words[HEIGHT], words[PER]
    due = first_open(words, instant - words[POSTPONE])
    while words[NEXT] < due and made < len(begins):
        start = words[NEXT] * per
        if start > words[NEWEST]:  # no event is left
            words[NEXT] = due
            break
        stop = start + words[WIDTH]
        holds = is_overlapped(words, reaches, start, stop)
        forget_ends(words, reaches, stop + height - 1)
        ints = words[FLIP], words[FINAL], words[TOP]
        whole, ints, newer = release_window(
            ends, goes, size, height, ints, load(back, 0), start, stop
        )
        store(back, 0, newer)
        words[FLIP], words[FINAL], words[TOP] = ints
        if holds:
            emit(out, made, whole)
            begins[made] = words[SHIFT] + words[NEXT] * words[SLIDE]
            made += 1
        words[NEXT] += 1
    if words[NEXT] >= due:
        words[CLOCK] = max(words[CLOCK], instant)
    return made


def take_event(words, reaches, ends, goes, partial, start, last):
    """Insert an event that is over (Algorithm 1, line 10); count it if it is late."""
    size, height, per = words[SIZE], words[HEIGHT], words[PER]
    first, final = slice_of(words, start), slice_of(words, last)
    oldest = words[NEXT] * per
    if words[FINAL] < oldest:  # windows were passed over that no event overlaps
        words[FLIP] = words[FINAL] = oldest
        words[TOP] = max(words[TOP], oldest)
    if (first - words[WIDTH]) // per + 1 < words[NEXT]:
        words[LATE] += 1
    forget_ends(words, reaches, final + 1)
    ints = words[FLIP], words[FINAL], words[TOP]
    ints = insert_event(ends, goes, size, height, ints, partial, first, final)
    words[FLIP], words[FINAL], words[TOP] = ints
    at = final & (size - 1)
    reaches[at] = min(reaches[at], first)
    words[NEWEST] = max(words[NEWEST], final)
    words[CROSSED] += final - first + 1
    words[TOTAL] += 1


def call_feed(
    words, reaches, ends, goes, back, source, starts, lasts, i, count, out, begins
):
    """Take events [i, count) in; gives the next one, and the number of results."""
    made = 0
    while i < count:
        if words[LEARNS] != 0:
            words[POSTPONE] = max(words[POSTPONE], lasts[i] - starts[i])
        if words[TOTAL] == 0 and words[CLOCK] == LONG_AGO:
            words[NEXT] = first_open(words, lasts[i] - words[POSTPONE])
            words[SINCE] = lasts[i]
            oldest = words[NEXT] * words[PER]
            words[FLIP] = words[FINAL] = words[TOP] = oldest
        made = advance_clock(
            words, reaches, ends, goes, back, max(lasts[i], words[CLOCK]), made, out,
            begins,
        )  # fmt: skip
        if words[CLOCK] < lasts[i]:  # no room for results
            break
        take_event(words, reaches, ends, goes, leaf(source, i), starts[i], lasts[i])
        i += 1
    return i, made


def call_elapse(words, reaches, ends, goes, back, instant, out, begins):
    """Let time go on without an event; gives the number of results."""
    return advance_clock(words, reaches, ends, goes, back, instant, 0, out, begins)


def call_look(words, reaches, ends, goes, _, out):
    """Answer the window that ends next, as it stands; tell whether it holds an event.

    Slices before `flip` hold suffixes, and those before `final` one level.
    """
    size, height = words[SIZE], words[HEIGHT]
    start = first_open(words, words[CLOCK]) * words[PER]
    stop = start + words[WIDTH]
    forget_ends(words, reaches, stop + height - 1)
    words[TOP] = add_slices(ends, goes, size, height, words[TOP], stop + height - 1)
    whole = tail_of(ends, goes, size, height, stop - 1)
    low = max(start, words[FLIP])
    for j in range(stop - 1, low - 1, -1):
        levels = height if j >= words[FINAL] else 1
        for k in range(levels):
            whole = combine(load(ends, k * (size + APART) + (j & (size - 1))), whole)
    if start < words[FLIP]:
        whole = combine(load(ends, start & (size - 1)), whole)
    emit(out, 0, whole)
    found = False
    for j in range(start, words[NEWEST] + 1):
        if reaches[j & (size - 1)] < stop:
            found = True
    return found


LOOPS = (call_feed, call_elapse, call_look)
STEPS = (
    *INLINE,
    "advance_clock",
    "take_event",
    "slice_of",
    "first_open",
    "forget_ends",
    "is_overlapped",
)
