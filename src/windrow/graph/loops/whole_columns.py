"""Answers windows of several lists over whole columns, from tables that they share.

    inputs      . . . . . . . . . . . . . . . . .
    block              |- ends of windows -|
    tables      |--------------------------|         by doubling, once for all windows
    list 0           |---| |---| |---| |---|
    list 1      |----------| |-----------| ...       a list for each range

Tables reach as far back as the longest window, so a block is twice as long or longer,
unless it would hold too many windows.  All forms of graphs are answered alike: nothing
is ever taken off.  Windows that are not equally long share nothing here, as those of a
list read their tables at places of their own, which costs more than the tables.
"""

import numpy as np

from windrow.algorithms import slide_columns
from windrow.kernels.vocabulary import allocate, combine, emit, leaf, load, store
from windrow.windows import list_between

INPUTS = 8192  # of a block, at least: a few columns of partials fit the cache
MOST = 1 << 22  # windows of a block, unless it is as short as that


def slide_uneven_lists(source, inputs, starts, stops, at, splits, laps, room, out):
    """Windows [starts[i], stops[i]); those of list q are [at[q], at[q + 1])."""
    for q in range(len(at) - 1):
        own = tuple(field[at[q] : at[q + 1]] for field in out)
        bounds = starts[at[q] : at[q + 1]], stops[at[q] : at[q + 1]]
        slide_columns(source, *bounds, room, own)


def slide_walked_lists(
    source, inputs, instants, firsts, lasts, ranges, slides, shifts, begins,
    at, splits, laps, room, out,
):  # fmt: skip
    """Windows that hold an instant; those of list q are [at[q], at[q + 1])."""
    for q in range(len(at) - 1):
        oldest = (instants - shifts[q] - ranges[q]) // slides[q] + 1
        newest = (instants - shifts[q]) // slides[q]
        starts, stops, numbers = list_between(oldest, newest, firsts, lasts)
        begins[at[q] : at[q + 1]] = shifts[q] + numbers * slides[q]
        own = tuple(field[at[q] : at[q + 1]] for field in out)
        slide_columns(source, starts, stops, room, own)


def slide_even_lists(source, firsts, lasts, ranges, slides, at, splits, laps, out):
    """Windows of ranges[q] inputs, each slides[q] on, within each run of inputs."""
    lengths = (lasts - firsts)[np.newaxis, :]
    counts = (lengths - ranges[:, np.newaxis]) // slides[:, np.newaxis] + 1
    ends = np.cumsum(np.maximum(counts, 0), axis=1)  # windows up to each run's last
    size = min(max(INPUTS, 2 * ranges[-1]), max(INPUTS, MOST // len(ranges)))
    for low in range(0, lasts[-1], size):
        lists = []
        for q in range(len(ranges)):
            bounds = firsts, lasts, ranges[q], slides[q], ends[q]
            numbers = np.arange(stopped(low, *bounds), stopped(low + size, *bounds))
            runs = np.searchsorted(ends[q], numbers, side="right")
            before = np.where(runs > 0, ends[q][runs - 1], 0)
            starts = firsts[runs] + (numbers - before) * slides[q]
            if len(numbers):
                stride = stride_of(starts)
                lists.append((starts, stride, ranges[q], at[q] + numbers[0]))
        if lists:
            answer(source, lists, out)


def stopped(place, firsts, lasts, width, step, ends):
    """How many windows of a list stop at or before a place."""
    run = np.searchsorted(lasts, place, side="right")
    before = ends[run - 1] if run > 0 else 0
    if run == len(lasts):
        return before
    return before + max((place - firsts[run] - width) // step + 1, 0)


def answer(source, lists, out):
    """Answer a block: starts, their stride, range and first result of each list."""
    first = min(starts[0] for starts, _, _, _ in lists)
    longest = max(width for _, _, width, _ in lists)
    room = max(starts[-1] + width for starts, _, width, _ in lists) - first
    table = allocate(room)
    store(table, slice(0, room), leaf(source, slice(first, first + room)))
    partials = [allocate(len(starts)) for starts, _, _, _ in lists]
    step = 1
    while step <= longest:
        for q in range(len(lists)):
            starts, stride, width, _ = lists[q]
            if width & step:  # what shorter tables answered lies before
                begins = (width & (step - 1)) - first
                newer = load(table, places_from(begins, starts, stride))
                if width & (step - 1):
                    newer = combine(partials[q], newer)
                store(partials[q], slice(0, len(starts)), newer)
        room -= step
        if 2 * step <= longest:
            older, newer = slice(0, room), slice(step, step + room)
            store(table, older, combine(load(table, older), load(table, newer)))
        step *= 2
    for q in range(len(lists)):
        starts, _, _, place = lists[q]
        emit(out, slice(place, place + len(starts)), partials[q])


def stride_of(starts):
    """How far apart starts stand; 0 where that differs, between two runs."""
    stride = starts[1] - starts[0] if len(starts) > 1 else 1
    return stride if (np.diff(starts) == stride).all() else 0


def places_from(base, starts, stride):
    """The places of starts from a base on, as a slice where there is a stride."""
    if stride == 0:
        return starts + base
    return slice(starts[0] + base, starts[-1] + base + 1, stride)
