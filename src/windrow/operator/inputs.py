"""Turns events into the numbers that kernels read, and keeps those that wait.

    insert({"len": 3.5, "caller": "ann"})    wr.max("len"), wr.arg_max("len", "caller")

    slots       3.5, True                    a number for each column, then validity
    payloads    ("ann",)                     kept by the event's number, read off a
                                             result's position

Types are those of the first event unless `types` gives them.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow.aggregates import Call
from windrow.aggregates.types import value_kind
from windrow.batch.columns import numbers
from windrow.errors import BadInput
from windrow.plan.bind import BoundCall, bind
from windrow.plan.operator import check_keepable
from windrow.plan.requests import (
    KernelRequest,
    Slots,
    may_overflow,
    request_kernel,
    slots_of,
)
from windrow.windows.policy_numbers import DELTA, PolicyNumbers

Array = np.ndarray[Any, Any]
NO_EVENTS: tuple[Array, ...] = (
    np.empty(0, np.int64),
    np.empty(0, np.float64),
    np.empty(0, np.float64),
    np.empty(0, np.int8),
)
"""Instants, marks, signals and flags of events that have none."""

_PLAIN = {pa.string(): str, pa.float64(): float, pa.bool_(): bool, pa.binary(): bytes}
_TRY = {code: array(code, [0]) for code in "dqb"}


@dataclass(frozen=True)
class EventColumns:
    """The columns of an operator's events, with their types."""

    schema: pa.Schema
    bound: tuple[BoundCall, ...]
    slots: Slots
    request: KernelRequest

    @classmethod
    def of(
        cls, calls: Mapping[str, Call], schema: pa.Schema, *, nulls: bool
    ) -> EventColumns:
        """Check the calls against the types; nothing is refused after this."""
        bound = bind(calls, schema)
        check_keepable(bound)
        slots = slots_of(bound, lambda _: nulls)
        return cls(schema, bound, slots, request_kernel(bound, slots, may_overflow))

    @cached_property
    def payloads(self) -> list[str]:
        """The columns that results point into."""
        names = (call.payload for call in self.bound)
        return list(dict.fromkeys(name for name in names if name is not None))

    @cached_property
    def codes(self) -> list[str]:
        """The type code of each slot, as the module `array` has them."""
        columns = [
            "d" if as_floats or value_kind(self._type(name)) == "float" else "q"
            for name, as_floats in self.slots.columns
        ]
        return columns + ["b"] * len(self.slots.masks)

    def empty(self) -> list[Any]:
        """No events yet: one growing array for each slot."""
        return [array(code) for code in self.codes]

    def numbers(self, event: Mapping[str, Any]) -> list[Any]:
        """The slots of one event; a null is a zero that does not count."""
        slots = []
        for name, as_floats, plain in self._columns:
            value = event[name]
            if not plain or value is None:
                value = self._number(value, name, as_floats)
            slots.append(value)
        slots += [event[name] is not None for name in self.slots.masks]
        return slots

    @cached_property
    def _columns(self) -> list[tuple[str, bool, bool]]:
        """Name, whether it is read as floats, and whether values are numbers."""
        kinds = [self._type(name) for name, _ in self.slots.columns]
        return [
            (name, as_floats, pat.is_floating(kind) or pat.is_integer(kind))
            for (name, as_floats), kind in zip(self.slots.columns, kinds, strict=True)
        ]

    def checked(self, event: Mapping[str, Any]) -> list[Any]:
        """The slots of one event, each of its slot's type, or refused."""
        slots = self.numbers(event)
        try:
            for code, value in zip(self.codes, slots, strict=True):
                _TRY[code][0] = value
        except (TypeError, OverflowError) as error:
            place = list(map(id, slots)).index(id(value))
            name = self._columns[place][0]
            raise _refusal(value, name, self._type(name)) from error
        return slots

    def arrays(self, columns: Mapping[str, Any]) -> list[Array]:
        """The slots of many events."""
        wanted = {"d": np.float64, "q": np.int64}
        codes, slots, valid = self.codes, [], {}
        for (name, as_floats), code in zip(self.slots.columns, codes, strict=False):
            values, valid[name] = self._array(columns[name], name, as_floats)
            slots.append(np.ascontiguousarray(values, wanted[code]))
        for name in self.slots.masks:
            if name not in valid:
                valid[name] = _valid(columns[name])
            mask = valid[name]
            slots.append(np.ones(len(columns[name]), bool) if mask is None else mask)
        return slots

    def payload(self, event: Mapping[str, Any]) -> tuple[Any, ...]:
        """What results may point to, refused if it is of another type."""
        for name, plain in self._payload_types:
            value = event[name]
            if value is not None and type(value) is not plain:
                _check_payload(value, name, self._type(name))
        return tuple(event[name] for name in self.payloads)

    def payload_rows(self, columns: Mapping[str, Any]) -> list[tuple[Any, ...]] | None:
        """The same of many events; None where results point to nothing."""
        if not self.payloads:
            return None
        lists = [_cast(columns[n], n, self._type(n)).to_pylist() for n in self.payloads]
        return list(zip(*lists, strict=True))

    @cached_property
    def _payload_types(self) -> list[tuple[str, type | None]]:
        """Each payload's name, and the Python type that needs no look."""
        kinds = [(name, self._type(name)) for name in self.payloads]
        return [(name, _PLAIN.get(kind)) for name, kind in kinds]

    def _type(self, name: str) -> pa.DataType:
        return self.schema.field(name).type

    def _number(self, value: Any, name: str, as_floats: bool) -> Any:
        kind = self._type(name)
        if value is None:
            self._check_null(name)
            return 0
        try:
            column = pa.array([value], kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
            raise _refusal(value, name, kind) from error
        return numbers(column, name, as_floats=as_floats).values[0].item()

    def _array(
        self, values: Any, name: str, as_floats: bool
    ) -> tuple[Array, Array | None]:
        kind = self._type(name)
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
            if pat.is_integer(kind) and values.dtype.kind == "f":
                raise _refusal(values.dtype, name, kind)
            if pat.is_floating(kind) or pat.is_integer(kind):
                return values, None
        read = numbers(_cast(values, name, kind), name, as_floats=as_floats)
        if read.valid is not None:
            self._check_null(name)
        return read.values, read.valid

    def _check_null(self, name: str) -> None:
        if name not in self.slots.masks:
            raise BadInput.because(
                f"cannot take a null in {name!r}",
                "the operator was made with nulls=False",
                "leave nulls out: a null is then skipped, as in SQL",
            )


class WaitingEvents:
    """Events that wait to get in: a growing array for each of their numbers.

    What came the quick way is one number and no more; that it is not null is filled in
    when somebody needs to know.
    """

    def __init__(self, columns: EventColumns, policies: PolicyNumbers) -> None:
        self.slots = columns.empty()
        self.policies = policies
        self.ticks, self.marks, self.signals = array("q"), array("d"), array("d")
        self.flags = array("b")
        self.column = self.slots[0] if self.slots else array("d")
        self.known = self.slots[1] if len(self.slots) == 2 else array("b")

    def add(
        self, numbers: list[Any], tick: int | None, others: tuple[float, float, int]
    ) -> None:
        """One event; `others` are mark, signal and flag."""
        self._fill_in()
        for slot, value in zip(self.slots, numbers, strict=True):
            slot.append(value)
        if not self.slots:  # rows that are only counted
            self.column.append(0.0)
        if tick is not None:
            self.ticks.append(tick)
        if self.policies.evict == DELTA:
            self.marks.append(others[0])
        if self.policies.trigger == DELTA:
            self.signals.append(others[1])
        if self.policies.punctuated:
            self.flags.append(others[2])

    def __len__(self) -> int:
        return len(self.column)

    def take_all(self) -> tuple[list[Array], tuple[Array, ...]]:
        """The slots of all, who wait no longer, and what is known of each event.

        Validity comes as truths; instants, marks, signals and flags are empty where
        there are none.  The arrays stay the same ones, so that others may keep them.
        """
        self._fill_in()
        source = [
            np.array(slot, np.bool_ if slot.typecode == "b" else slot.typecode)
            for slot in self.slots
        ]
        others: list[Any] = [self.ticks, self.marks, self.signals, self.flags]
        events = tuple(
            np.array(numbers, none.dtype) if numbers else none
            for numbers, none in zip(others, NO_EVENTS, strict=True)
        )
        self.clear()
        return source, events

    def clear(self) -> None:
        """Forget all."""
        for slot in self.slots:
            del slot[:]
        del self.column[:], self.ticks[:], self.marks[:], self.signals[:], self.flags[:]

    def only(self) -> tuple[int, float, list[Any]]:
        """Instant, mark and slots of the one event that waits."""
        self._fill_in()
        tick = self.ticks[0] if self.ticks else 0
        mark = self.marks[0] if self.marks else 0.0
        return tick, mark, [slot[0] for slot in self.slots]

    def _fill_in(self) -> None:
        missing = len(self.column) - len(self.known)
        if len(self.slots) == 2 and self.known.typecode == "b" and missing:
            self.known.frombytes(b"\1" * missing)


def _refusal(value: Any, name: str, kind: pa.DataType) -> BadInput:
    """A value that is not of the column's type."""
    return BadInput.because(
        f"cannot take {value!r} in {name!r}",
        f"the column is of type {kind}, as its first value was",
        f"convert the value, or say the type when the operator is made: "
        f"types={{{name!r}: 'float64'}}",
    )


def _check_payload(value: Any, name: str, kind: pa.DataType) -> None:
    try:
        pa.scalar(value, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise _refusal(value, name, kind) from error


def _cast(values: Any, name: str, kind: pa.DataType) -> Any:
    """A column of that type, or refused."""
    try:
        column = values if hasattr(values, "combine_chunks") else pa.array(values)
        return column.cast(kind) if column.type != kind else column
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise _refusal(type(values).__name__, name, kind) from error


def _valid(values: Any) -> Array | None:
    column = values if hasattr(values, "combine_chunks") else pa.array(values)
    if not column.null_count:
        return None
    valid: Array = column.is_valid().to_numpy(zero_copy_only=False)
    return valid


__all__ = ["NO_EVENTS", "EventColumns", "WaitingEvents"]
