"""A short recording played again and again, with time moved on.

    rows     a b c d | a b c d | a b
    time     0 1 1 3 | 4 5 5 7 | 8 9       period 4: the span, 3, and a usual gap, 1

Every column of instants moves by the period, so that lengths of events stay; all other
columns are the same memory again.  Where time does not fall in the recording, it does
not fall in the result.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ._dataset import INSTANT, SECOND, Array


def repeated(table: pa.Table, time: str, rows: int) -> pa.Table:
    """The first `rows` rows of the table without end; it has one row at least."""
    period = _period(table[time].cast(pa.int64()).to_numpy())
    times = -(-rows // table.num_rows)
    laps = [_moved(table, lap * period) for lap in range(times)]
    return pa.concat_tables(laps).slice(0, rows)


def _period(instants: Array) -> int:
    """From the first row of a lap to that of the next: the span and the median gap.

    Of two gaps in the middle the shorter: whole seconds stay whole.
    """
    distinct = np.unique(instants)
    gaps = np.sort(np.diff(distinct))
    gap = gaps[(len(gaps) - 1) // 2] if len(gaps) else SECOND
    return int(distinct[-1] - distinct[0] + gap)


def _moved(table: pa.Table, by: int) -> pa.Table:
    columns = [
        pc.add(column, pa.scalar(by, pa.duration("us")))
        if column.type == INSTANT
        else column
        for column in table.columns
    ]
    return pa.table(columns, schema=table.schema)
