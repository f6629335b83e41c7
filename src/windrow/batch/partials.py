"""Stores partials as columns of a table, which can be sorted, shipped and merged.

    field of the partial      column                     read back as
    a number                  p3: the number             itself; null is the identity
    rank of a string          p3: the string             its rank in the new table
    a sketch                  p3: its bytes              itself; null is no value
    place of a row            p3_0: the payload there    its place in the new table

A place is missing if the value beside it (`arg_max`) or its payload (`first`) is null.

`Folding` makes such a table of rows, slice by slice:

    keys | pane: the instant at which the slice begins | rows in it | partial
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.aggregates import WIDE_SUM
from windrow.aggregates.types import reading
from windrow.kernels import ProductPart
from windrow.loops import as_arrow
from windrow.plan.aggregate import Plan
from windrow.plan.bind import BoundCall
from windrow.plan.requests import KernelRequest, Slots
from windrow.plan.resolved import Resolved
from windrow.sketches import Sketch

from .columns import Column, numbers, plain_array
from .kernel_inputs import KernelInputs, read_inputs
from .results import finish, take_positions, written
from .sketches import sketch_stretches
from .slices import Job, cut_slices
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class PartialField:
    """One field of a product, with its column, or the columns of its payloads.

    `ranked` is the column whose values it ranks; `beside` the field that is null
    where there is no place.
    """

    name: str
    dtype: str
    identity: Any
    ranked: str | None
    payloads: tuple[str, ...]
    beside: int | None
    sketch: Sketch | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the field's columns."""
        return [self.column(p) for p in self.payloads] or [self.name]

    def column(self, payload: str) -> str:
        """The name of the column of a payload."""
        return f"{self.name}_{self.payloads.index(payload)}"


def partial_fields(request: KernelRequest, slots: Slots) -> list[PartialField]:
    """The fields of a product in order, with their columns."""
    ranks, payloads = _ranked_slots(request, slots), _payloads(request)
    fields = []
    for part in request.product.parts:
        inputs, kinds = part.request.slots, part.request.aggregate.fields
        column = ranks.get(inputs[0]) if inputs else None
        pairs = zip(part.dtypes, _identity(part), strict=True)
        for number, (dtype, identity) in enumerate(pairs):
            index = part.offset + number
            is_value = number < len(kinds) and kinds[number].kind == "value"
            ranked = column if is_value else None
            names = tuple(payloads.get(index, ()))
            beside = index - 1 if names and number else None
            field = PartialField(f"p{index}", dtype, identity, ranked, names, beside)
            fields.append(field)
    for index, bound in enumerate(request.sketches, len(fields)):
        name, sketch = f"p{index}", bound.sketch
        fields.append(PartialField(name, "object", None, None, (), None, sketch))
    return fields


def _ranked_slots(request: KernelRequest, slots: Slots) -> dict[int, str]:
    """The columns that kernels read as ranks, by slot."""
    types = {
        column: kind
        for bound, _ in request.calls
        for column, kind in zip(bound.columns, bound.types, strict=True)
    }
    pairs = slots.columns.items()
    return {
        slot: c for (c, _), slot in pairs if c in types and reading(types[c]) == "rank"
    }


def _payloads(request: KernelRequest) -> dict[int, dict[str, None]]:
    """The payload columns of each field that is a place, in order."""
    payloads: dict[int, dict[str, None]] = {}
    for bound, outputs in request.calls:
        if bound.payload is not None:
            place = request.product.outputs[outputs[0]].fields[-1]
            payloads.setdefault(place, {})[bound.payload] = None
    return payloads


def _identity(part: ProductPart) -> tuple[Any, ...]:
    if part.request.aggregate.is_users:
        return (None,) * len(part.dtypes)  # its columns have no nulls
    identity = part.request.aggregate.identity
    if isinstance(identity, dict):
        identity = identity[part.request.kind]
    return (*identity, 0) if part.optional else tuple(identity)


@dataclass(frozen=True)
class Partials:
    """Fields as arrays, with the table and values that places and ranks refer to."""

    table: pa.Table
    fields: list[PartialField]
    arrays: tuple[Array, ...]
    ranked: dict[int, pa.Array]


def read_partials(
    request: KernelRequest,
    fields: list[PartialField],
    table: pa.Table,
    *,
    packed: bool = False,
) -> Partials:
    """The arrays of a product from the columns of a table.

    Sketches are objects, or `packed` where windows are answered over whole columns.
    """
    arrays: list[Any] = []
    ranked: dict[int, pa.Array] = {}
    for index, field in enumerate(fields):
        if field.payloads:
            first = field.columns[0]
            beside = first if field.beside is None else fields[field.beside].name
            valid = table.column(beside).is_valid().to_numpy()
            arrays.append(np.where(valid, np.arange(len(table)), -1))
            continue
        if field.sketch is not None:
            column, sketch = table.column(field.name), field.sketch
            as_packed = packed and sketch.whole_columns
            arrays.append(sketch.pack(column) if as_packed else sketch.load_all(column))
            continue
        column = numbers(table.column(field.name), field.name)
        if column.ranked is not None:
            ranked[index] = column.ranked
        values = column.values.astype(field.dtype, copy=False)  # before a wide identity
        if column.valid is not None and field.identity is not None:
            values = np.where(column.valid, values, field.identity)
        arrays.append(values)
    for part in request.product.parts:
        if part.request.aggregate is WIDE_SUM:  # a sum of low words is a wider word
            high, low = arrays[part.offset : part.stop]
            arrays[part.offset] = high + (low >> 32)
            arrays[part.offset + 1] = low & 0xFFFFFFFF
    return Partials(table, fields, tuple(arrays), ranked)


def write_partials(partials: Partials, arrays: tuple[Array, ...]) -> dict[str, Any]:
    """The columns of arrays whose ranks and places are those of `partials`."""
    columns: dict[str, Any] = {}
    for index, (field, values) in enumerate(zip(partials.fields, arrays, strict=True)):
        if field.payloads:
            for name in field.columns:
                columns[name] = take_positions(partials.table.column(name), values)
            continue
        if field.sketch is not None:
            is_bytes = isinstance(values, pa.Array)
            columns[field.name] = values if is_bytes else field.sketch.dump_all(values)
            continue
        if index in partials.ranked:
            words = partials.ranked[index]
            null = (values < 0) | (values >= len(words))
            ranks = as_arrow(np.where(null, 0, values), null)
            columns[field.name] = words.take(ranks)
            continue
        mask = None
        if index + 1 < len(arrays) and partials.fields[index + 1].beside == index:
            mask = arrays[index + 1] < 0
        columns[field.name] = as_arrow(values, mask)
    return columns


def partial_columns(
    calls: tuple[BoundCall, ...],
    request: KernelRequest,
    partials: Partials,
    out: tuple[Array, ...],
    sketched: Mapping[str, pa.Array] = MappingProxyType({}),
) -> list[pa.Array]:
    """The results of those calls as an Arrow column each, from a kernel's output.

    `sketched` are those of sketches, by name.
    """
    slots = written(request.product, out)
    names = {bound.name for bound in calls}
    columns = dict(sketched)
    for bound, outputs in request.calls:
        if bound.name not in names:
            continue
        output = request.product.outputs[outputs[0]]
        values, valid = slots[outputs[0]]
        if bound.payload is not None:
            name = partials.fields[output.fields[-1]].column(bound.payload)
            places = take_positions(partials.table.column(name), values[0])
            columns[bound.name] = places
            continue
        words = partials.ranked.get(output.fields[0]) if output.fields else None
        column = None if words is None else Column(values[0], None, words)
        arrays = [array for number in outputs for array in slots[number][0]]
        columns[bound.name] = finish(bound, arrays, valid, column)
    assert len(columns) == len(calls), "a holistic call has no partial"
    return [columns[bound.name] for bound in calls]


PANE = "pane"
ROWS = "rows"


@dataclass(frozen=True)
class PartialLayout:
    """The product of a query, and the columns in which its partials are stored."""

    request: KernelRequest
    slots: Slots

    @cached_property
    def fields(self) -> list[PartialField]:
        """The fields of the partial, with their columns."""
        return partial_fields(self.request, self.slots)

    def columns(
        self,
        table: pa.Table,
        rows: SortedRows,
        inputs: KernelInputs,
        arrays: tuple[Array, ...],
    ) -> dict[str, Any]:
        """Partials that were folded from rows of a table, as columns."""
        ranked = {
            index: inputs.columns[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        payloads = {
            field.column(payload): rows.gather_arrow(table.column(payload))
            for field in self.fields
            for payload in field.payloads
        }
        partials = Partials(pa.table(payloads), self.fields, arrays, ranked)
        return write_partials(partials, arrays)


@dataclass(frozen=True)
class Folding:
    """Folds rows into slices, by a plan whose product does not depend on the rows."""

    plan: Plan
    request: KernelRequest
    slots: Slots

    @cached_property
    def layout(self) -> PartialLayout:
        """The product, and the columns of its partials."""
        return PartialLayout(self.request, self.slots)

    @property
    def fields(self) -> list[PartialField]:
        """The fields of the partial, with their columns."""
        return self.layout.fields

    def fold(self, table: pa.Table) -> pa.Table:
        """The slices of a table, each once, by key (k0, k1, ...) and pane."""
        plan = self.plan
        rows = sort_rows(table, plan.by, plan.clock, plan.ties)
        check_room(rows.extremes, 0 if plan.counts_rows else plan.longest)
        inputs = read_inputs(table, rows, self.slots)
        choices = (None,) * len(plan.rules)
        resolved = Resolved(plan, self.request, self.slots, "slices", choices)
        slices = cut_slices(Job(resolved, rows, inputs.arrays), always=True)
        assert rows.times is not None
        folded = slices.partials or ()
        for bound in self.request.sketches:
            values = plain_array(rows.gather_arrow(table.column(bound.columns[0])))
            bounds = slices.edges[:-1], slices.edges[1:]
            folded += (sketch_stretches(bound.sketch, values, *bounds),)
        panes = plan.cuts.begins(rows.times[slices.edges[:-1]])
        runs = np.repeat(np.arange(len(slices.runs) - 1), np.diff(slices.runs))
        keys = rows.keys.take(as_arrow(runs))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(plan.by)},
                PANE: as_arrow(panes),
                ROWS: as_arrow(np.diff(slices.edges)),
                **self.layout.columns(table, rows, inputs, folded),
            }
        )
