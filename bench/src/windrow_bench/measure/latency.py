"""Measures the latency of one event inside the compiled loop of an operator.

An event is: evict what has to go, insert, answer, lower.  The time of each is kept;
the array that takes them is touched beforehand.  The machine's own pauses hit any event
in any run; an algorithm's hit the same events in every run: so events are run several
times over, and the shortest time of each keeps every pause of the algorithm's own.
The last answer of each run is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import find
from windrow.kernels import Product, Request, product_of
from windrow.kernels.vocabulary import (
    emit,
    ints_of,
    leaf,
    open_memory,
    set_ints,
    set_state,
    state_of,
    whole,
)
from windrow.operator.layout import Memory
from windrow.operator.policies import RANGE, make_room_for, put
from windrow.operator.runtime import OperatorKernel
from windrow.windows.policy_numbers import BY_HAND, COUNT, TIME

from .answers import FOLDS, Array, WrongAnswer
from .clock import cycles
from .values import values as drawn


def call_timed(mem, source, ticks, spent):
    """Time each event: evict, insert, answer, lower."""
    memory, out = open_memory(mem)
    words, scratch, fields, marks, floats, ids = memory
    ints, state = ints_of(words), state_of(fields)
    mark = 0.0
    for i in range(len(spent)):
        tick, value = ticks[i], leaf(source, i)
        start = cycles()
        ints, state = make_room_for(
            words, scratch, ints, state, marks, floats, tick, mark
        )
        ints, state = put(words, scratch, ints, state, marks, ids, value, tick, mark)
        partial, ints, state = whole(scratch, ints, state)
        emit(out, 0, partial)
        spent[i] = cycles() - start
    set_ints(words, ints)
    set_state(fields, state)


def quantiles(
    counts: Any, which: Sequence[float], own: float, rate: float
) -> list[float]:
    """In nanoseconds, without the clock's own cost."""
    return [max((float(q) - own) / rate, 0.0) for q in np.quantile(counts, which)]


def operator_product(aggregate: str) -> Product:
    """That aggregate over one column of floats."""
    return product_of([Request(find_aggregate(aggregate), "float", (0,))])


def timed_events(
    name: str,
    aggregate: str,
    evict: int,
    width: int,
    count: int,
    rounds: int,
    given: Array | None = None,
    clock: Callable[[int], Array] = np.arange,
) -> Any:
    """Counts of the clock for each event, of each run.

    Events have the values `given`, two windows' worth more than are timed, and come at
    the instants that `clock` gives, of which no two are alike; an event after a gap
    evicts all that went meanwhile.
    """
    ordered = evict == TIME
    product = operator_product(aggregate)
    kernel = OperatorKernel(find(name), product, evict, BY_HAND, ordered)
    assembly = kernel.assembly(interpreted=False)
    module = replace(assembly, entries=(("call_timed", call_timed),)).module()
    values = drawn(count + 2 * width) if given is None else given
    ticks = clock(len(values))
    base = np.zeros(1, np.int64)
    before, spent = slice(0, 2 * width), slice(2 * width, None)
    runs = np.zeros((rounds, count), np.int64)
    for run in runs:
        capacity, chunk = 1 << (width - 1).bit_length(), (width, width // 2, 0, 0)
        memory = kernel.memory(module.IDENTITY, capacity, chunk)
        memory.words[RANGE] = width
        for part, times in ((before, np.zeros(2 * width, np.int64)), (spent, run)):
            source = (np.ascontiguousarray(values[part]), base)
            module.call_timed(memory.flat, source, ticks[part], times)
        window = values[ticks > ticks[-1] - width] if ordered else values[-width:]
        _check_last(name, aggregate, memory, window)
    return runs


def _check_last(who: str, aggregate: str, memory: Memory, window: Array) -> None:
    """The answer after the last event; a sketch's has count, extremes and powers."""
    actual = [float(section[0]) for section in memory.named("out")]
    if aggregate in FOLDS:
        expected = [float(FOLDS[aggregate](window))]
    else:
        expected = [len(window), window.min(), window.max(), window.sum()]
    if not np.allclose(actual[: len(expected)], expected):
        raise WrongAnswer(
            f"{who}: the last {aggregate} is {expected}, not {actual[: len(expected)]}"
        )


__all__ = ["COUNT", "TIME", "operator_product", "quantiles", "timed_events"]
