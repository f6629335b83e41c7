"""Runs the events of an operator, many or one, through its policies.

Python calls the functions named `call_`.  Each takes the memory of a window as one flat
array (`layout.py`), and puts back what it has changed before it returns.  `values` are
the numbers of an event, with their validity.
"""

import numpy as np

from windrow.kernels.vocabulary import (
    EVICT,
    NODES,
    NUMBERED,
    ORDERED,
    RING_FROM,
    RING_UPTO,
    TRIGGER,
    copy_event,
    emit,
    evict,
    fill_rows,
    insert,
    ints_of,
    leaf,
    lift_number,
    lift_one,
    move,
    open_memory,
    peek,
    poke,
    set_ints,
    set_state,
    size_of,
    slide_rows,
    state_of,
    used_of,
    whole,
)
from windrow.windows.policy_numbers import DELTA, PUNCTUATION, TIME

from .lap_loops import call_laps
from .policies import (
    BOUNDARY,
    FULL,
    LEAST_NODES,
    MASK,
    NEWEST,
    NO_ROOM,
    NODE_BATCH,
    RANGE,
    READY,
    SINCE,
    TOTAL,
    drop_all,
    is_due,
    make_room_for,
    next_end,
    pass_time,
    put,
)


def take_event(memory, ints, state, source, events, i, made, out, begins, ends):
    """Event i, after what falls due and leaves before it; results into `out`.

    Gives READY, FULL where the rings have no place for it, or NO_ROOM where `out` has
    none for what falls due: it is to be called again then.
    """
    words, scratch, _, marks, floats, ids = memory
    tick, mark = words[TOTAL], 0.0
    if ORDERED or TRIGGER == TIME:
        tick = peek(events[0], i)
    if EVICT == DELTA:
        mark = peek(events[1], i)
    if TRIGGER == TIME:
        if words[TOTAL] == 0:
            words[BOUNDARY] = next_end(words, tick)
        ints, state, made, full = pass_time(
            words, scratch, ints, state, marks, tick, made, out, begins, ends
        )
        if full:
            return ints, state, made, NO_ROOM
    ints, state = make_room_for(words, scratch, ints, state, marks, floats, tick, mark)
    if used_of(ints) > words[MASK]:
        return ints, state, made, FULL
    value = leaf(source, i)
    ints, state = put(words, scratch, ints, state, marks, ids, value, tick, mark)
    if is_due(words, floats, events, i):
        partial, ints, state = whole(scratch, ints, state)
        emit(out, made, partial)
        begins[made] = words[TOTAL] - size_of(ints)
        ends[made] = words[TOTAL]
        made += 1
        words[SINCE] = 0
    if EVICT == PUNCTUATION and peek(events[3], i) != 0:
        ints, state = drop_all(scratch, ints, state)
    return ints, state, made, READY


def call_feed(mem, source, events, i, count, out, begins, ends):
    """Events [i, count) one by one, results into `out` while there is room.

    Gives the event to go on with, how many results there are, and whether the rings
    are full.
    """
    memory, _ = open_memory(mem)
    words, fields = memory[0], memory[2]
    ints, state = ints_of(words), state_of(fields)
    made = np.int64(0)
    status = READY
    while i < count and made < len(begins) and status == READY:
        ints, state, made, status = take_event(
            memory, ints, state, source, events, i, made, out, begins, ends
        )
        if status == READY:
            i += 1
    set_ints(words, ints)
    set_state(fields, state)
    return i, made, status == FULL


def put_row(memory, ints, state, number, source, i):
    """Event i, which is the operator's event `number`."""
    words, scratch, _, _, _, ids = memory
    if NUMBERED:
        poke(ids, ints[1] & words[MASK], number)
    return insert(scratch, ints, state, leaf(source, i), number)


def fill_by_steps(memory, ints, state, tick, source, i, count, _):
    """`fill_rows` for an algorithm that takes one event after the other."""
    for k in range(count - i):
        ints, state = put_row(memory, ints, state, tick + k, source, i + k)
    return ints, state


def slide_by_steps(memory, ints, state, tick, source, i, count, _, out, made):
    """`slide_rows` for an algorithm that takes one event after the other."""
    scratch = memory[1]
    for k in range(count - i):
        ints, state = evict(scratch, ints, state)
        ints, state = put_row(memory, ints, state, tick + k, source, i + k)
        partial, ints, state = whole(scratch, ints, state)
        emit(out, made + k, partial)
    return ints, state


def feed_rows(mem, values, out, room, at):
    """Events of windows of `range` rows that report every row: no question asked.

    The result after event i is put at place `at` + i.  Gives how many there are, up to
    the last event, or -1 where it has to be asked: the ring is too small or too large,
    or has holes.
    """
    memory, _ = open_memory(mem)
    words, scratch, fields, _, _, _ = memory
    source = (*values, words[TOTAL : TOTAL + 1])
    count, range_, total = len(values[0]), words[RANGE], words[TOTAL]
    ints, state = ints_of(words), state_of(fields)
    used = used_of(ints)
    is_small = min(range_, used + count) - 1 > words[MASK]
    if is_small or size_of(ints) < ints[1] - ints[0]:
        return np.int64(-1)
    if NODES and 4 * (used + max(count, NODE_BATCH)) < words[MASK]:
        return np.int64(-1)
    begin, i = np.int64(0), max(min(count, range_ - 1 - total), np.int64(0))
    ints, state = fill_rows(memory, ints, state, total, source, begin, i, room)
    while i < count and size_of(ints) < range_:
        ints, state = put_row(memory, ints, state, total + i, source, i)
        if total + i + 1 >= range_:
            partial, ints, state = whole(scratch, ints, state)
            emit(out, at + i, partial)
        i += 1
    ints, state = slide_rows(
        memory, ints, state, total + i, source, i, count, room, out, at + i
    )
    made = max(min(total + count - range_ + 1, count), 0)
    words[SINCE] += count if made == 0 else -words[SINCE]
    words[TOTAL] = total + count
    words[NEWEST] = total + count - 1
    set_ints(words, ints)
    set_state(fields, state)
    return made


def call_rows(mem, values, out, room):
    return feed_rows(mem, values, out, room, np.int64(0))


def call_rows_each(mem, ends, values, out, room, at, apart):
    """The same for the windows of a list, whose memories end at `ends`.

    The results of a window stand `apart` from those of the one before it.
    """
    begin = np.int64(0)
    for q in range(len(ends)):
        feed_rows(mem[begin : ends[q]], values, out, room, at + q * apart)
        begin = ends[q]


def has_few_nodes(words, ints):
    """Whether a quarter of the places are enough for the nodes."""
    return words[MASK] >= LEAST_NODES and 4 * used_of(ints) <= words[MASK]


def insert_and_answer(memory, value, tick, mark, out):
    """One event where nothing falls due, and the window's result at once.

    Gives how many events there are, 0 where few of many places are in use by nodes, or
    -1 if the rings are full.
    """
    words, scratch, fields, marks, floats, ids = memory
    ints, state = ints_of(words), state_of(fields)
    if not ORDERED:
        tick = words[TOTAL]
    ints, state = make_room_for(words, scratch, ints, state, marks, floats, tick, mark)
    full = used_of(ints) > words[MASK]
    if not full:
        ints, state = put(words, scratch, ints, state, marks, ids, value, tick, mark)
        partial, ints, state = whole(scratch, ints, state)
        emit(out, 0, partial)
    set_ints(words, ints)
    set_state(fields, state)
    if NODES and has_few_nodes(words, ints):
        return 0
    return -1 if full else size_of(ints)


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
    """The window's result as it stands; gives how many events there are."""
    (words, scratch, fields, _, _, _), out = open_memory(mem)
    ints, state = ints_of(words), state_of(fields)
    partial, ints, state = whole(scratch, ints, state)
    emit(out, 0, partial)
    set_ints(words, ints)
    set_state(fields, state)
    return size_of(ints)


def call_drop(mem, many):
    """Evict the `many` oldest events."""
    (words, scratch, fields, _, _, _), _ = open_memory(mem)
    ints, state = ints_of(words), state_of(fields)
    for _ in range(many):
        ints, state = evict(scratch, ints, state)
    set_ints(words, ints)
    set_state(fields, state)


def let_time_pass(memory, tick, made, out, begins, ends):
    """Time goes on to `tick`; events leave as they would before one that comes then.

    Gives how many results there are, and whether room ran out.
    """
    words, scratch, fields, marks, floats, _ = memory
    ints, state = ints_of(words), state_of(fields)
    full = False
    if TRIGGER == TIME and words[TOTAL] > 0:
        ints, state, made, full = pass_time(
            words, scratch, ints, state, marks, tick, made, out, begins, ends
        )
    if EVICT == TIME and not full:
        ints, state = make_room_for(
            words, scratch, ints, state, marks, floats, tick, 0.0
        )
    words[NEWEST] = max(words[NEWEST], tick)
    set_ints(words, ints)
    set_state(fields, state)
    return made, full


def call_elapse(mem, tick, out, begins, ends):
    """Time goes on; gives how many results fell due, and whether room ran out."""
    return let_time_pass(open_memory(mem)[0], tick, np.int64(0), out, begins, ends)


def move_rings(scratch, ints, wider):
    """`move` for an algorithm whose events stay at their places."""
    mask, new_mask = scratch[-1], wider[-1]
    for i in range(ints[RING_FROM], ints[RING_UPTO]):
        copy_event(scratch, i & mask, wider, i & new_mask)
    return ints


def move_window(memory, new):
    """Copy a window to memory of another capacity."""
    words, scratch, fields, marks, floats, ids = memory
    new_words, wider, new_fields, new_marks, new_floats, new_ids = new
    mask, new_mask = words[MASK], new_words[MASK]
    for k in range(len(words)):  # a slice would make an array
        new_words[k] = words[k]
    new_words[MASK] = new_mask
    for k in range(len(floats)):
        new_floats[k] = floats[k]
    ints = ints_of(words)
    at = ints[0]
    for i in range(ints[0], ints[1] if ORDERED or NUMBERED or EVICT == DELTA else at):
        if NUMBERED:  # places may be holes
            if scratch[1][i & mask] == 0:
                continue
            new_ids[at & new_mask] = ids[i & mask]
        if ORDERED or EVICT == DELTA:
            new_marks[at & new_mask] = marks[i & mask]
        at += 1
    set_ints(new_words, move(scratch, ints, wider))
    set_state(new_fields, state_of(fields))


def call_move(mem, new):
    move_window(open_memory(mem)[0], open_memory(new)[0])


LOOPS = (
    call_feed,
    call_rows,
    call_rows_each,
    call_laps,
    call_one,
    call_quick,
    call_look,
    call_drop,
    call_elapse,
    call_move,
)
