"""Runs events through a list of windows that share one ring (LightSaber 5.1).

    F                                              E
    |---------------- longest window --------------|     insert, evict: once an event
          |------------- range 1 ------------------|     query(size): for each window
                         |------- range 2 ---------|     that is due

`rules` has a row for each window (`algorithms/_ranges.py`): its range, how far apart
its results are (0 is by hand), where they are aligned, the place at which it starts,
when it is due next (an instant, or a number of events), whether its results wait, and
where its stacks meet.  `answers` are partials of the windows' own: a running answer of
each, or its stacks.
"""

import numpy as np

from windrow.algorithms import (
    Q_ANCHOR,
    Q_EVERY,
    Q_NEXT,
    Q_RANGE,
    Q_START,
    Q_WAITS,
    begin_first,
    begin_later,
    drop_oldest,
)
from windrow.kernels.vocabulary import (
    EVICT,
    NODES,
    ORDERED,
    answer,
    emit,
    ints_of,
    leaf,
    lift_number,
    lift_one,
    open_memory,
    peek,
    set_ints,
    set_state,
    size_of,
    state_of,
    take_newest,
    used_of,
)
from windrow.windows.policy_numbers import TIME

from .loops import has_few_nodes
from .policies import MASK, NEWEST, RANGE, TOTAL, put


def find_start(memory, ints, q, rules, answers, limit):
    """Let a window begin with the first event that is in it."""
    words, scratch, marks = memory[0], memory[1], memory[3]
    start = rules[q, Q_START]
    if EVICT == TIME:
        while start < ints[1] and peek(marks, start & words[MASK]) < limit:
            start += 1
    else:
        start = max(start, ints[1] - rules[q, Q_RANGE])
    begin_later(scratch, ints, q, rules, answers, start)
    return ints[1] - start


def end_after(rules, q, tick):
    """The first end of a window after an instant."""
    every = rules[q, Q_EVERY]
    return tick - (tick - rules[q, Q_ANCHOR]) % every + every


def limit_of(rules, q, tick):
    """The first instant that is in a window which holds `tick`, or will next."""
    if rules[q, Q_EVERY] > 0:
        return rules[q, Q_NEXT] - rules[q, Q_RANGE]
    return tick - rules[q, Q_RANGE] + 1


def pass_ends(memory, ints, state, tick, rules, answers, made, results):
    """Results of windows that end up to `tick`; the last flag says: no room."""
    out, begins, ends, owners = results
    for q in range(len(rules)):
        while rules[q, Q_EVERY] > 0 and rules[q, Q_NEXT] <= tick:
            if made >= len(begins):
                return ints, state, made, True
            end = rules[q, Q_NEXT]
            begin = end - rules[q, Q_RANGE]
            if find_start(memory, ints, q, rules, answers, begin) == 0:
                rules[q, Q_NEXT] = end_after(rules, q, tick)
                break
            partial, ints, state = answer(memory[1], ints, state, q, rules, answers)
            emit(out, made, partial)
            begins[made], ends[made], owners[made] = begin, end, q
            made += 1
            rules[q, Q_NEXT] = end + rules[q, Q_EVERY]
    return ints, state, made, False


def drop_unneeded(memory, ints, state, tick, rules, answers):
    """Evict what no window needs from an instant on, or beside one event more."""
    words, scratch, marks = memory[0], memory[1], memory[3]
    if ORDERED:
        least = tick
        for q in range(len(rules)):
            least = min(least, limit_of(rules, q, tick))
        while size_of(ints) > 0 and peek(marks, ints[0] & words[MASK]) < least:
            ints, state = drop_oldest(scratch, ints, state, rules, answers)
    else:
        while size_of(ints) >= words[RANGE]:
            ints, state = drop_oldest(scratch, ints, state, rules, answers)
    return ints, state


def put_newest(memory, ints, state, value, tick, rules, answers):
    """The event itself, which all windows take on."""
    words, scratch, _, marks, _, ids = memory
    ints, state = put(words, scratch, ints, state, marks, ids, value, tick, 0.0)
    take_newest(rules, answers, value)
    return ints, state


def call_feed_many(
    mem, source, events, i, count, rules, answers, out, begins, ends, owners
):
    """Events [i, count) one by one, the results of all windows into `out`.

    Gives the event to go on with, how many results there are, and whether the ring is
    full.
    """
    memory, _ = open_memory(mem)
    words, scratch, fields = memory[0], memory[1], memory[2]
    ints, state = ints_of(words), state_of(fields)
    made, full = np.int64(0), False
    while i < count and not full and made + len(rules) <= len(begins):
        tick = words[TOTAL]
        if ORDERED:
            tick = peek(events[0], i)
            if words[TOTAL] == 0:
                for q in range(len(rules)):
                    if rules[q, Q_EVERY] > 0:
                        rules[q, Q_NEXT] = end_after(rules, q, tick)
            results = out, begins, ends, owners
            ints, state, made, no_room = pass_ends(
                memory, ints, state, tick, rules, answers, made, results
            )
            if no_room:
                break
        ints, state = drop_unneeded(memory, ints, state, tick, rules, answers)
        full = used_of(ints) > words[MASK]
        if full:
            break
        value = leaf(source, i)
        ints, state = put_newest(memory, ints, state, value, tick, rules, answers)
        if not ORDERED:
            for q in range(len(rules)):
                if rules[q, Q_EVERY] > 0 and words[TOTAL] >= rules[q, Q_NEXT]:
                    size = find_start(memory, ints, q, rules, answers, tick)
                    partial, ints, state = answer(
                        scratch, ints, state, q, rules, answers
                    )
                    emit(out, made, partial)
                    begins[made], ends[made] = words[TOTAL] - size, words[TOTAL]
                    owners[made] = q
                    made += 1
                    rules[q, Q_NEXT] += rules[q, Q_EVERY]
        i += 1
    set_ints(words, ints)
    set_state(fields, state)
    return i, made, full


def call_elapse_many(mem, tick, rules, answers, out, begins, ends, owners):
    """Time goes on to `tick`; gives how many results there are, and if room ran out."""
    memory, _ = open_memory(mem)
    words, fields = memory[0], memory[2]
    ints, state = ints_of(words), state_of(fields)
    made, no_room = np.int64(0), False
    if words[TOTAL] > 0:
        results = out, begins, ends, owners
        ints, state, made, no_room = pass_ends(
            memory, ints, state, tick, rules, answers, made, results
        )
        if not no_room:
            ints, state = drop_unneeded(memory, ints, state, tick, rules, answers)
    words[NEWEST] = max(words[NEWEST], tick)
    set_ints(words, ints)
    set_state(fields, state)
    return made, no_room


def answer_all(memory, ints, state, tick, rules, answers, out, sizes):
    """The results of all windows as they stand at an instant, and their sizes."""
    for q in range(len(rules)):
        limit = limit_of(rules, q, tick)
        sizes[q] = find_start(memory, ints, q, rules, answers, limit)
        partial, ints, state = answer(memory[1], ints, state, q, rules, answers)
        emit(out, q, partial)
    return ints, state


def call_look_many(mem, tick, rules, answers, out, sizes):
    memory, _ = open_memory(mem)
    words, fields = memory[0], memory[2]
    ints, state = ints_of(words), state_of(fields)
    ints, state = answer_all(memory, ints, state, tick, rules, answers, out, sizes)
    set_ints(words, ints)
    set_state(fields, state)


def call_begin_range(mem, q, rules, answers):
    """A window that is new begins with the oldest event that is kept."""
    memory, _ = open_memory(mem)
    begin_first(memory[1], ints_of(memory[0]), q, rules, answers)


def take_and_answer(memory, value, tick, rules, answers, out, sizes):
    """One event for which no result has to wait, and the results of all windows.

    Gives how many events there are, 0 where few of many places are in use by nodes, or
    -1 where it has to go the long way.
    """
    words, fields = memory[0], memory[2]
    ints, state = ints_of(words), state_of(fields)
    if ORDERED and words[TOTAL] == 0:
        return -1
    if not ORDERED:
        tick = words[TOTAL]
    for q in range(len(rules)):
        if rules[q, Q_WAITS] != 0 and rules[q, Q_NEXT] <= tick + (not ORDERED):
            return -1
    ints, state = drop_unneeded(memory, ints, state, tick, rules, answers)
    full = used_of(ints) > words[MASK]
    if not full:
        ints, state = put_newest(memory, ints, state, value, tick, rules, answers)
        if not ORDERED:
            for q in range(len(rules)):
                if words[TOTAL] >= rules[q, Q_NEXT]:
                    rules[q, Q_NEXT] += rules[q, Q_EVERY]
        ints, state = answer_all(memory, ints, state, tick, rules, answers, out, sizes)
    set_ints(words, ints)
    set_state(fields, state)
    if NODES and has_few_nodes(words, ints):
        return 0
    return -1 if full else size_of(ints)


def call_one_many(mem, tick, rules, answers, out, sizes, *values):
    memory, _ = open_memory(mem)
    value = lift_one(memory[0][TOTAL], *values)
    return take_and_answer(memory, value, tick, rules, answers, out, sizes)


def call_quick_many(mem, rules, answers, out, sizes, number):
    """An event that is one number, and not null."""
    memory, _ = open_memory(mem)
    value = lift_number(memory[0][TOTAL], number)
    return take_and_answer(memory, value, 0, rules, answers, out, sizes)


def call_drop_many(mem, many, rules, answers):
    """Evict the `many` oldest events from all windows."""
    memory, _ = open_memory(mem)
    words, fields = memory[0], memory[2]
    ints, state = ints_of(words), state_of(fields)
    for _ in range(many):
        ints, state = drop_oldest(memory[1], ints, state, rules, answers)
    set_ints(words, ints)
    set_state(fields, state)


MANY_LOOPS = (
    call_feed_many,
    call_elapse_many,
    call_look_many,
    call_one_many,
    call_quick_many,
    call_begin_range,
    call_drop_many,
)
