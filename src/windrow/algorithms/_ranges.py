"""Defines how windows of several ranges are answered from one ring of events.

    SINCE      the algorithm answers any range: `since(start)`
    RUNNING    a running answer for each range, from which its oldest is taken off
    STACKS     two stacks for each range: suffixes up to `flip`, a sum from it on

Loops call them by four words: a window begins at a later place (`advance`), gives its
partial (`answer`), is new (`begin_range`), and takes an event on (`take_newest`).  A
rule is a row of whole numbers, one for each window; `begin_later` and `begin_first`
note there where it starts and where its stacks meet, whatever the words are.
"""

from collections.abc import Callable
from typing import Any

from windrow.kernels.vocabulary import (
    IDENTITY,
    advance,
    begin_range,
    combine,
    evict,
    inverse,
    load,
    since,
    store,
)

Q_RANGE, Q_EVERY, Q_ANCHOR, Q_START, Q_NEXT, Q_WAITS, Q_FLIP, RULE = range(8)


def begin_later(scratch, ints, q, rules, answers, start):
    """Let a window of a list begin at a later place; stacks that are used up meet."""
    advance(scratch, ints, q, rules, answers, start)
    if start > rules[q, Q_FLIP]:
        rules[q, Q_FLIP] = ints[1]
    rules[q, Q_START] = start


def begin_first(scratch, ints, q, rules, answers):
    """Let a window of a list, which is new, begin with the oldest event."""
    begin_range(scratch, ints, q, rules, answers)
    rules[q, Q_START] = rules[q, Q_FLIP] = ints[0]


def drop_oldest(scratch, ints, state, rules, answers):
    """Evict the oldest event, which every window lets go first."""
    for q in range(len(rules)):
        if rules[q, Q_START] == ints[0]:
            begin_later(scratch, ints, q, rules, answers, ints[0] + 1)
    return evict(scratch, ints, state)


# --- an algorithm that answers any range: its words for `advance`, `answer`, ...


def keep_all(scratch, ints, q, rules, answers, start):
    """Nothing is kept of the events before `start`."""


def answer_since(scratch, ints, state, q, rules, answers):
    """The events of a window, from the ring."""
    return since(scratch, ints, state, rules[q, Q_START])


def begin_empty(scratch, ints, q, rules, answers):
    """Nothing is kept of a window."""


def take_none(rules, answers, value):
    """An event that is in the ring."""


# --- one that keeps a running answer for each range


def take_off(scratch, ints, q, rules, answers, start):
    """The events before `start` are taken off the running answer."""
    ring, mask = scratch[0], scratch[-1]
    running = load(answers, q)
    for i in range(rules[q, Q_START], start):
        running = inverse(running, load(ring, i & mask))
    if start >= ints[1]:
        running = IDENTITY  # an empty window is exact again, even for floats
    store(answers, q, running)


def answer_running(scratch, ints, state, q, rules, answers):
    """The running answer of a window."""
    return load(answers, q), ints, state


def sum_up(scratch, ints, q, rules, answers):
    """A new window takes on all events that there are."""
    ring, mask = scratch[0], scratch[-1]
    running = IDENTITY
    for i in range(ints[0], ints[1]):
        running = combine(running, load(ring, i & mask))
    store(answers, q, running)


def take_on(rules, answers, value):
    """An event that each window takes on."""
    for q in range(len(rules)):
        store(answers, q, combine(load(answers, q), value))


# --- one that keeps two stacks for each range: suffixes up to `flip`, a sum from it on


def turn_stack(scratch, ints, q, rules, answers, start):
    """Where the front is used up, the back becomes the front."""
    ring, mask, stop = scratch[0], scratch[-1], ints[1]
    if start > rules[q, Q_FLIP]:
        front = len(rules) + q * (mask + 1)
        suffix = IDENTITY
        for i in range(stop - 1, start - 1, -1):
            suffix = combine(load(ring, i & mask), suffix)
            store(answers, front + (i & mask), suffix)
        store(answers, q, IDENTITY)


def answer_stacks(scratch, ints, state, q, rules, answers):
    """The front from the window's start on, then the back."""
    mask, start = scratch[-1], rules[q, Q_START]
    partial = load(answers, q)
    if start < rules[q, Q_FLIP]:
        front = len(rules) + q * (mask + 1)
        partial = combine(load(answers, front + (start & mask)), partial)
    return partial, ints, state


Words = dict[str, Callable[..., Any]]
SINCE_WORDS: Words = {
    "advance": keep_all,
    "answer": answer_since,
    "begin_range": begin_empty,
    "take_newest": take_none,
}
RUNNING_WORDS: Words = {
    "advance": take_off,
    "answer": answer_running,
    "begin_range": sum_up,
    "take_newest": take_on,
}
STACK_WORDS: Words = {
    "advance": turn_stack,
    "answer": answer_stacks,
    "begin_range": sum_up,
    "take_newest": take_on,
}
