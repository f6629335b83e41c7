"""Partials as columns of a table, so that they can be sorted, shipped and merged.

    field of the partial      column                        read back as
    a number                  p3: its number                itself; null is the identity
    rank of a string          p3: the string                rank among this table's
    place of a row            p3_0: the payload there       place in this table

Ranks and places mean something in one table only: the columns hold what they stand
for, and reading gives ranks and places anew.  A place is known by the value beside
it (`arg_max`) or by its payload (`first`): where that is null there is none.

`Folding` makes such a table of rows, slice by slice:

    keys | pane: the instant at which the slice begins | rows in it | partial
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.aggregates import WIDE_SUM
from windrow.aggregates.types import reading
from windrow.kernels import ProductPart
from windrow.plan.aggregate import Plan
from windrow.plan.bind import Bound
from windrow.plan.requests import Asked, Slots
from windrow.plan.resolve import Resolved

from .columns import Column, numbers
from .kernel_inputs import read_inputs
from .results import finish, take_positions, written
from .slices import Job, cut_slices
from .sorted_rows import check_room, stream_of

Array = np.ndarray[Any, Any]

_ARROW = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


@dataclass(frozen=True)
class PartialField:
    """One field of a product: its column, or the columns that a place stands for.

    `ranked` is the column whose values it ranks; `beside` the field that is null
    where there is no place.
    """

    name: str
    dtype: str
    identity: Any
    ranked: str | None
    payloads: tuple[str, ...]
    beside: int | None

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return [self.column(p) for p in self.payloads] or [self.name]

    def column(self, payload: str) -> str:
        """The name of the column that holds that payload."""
        return f"{self.name}_{self.payloads.index(payload)}"


def partial_fields(asked: Asked, slots: Slots) -> list[PartialField]:
    """The fields of a product in order, with what their columns hold."""
    types = _types(asked, slots)
    payloads = _payloads(asked)
    found = []
    for part in asked.product.parts:
        first = types.get(part.request.slots[0]) if part.request.slots else None
        for number, dtype in enumerate(part.dtypes):
            index = part.offset + number
            ranked = None
            if first is not None and _is_value(part, number):
                ranked = first[0] if reading(first[1]) == "rank" else None
            mine = payloads.get(index, ())
            found.append(
                PartialField(
                    f"p{index}",
                    dtype,
                    _identity(part)[number],
                    ranked,
                    mine,
                    index - 1 if mine and number else None,
                )
            )
    return found


def _types(asked: Asked, slots: Slots) -> dict[int, tuple[str, pa.DataType]]:
    named = {
        column: kind
        for bound, _ in asked.calls
        for column, kind in zip(bound.columns, bound.types, strict=True)
    }
    return {
        slot: (column, named[column]) for (column, _), slot in slots.columns.items()
    }


def _payloads(asked: Asked) -> dict[int, tuple[str, ...]]:
    found: dict[int, list[str]] = {}
    for bound, outputs in asked.calls:
        if bound.payload is not None:
            place = asked.product.outputs[outputs[0]].fields[-1]
            names = found.setdefault(place, [])
            if bound.payload not in names:
                names.append(bound.payload)
    return {place: tuple(names) for place, names in found.items()}


def _is_value(part: ProductPart, number: int) -> bool:
    fields = part.request.aggregate.fields
    return number < len(fields) and fields[number].kind == "value"


def _identity(part: ProductPart) -> tuple[Any, ...]:
    if part.request.aggregate.is_users:
        return (None,) * len(part.dtypes)  # its columns have no nulls
    identity = part.request.aggregate.identity
    if isinstance(identity, dict):
        identity = identity[part.request.kind]
    return (*identity, 0) if part.optional else tuple(identity)


@dataclass(frozen=True)
class Partials:
    """Fields as arrays, with what ranks and places of this table stand for."""

    table: pa.Table
    fields: list[PartialField]
    arrays: tuple[Array, ...]
    ranked: dict[int, pa.Array]


def read_partials(
    asked: Asked, fields: list[PartialField], table: pa.Table
) -> Partials:
    """The arrays of a product from the columns of a table."""
    arrays: list[Array] = []
    ranked: dict[int, pa.Array] = {}
    known: dict[int, Array | None] = {}
    for index, field in enumerate(fields):
        if field.payloads:
            arrays.append(_places(table, field, known))
            continue
        column = numbers(table.column(field.name), field.name)
        values, known[index] = column.values, column.valid
        if column.ranked is not None:
            ranked[index] = column.ranked
        values = values.astype(field.dtype, copy=False)  # before a wide identity
        if column.valid is not None and field.identity is not None:
            values = np.where(column.valid, values, field.identity)
        arrays.append(values)
    for part in asked.product.parts:
        if part.request.aggregate is WIDE_SUM:  # a sum of low words is a wider word
            high, low = arrays[part.offset : part.stop]
            arrays[part.offset] = high + (low >> 32)
            arrays[part.offset + 1] = low & 0xFFFFFFFF
    return Partials(table, fields, tuple(arrays), ranked)


def _places(
    table: pa.Table, field: PartialField, known: dict[int, Array | None]
) -> Array:
    places = np.arange(len(table))
    if field.beside is None:
        there = table.column(field.columns[0]).is_valid()
        return np.where(there.to_numpy(), places, -1)
    valid = known[field.beside]
    return places if valid is None else np.where(valid, places, -1)


def write_partials(partials: Partials, arrays: tuple[Array, ...]) -> dict[str, Any]:
    """The columns of those partials, whose ranks and places are those of a table."""
    columns: dict[str, Any] = {}
    for index, (field, values) in enumerate(zip(partials.fields, arrays, strict=True)):
        if field.payloads:
            for name in field.columns:
                columns[name] = take_positions(partials.table.column(name), values)
            continue
        after = partials.fields[index + 1] if index + 1 < len(arrays) else None
        absent = None
        if after is not None and after.beside == index:
            absent = arrays[index + 1] < 0
        if index in partials.ranked:
            words = partials.ranked[index]
            out = (values < 0) | (values >= len(words))
            columns[field.name] = words.take(
                pa.array(np.where(out, 0, values), mask=out)
            )
        else:
            columns[field.name] = pa.array(values, _ARROW[field.dtype], mask=absent)
    return columns


def partial_columns(
    calls: tuple[Bound, ...], asked: Asked, partials: Partials, out: tuple[Array, ...]
) -> list[pa.Array]:
    """One Arrow column per call from what a kernel wrote."""
    slots = written(asked.product, out)
    columns = []
    for bound, owned in asked.calls:
        mine = [slots[number] for number in owned]
        output = asked.product.outputs[owned[0]]
        values, valid = mine[0]
        if bound.payload is not None:
            name = partials.fields[output.fields[-1]].column(bound.payload)
            columns.append(take_positions(partials.table.column(name), values[0]))
            continue
        words = partials.ranked.get(output.fields[0]) if output.fields else None
        column = None if words is None else Column(values[0], None, words)
        arrays = [array for found, _ in mine for array in found]
        columns.append(finish(bound, arrays, valid, column))
    assert len(columns) == len(calls), "a holistic call has no partial"
    return columns


PANE = "pane"
ROWS = "rows"


@dataclass(frozen=True)
class Folding:
    """A plan whose partials do not depend on the rows they are made of."""

    plan: Plan
    asked: Asked
    slots: Slots

    @cached_property
    def fields(self) -> list[PartialField]:
        """The columns of the partial."""
        return partial_fields(self.asked, self.slots)

    def fold(self, table: pa.Table) -> pa.Table:
        """The slices of those rows, by key and pane, each once; keys as k0, k1, ..."""
        plan = self.plan
        stream = stream_of(table, plan.by, plan.clock, plan.ties)
        check_room(stream.times, 0 if plan.counts_rows else plan.longest)
        inputs = read_inputs(table, stream, self.slots)
        none = (None,) * len(plan.rules)
        resolved = Resolved(plan, self.asked, self.slots, "slices", none)
        job = Job(resolved, stream, inputs.arrays)
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        assert stream.times is not None
        times = stream.times[slices.edges[:-1]]
        pane = plan.cuts.begins(times)
        ranked = {
            index: inputs.columns[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        payloads = {
            field.column(payload): stream.gather_arrow(table.column(payload))
            for field in self.fields
            for payload in field.payloads
        }
        partials = Partials(pa.table(payloads), self.fields, slices.partials, ranked)
        runs = np.repeat(np.arange(len(slices.runs) - 1), np.diff(slices.runs))
        keys = stream.keys.take(pa.array(runs))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(plan.by)},
                PANE: pa.array(pane),
                ROWS: pa.array(np.diff(slices.edges)),
                **write_partials(partials, slices.partials),
            }
        )


__all__ = ["PANE", "ROWS", "Folding"]
