"""Finds, corrects and removes events of a window, and puts late ones in their places.

Places stand in the order of (instant, number): a late event goes after all that are
not later, so of two at one instant the one that came first stands first.  Where no
instants are kept, numbers alone are in order.  Holes keep theirs, so that a search may
look at them.
"""

from windrow.kernels.vocabulary import (
    ORDERED,
    between,
    correct,
    emit,
    ints_of,
    lift_one,
    make_way,
    open_memory,
    peek,
    poke,
    remove,
    set_ints,
    set_state,
    state_of,
    store,
    whole,
)

from .policies import MASK, SINCE, TOTAL


def first_later(words, ints, marks, ids, tick, number):
    """The first place that stands after (tick, number)."""
    low, high = ints[0], ints[1]
    while low < high:
        middle = (low + high) >> 1
        here = middle & words[MASK]
        after = peek(ids, here) > number
        if ORDERED:
            mark = peek(marks, here)
            after = mark > tick or (mark == tick and after)
        if after:
            high = middle
        else:
            low = middle + 1
    return low


def call_find(mem, tick, number):
    """The place of an event, or -1 if it is not in the window any more."""
    (words, scratch, _, marks, _, ids), _ = open_memory(mem)
    ints = ints_of(words)
    i = first_later(words, ints, marks, ids, tick, number) - 1
    if i < ints[0] or peek(ids, i & words[MASK]) != number:
        return -1
    return i if scratch[1][i & words[MASK]] == 1 else -1


def call_place(mem, tick, *values):
    """An event among those that came before it; False if there is no room."""
    (words, scratch, _, marks, _, ids), _ = open_memory(mem)
    tree, alive, mask = scratch[0], scratch[1], scratch[3]
    ints = ints_of(words)
    i = first_later(words, ints, marks, ids, tick, words[TOTAL])
    free = ints[1] - ints[0] <= mask
    j = i
    while not free and j < ints[1]:
        free = alive[j & mask] == 0
        j += 1
    if not free:
        return False
    value = lift_one(words[TOTAL], *values)
    hole, ints = make_way(scratch, ints, i)
    for k in range(hole, i, -1):
        poke(ids, k & mask, peek(ids, (k - 1) & mask))
        if ORDERED:
            poke(marks, k & mask, peek(marks, (k - 1) & mask))
    poke(ids, i & mask, words[TOTAL])
    if ORDERED:
        poke(marks, i & mask, tick)
    words[TOTAL] += 1
    words[SINCE] += 1
    store(tree, mask + 1 + (i & mask), value)
    set_ints(words, ints)
    return True


def call_correct(mem, place, position, *values):
    (words, scratch, _, _, _, _), _ = open_memory(mem)
    value = lift_one(position, *values)
    set_ints(words, correct(scratch, ints_of(words), place, value))


def call_remove(mem, place):
    (words, scratch, fields, _, _, _), _ = open_memory(mem)
    set_ints(words, remove(scratch, ints_of(words), state_of(fields), place))


def call_between(mem, first, last):
    """The result of events at instants [first, last); False if there are none."""
    (words, scratch, fields, marks, _, ids), out = open_memory(mem)
    _, ints, state = whole(scratch, ints_of(words), state_of(fields))
    set_ints(words, ints)
    set_state(fields, state)
    start = first_later(words, ints, marks, ids, first - 1, words[TOTAL])
    stop = first_later(words, ints, marks, ids, last - 1, words[TOTAL])
    for i in range(start, stop):
        if scratch[1][i & words[MASK]] == 1:
            emit(out, 0, between(scratch, start, stop))
            return True
    return False


PLACES = (call_find, call_place, call_correct, call_remove, call_between)
