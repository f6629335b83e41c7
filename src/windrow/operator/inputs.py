"""What an event is made of: the numbers that kernels read, and payloads beside them.

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

from windrow.aggregates import Call, Law
from windrow.aggregates.types import reading, value_kind
from windrow.batch.columns import numbers
from windrow.errors import BadInput, UnsupportedType
from windrow.plan.bind import Bound, bind
from windrow.plan.requests import Asked, Slots, ask, may_overflow, slots_of

Array = np.ndarray[Any, Any]


_PLAIN = {
    pa.string(): str,
    pa.float64(): float,
    pa.bool_(): bool,
    pa.binary(): bytes,
}
_TRY = {code: array(code, [0]) for code in "dqb"}


@dataclass(frozen=True)
class Inputs:
    """The columns of an operator's events, with their types."""

    schema: pa.Schema
    bound: tuple[Bound, ...]
    slots: Slots
    asked: Asked

    @classmethod
    def of(cls, calls: Mapping[str, Call], schema: pa.Schema, *, nulls: bool) -> Inputs:
        """Check the calls against the types; nothing is refused after this."""
        bound = bind(calls, schema)
        for one in bound:
            _check_keepable(one)
        slots = slots_of(bound, lambda _: nulls)
        return cls(schema, bound, slots, ask(bound, slots, may_overflow))

    @cached_property
    def payloads(self) -> list[str]:
        """The columns that results point into."""
        names = (one.payload for one in self.bound)
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
        found = []
        for name, as_floats, plain in self._columns:
            value = event[name]
            if not plain or value is None:
                value = self._number(value, name, as_floats)
            found.append(value)
        found += [event[name] is not None for name in self.slots.masks]
        return found

    @cached_property
    def _columns(self) -> list[tuple[str, bool, bool]]:
        """Name, whether it is read as floats, and whether values are numbers."""
        kinds = [self._type(name) for name, _ in self.slots.columns]
        return [
            (name, as_floats, pat.is_floating(kind) or pat.is_integer(kind))
            for (name, as_floats), kind in zip(self.slots.columns, kinds, strict=True)
        ]

    def checked(self, event: Mapping[str, Any]) -> list[Any]:
        """The same, each of the type of its slot, or refused."""
        found = self.numbers(event)
        try:
            for code, value in zip(self.codes, found, strict=True):
                _TRY[code][0] = value
        except (TypeError, OverflowError) as error:
            place = [id(one) for one in found].index(id(value))
            name = self._columns[place][0]
            raise refuse_value(value, name, self._type(name)) from error
        return found

    def arrays(self, columns: Mapping[str, Any]) -> list[Array]:
        """The slots of many events."""
        wanted = {"d": np.float64, "q": np.int64}
        codes, found, valid = self.codes, [], {}
        for (name, as_floats), code in zip(self.slots.columns, codes, strict=False):
            values, valid[name] = self._array(columns[name], name, as_floats)
            found.append(np.ascontiguousarray(values, wanted[code]))
        for name in self.slots.masks:
            if name not in valid:
                valid[name] = _valid(columns[name])
            mask = valid[name]
            found.append(np.ones(len(columns[name]), bool) if mask is None else mask)
        return found

    def payload(self, event: Mapping[str, Any]) -> tuple[Any, ...]:
        """What results may point to, refused if it is of another type."""
        for name, plain in self._payload_types:
            value = event[name]
            if value is not None and type(value) is not plain:
                self._check_payload(value, name)
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

    def _check_payload(self, value: Any, name: str) -> None:
        try:
            pa.scalar(value, self._type(name))
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise refuse_value(value, name, self._type(name)) from error

    def _type(self, name: str) -> pa.DataType:
        return self.schema.field(name).type

    def _number(self, value: Any, name: str, as_floats: bool) -> Any:
        kind = self._type(name)
        if value is None:
            self._check_null(name)
            return 0
        try:
            one = pa.array([value], kind)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
            raise refuse_value(value, name, kind) from error
        return numbers(one, name, as_floats=as_floats).values[0].item()

    def _array(
        self, given: Any, name: str, as_floats: bool
    ) -> tuple[Array, Array | None]:
        kind = self._type(name)
        if isinstance(given, np.ndarray) and given.dtype.kind in "fiu":
            if pat.is_integer(kind) and given.dtype.kind == "f":
                raise refuse_value(given.dtype, name, kind)
            if pat.is_floating(kind) or pat.is_integer(kind):
                return given, None
        read = numbers(_cast(given, name, kind), name, as_floats=as_floats)
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


def types_of(names: list[str], event: Mapping[str, Any]) -> pa.Schema:
    """A schema from the first event."""
    fields = []
    for name in names:
        if event[name] is None:
            raise BadInput.because(
                f"cannot tell the type of {name!r}",
                "its first value is null",
                f"say it: types={{{name!r}: 'float64'}}",
            )
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


def refuse_value(value: Any, name: str, kind: pa.DataType) -> BadInput:
    """A value that is not of the column's type."""
    return BadInput.because(
        f"cannot take {value!r} in {name!r}",
        f"the column is of type {kind}, as its first value was",
        f"convert the value, or say the type when the operator is made: "
        f"types={{{name!r}: 'float64'}}",
    )


def _check_keepable(bound: Bound) -> None:
    if Law.HOLISTIC in bound.aggregate.laws:
        raise UnsupportedType.because(
            f"cannot keep {bound.call.label} in an operator",
            "it is holistic: no partial of bounded size exists",
            "use wr.aggregate over a table, or keep the events themselves",
        )
    for name, kind in zip(bound.columns, bound.types, strict=True):
        if bound.aggregate.takes == ("position",):
            continue
        if reading(kind) == "rank":
            raise UnsupportedType.because(
                f"cannot keep {bound.call.label} in an operator",
                f"column {name!r} is of type {kind}, whose order is only known when "
                "all values are",
                "use wr.aggregate over a table, or map the values to numbers",
            )


def _cast(given: Any, name: str, kind: pa.DataType) -> Any:
    """A column of that type, or refused."""
    try:
        column = given if hasattr(given, "combine_chunks") else pa.array(given)
        return column.cast(kind) if column.type != kind else column
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise refuse_value(type(given).__name__, name, kind) from error


def _valid(given: Any) -> Array | None:
    column = given if hasattr(given, "combine_chunks") else pa.array(given)
    if not column.null_count:
        return None
    found: Array = column.is_valid().to_numpy(zero_copy_only=False)
    return found


__all__ = ["Inputs", "refuse_value", "types_of"]
