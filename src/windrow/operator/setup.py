"""Sets an operator up: its window, its aggregates, and what follows from them.

    before the first event    options are checked
    with the first event      types, product, plan, kernel
    with each event           it must not come too late

An event that is refused tells nothing: `known` is what was known before it.

The types of the columns are known with the first event, or from `types=`.  How the
window is kept is decided in `windrow.plan.operator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call
from windrow.errors import BadInput, UnknownName, UnsupportedType, WindowError
from windrow.plan.operator import (
    add_policies,
    check_asked,
    check_list,
    check_options,
    list_policies,
    operator_policies,
    plan_operator,
    shared_policies,
)
from windrow.windows import Duration, parse_duration
from windrow.windows.policy_numbers import COUNT, DELTA, PolicyNumbers

from .events import EventReader, with_columns
from .inputs import EventColumns
from .keyed import KeyedWindows
from .late_windows import LateWindow, RevisedWindow
from .many import ManyWindow
from .order import OrderCheck
from .policies import LEAST_KEY
from .read_values import as_column
from .runtime import OperatorKernel, WindowProgram
from .window import LEAST, KeyWindow, places_for

T = TypeVar("T")
Known = tuple[pa.Schema | None, WindowProgram | None, bool]


class OperatorSetup:
    """Everything about an operator but its events, checked before the first of them."""

    def __init__(
        self,
        window: Any,
        calls: Mapping[str, Call],
        *,
        algorithm: str = "auto",
        latency: str | None = None,
        lateness: object = None,
        types: Mapping[str, Any] | None = None,
        nulls: bool = True,
        capacity: int | None = None,
        unit: str | None = None,
    ) -> None:
        check_options(calls.values(), nulls=nulls)
        self.window, self.algorithm, self.latency = window, algorithm, latency
        self.calls = {name: with_columns(call) for name, call in calls.items()}
        self.many: dict[str, PolicyNumbers] | None = None
        if isinstance(window, (list, tuple)):
            self.many = list_policies(window)
            named = zip(window, self.many, strict=True)
            self.window = [own.replaced(name=name) for own, name in named]
            check_list(algorithm, late=lateness is not None, latency=latency)
        self.policies = (
            operator_policies(window)
            if self.many is None
            else shared_policies(self.many)
        )
        self.lateness = _lateness(lateness, self.policies)
        late = self.lateness is not None
        check_asked(algorithm, self.policies, late=late, latency=latency)
        self.nulls, self.capacity = nulls, capacity
        whole = isinstance(capacity, (int, np.integer)) and capacity is not True
        if capacity is not None and not (whole and capacity >= 1):
            raise BadInput.because(
                f"cannot make room for {capacity!r} events",
                "a capacity is at least 1" if whole else "it is no whole number",
                "leave it out: room is made as it is needed",
            )
        self.unit = unit
        on = getattr(window if self.many is None else window[0], "on", None)
        self.reader = EventReader(self.calls, self.policies, self.lateness, on, unit)
        self.order = OrderCheck(self.reader, self.lateness)
        self.schema: pa.Schema | None = None
        self.program: WindowProgram | None = None
        if types is not None or not self.reader.names:
            self.open(schema_of_types(self.reader.names, types or {}))

    def __str__(self) -> str:
        names = ", ".join(call.label for call in self.calls.values())
        how = ""
        if self.program:
            how = f" with {self.program.kernel.algorithm.online_name}"
        windows = self.window
        if self.many is not None:
            windows = "; ".join(map(str, windows))
        return f"{names} over {windows}{how}"

    def program_for(self, event: Mapping[str, Any]) -> WindowProgram:
        """What the windows share; the first event tells the types."""
        if self.program is not None:
            return self.program
        return self.open(schema_of_event(self.reader.names, event))

    def program_for_batch(self, columns: Mapping[str, Any]) -> WindowProgram:
        """What the windows share; the first batch tells the types."""
        if self.program is not None:
            return self.program
        return self.open(schema_of_batch(columns))

    @property
    def known(self) -> Known:
        """What events have told so far: the types, what follows, and the zone."""
        return self.schema, self.program, self.reader.zoned

    def go_back(self, known: Known) -> None:
        """Know no more than that: the event that told the rest was refused."""
        self.schema, self.program, self.reader.zoned = known

    def open(self, schema: pa.Schema) -> WindowProgram:
        """Plan and generate, now that types are known."""
        columns = EventColumns(self.calls, schema, nulls=self.nulls)
        product, policies = columns.request.product, self.policies
        late = self.lateness is not None
        plan = plan_operator(
            self.algorithm,
            product,
            policies,
            late=late,
            latency=self.latency,
            many=self.many is not None,
        )
        kernel = OperatorKernel(
            plan.choice.algorithm,
            product,
            policies.evict,
            plan.trigger,
            plan.ordered,
            self.many is not None,
        )
        steps, reader = kernel.steps_in_lane(), self.reader
        lateness = 0 if self.lateness is None else self.lateness.amount
        self.schema = schema
        self.program = WindowProgram(
            kernel, steps, policies, columns, plan.chunk, reader, lateness
        )
        return self.program

    def new_window(self, *, keyed: bool) -> KeyWindow:
        """A window without events."""
        assert self.program is not None
        known = self.policies.range if self.policies.evict == COUNT else LEAST
        capacity = self.capacity or (min(known, LEAST) if keyed else known)
        places = places_for(capacity)
        if self.many is not None:
            return ManyWindow(self.program, places, self.many)
        if self.program.kernel.steps.fifo:
            return KeyWindow(self.program, places, places)
        revised = self.lateness is not None and self.policies.aligned
        return (RevisedWindow if revised else LateWindow)(self.program, places)

    def empty(self) -> Any:
        """What a window without events gives."""
        nothing = None if len(self.calls) == 1 else dict.fromkeys(self.calls)
        if self.many is None:
            return nothing
        return {name: nothing for name in self.many}  # noqa: C420 - a dict for each

    def add_window(self, window: Any, windows: Mapping[Any, KeyWindow]) -> Any:
        """Take one more window into the list; from when it is complete."""
        if self.many is None:
            raise _no_list("add a window", self.window)
        named = dict(self.many)
        name = add_policies(named, window)
        complete: list[int | None] = [
            own.add(name, named[name])
            for own in windows.values()
            if isinstance(own, ManyWindow)
        ]
        self.many, self.window = named, [*self.window, window.replaced(name=name)]
        known = [instant for instant in complete if instant is not None]
        if not known:
            return None
        return self.reader.instant(max(known)) if self.policies.timed else max(known)

    def remove_window(self, name: str, windows: Mapping[Any, KeyWindow]) -> None:
        """Take a window out of the list."""
        if self.many is None:
            raise _no_list("remove a window", self.window)
        if name not in list(self.many):  # whatever has no hash is none of them
            raise UnknownName.among("window", name, self.many)
        if len(self.many) == 1:
            raise BadInput.because(
                f"cannot remove {name!r}", "it is the last window", "add another first"
            )
        place = list(self.many).index(name)
        self.window = [own for k, own in enumerate(self.window) if k != place]
        del self.many[name]
        for own in windows.values():
            if isinstance(own, ManyWindow):
                own.remove(name)

    def new_windows(self) -> KeyedWindows | None:
        """Windows for many keys; None where each key needs memory of its own."""
        assert self.program is not None
        if not self.program.kernel.shares:
            return None
        places = max(places_for(self.capacity or 1), LEAST_KEY)
        return KeyedWindows(self.program, places)


def _no_list(what: str, window: Any) -> BadInput:
    return BadInput.because(
        f"cannot {what}",
        f"the operator has one window ({window}), and no list",
        "make it with a list: wr.Operator([window], ...)",
    )


def _lateness(lateness: object, policies: PolicyNumbers) -> Duration | None:
    if lateness is None:
        return None
    duration = parse_duration(lateness, what="a lateness")
    if policies.numeric is not None and policies.numeric == duration.is_time:
        raise WindowError.because(
            f"cannot let events come late by {duration.text}",
            "the window counts time in another unit",
            "give both as durations, or both as whole numbers",
        )
    negative = duration.amount < 0
    if negative or DELTA in (policies.evict, policies.trigger):
        raise WindowError.because(
            f"cannot let events come late by {duration.text}",
            "a lateness is zero or more" if negative else "a delta must never fall",
            "leave lateness out, or let time or a number of rows rule the window",
        )
    return duration


def schema_of_event(names: list[str], event: Mapping[str, Any]) -> pa.Schema:
    """The types that the first event tells."""
    return pa.schema({name: _type_of(name, event) for name in names})


class Told(Protocol):
    """What learns types from the first event: a setup, or a program over spans."""

    @property
    def known(self) -> Any:
        """What events have told so far."""

    def go_back(self, known: Any) -> None:
        """Know no more than that."""


def or_forget(told: Told, take: Callable[..., T], *event: Any) -> T:
    """Take an event or a batch; one that is refused has told nothing."""
    known = told.known
    try:
        return take(*event)
    except BaseException:
        told.go_back(known)
        raise


def schema_of_batch(columns: Mapping[str, Any]) -> pa.Schema:
    """The types that the first batch tells."""
    types = {name: as_column(values).type for name, values in columns.items()}
    for name, kind in types.items():
        if pa.types.is_null(kind):
            raise _no_type(name, "the first batch holds nulls only")
    return pa.schema(types)


def schema_of_types(names: list[str], types: Mapping[str, Any]) -> pa.Schema:
    """The schema that `types=` gives."""
    if not isinstance(types, Mapping):
        raise BadInput.because(
            f"cannot read types from {types!r}",
            f"it is of type {type(types).__name__}",
            "give the type of each column: types={'len': 'float64'}",
        )
    for name in names:
        if name not in types:
            hint = f"give all of {', '.join(names)}, or leave types out"
            raise _no_type(name, "types= has no entry for it", hint)
    return pa.schema({name: _type(types[name]) for name in names})


def _type(word: Any) -> pa.DataType:
    if isinstance(word, pa.DataType):
        return word
    try:
        read = pa.type_for_alias if isinstance(word, str) else pa.from_numpy_dtype
        return read(word)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:
        raise UnsupportedType.because(
            f"cannot read a type from {word!r}",
            str(error),
            "write 'float64', 'int64', 'string', or a pyarrow type",
        ) from error


_TYPES = {
    float: pa.float64(),
    int: pa.int64(),
    str: pa.string(),
    bool: pa.bool_(),
}


def _type_of(name: str, event: Mapping[str, Any]) -> pa.DataType:
    """The type of a column by its first value."""
    value = event[name]
    if value is None:
        raise _no_type(name, "its first value is null")
    if type(value) in _TYPES and (type(value) is not int or -(2**63) <= value < 2**63):
        return _TYPES[type(value)]  # Arrow would import pandas to tell
    try:
        return pa.scalar(value).type
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OverflowError) as error:
        cause = f"it is of type {type(value).__name__}"
        if isinstance(error, OverflowError):
            cause = "it is beyond what 64 bits count"
        raise UnsupportedType.because(
            f"cannot keep {value!r}",
            cause,
            "insert numbers, texts, dates or times",
        ) from error


def _no_type(name: str, cause: str, hint: str = "") -> BadInput:
    hint = hint or f"say it: types={{{name!r}: 'float64'}}"
    return BadInput.because(f"cannot tell the type of {name!r}", cause, hint)
