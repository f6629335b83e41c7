"""Says how the kernels of a thread run: by the environment, by a block, by a task.

    WINDROW_COMPILE   auto      as `lanes.py` finds best
                      always    every kernel is compiled before its first call
                      never     no kernel is compiled
    pinned(lane)      all kernels of a block
    running(task)     all kernels of a task of a Spark query

A query chooses for its tasks while it is built, so that one that runs again gives the
same rows.  Kernels that are alike in both lanes, to the last bit, are free there as
anywhere.  Those that round floats in another order, over columns than compiled, run

    shipped     compiled if the driver knew of them, from its machine code
    columns     over whole columns
    compiled    compiled, all of them, also those that are alike

A stream writes that word down with its state and goes on with it (`keep_way`).
"""

from __future__ import annotations

import contextlib
import enum
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Any

from windrow._later import dataclass
from windrow.errors import BadInput

from .cache import receive


class Lane(enum.StrEnum):
    """How a kernel runs."""

    COLUMNS = "columns"
    COMPILED = "compiled"


class Way(enum.StrEnum):
    """How the kernels of a task run that are not alike in both lanes."""

    SHIPPED = "shipped"
    COLUMNS = "columns"
    COMPILED = "compiled"


@dataclass(frozen=True)
class TaskLane:
    """How the kernels of a task run; it travels with the task.

    `forced` is what WINDROW_COMPILE says on the driver.  `kernels` are those that the
    driver knows to be needed and that are not alike; `code` is the machine code that it
    has, by file name.  `reason` is for `explain`.
    """

    way: Way = Way.COLUMNS
    forced: Lane | None = None
    kernels: frozenset[str] = frozenset()
    code: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    reason: str = ""

    def wants(self, kernel: str) -> bool:
        """Whether a kernel that is not alike runs compiled."""
        return self.way is Way.SHIPPED and kernel in self.kernels

    def ships(self, entry: str) -> bool:
        """Whether machine code of `kernel.entry` came with the task."""
        return any(name.startswith(f"{entry}-") for name in self.code)


_MODES = {"auto": None, "always": Lane.COMPILED, "never": Lane.COLUMNS}


class _Thread(threading.local):
    lane: Lane | None = None
    task: TaskLane | None = None
    record: dict[str, Any] | None = None
    steady: dict[Any, Lane] | None = None


_thread = _Thread()
deliveries = 0  # how often a driver has sent machine code that is new here


def pinned_lane() -> Lane | None:
    """The lane that this thread asks for."""
    return _thread.lane


def forced_lane() -> Lane | None:
    """The lane that this thread or the environment asks for."""
    if _thread.lane is not None:
        return _thread.lane
    word = os.environ.get("WINDROW_COMPILE", "auto")
    if word not in _MODES:
        raise BadInput.because(
            f"cannot read WINDROW_COMPILE={word!r}",
            "there is no such way to compile",
            f"use one of {', '.join(_MODES)}",
        )
    return _MODES[word]


@contextlib.contextmanager
def pinned(lane: Lane | None) -> Iterator[None]:
    """Run all kernels of this thread in one lane; None leaves it to each kernel."""
    before = _thread.lane
    _thread.lane = lane or before
    try:
        yield
    finally:
        _thread.lane = before


def pin_for_good(lane: Lane) -> None:
    """Run all kernels of this thread in one lane from now on."""
    _thread.lane = lane


@contextlib.contextmanager
def running(task: TaskLane) -> Iterator[None]:
    """Run the kernels of this thread as a task says, with its machine code."""
    global deliveries
    deliveries += receive(task.code)
    before = _thread.task, _thread.lane
    _thread.task, _thread.lane = task, task.forced or _thread.lane
    try:
        yield
    finally:
        _thread.task, _thread.lane = before


@contextlib.contextmanager
def steadily() -> Iterator[None]:
    """Let each kernel keep its lane from its first call in this block on.

    A kernel that is compiled in the meantime would round the rest in another order.
    """
    before, _thread.steady = _thread.steady, {}
    try:
        yield
    finally:
        _thread.steady = before


def steady_lane(kernel: object, lane: Lane) -> Lane:
    """The lane that a kernel keeps in this block, from now on if it has none yet."""
    steady = _thread.steady
    return lane if steady is None else steady.setdefault(kernel, lane)


def state() -> dict[str, Any]:
    """All that is said here about this thread, for threads that work for it."""
    return dict(vars(_thread))


@contextlib.contextmanager
def adopt(told: dict[str, Any]) -> Iterator[None]:
    """Run the kernels of this thread as those of the thread that has told so."""
    before = dict(vars(_thread))
    vars(_thread).update(told)
    try:
        yield
    finally:
        vars(_thread).clear()
        vars(_thread).update(before)


def task_lane() -> TaskLane | None:
    """How the task of this thread runs, if it runs one."""
    return _thread.task


def keep_way(stored: str | None, *, is_new: bool) -> str:
    """Go on in the way that was stored with a stream's state; return what to store.

    State that does not say is of a version that compiled everything.  What
    WINDROW_COMPILE forces is done, and stored where nothing is yet.
    """
    task = _thread.task
    if is_new:
        if task is None:
            return Way.COLUMNS
        return Way(task.forced) if task.forced is not None else task.way
    way = Way.COMPILED if stored is None else Way(stored)
    if task is not None and task.forced is None:
        _thread.task = replace(task, way=way)
        if way is Way.COMPILED:
            _thread.lane = Lane.COMPILED
    return way


@contextlib.contextmanager
def recording() -> Iterator[dict[str, Any]]:
    """Note the kernels that this thread calls, all of which run over columns.

    It ends early where one is called that cannot: see `stop_record`.
    """
    record: dict[str, Any] = {}
    _thread.record = record
    try:
        with contextlib.suppress(Unrecorded):
            yield record
    finally:
        _thread.record = None


class Unrecorded(Exception):
    """A kernel was called that runs compiled or not at all."""


def record() -> dict[str, Any] | None:
    """The record of this thread, if it makes one."""
    return _thread.record


def stop_record() -> None:
    """End the record of this thread, if it makes one: something will be compiled."""
    if _thread.record is not None:
        raise Unrecorded
