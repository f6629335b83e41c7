"""Chooses between whole columns at once and machine code later: rent or buy.

    call 1, 2, ...        over columns             numpy, no compiler involved
    PRICE seconds spent   compiling                in a thread; calls go on over columns
    from then on          compiled

A kernel is rented until it has cost as much as compiling it would, which bounds the
loss to a factor of two whatever comes.  One that is in the cache is used at once.
`choice.py` says what else has a say.
"""

from __future__ import annotations

import inspect
import os
import threading
import time
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from . import choice
from .cache import digest, has_code, read_file
from .choice import Lane, forced_lane

PRICE = 2.0  # seconds that a kernel takes to compile: 1 to 5 were measured


class Purchase:
    """The account of one kernel for arguments of the same types.

    `load` loads its machine code and tells whether it could, `make` compiles it.
    """

    compiling = 0  # threads of this process that are compiling

    def __init__(self, load: Callable[[], bool], make: Callable[[], Any]) -> None:
        self.spent = 0.0
        self._is_bought = False
        self._load, self._make = load, make
        self._deliveries = -1
        self._maker: threading.Thread | None = None
        self._lock = threading.RLock()

    @property
    def is_bought(self) -> bool:
        """Whether there is machine code; caches are asked once after each delivery."""
        if not self._is_bought and self._deliveries != choice.deliveries:
            with self._lock:  # nobody is told before it is loaded
                if self._deliveries != choice.deliveries:
                    deliveries = choice.deliveries
                    self._is_bought = self._load()
                    self._deliveries = deliveries
        return self._is_bought

    def charge(self, seconds: float) -> None:
        """Add what a call over columns has cost; compile once that is the price."""
        with self._lock:
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
            self._is_bought = True
        finally:
            Purchase.compiling -= 1

    def wait(self) -> None:
        """Wait until a purchase that has begun is done."""
        if self._maker is not None:
            self._maker.join()


class Laned:
    """A loop in two lanes, called with the same arguments in both.

    `machine` gives numba's function, `columns` the one over whole columns; `entry`
    gives its name in the cache, or None if it is never there.  `alike` tells whether
    both lanes give the same bits.
    """

    def __init__(
        self,
        machine: Callable[[], Any],
        columns: Callable[[], Callable[..., Any]],
        entry: Callable[[], str | None],
        *,
        alike: bool = True,
    ) -> None:
        self._machine, self._columns = machine, columns
        self._make_entry = entry
        self.alike = alike
        self.purchases: dict[object, Purchase] = {}

    @cached_property
    def entry(self) -> str | None:
        """The kernel and its entry, as the cache calls them."""
        return self._make_entry()

    def lane(self, arguments: tuple[Any, ...], asked: Lane | None = None) -> Lane:
        """The lane of the next call with such arguments, or the one asked for."""
        record = choice.record()
        if record is not None:
            bound = asked or choice.pinned_lane()
            record.setdefault(self.key(arguments), (self, emptied(arguments), bound))
            return Lane.COLUMNS
        forced = asked or forced_lane()
        if forced is not None:
            return forced
        task, kinds = choice.task_lane(), kinds_of(arguments)
        if task is None or self.alike:
            bought = self.purchase(arguments, kinds).is_bought
        else:
            bought = task.wants(self.key(arguments)) and (
                self.purchase(arguments, kinds).is_bought
                or not task.ships(self.entry or "")
            )
        lane = Lane.COMPILED if bought else Lane.COLUMNS
        return choice.steady_lane((self, kinds), lane)

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
        is_free = self.alike or choice.task_lane() is None
        if is_free and forced_lane() is None and choice.record() is None:
            self.purchase(arguments).charge(time.perf_counter() - started)
        return result

    def purchase(
        self, arguments: tuple[Any, ...], kinds: object | None = None
    ) -> Purchase:
        """The account of such arguments, whose kinds may be known already."""
        key = kinds or kinds_of(arguments)
        if key not in self.purchases:
            alike = emptied(arguments)  # an account must not keep a caller's arrays
            account = Purchase(lambda: self.load(alike), lambda: self.compile(alike))
            self.purchases.setdefault(key, account)
        return self.purchases[key]

    def key(self, arguments: tuple[Any, ...]) -> str:
        """The kernel, its entry, and the types of arguments, as a task knows them."""
        kinds = digest(repr(kinds_of(arguments)).encode())
        return f"{self.entry}-{kinds[:16]}"

    def load(self, arguments: tuple[Any, ...]) -> bool:
        """Load the machine code for such arguments; False if there is none.

        Numba is imported only if there is some for any arguments.
        """
        if not has_code():  # an entry's name takes a millisecond to make
            return False
        if self.entry is None or not has_code(self.entry):
            return False
        from .machine import load_code  # noqa: PLC0415 - imports numba

        machine = self._machine()
        return load_code(machine, _types_of(machine, arguments))

    def compile(self, arguments: tuple[Any, ...]) -> None:
        """Compile the loop for such arguments, or load it."""
        machine = self._machine()
        machine.compile(_types_of(machine, arguments))

    def code(self, arguments: tuple[Any, ...]) -> dict[str, bytes]:
        """The machine code for such arguments, by file name: one file, or none."""
        if not self.load(arguments):
            return {}
        machine = self._machine()
        name = machine._cache.name(_types_of(machine, arguments))
        data = read_file(name)
        return {} if data is None else {name: data}


def _types_of(machine: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numba's types of the arguments; those of `*values` are the type of one tuple."""
    code = machine.py_func.__code__
    if code.co_flags & inspect.CO_VARARGS:
        named = code.co_argcount
        arguments = (*arguments[:named], arguments[named:])
    return tuple(machine.typeof_pyval(argument) for argument in arguments)


def kinds_of(value: Any) -> object:
    """What numba tells apart: the types of numbers and arrays, tuple by tuple."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.flags.writeable
    if isinstance(value, tuple):
        return tuple([kinds_of(item) for item in value])  # a list is twice as quick
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
        choice.pin_for_good(Lane.COLUMNS)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
