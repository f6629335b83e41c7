"""What came in a step: rows that are in time, and rows that are late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.sorted_rows import times_of
from windrow.windows.clock import Clock

from .store import Told

Array = np.ndarray[Any, Any]


def admit(
    fed: Sequence[pa.Table],
    schema: pa.Schema,
    clock: Clock,
    is_late: Callable[[Array], Array],
    told: Told,
    *,
    keep_late: bool,
) -> tuple[pa.Table, Array]:
    """The rows that are in time, in the columns of `schema`, and their times.

    A row without a time is late: nothing that it belongs to is still open.
    """
    plain = pa.schema([(one.name, one.type) for one in schema])
    kept, times = [plain.empty_table()], [np.empty(0, np.int64)]
    for table in fed:
        found, known = times_of(table, clock)
        late = is_late(found)
        if known is not None:
            late |= ~known
        told.rows_in += len(table)
        told.late_rows += int(late.sum())
        if keep_late and late.any():
            told.late.append(table.filter(pa.array(late)))
        rows = table.select(plain.names).cast(plain)
        kept.append(rows.filter(pa.array(~late)) if late.any() else rows)
        times.append(found[~late])
    return pa.concat_tables(kept).combine_chunks(), np.concatenate(times)


__all__ = ["admit"]
