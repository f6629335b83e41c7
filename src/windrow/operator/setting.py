"""How an operator is set up: its window, its aggregates, and what follows from them.

The types of the columns are known with the first event, and with them the product,
the algorithm and the compiled module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import Call
from windrow.errors import BadInput, UnsupportedType, WindowError
from windrow.plan.choose import Choice
from windrow.plan.operator import check_asked, choose_steps
from windrow.plan.policies import Rules, rules_of
from windrow.windows import Duration, parse_duration
from windrow.windows.policy import BY_HAND, COUNT, DELTA, TIME

from .events import Given, with_columns
from .inputs import Inputs, types_of
from .kit import Kit
from .late_window import LateCell
from .revised_window import RetoldCell
from .runtime import OperatorKernel, compile_operator
from .window import LEAST, Cell

Array = np.ndarray[Any, Any]


@dataclass
class Setting:
    """Everything about an operator but its events."""

    window: Any
    calls: dict[str, Call]
    rules: Rules
    given: Given
    algorithm: str
    latency: str | None
    lateness: Duration | None
    nulls: bool
    capacity: int | None
    schema: pa.Schema | None = None
    kit: Kit | None = None
    choice: Choice | None = field(default=None, repr=False)

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
    ) -> Setting:
        """Check what can be checked before the first event."""
        calls = {name: with_columns(call) for name, call in calls.items()}
        rules = rules_of(window)
        allowed = _lateness(lateness, rules)
        check_asked(algorithm, rules, late=allowed is not None, latency=latency)
        given = Given(calls, rules, allowed)
        self = cls(
            window,
            calls,
            rules,
            given,
            algorithm,
            latency,
            allowed,
            nulls,
            _capacity(capacity),
        )
        if types is not None or not given.names:
            self.open(_schema(given.names, types or {}))
        return self

    def __str__(self) -> str:
        names = ", ".join(call.label for call in self.calls.values())
        how = f" with {self.choice.algorithm.name}" if self.choice else ""
        return f"{names} over {self.window}{how}"

    def kit_for(self, event: Mapping[str, Any]) -> Kit:
        """What the windows share; the first event tells the types."""
        return self.kit or self.open(types_of(self.given.names, event))

    def kit_for_batch(self, columns: Mapping[str, Any]) -> Kit:
        """The same for a batch."""
        if self.kit is not None:
            return self.kit
        fields = []
        for name, given in columns.items():
            column = given if hasattr(given, "combine_chunks") else pa.array(given)
            if pa.types.is_null(column.type):
                raise BadInput.because(
                    f"cannot tell the type of {name!r}",
                    "the first batch holds nulls only",
                    f"say it: types={{{name!r}: 'float64'}}",
                )
            fields.append(pa.field(name, column.type))
        return self.open(pa.schema(fields))

    def open(self, schema: pa.Schema) -> Kit:
        """Choose, generate and compile."""
        rules = self.rules
        inputs = Inputs.of(self.calls, schema, nulls=self.nulls)
        product = inputs.asked.product
        late = self.lateness is not None
        self.choice = choose_steps(
            self.algorithm, product, late=late, latency=self.latency
        )
        ordered = late or rules.evict == TIME
        trigger = BY_HAND if late and rules.aligned else rules.trigger
        kind = OperatorKernel(
            self.choice.algorithm, product, rules.evict, trigger, ordered
        )
        range_ = max(rules.range, 1)
        chunk = (range_, max(range_ // 2, 1))
        self.schema = schema
        self.kit = Kit(kind, compile_operator(kind), rules, inputs, chunk)
        return self.kit

    def cell(self, *, keyed: bool) -> Cell:
        """A window without events."""
        assert self.kit is not None
        known = self.rules.range if self.rules.evict == COUNT else LEAST
        capacity = self.capacity or (min(known, LEAST) if keyed else known)
        places = 1 << (capacity - 1).bit_length()
        if self.kit.kind.steps.fifo:
            return Cell(self.kit, places)
        if self.lateness is not None and self.rules.aligned:
            return RetoldCell(self.kit, places, self.lateness.amount)
        return LateCell(self.kit, places)

    @property
    def bounds(self) -> Callable[[Array], pa.Array]:
        """How starts and ends of windows are written."""
        if self.rules.aligned and self.given.instants is not None:
            return self.given.instants.column
        return _numbers


def _numbers(values: Array) -> pa.Array:
    return pa.array(values)


def _lateness(given: object, rules: Rules) -> Duration | None:
    if given is None:
        return None
    found = parse_duration(given, what="a lateness")
    if rules.numeric is not None and rules.numeric == found.is_time:
        raise WindowError.because(
            f"cannot let events come late by {found.text}",
            "the window counts time in another unit",
            "give both as durations, or both as whole numbers",
        )
    if found.amount < 0 or DELTA in (rules.evict, rules.trigger):
        raise WindowError.because(
            f"cannot let events come late by {found.text}",
            "a delta must never fall"
            if found.amount >= 0
            else "a lateness is zero or more",
            "leave lateness out, or let time or a number of rows rule the window",
        )
    return found


def _capacity(given: int | None) -> int | None:
    if given is not None and given < 1:
        raise BadInput.because(
            f"cannot make room for {given} events",
            "a capacity is at least 1",
            "leave it out: room is made as it is needed",
        )
    return given


def _schema(names: list[str], types: Mapping[str, Any]) -> pa.Schema:
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


def _type(given: Any) -> pa.DataType:
    if isinstance(given, pa.DataType):
        return given
    try:
        if isinstance(given, str):
            return pa.type_for_alias(given)
        return pa.from_numpy_dtype(given)
    except (ValueError, TypeError, pa.ArrowNotImplementedError) as error:
        raise UnsupportedType.because(
            f"cannot read a type from {given!r}",
            str(error),
            "write 'float64', 'int64', 'string', or a pyarrow type",
        ) from error


__all__ = ["Setting"]
