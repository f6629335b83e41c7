"""Reads columns as kernel inputs in stream order, and the facts about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.plan.requests import Read, Slots
from windrow.plan.resolve import Facts

from .columns import Column, numbers
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class KernelInputs:
    """The arrays of a kernel, slot by slot, and the columns that they come from."""

    arrays: tuple[Array, ...]
    columns: dict[Read, Column]


def read_inputs(table: pa.Table, stream: SortedRows, slots: Slots) -> KernelInputs:
    """Read the columns of all calls once, and put them in stream order."""
    columns = {
        (name, as_floats): numbers(table.column(name), name, as_floats=as_floats)
        for name, as_floats in slots.columns
    }
    arrays = [stream.gather(columns[read].values) for read in slots.columns]
    for name in slots.masks:
        column = columns.get((name, False))
        valid = column.valid if column is not None else None
        if valid is None:
            valid = table.column(name).is_valid().to_numpy()
        arrays.append(stream.gather(valid))
    return KernelInputs(tuple(arrays), columns)


def facts_of(
    table: pa.Table, stream: SortedRows, columns: Sequence[str], sums: Sequence[str]
) -> Facts:
    """The facts that complete a plan: nulls, magnitudes, and the longest key."""
    nulls = frozenset(name for name in columns if table.column(name).null_count)
    longest = int((stream.lasts - stream.firsts).max(initial=0))
    magnitudes = {name: _magnitude(table.column(name)) for name in sums}
    return Facts(nulls, magnitudes, longest)


def _magnitude(column: pa.ChunkedArray) -> int:
    """The largest absolute value of a column; decimals count in their last digit."""
    if not len(column):
        return 0
    if pa.types.is_decimal(column.type):
        values = numbers(column, "a sum").values
        return max(abs(int(values.max())), abs(int(values.min())))
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if not pa.types.is_integer(column.type):
        column = pa.chunked_array([numbers(column, "a sum").values])
    bounds = pc.min_max(column)
    return max(abs(int(bounds[side].as_py() or 0)) for side in ("min", "max"))


__all__ = ["KernelInputs", "facts_of", "read_inputs"]
