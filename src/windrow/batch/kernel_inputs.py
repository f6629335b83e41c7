"""The arrays that a kernel reads, and the product that fits them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.plan.bind import Bound
from windrow.plan.requests import Asked, Read, Slots, ask, may_overflow, slots_of

from .columns import Column, numbers
from .sorted_rows import Stream

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Source:
    """Columns in stream order, as a kernel reads them: `arrays` by slot."""

    arrays: tuple[Array, ...]
    columns: dict[Read, Column]
    slots: Slots

    def ask(
        self, calls: Sequence[Bound], rows: int, *, may_be_empty: bool = False
    ) -> Asked:
        """What a kernel is asked for; `rows` is the most that a window can hold."""

        def wide(bound: Bound) -> bool:
            if not may_overflow(bound):
                return False
            values = self.columns[bound.columns[0], False].values
            most = max(abs(int(values.max(initial=0))), abs(int(values.min(initial=0))))
            return most * (rows + 1) >= 2**63

        return ask(calls, self.slots, wide, may_be_empty=may_be_empty)


def source_of(
    table: pa.Table,
    stream: Stream,
    calls: Sequence[Bound],
    slots: Slots | None = None,
) -> Source:
    """Read the columns of all calls once, and put them in stream order.

    Without `slots`, only columns that hold a null get an array of validity.
    """
    wanted = dict.fromkeys(name for bound in calls for name in bound.columns)
    nulls = {name: table.column(name).null_count > 0 for name in wanted}
    if slots is None:
        slots = slots_of(calls, lambda name: nulls[name])
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
    return Source(tuple(arrays), columns, slots)
