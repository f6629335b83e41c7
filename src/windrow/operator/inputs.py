"""Turns events into the numbers that kernels read.

insert({"len": 3.5, "caller": "ann"})    wr.max("len"), wr.arg_max("len", "caller")

slots       3.5, True                    a number for each column, then validity
payloads    ("ann",)                     kept by the event's number, read off a
                                         result's position
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import types as pat

from windrow._later import load_later
from windrow.aggregates import Call, find
from windrow.aggregates.types import value_kind
from windrow.batch.columns import numbers
from windrow.errors import BadInput
from windrow.kernels import Product
from windrow.plan.bind import BoundCall, bind
from windrow.plan.operator import check_keepable, is_held
from windrow.plan.requests import (
    KernelRequest,
    Slots,
    may_overflow,
    request_kernel,
    slots_of,
)

from .layout import Array
from .read_values import (
    OTHER_TYPE,
    as_column,
    cast_column,
    is_number,
    one_value,
    refusal,
)

if TYPE_CHECKING:
    from windrow.plan.where import Mask

# Only conditions load these.
_load = load_later(
    __name__,
    {"add_masks": "windrow.batch.expressions", "mask_calls": "windrow.plan.where"},
)

Wide = Callable[[BoundCall], bool]  # whether a sum takes two words
Source = list[Array]  # the slots of events
Events = tuple[Array, ...]  # their instants, marks, signals and flags
Others = tuple[float, float, int]  # mark, signal and flag of one event
NO_EVENTS: Events = tuple(np.empty(0, kind) for kind in ("i8", "f8", "f8", "i1"))
"""Instants, marks, signals and flags of events that have none."""

_EVENT, _NUMBER = "", pa.int64()  # a column that every event has, and no table
_PLAIN = {pa.string(): str, pa.float64(): float, pa.bool_(): bool, pa.binary(): bytes}


class EventColumns:
    """The columns of an operator's events, with their types.

    `payloads` names the columns that results point into, `codes` has the type code of
    each slot, as the module `array` writes it.  Nothing is refused after this.

    `masks` are columns that no event has: what conditions leave of others.
    """

    def __init__(
        self, calls: Mapping[str, Call], schema: pa.Schema, *, nulls: bool
    ) -> None:
        self.schema, self._types = schema, schema
        self.masks: tuple[Mask, ...] = ()
        if any(call.where is not None for call in calls.values()):
            calls, self._types, self.masks = _load("mask_calls")(calls, schema)
        self.bound = bind(calls, self._types)
        check_keepable(self.bound)
        self.nulls = nulls
        self.slots, self.request = _request(self.bound, nulls)
        names = dict.fromkeys(call.payload for call, _ in self.request.calls)
        self.payloads = [name for name in names if name is not None]
        self._plain = [(name, _PLAIN.get(self.type_of(name))) for name in self.payloads]
        self.codes, self._columns = [], []
        for name, as_floats in self.slots.columns:
            kind = self.type_of(name)
            code = "d" if as_floats or value_kind(kind) == "float" else "q"
            place = array(code, [0])  # refuses values of another type
            self.codes.append(code)
            self._columns.append((name, as_floats, is_number(kind), place))
        self.codes += "b" * len(self.slots.masks)

    @cached_property
    def without_nulls(self) -> KernelRequest:
        """What is asked of a kernel over events of which none is null."""
        if not self.nulls:
            return self.request
        return _request(self.bound, nulls=False)[1]

    @cached_property
    def of_small_numbers(self) -> Product:
        """The product of events of which none is null and no sum overflows."""
        return _request(self.bound, nulls=False, wide=lambda _: False)[1].product

    @property
    def plain_names(self) -> list[str]:
        """The column of each slot that is a number."""
        return [name for name, _, _, _ in self._columns]

    @cached_property
    def holds(self) -> bool:
        """Whether results are made of the values of a window's events."""
        return any(map(is_held, self.bound))

    @property
    def only_numbers(self) -> bool:
        """Whether events are plain numbers, and results point to none."""
        plain = all(plain for _, _, plain, _ in self._columns)
        return plain and not self.payloads and not self.masks

    def event(self, event: Mapping[str, Any]) -> tuple[list[Any], tuple[Any, ...]]:
        """The slots of one event, and what results may point to; or refused."""
        if self.masks:
            event = self._masked_event(event)
        return self._slots_of(event), self._payload_of(event) if self._plain else ()

    def _slots_of(self, event: Mapping[str, Any]) -> list[Any]:
        """A number for each slot; a null is a zero that does not count."""
        slots = []
        for name, as_floats, plain, place in self._columns:
            value = event[name]
            if not plain or value is None:
                value = self._number(value, name, as_floats)
            try:
                place[0] = value
            except (TypeError, OverflowError) as error:
                raise refusal(value, name, self.type_of(name)) from error
            slots.append(value)
        slots += [event[name] is not None for name in self.slots.masks]
        return slots

    def _payload_of(self, event: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values that results may point to, refused if they are of another type."""
        for name, plain in self._plain:
            value = event[name]
            if value is None and not self.nulls:
                self._check_null(name)
            if value is not None and type(value) is not plain:
                kind = self.type_of(name)
                try:
                    pa.scalar(value, kind)
                except OTHER_TYPE as error:
                    raise refusal(value, name, kind) from error
        return tuple(event[name] for name in self.payloads)

    def batch(
        self, columns: Mapping[str, Any]
    ) -> tuple[Source, list[tuple[Any, ...]] | None]:
        """The same of many events; None where results point to nothing."""
        columns = self._masked(columns)
        source = self._arrays(columns)
        return source, self._payload_rows(columns) if self.payloads else None

    def _arrays(self, columns: Mapping[str, Any]) -> Source:
        slots, valid = [], {}
        for (name, as_floats), code in zip(
            self.slots.columns, self.codes, strict=False
        ):
            values, valid[name] = self._array(columns[name], name, as_floats)
            slots.append(np.ascontiguousarray(values, code))
        for name in self.slots.masks:
            if name not in valid:
                valid[name] = np.asarray(as_column(columns[name]).is_valid())
            mask = valid[name]
            slots.append(np.ones(len(columns[name]), bool) if mask is None else mask)
        return slots

    def _payload_rows(self, columns: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        lists = []
        for name in self.payloads:
            column = cast_column(columns[name], name, self.type_of(name))
            if column.null_count and not self.nulls:
                self._check_null(name)
            lists.append(column.to_pylist())
        return list(zip(*lists, strict=True))

    def type_of(self, name: str) -> pa.DataType:
        """The type of a column, masks among them."""
        return self._types.field(name).type

    def _masked(self, columns: Mapping[str, Any]) -> Mapping[str, Any]:
        """Columns of events, and the masks: null where a condition is not true."""
        if not self.masks:
            return columns
        read = dict.fromkeys(name for mask in self.masks for name in mask.reads)
        own = {
            name: cast_column(columns[name], name, self.type_of(name)) for name in read
        }
        table = _load("add_masks")(pa.table(own), self.masks)
        return {**columns, **{m.name: table.column(m.name) for m in self.masks}}

    def _masked_event(self, event: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same of one event."""
        names = dict.fromkeys(name for mask in self.masks for name in mask.reads)
        one = self._masked({n: one_value(event[n], n, self.type_of(n)) for n in names})
        masked = dict(event)
        for mask in self.masks:
            whole = True if mask.column is None else event[mask.column]
            masked[mask.name] = whole if one[mask.name][0].is_valid else None
        return masked

    def _number(self, value: Any, name: str, as_floats: bool) -> Any:
        kind = self.type_of(name)
        if value is None:
            self._check_null(name)
            return 0
        column = one_value(value, name, kind)
        return numbers(column, name, as_floats=as_floats).values[0].item()

    def _array(
        self, values: Any, name: str, as_floats: bool
    ) -> tuple[Array, Array | None]:
        kind = self.type_of(name)
        if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
            if pat.is_integer(kind) and values.dtype.kind == "f":
                raise refusal(values.dtype, name, kind)
            if is_number(kind):
                return values, None
        read = numbers(cast_column(values, name, kind), name, as_floats=as_floats)
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


def _request(
    bound: Sequence[BoundCall], nulls: bool, wide: Wide = may_overflow
) -> tuple[Slots, KernelRequest]:
    """The columns that a kernel reads, and what is asked of it.

    Results that are made of events' values ask for the first and the last event; sums
    that are `wide` have two words.
    """
    ends = [
        BoundCall(
            f"{_EVENT}{at}", Call(find(at)), (_EVENT,), (pa.int8(),), None, _NUMBER
        )
        for at in ("first", "last")
    ]
    held = [call for call in bound if is_held(call)]
    calls = [call for call in bound if call not in held] + (ends if held else [])
    slots = slots_of(calls, lambda name: nulls and name != _EVENT)
    request = request_kernel(calls, slots, wide)
    outputs = {call.name: numbers for call, numbers in request.calls}
    own = tuple(
        (
            replace(call, payload=call.columns[0]),
            (*outputs[ends[0].name], *outputs[ends[1].name]),
        )
        if call in held
        else (call, outputs[call.name])
        for call in bound
    )
    return slots, replace(request, calls=own)
