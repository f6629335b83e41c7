"""Defines how windows of several ranges are answered from one ring of events.

    SINCE      the algorithm answers any range: `since(start)`
    RUNNING    a running answer for each range, from which its oldest is taken off
    STACKS     two stacks for each range: suffixes up to `flip`, a sum from it on

`many_loops.py` calls them by four words: a window begins at a later place (`advance`),
gives its partial (`answer`), is new (`begin_range`), and takes an event on
(`take_newest`).  A rule is a row of whole numbers, one for each window.
"""

# ruff: noqa: ARG001 -- the words of all three take the same arguments

from collections.abc import Callable
from typing import Any

from windrow.kernels.vocabulary import IDENTITY, combine, inverse, load, since, store

Q_RANGE, Q_EVERY, Q_ANCHOR, Q_START, Q_NEXT, Q_WAITS, Q_FLIP, RULE = range(8)


# --- an algorithm that answers any range: its words for `advance`, `answer`, ...


def set_start(scratch, ints, q, rules, answers, start):
    """The window of that rule begins at `start`."""
    rules[q, Q_START] = start


def answer_since(scratch, ints, state, q, rules, answers):
    """The events of a window, from the ring."""
    return since(scratch, ints, state, rules[q, Q_START])


def begin_at(scratch, ints, q, rules, answers):
    """A new window begins with the oldest event."""
    rules[q, Q_START] = ints[0]


def take_none(rules, answers, value):
    """An event that is in the ring."""


# --- one that keeps a running answer for each range


def take_off(scratch, ints, q, rules, answers, start):
    """The same, with the events before `start` taken off the running answer."""
    ring, mask = scratch[0], scratch[-1]
    running = load(answers, q)
    for i in range(rules[q, Q_START], start):
        running = inverse(running, load(ring, i & mask))
    store(answers, q, running)
    rules[q, Q_START] = start


def answer_running(scratch, ints, state, q, rules, answers):
    """The running answer of a window."""
    return load(answers, q), ints, state


def sum_up(scratch, ints, q, rules, answers):
    """A new window begins with the oldest event, and takes on all there are."""
    ring, mask = scratch[0], scratch[-1]
    running = IDENTITY
    for i in range(ints[0], ints[1]):
        running = combine(running, load(ring, i & mask))
    store(answers, q, running)
    rules[q, Q_START] = ints[0]


def take_on(rules, answers, value):
    """An event that each window takes on."""
    for q in range(len(rules)):
        store(answers, q, combine(load(answers, q), value))


# --- one that keeps two stacks for each range: suffixes up to `flip`, a sum from it on


def turn_stack(scratch, ints, q, rules, answers, start):
    """The same; where the front is used up, the back becomes the front."""
    ring, mask, stop = scratch[0], scratch[-1], ints[1]
    if start > rules[q, Q_FLIP]:
        front = len(rules) + q * (mask + 1)
        suffix = IDENTITY
        for i in range(stop - 1, start - 1, -1):
            suffix = combine(load(ring, i & mask), suffix)
            store(answers, front + (i & mask), suffix)
        store(answers, q, IDENTITY)
        rules[q, Q_FLIP] = stop
    rules[q, Q_START] = start


def answer_stacks(scratch, ints, state, q, rules, answers):
    """The front from the window's start on, then the back."""
    mask, start = scratch[-1], rules[q, Q_START]
    partial = load(answers, q)
    if start < rules[q, Q_FLIP]:
        front = len(rules) + q * (mask + 1)
        partial = combine(load(answers, front + (start & mask)), partial)
    return partial, ints, state


def begin_stacks(scratch, ints, q, rules, answers):
    """A new window begins with the oldest event, and all events are its back."""
    sum_up(scratch, ints, q, rules, answers)
    rules[q, Q_FLIP] = ints[0]


Words = dict[str, Callable[..., Any]]
SINCE_WORDS: Words = {
    "advance": set_start,
    "answer": answer_since,
    "begin_range": begin_at,
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
    "begin_range": begin_stacks,
    "take_newest": take_on,
}
