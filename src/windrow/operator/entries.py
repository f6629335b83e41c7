"""Holds the functions through which Python calls an operator's kernel.

Each takes the operator's memory as its first argument, as one flat array.  `values` are
the numbers of an event, with their validity.
"""

from windrow.kernels.vocabulary import (
    EVICT,
    NUMBERED,
    ORDERED,
    RING_FROM,
    RING_UPTO,
    copy_event,
    correct,
    ints_of,
    lift_number,
    lift_one,
    move,
    open_memory,
    remove,
    set_ints,
    set_state,
    state_of,
)
from windrow.windows.policy_numbers import DELTA

from .loops import drop, elapse, feed, feed_rows, insert_and_answer, look
from .places import answer_between, find, place_late
from .policies import MASK, TOTAL, WORDS


def call_feed(mem, source, events, i, count, out, begins, ends):
    memory, _ = open_memory(mem)
    return feed(memory, source, events, i, count, out, begins, ends)


def call_rows(mem, source, count, out):
    memory, _ = open_memory(mem)
    return feed_rows(memory, source, count, out)


def call_one(mem, tick, mark, *values):
    memory, out = open_memory(mem)
    value = lift_one(memory[0][TOTAL], *values)
    return insert_and_answer(memory, value, tick, mark, out)


def call_quick(mem, number):
    """An event that is one number, and not null."""
    memory, out = open_memory(mem)
    value = lift_number(memory[0][TOTAL], number)
    return insert_and_answer(memory, value, 0, 0.0, out)


def call_look(mem):
    memory, out = open_memory(mem)
    return look(memory, out)


def call_drop(mem, many):
    memory, _ = open_memory(mem)
    return drop(memory, many)


def call_elapse(mem, tick, out, begins, ends):
    memory, _ = open_memory(mem)
    return elapse(memory, tick, out, begins, ends)


def move_rings(scratch, ints, wider):
    """`move` for an algorithm whose events stay at their places."""
    mask, new_mask = scratch[-1], wider[-1]
    for i in range(ints[RING_FROM], ints[RING_UPTO]):
        copy_event(scratch, i & mask, wider, i & new_mask)
    return ints


def call_move(mem, new):
    """Copy a window to memory of another capacity."""
    (words, scratch, fields, marks, floats, ids), _ = open_memory(mem)
    (new_words, wider, new_fields, new_marks, new_floats, new_ids), _ = open_memory(new)
    for k in range(WORDS):
        if k != MASK:
            new_words[k] = words[k]
    for k in range(len(floats)):
        new_floats[k] = floats[k]
    ints, mask, new_mask = ints_of(words), scratch[-1], wider[-1]
    at = ints[0]
    for i in range(ints[0], ints[1]):
        if NUMBERED:  # places may be holes
            if scratch[1][i & mask] == 0:
                continue
            new_ids[at & new_mask] = ids[i & mask]
        if ORDERED or EVICT == DELTA:
            new_marks[at & new_mask] = marks[i & mask]
        at += 1
    set_ints(new_words, move(scratch, ints, wider))
    set_state(new_fields, state_of(fields))


def call_find(mem, tick, number):
    memory, _ = open_memory(mem)
    return find(memory, tick, number)


def call_place(mem, tick, *values):
    memory, _ = open_memory(mem)
    return place_late(memory, lift_one(memory[0][TOTAL], *values), tick)


def call_correct(mem, place, position, *values):
    memory, _ = open_memory(mem)
    words, scratch = memory[0], memory[1]
    value = lift_one(position, *values)
    set_ints(words, correct(scratch, ints_of(words), place, value))


def call_remove(mem, place):
    words, scratch, fields, _, _, _ = open_memory(mem)[0]
    set_ints(words, remove(scratch, ints_of(words), state_of(fields), place))


def call_between(mem, first, last):
    memory, out = open_memory(mem)
    return answer_between(memory, first, last, out)


ENTRIES = (
    call_feed,
    call_rows,
    call_one,
    call_quick,
    call_look,
    call_drop,
    call_elapse,
    call_move,
)
ANY_PLACE_ENTRIES = (call_find, call_place, call_correct, call_remove, call_between)

__all__ = ["ANY_PLACE_ENTRIES", "ENTRIES", "move_rings"]
