"""Runs the steps of an operator as plain Python, and compiled once that pays.

    insert, insert, ...     call_feed, call_one, ...    plain Python, over the memory
    PRICE seconds spent     numba, in a thread          steps go on as plain Python
    from then on            machine code                over the same memory

Each loop of a kernel has an account of its own (`windrow.loops.lanes`), which all
operators with that kernel share: what is never called is never compiled.  Both forms
work in one memory (`layout.py`), so that any call may be the first compiled one.

Functions of a user may behave otherwise as plain Python: `math.sqrt(-1)` is an error
there, and NaN in machine code.  Where one fails, memory is put back as it was and the
call is made again, compiled; what that says, counts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from time import perf_counter
from types import ModuleType
from typing import Any

from windrow.kernels import Assembly
from windrow.loops import (
    Lane,
    Laned,
    compiled_content,
    forced_lane,
    kernel_name,
    lanes,
)

from .arena import Arena
from .layout import Memory, MemoryList

Function = Callable[..., Any]

BLOCK = 512  # events that one plain call takes


class Kernel:
    """The modules of an operator's kernel, made when they are needed."""

    def __init__(self, compiled: Assembly, plain: Assembly) -> None:
        self._compiled, self._plain = compiled, plain
        self._lock = threading.Lock()

    @property
    def has_users(self) -> bool:
        """Whether functions of a user run in it."""
        return self._plain.product.has_users

    @cached_property
    def plain(self) -> ModuleType:
        """The module of plain Python."""
        return self._plain.module(interpreted=True)

    def machine(self) -> ModuleType:
        """The module that numba compiles, one for all threads."""
        with self._lock:
            return self._compiled.module(interpreted=False)

    def entry(self, name: str) -> str | None:
        """What the cache calls the loop of that name; None if it cannot be kept."""
        return None if self.has_users else f"{self._stem}.{name}"

    @cached_property
    def _stem(self) -> str:
        return kernel_name(compiled_content(self._compiled.text().render()))


class LanedStep:
    """One loop of a kernel, called with memory and arguments, in its lane."""

    def __init__(self, steps: Steps, name: str) -> None:
        kernel = steps.kernel
        self._steps, self._name = steps, name
        self._undoes = kernel.has_users and steps.lane is None
        self.machine: Function = lambda: getattr(kernel.machine(), name)
        self._machines: dict[Any, Function] = {}  # by what differs between calls
        self._laned = Laned(
            self.machine,
            lambda: getattr(kernel.plain, name),
            lambda: kernel.entry(name),
        )

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop, compiled if it is bought for such arguments."""
        machine = self.compiled(*arguments)
        if machine is None:
            return self._rented(arguments)
        setattr(self._steps, self._name, _over_memory(self._name, machine))
        return machine(*_flat(arguments))

    def compiled(self, *arguments: Any) -> Function | None:
        """Numba's function; None as long as plain Python serves such arguments."""
        lane = self._steps.lane
        if lane is None:
            lane = self._laned.lane(_flat(arguments))
        if lane is not Lane.COMPILED:
            return None
        machine: Function = self.machine()
        return machine

    def _rented(self, arguments: tuple[Any, ...], more: float = 0.0) -> Any:
        """Run it as plain Python; `more` times as much is known to come at once.

        Where that is worth more than compiling, wait for it: a thread that compiles
        and one that runs plain Python hinder each other.
        """
        started = perf_counter()
        memories = [each for each in arguments if type(each) in (Memory, Arena)]
        before = [each.snapshot() for each in memories] if self._undoes else []
        try:
            result = getattr(self._steps.kernel.plain, self._name)(*arguments)
        except Exception:
            if not self._undoes:
                raise
            for memory, snapshot in zip(memories, before, strict=True):
                memory.undo(snapshot)
            return self.machine()(*_flat(arguments))
        if self._steps.lane is None and forced_lane() is None:
            seconds = perf_counter() - started
            account = self._laned.purchase(_flat(arguments))
            account.charge(seconds * (1 + more))
            if more and seconds * more >= lanes.PRICE:
                account.wait()
        return result

    def wait(self) -> None:
        """Wait until purchases that have begun are done."""
        for account in list(self._laned.purchases.values()):
            account.wait()


class BlockStep(LanedStep):
    """Loops from i to count: as plain Python after a block, to be called again."""

    def _rented(self, arguments: tuple[Any, ...], more: float = 0.0) -> Any:
        memory, source, events, i, count, *out = arguments
        size = min(count - i, BLOCK)
        block = (memory, source, events, i, i + size, *out)
        return super()._rented(block, more or (count - i - size) / size)


class FeedStep(BlockStep):
    """The same over arrays of a user, which may be read-only: another kind of array.

    Which kinds are compiled is remembered by that alone: to tell all types of a call
    takes 60 us, and 2 are left.
    """

    def __call__(self, *arguments: Any) -> Any:
        """Run the loop, compiled if it is bought for such arguments."""
        memory, source, events, *more = arguments
        kind = tuple([column.flags.writeable for column in source + events])
        machine = self._machines.get(kind)
        if machine is None:
            machine = self.compiled(*arguments)
            if machine is None:
                return self._rented(arguments)
            self._machines[kind] = machine
        return machine(memory.flat, source, events, *more)


class RowsStep(LanedStep):
    """`call_rows`: as plain Python it goes from block to block."""

    def _rented(self, arguments: tuple[Any, ...], more: float = 0.0) -> Any:
        memory, values, out, room = arguments
        start, made, count = 0, 0, len(values[0])
        while start < count:
            rest = tuple([slot[start:] for slot in values])
            left = tuple([array[start:] for array in out])
            if self.compiled(memory, rest, left, room) is not None:
                return made + self(memory, rest, left, room)
            block = tuple([slot[:BLOCK] for slot in rest])
            size = len(block[0])
            more = (count - start - size) / size
            results = super()._rented((memory, block, left, room), more)
            if results < 0:  # so it is before the first block, or never
                return -1
            start, made = start + size, made + results
        return made


class RowsEachStep(LanedStep):
    """`call_rows_each`: the same for the windows of a list."""

    def _rented(self, arguments: tuple[Any, ...], more: float = 0.0) -> Any:
        memories, ends, (values,), out, room, at, apart = arguments
        for start in range(0, len(values), BLOCK):
            block = (values[start : start + BLOCK],)
            call = (memories, ends, block, out, room, at + start, apart)
            if self.compiled(*call) is not None:
                rest = (values[start:],)
                return self(memories, ends, rest, out, room, at + start, apart)
            more = (len(values) - start) / BLOCK
            super()._rented(call, more)
        return None


_KINDS: dict[str, type[LanedStep]] = {
    "call_rows": RowsStep,
    "call_rows_each": RowsEachStep,
    **{f"call_{name}": FeedStep for name in ("feed", "feed_many", "feed_keys")},
    **{f"call_{name}_keys": BlockStep for name in ("elapse", "look", "settle")},
}


class Steps:
    """The loops of a kernel, by name; `lane` is the one that all are forced into."""

    def __init__(
        self, kernel: Kernel, names: tuple[str, ...], lane: Lane | None
    ) -> None:
        self.kernel, self.lane = kernel, lane
        self.accounts = {
            name: _KINDS.get(name, LanedStep)(self, name) for name in names
        }
        vars(self).update(self.accounts)
        if lane is Lane.COMPILED:
            machine = kernel.machine()
            for name in names:
                setattr(self, name, _over_memory(name, getattr(machine, name)))

    def __getattr__(self, name: str) -> Function:
        """Loops of the kernel are attributes; any other name is a mistake."""
        raise AttributeError(f"the kernel has no loop {name!r}")

    def wait(self) -> None:
        """Wait until all purchases that have begun are done."""
        for step in self.accounts.values():
            step.wait()


def _flat(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments as machine code takes them: memory as one array."""
    kinds = Memory, MemoryList, Arena
    return tuple([a.flat if type(a) in kinds else a for a in arguments])


def _over_memory(name: str, machine: Function) -> Function:
    """The compiled loop, to be called as the plain one is."""
    if name == "call_move":
        return lambda old, new: machine(old.flat, new.flat)
    return lambda memory, *arguments: machine(memory.flat, *arguments)
