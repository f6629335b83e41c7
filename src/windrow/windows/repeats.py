"""Sends windows of a key that have one result once, and repeats them where they arrive.

    from a bucket    start   last   windows   result        every 10
                     0       20     3         a
                     30      30     1         b
    rows             0  a    10  a    20  a    30  b

With a slide far shorter than the distance between two rows of a key most windows hold
what the window before them held.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from windrow.loops import ordinals

LAST = "last"  # where the last window of a stretch begins
WINDOWS = "windows"  # how many a row stands for
AT_ONCE = 1 << 16  # windows in a batch, or as many as one stretch has


def sum_windows(table: pa.Table) -> int:
    """How many windows the rows of a table stand for."""
    if WINDOWS not in table.column_names:
        return len(table)
    return int(table.column(WINDOWS).to_numpy().sum())


def each_window(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A row for each window, in place of rows that stand for several."""
    if WINDOWS not in batch.schema.names:
        yield batch
        return
    counts = batch.column(WINDOWS).to_numpy()
    blocks = (np.cumsum(counts) - 1) // AT_ONCE
    edges = np.flatnonzero(np.diff(blocks, prepend=-1, append=-1))
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield _repeat(batch.slice(first, end - first))


def _repeat(batch: pa.RecordBatch) -> pa.RecordBatch:
    counts, starts, lasts = (
        batch.column(name).to_numpy() for name in (WINDOWS, "start", LAST)
    )
    every = (lasts - starts) // np.maximum(counts - 1, 1)
    rows = np.repeat(np.arange(len(counts)), counts)
    later = ordinals(counts) * every[rows]
    repeated = batch.drop_columns([LAST, WINDOWS]).take(pa.array(rows))
    for at, field in enumerate(repeated.schema):
        if field.name in ("start", "end"):
            bounds = pa.array(repeated.column(at).to_numpy() + later)
            repeated = repeated.set_column(at, field, bounds)
    return repeated
