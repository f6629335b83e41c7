"""Runs a second thread that fills buffers, while the main one answers windows.

    second   fill 0 | fill 1 | fill 2 |        | fill 3 | ...
    main      begin | answer 0 | answer 1 | answer 2 | answer 3 | ...

Kernels run without the interpreter's lock, so Python threads serve.  Where windows
move by one slice the two hand over slots in a few nanoseconds, by numbers in memory
that both see (`marks`):

    ANSWERED     groups of chunks that the main thread is done with
    SLOT + k     one past the group that slot k holds
    NEXT         the group that the second thread goes on with
    ALONE        groups that the main thread filled itself

Neither ever has to wait: the main thread fills a group itself that does not come, and
the second goes past it.  So a busy core costs time at most.  Windows given as arrays go
through queues, some ten microseconds each, in larger groups.

There are `SLOTS` slots, so neither thread waits for the other's next step, only for its
pace.  The thread lives as long as the call: a pool kept for later would not survive a
fork.  Small windows or short inputs stay in one thread.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from time import sleep
from types import ModuleType
from typing import Any

import numpy as np

from windrow.loops import arrays, spare_threads

from ._run import count_regular

Array = np.ndarray[Any, Any]
Arrays = tuple[Array, ...]

ANSWERED, NEXT, ALONE, SLOT = 0, 1, 2, 3  # places of marks
SLOTS = 3
SOME = 1 << 15  # numbers in a slot, if chunks are not longer than that
NAP = 20e-6
GROUP = 1 << 17  # numbers in a buffer, if windows are not longer than that
LEAST_WINDOW = 1 << 14  # slices: below, one thread is as fast
LEAST_STREAM = 1 << 18
LEAST_RUN = 1 << 16  # windows of a run


def conduct(kernel: ModuleType, source: Arrays, *arguments: Any) -> None:
    """Run the kernel of `pba`, in two threads where that pays.

    `arguments` are those of `kernel.run`: over runs of regular windows, or bounds.
    """
    if hasattr(kernel, "fill_walk"):
        bounds, widest, _, out = arguments
        slices = int(bounds[1][-1] - bounds[0][0]) if len(bounds[0]) else 0
        if pays(kernel, widest, slices):
            _walk(kernel, source, bounds, widest, out)
            return
    elif hasattr(kernel, "fill_chunks"):
        firsts, lasts, width, *_ = arguments
        if pays(kernel, width, int((lasts - firsts).max(initial=0))):
            _runs(kernel, source, *arguments)
            return
    kernel.run(source, *arguments)


def pays(kernel: ModuleType, window: int, slices: int) -> bool:
    """Whether a second core is free, and has enough to do."""
    compiled = hasattr(kernel.run, "py_func")
    enough = window >= LEAST_WINDOW and slices >= LEAST_STREAM
    return compiled and enough and spare_threads() > 1


def _runs(kernel: ModuleType, source: Arrays, *arguments: Any) -> None:
    """Long runs one by one, in two threads; what lies between them in one."""
    firsts, lasts, width, step, lead, trail, widest, chunk, out = arguments
    done = at = 0

    def run(some: Array, until: Array, lead: bool, trail: bool) -> None:
        nonlocal at
        to = at + count_regular(some, until, width, step, lead, trail)
        part = tuple(array[at:to] for array in out)
        how = width, step, lead, trail, widest, chunk
        kernel.run(source, some, until, *how, part)
        at = to

    for k in np.flatnonzero(lasts - firsts - width + 1 >= LEAST_RUN).tolist():
        first, last = firsts[k : k + 1], lasts[k : k + 1]
        run(firsts[done:k], lasts[done:k], lead, trail)
        if lead:
            run(first, first + width - 1, lead=True, trail=False)
        count = int(last[0] - first[0]) - width + 1
        _chunks(kernel, source, int(first[0]), count, width, chunk, at, out)
        at += count
        if trail:
            run(last - (width - 1), last, lead=False, trail=True)
        done = k + 1
    run(firsts[done:], lasts[done:], lead, trail)


def _chunks(
    kernel: ModuleType,
    source: Arrays,
    first: int,
    count: int,
    width: int,
    chunk: int,
    at: int,
    out: Arrays,
) -> int:
    """Windows of one run that move on by one slice; how many groups came too late."""
    b = int(kernel.chunk_of(width, chunk))
    state = kernel.make_room((width - 1) // b + 2)
    many = max(round(SOME / (b * len(state))), 1)
    lcs, own = _room(kernel, SLOTS * many * b), _room(kernel, many * b)
    rooms = (lcs, own, kernel.make_lanes())
    marks = np.zeros(SLOT + SLOTS, np.int64)

    def second() -> None:
        lanes = kernel.make_lanes()
        while not kernel.fill_ahead(source, first, count, b, many, lcs, marks, lanes):
            sleep(NAP)  # the main thread has lost its core

    thread = Thread(target=second, name="windrow-lcs")
    thread.start()
    try:
        kernel.answer_behind(
            source, first, count, width, b, many, rooms, state, marks, at, out
        )
    finally:
        marks[ANSWERED] = count  # also if it failed: no group is left to fill
        thread.join()
    return int(marks[ALONE])


def _walk(
    kernel: ModuleType, source: Arrays, bounds: Arrays, widest: int, out: Arrays
) -> None:
    """Windows given as arrays."""
    state, count = kernel.make_room(1), len(bounds[0])
    lanes = kernel.make_lanes()
    room = max(GROUP // len(state), widest)
    slots = [_room(kernel, room) for _ in range(SLOTS)]
    ahead, behind = np.zeros(2, np.int64), np.zeros(2, np.int64)
    reached = 0

    def fill(slot: int) -> tuple[int, int] | None:
        nonlocal reached
        i = reached
        if i == count:
            return None
        reached = int(
            kernel.fill_walk(source, bounds, i, count, ahead, slots[slot], room, lanes)
        )
        return i, reached

    def answer(slot: int, filled: tuple[int, int]) -> None:
        kernel.answer_walk(source, bounds, *filled, behind, slots[slot], state, out)

    overlap(lambda: None, fill, answer)


def _room(kernel: ModuleType, n: int) -> Arrays:
    """Room for n partials, from the pool that keeps its pages from call to call."""
    return arrays(tuple(str(field.dtype) for field in kernel.make_room(1)), n)


def overlap(
    begin: Callable[[], None],
    fill: Callable[[int], tuple[int, int] | None],
    answer: Callable[[int, tuple[int, int]], None],
) -> None:
    """Fill slots in a second thread, answer from them here, until `fill` gives None.

    Slots go round through two queues; what goes wrong in either thread is raised
    here.
    """
    free: SimpleQueue[int | None] = SimpleQueue()
    ready: SimpleQueue[tuple[int, int] | BaseException | None] = SimpleQueue()
    for slot in range(SLOTS):
        free.put(slot)

    def second() -> None:
        try:
            while (slot := free.get()) is not None:
                filled = fill(slot)
                ready.put(filled)
                if filled is None:
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised in the main thread
            ready.put(error)

    thread = Thread(target=second, name="windrow-lcs")
    thread.start()
    try:
        begin()
        slot = 0
        while (filled := ready.get()) is not None:
            if isinstance(filled, BaseException):
                raise filled
            answer(slot, filled)
            free.put(slot)
            slot = (slot + 1) % SLOTS
    finally:
        free.put(None)
        thread.join()
