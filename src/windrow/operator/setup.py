"""Sets an operator up: its window, its aggregates, and what follows from them.

    before the first event    options are checked
    with the first event      types, product, plan, kernel

The types of the columns are known with the first event, or from `types=`.  How the
window is kept is decided in `windrow.plan.operator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call
from windrow.errors import BadInput, UnsupportedType, WindowError
from windrow.plan.operator import (
    OperatorPlan,
    check_asked,
    operator_policies,
    plan_operator,
)
from windrow.windows import Duration, parse_duration
from windrow.windows.policy_numbers import COUNT, DELTA, PolicyNumbers

from .events import EventReader, with_columns
from .inputs import EventColumns
from .late_windows import LateWindow, RevisedWindow
from .runtime import OperatorKernel, WindowProgram, compile_operator
from .window import LEAST, KeyWindow

Array = np.ndarray[Any, Any]


@dataclass
class OperatorSetup:
    """Everything about an operator but its events."""

    window: Any
    calls: dict[str, Call]
    policies: PolicyNumbers
    reader: EventReader
    algorithm: str
    latency: str | None
    lateness: Duration | None
    nulls: bool
    capacity: int | None
    schema: pa.Schema | None = None
    plan: OperatorPlan | None = None
    program: WindowProgram | None = None

    @classmethod
    def of(
        cls,
        window: Any,
        calls: dict[str, Call],
        *,
        algorithm: str,
        latency: str | None,
        lateness: object,
        types: Mapping[str, Any] | None,
        nulls: bool,
        capacity: int | None,
    ) -> OperatorSetup:
        """Check what can be checked before the first event."""
        calls = {name: with_columns(call) for name, call in calls.items()}
        policies = operator_policies(window)
        duration = _lateness(lateness, policies)
        check_asked(algorithm, policies, late=duration is not None, latency=latency)
        reader = EventReader(calls, policies, duration)
        setup = cls(
            window,
            calls,
            policies,
            reader,
            algorithm,
            latency,
            duration,
            nulls,
            _capacity(capacity),
        )
        if types is not None or not reader.names:
            setup.open(_schema(reader.names, types or {}))
        return setup

    def __str__(self) -> str:
        names = ", ".join(call.label for call in self.calls.values())
        how = f" with {self.plan.choice.algorithm.name}" if self.plan else ""
        return f"{names} over {self.window}{how}"

    def program_for(self, event: Mapping[str, Any]) -> WindowProgram:
        """What the windows share; the first event tells the types."""
        return self.program or self.open(_types_of(self.reader.names, event))

    def program_for_batch(self, columns: Mapping[str, Any]) -> WindowProgram:
        """What the windows share; the first batch tells the types."""
        if self.program is not None:
            return self.program
        fields = []
        for name, values in columns.items():
            column = values if hasattr(values, "combine_chunks") else pa.array(values)
            if pa.types.is_null(column.type):
                raise _no_type(name, "the first batch holds nulls only")
            fields.append(pa.field(name, column.type))
        return self.open(pa.schema(fields))

    def open(self, schema: pa.Schema) -> WindowProgram:
        """Plan, generate and compile, now that types are known."""
        columns = EventColumns.of(self.calls, schema, nulls=self.nulls)
        product, policies = columns.request.product, self.policies
        late = self.lateness is not None
        plan = plan_operator(
            self.algorithm, product, policies, late=late, latency=self.latency
        )
        kernel = OperatorKernel(
            plan.choice.algorithm, product, policies.evict, plan.trigger, plan.ordered
        )
        module = compile_operator(kernel)
        self.schema, self.plan = schema, plan
        self.program = WindowProgram(kernel, module, policies, columns, plan.chunk)
        return self.program

    def new_window(self, *, keyed: bool) -> KeyWindow:
        """A window without events."""
        assert self.program is not None
        known = self.policies.range if self.policies.evict == COUNT else LEAST
        capacity = self.capacity or (min(known, LEAST) if keyed else known)
        places = 1 << (capacity - 1).bit_length()
        if self.program.kernel.steps.fifo:
            return KeyWindow(self.program, places)
        if self.lateness is not None and self.policies.aligned:
            assert self.reader.instants is not None
            lateness = self.lateness.amount
            return RevisedWindow(self.program, places, lateness, self.reader.instants)
        return LateWindow(self.program, places)

    @property
    def bounds(self) -> Callable[[Array], pa.Array]:
        """How starts and ends of windows are written."""
        if self.policies.aligned and self.reader.instants is not None:
            return self.reader.instants.column
        return _numbers


def _numbers(values: Array) -> pa.Array:
    return pa.array(values)


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
    if duration.amount < 0 or DELTA in (policies.evict, policies.trigger):
        raise WindowError.because(
            f"cannot let events come late by {duration.text}",
            "a delta must never fall"
            if duration.amount >= 0
            else "a lateness is zero or more",
            "leave lateness out, or let time or a number of rows rule the window",
        )
    return duration


def _capacity(capacity: int | None) -> int | None:
    if capacity is not None and capacity < 1:
        raise BadInput.because(
            f"cannot make room for {capacity} events",
            "a capacity is at least 1",
            "leave it out: room is made as it is needed",
        )
    return capacity


# --- types of columns


def _schema(names: list[str], types: Mapping[str, Any]) -> pa.Schema:
    """The schema that `types=` gives."""
    fields = []
    for name in names:
        if name not in types:
            raise BadInput.because(
                f"cannot tell the type of {name!r}",
                "types= has no entry for it",
                f"give all of {', '.join(names)}, or leave types out",
            )
        fields.append(pa.field(name, _type(types[name])))
    return pa.schema(fields)


def _type(word: Any) -> pa.DataType:
    if isinstance(word, pa.DataType):
        return word
    try:
        if isinstance(word, str):
            return pa.type_for_alias(word)
        return pa.from_numpy_dtype(word)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:
        raise UnsupportedType.because(
            f"cannot read a type from {word!r}",
            str(error),
            "write 'float64', 'int64', 'string', or a pyarrow type",
        ) from error


def _types_of(names: list[str], event: Mapping[str, Any]) -> pa.Schema:
    """The schema of the first event."""
    fields = []
    for name in names:
        if event[name] is None:
            raise _no_type(name, "its first value is null")
        try:
            kind = pa.scalar(event[name]).type
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise UnsupportedType.because(
                f"cannot keep {event[name]!r}",
                f"it is of type {type(event[name]).__name__}",
                "insert numbers, texts, dates or times",
            ) from error
        fields.append(pa.field(name, kind))
    return pa.schema(fields)


def _no_type(name: str, cause: str) -> BadInput:
    return BadInput.because(
        f"cannot tell the type of {name!r}",
        cause,
        f"say it: types={{{name!r}: 'float64'}}",
    )


__all__ = ["OperatorSetup"]
