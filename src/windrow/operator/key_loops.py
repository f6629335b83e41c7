"""Runs events and the passing of time through the windows of many keys.

The windows stand in an arena (`arena.py`).  Each loop opens the window of a slot, does
what `loops.py` does to a single window, and puts it back:

    ring full              a block of twice the places     RA 5.1.1: each event is
    a quarter in use       a block of half the places      copied O(1) times

`keys` are four arrays: the slots of events, where the blocks of slots begin, when time
changes something in each, and the slot of each result.
"""

import numpy as np

from windrow.kernels.vocabulary import (
    EVICT,
    TRIGGER,
    block_words,
    emit,
    evict,
    ints_of,
    lift_one,
    open_block,
    peek,
    set_ints,
    set_state,
    size_of,
    state_of,
    used_of,
    whole,
    words_of,
)
from windrow.windows.policy_numbers import TIME

from .loops import insert_and_answer, let_time_pass, move_window, take_event
from .policies import (
    BOUNDARY,
    FREE,
    FULL,
    LEAST_ARENA,
    LEAST_KEY,
    MASK,
    NEVER,
    RANGE,
    READY,
    SHORT,
    SINCE,
    TOP,
    TOTAL,
)


def level_of(places):
    """The level of blocks with so many places."""
    level = 0
    while 1 << level < places:
        level += 1
    return level


def take_block(arena, places):
    """The begin of a free block with so many places; 0 where there is no room."""
    words = words_of(arena)
    level, size = level_of(places), block_words(places)
    at = words[level]
    if at > 0:
        words[level] = words[at]
        words[FREE] -= size
    elif words[TOP] + size <= len(words):
        at = words[TOP]
        words[TOP] += size
    return at


def give_block(arena, at):
    """Put a block on its free list."""
    words = words_of(arena)
    places = words[at + MASK] + 1
    level = level_of(places)
    words[at] = words[level]
    words[level] = at
    words[FREE] += block_words(places)


def resettle(arena, where, slot, places):
    """Move a window to a block with so many places; False where there is no room."""
    words = words_of(arena)
    new, at = take_block(arena, places), where[slot]
    if new == 0:
        return False
    words[new + MASK] = places - 1
    move_window(open_block(arena, at)[0], open_block(arena, new)[0])
    give_block(arena, at)
    where[slot] = new
    return True


def is_loose(arena):
    """Whether blocks are to be moved: one found no room, or half of all is free."""
    words = words_of(arena)
    length = len(words)
    free = words[FREE] + length - words[TOP]
    return words[SHORT] != 0 or (length > LEAST_ARENA and 2 * free > length)


def next_due(memory, ints):
    """The instant at which time changes something: a result is due, an event leaves."""
    words, marks = memory[0], memory[3]
    instant = np.int64(NEVER)
    if size_of(ints) > 0:
        if TRIGGER == TIME:
            if EVICT == TIME or words[SINCE] > 0:
                instant = words[BOUNDARY]
        elif EVICT == TIME:
            instant = peek(marks, ints[0] & words[MASK]) + words[RANGE]
    return instant


def settle(arena, where, due, slot, memory):
    """Note when a window is due, and halve its block where a quarter is in use."""
    words = memory[0]
    ints = ints_of(words)
    due[slot] = next_due(memory, ints)
    used, places = used_of(ints), words[MASK] + 1
    if 4 * used < places and places > LEAST_KEY:
        fit = LEAST_KEY
        while fit < 2 * used:
            fit *= 2
        if not resettle(arena, where, slot, fit):
            words_of(arena)[SHORT] = 1


def call_settle_keys(arena, _, __, slot, count, keys):
    """Halve the blocks of slots [slot, count) where a quarter of them is in use."""
    _, where, due, _ = keys
    while slot < count:
        memory, _ = open_block(arena, where[slot])
        settle(arena, where, due, slot, memory)
        slot += 1
    return slot


def call_feed_keys(arena, source, events, i, count, keys, out, begins, ends):
    """Events [i, count) one by one, each into the window of its slot.

    Gives the event to go on with, how many results there are, and whether the arena
    is full.
    """
    slots, where, due, owners = keys
    made = np.int64(0)
    status = READY
    while i < count and made < len(begins) and status == READY:
        slot = slots[i]
        memory, _ = open_block(arena, where[slot])
        words, fields = memory[0], memory[2]
        source[-1][0] = words[TOTAL] - i
        before = made
        ints, state, made, status = take_event(
            memory,
            ints_of(words),
            state_of(fields),
            source,
            events,
            i,
            made,
            out,
            begins,
            ends,
        )
        set_ints(words, ints)
        set_state(fields, state)
        for k in range(before, made):
            owners[k] = slot
        if status == READY:
            i += 1
            settle(arena, where, due, slot, memory)
        elif status == FULL and resettle(arena, where, slot, 2 * (words[MASK] + 1)):
            status = READY
    return i, made, status == FULL


def call_elapse_keys(arena, tick, _, slot, count, keys, out, begins, ends):
    """Time goes on to `tick` for the slots [slot, count) in which it changes something.

    Gives the slot to go on with, and how many results there are.
    """
    _, where, due, owners = keys
    made = np.int64(0)
    full = False
    while slot < count and not full:
        if due[slot] <= tick:
            memory, _ = open_block(arena, where[slot])
            before = made
            made, full = let_time_pass(memory, tick, made, out, begins, ends)
            for k in range(before, made):
                owners[k] = slot
            if not full:
                settle(arena, where, due, slot, memory)
        if not full:
            slot += 1
    return slot, made


def call_look_keys(arena, _, where, i, count, slots, out, sizes):
    """The results of the windows of slots [i, count) as they stand, and their sizes."""
    while i < count:
        memory, _ = open_block(arena, where[slots[i]])
        words, scratch, fields = memory[0], memory[1], memory[2]
        partial, ints, state = whole(scratch, ints_of(words), state_of(fields))
        emit(out, i, partial)
        sizes[i] = size_of(ints)
        set_ints(words, ints)
        set_state(fields, state)
        i += 1
    return i


def call_one_key(arena, where, due, slot, tick, mark, out, *values):
    """One event where nothing falls due, and the window's result at once.

    Gives how many events there are, 0 where the arena has room to give back as well, or
    -1 if the rings are full.
    """
    memory, _ = open_block(arena, where[slot])
    value = lift_one(memory[0][TOTAL], *values)
    size = insert_and_answer(memory, value, tick, mark, out)
    if size >= 0:
        settle(arena, where, due, slot, memory)
        if is_loose(arena):
            size = 0 * size
    return size


def call_drop_key(arena, where, due, slot, many):
    """Evict the `many` oldest events of a slot."""
    memory, _ = open_block(arena, where[slot])
    words, scratch, fields = memory[0], memory[1], memory[2]
    ints, state = ints_of(words), state_of(fields)
    for _ in range(many):
        ints, state = evict(scratch, ints, state)
    set_ints(words, ints)
    set_state(fields, state)
    settle(arena, where, due, slot, memory)


KEY_LOOPS = (
    call_feed_keys,
    call_elapse_keys,
    call_look_keys,
    call_one_key,
    call_drop_key,
    call_settle_keys,
)
