"""Reads columns of sorted rows as kernel inputs, and the facts about them."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow._later import dataclass
from windrow.loops import compute as pc
from windrow.plan.bind import BoundCall
from windrow.plan.facts import Facts
from windrow.plan.requests import Read, Slots
from windrow.slicing import Part

from .columns import Column, numbers
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class KernelInputs:
    """The arrays of a kernel, slot by slot, and the columns that they come from."""

    arrays: tuple[Array, ...]
    columns: dict[Read, Column]

    def part(self, rows: slice) -> KernelInputs:
        """The arrays of some rows."""
        return replace(self, arrays=tuple(array[rows] for array in self.arrays))


_NOTHING = np.empty(0, np.int64)


def read_inputs(
    table: pa.Table,
    rows: SortedRows | None,
    slots: Slots,
    computed: Container[str] = (),
) -> KernelInputs:
    """Read the columns of all calls once, sorted as the rows, if these are sorted.

    Nothing stands for columns that are `computed` in the loop.
    """
    columns = {
        (name, as_floats): numbers(table.column(name), name, as_floats=as_floats)
        for name, as_floats in slots.columns
        if name not in computed
    }
    arrays = [
        columns[read].values if read in columns else _NOTHING for read in slots.columns
    ]
    for name in slots.masks:
        if name in computed:
            arrays.append(_NOTHING)
            continue
        column = columns.get((name, False))
        valid = None if column is None else column.valid
        if valid is None:
            valid = table.column(name).is_valid().to_numpy()
        arrays.append(valid)
    if rows is not None:
        arrays = [rows.gather(array) for array in arrays]
    return KernelInputs(tuple(arrays), columns)


def prepare_parts(
    table: pa.Table, rows: SortedRows, calls: Sequence[BoundCall]
) -> pa.Table:
    """The table, ready for threads that each look up rows of their own."""
    looked_up = [
        name
        for bound in calls
        if bound.payload is not None or not bound.aggregate.in_kernels
        for name in (bound.columns if bound.payload is None else (bound.payload,))
    ]
    if not looked_up:
        return table
    _ = rows.order  # once, and not by each of them
    return table.select(list(dict.fromkeys(looked_up))).combine_chunks()


@dataclass(frozen=True)
class TableJob:
    """A table and its sorted rows, ready for a plan to be resolved."""

    table: pa.Table
    plan: Any
    rows: SortedRows
    threads: int = field(default=1, kw_only=True)

    def parts(self, resolved: Any) -> list[Part]:
        """The parts that threads take; none where one thread does it all."""
        del resolved
        return []

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan: nulls, magnitudes, and the longest key."""
        lengths = self.rows.lengths
        run = len(self.rows) / max(len(lengths), 1)
        known = table_facts(self.table, self.plan, int(lengths.max(initial=0)), run)
        return replace(known, threads=self.threads)


def table_facts(table: pa.Table, plan: Any, longest: int, run: float = 0.0) -> Facts:
    """The facts about a table; keys have `longest` rows at most, `run` on average."""
    names = set(plan.reads).intersection(table.column_names)  # others are not there
    columns = {name: table.column(name) for name in names}
    nulls = frozenset(name for name in columns if columns[name].null_count)
    magnitudes = {n: _magnitude(columns[n]) for n in plan.sums if n in columns}
    ranges = {name: _range(columns[name]) for name in plan.ranged}
    return Facts(nulls, magnitudes, longest, ranges=ranges, run=run)


def _range(column: pa.ChunkedArray) -> int:
    """How many values lie between the least and the largest of a column."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    bounds = pc.min_max(column)
    least, most = bounds["min"], bounds["max"]
    if not least.is_valid:
        return 1
    if pa.types.is_date(column.type):
        least, most = least.cast(pa.int32()), most.cast(pa.int32())
    return int(most.as_py()) - int(least.as_py()) + 1


def _magnitude(column: pa.ChunkedArray) -> int:
    """The largest absolute value of a column; decimals count in their last digit."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_integer(column.type):
        column = pa.chunked_array([numbers(column, "a sum").values])
    bounds = pc.min_max(column)
    return max(abs(int(bounds[side].as_py() or 0)) for side in ("min", "max"))
