"""Chooses between whole columns at once and machine code later: rent or buy.

    call 1, 2, ...        over columns             numpy, no compiler involved
    PRICE seconds spent   compiling                in a thread; calls go on over columns
    from then on          compiled

A kernel is rented until it has cost as much as compiling it would, which bounds the
loss to a factor of two whatever comes.  One that is in the cache is used at once.

WINDROW_COMPILE   auto      as above
                  always    every kernel is compiled before its first call
                  never     no kernel is compiled
"""

from __future__ import annotations

import contextlib
import enum
import inspect
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from windrow.errors import BadInput

PRICE = 2.0  # seconds that a kernel takes to compile: 1 to 5 were measured


class Lane(enum.StrEnum):
    """How a kernel runs."""

    COLUMNS = "columns"
    COMPILED = "compiled"


_MODES = {"auto": None, "always": Lane.COMPILED, "never": Lane.COLUMNS}
_pin = threading.local()


def forced_lane() -> Lane | None:
    """The lane that this thread or the environment asks for."""
    pinned: Lane | None = getattr(_pin, "lane", None)
    if pinned is not None:
        return pinned
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
    before = getattr(_pin, "lane", None)
    _pin.lane = lane or before
    try:
        yield
    finally:
        _pin.lane = before


def query_lane() -> Lane:
    """The lane of all tasks of a query, chosen while it is built.

    It does not change while the query runs: a task that runs again gives the same rows.
    """
    return forced_lane() or Lane.COMPILED


class Purchase:
    """The account of one kernel for arguments of the same types.

    `is_cached` tells whether its machine code can be loaded, `make` compiles it.
    """

    compiling = 0  # threads of this process that are compiling

    def __init__(self, is_cached: Callable[[], bool], make: Callable[[], Any]) -> None:
        self.spent = 0.0
        self.is_bought = is_cached()
        self._make = make
        self._maker: threading.Thread | None = None

    def charge(self, seconds: float) -> None:
        """Add what a call over columns has cost; compile once that is the price."""
        self.spent += seconds
        if self.spent >= PRICE and self._maker is None:
            self._maker = threading.Thread(target=self._buy, name="windrow-compile")
            self._maker.start()

    def _buy(self) -> None:
        Purchase.compiling += 1
        try:
            self._make()
        except Exception as error:  # noqa: BLE001 - columns serve as well
            message = f"a kernel could not be compiled and stays uncompiled: {error}"
            warnings.warn(message, RuntimeWarning, stacklevel=1)
        else:
            self.is_bought = True
        finally:
            Purchase.compiling -= 1

    def wait(self) -> None:
        """Wait until a purchase that has begun is done."""
        if self._maker is not None:
            self._maker.join()


class Laned:
    """A loop in two lanes, called with the same arguments in both.

    `machine` gives numba's function, `columns` the one over whole columns; `is_on_disk`
    tells without numba whether there is machine code of it in the cache folder.
    """

    def __init__(
        self,
        machine: Callable[[], Any],
        columns: Callable[[], Callable[..., Any]],
        is_on_disk: Callable[[], bool],
    ) -> None:
        self._machine = machine
        self._columns = columns
        self._is_on_disk = is_on_disk
        self.purchases: dict[object, Purchase] = {}

    def lane(self, arguments: tuple[Any, ...]) -> Lane:
        """The lane of the next call with such arguments."""
        forced = forced_lane()
        if forced is not None:
            return forced
        bought = self.purchase(arguments).is_bought
        return Lane.COMPILED if bought else Lane.COLUMNS

    def __call__(self, *arguments: Any) -> Any:
        """Call the loop in its lane."""
        if self.lane(arguments) is Lane.COMPILED:
            return self._machine()(*arguments)
        return self.over_columns(*arguments)

    def over_columns(self, *arguments: Any) -> Any:
        """Call the loop over whole columns, and put that on its account."""
        return self.charge(arguments, lambda: self._columns()(*arguments))

    def charge(self, arguments: tuple[Any, ...], call: Callable[[], Any]) -> Any:
        """Make a call that stands for the loop, and put it on its account."""
        started = time.perf_counter()
        with np.errstate(all="ignore"):
            result = call()
        if forced_lane() is None:
            self.purchase(arguments).charge(time.perf_counter() - started)
        return result

    def purchase(self, arguments: tuple[Any, ...]) -> Purchase:
        """The account of such arguments."""
        key = kinds_of(arguments)
        if key not in self.purchases:
            alike = emptied(arguments)  # an account must not keep a caller's arrays
            self.purchases[key] = Purchase(
                lambda: self._is_cached(alike),
                lambda: self._machine().compile(_types_of(self._machine(), alike)),
            )
        return self.purchases[key]

    def _is_cached(self, arguments: tuple[Any, ...]) -> bool:
        if not self._is_on_disk():
            return False
        machine = self._machine()
        types = _types_of(machine, arguments)
        if types in machine.overloads:
            return True
        return machine._cache.load_overload(types, machine.targetctx) is not None


def _types_of(machine: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numba's types of the arguments; those of `*values` are the type of one tuple."""
    code = machine.py_func.__code__
    if code.co_flags & inspect.CO_VARARGS:
        named = code.co_argcount
        arguments = (*arguments[:named], arguments[named:])
    return tuple(machine.typeof_pyval(argument) for argument in arguments)


def kinds_of(value: Any) -> object:
    """What numba tells apart: the types of numbers and arrays, tuple by tuple."""
    if isinstance(value, tuple):
        return tuple(kinds_of(item) for item in value)
    if isinstance(value, np.ndarray):
        return value.dtype, value.flags.writeable
    return type(value)


def emptied(value: Any) -> Any:
    """The same with arrays of no length, which numba gives the same types."""
    if isinstance(value, tuple):
        return tuple(emptied(item) for item in value)
    if not isinstance(value, np.ndarray):
        return value
    array = np.empty((0,) * value.ndim, value.dtype)
    array.flags.writeable = value.flags.writeable
    return array


def _after_fork() -> None:
    """Compile nothing in a child that was forked while a thread held numba's lock."""
    if Purchase.compiling:
        Purchase.compiling = 0
        _pin.lane = Lane.COLUMNS


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
