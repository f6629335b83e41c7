"""`wr.over` on a sorted stream of batches: each row comes out once, with its columns.

    batches   | a a a a | a a a a | a b b |            sorted by key, then time
    stretch             |---------|
    carried        + + + . .                           + out already, . still to come
    out                  . . a a                       the last `a` waits for its peers

A row waits where a frame of time takes in its peers and more of them may come: rows
at the last instant of the open key, or without a time while no time has come.  Rows
that a later frame can reach are carried: those within the longest duration, and the
last ones by number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.batch.keys import run_bounds
from windrow.batch.over import over_columns
from windrow.batch.sorted_rows import sorted_stream, times_of
from windrow.plan.over import OverPlan
from windrow.plan.resolve import Facts, ResolvedOver, resolve

from .sweep import as_batches, stretches

Array = np.ndarray[Any, Any]


def roll(
    batches: Iterable[pa.RecordBatch],
    resolved: ResolvedOver,
    *,
    enough: int,
    halo: str | None = None,
) -> Iterator[tuple[pa.Table, dict[str, pa.Array]]]:
    """Stretches of rows and their new columns.

    Rows that are true in column `halo` are there to be looked back at: they do not
    come out.
    """
    plan = resolved.plan
    left: pa.Table | None = None
    out = kept = 0
    for table, final in stretches(batches, lambda: max(enough, kept)):  # noqa: B023 - asked at once
        rows = table if left is None else pa.concat_tables([left, table])
        rows = rows.combine_chunks()
        stream = sorted_stream(rows, plan.by, plan.clock)
        columns = over_columns(rows, resolved, stream)
        stop, start = len(rows), len(rows)
        if not final:
            stop, start = _open_key(rows, plan)
        yield _given(rows, columns, out, stop, halo)
        left, out, kept = rows.slice(start), stop - start, len(rows) - start


def _given(
    rows: pa.Table,
    columns: dict[str, pa.Array],
    start: int,
    stop: int,
    halo: str | None,
) -> tuple[pa.Table, dict[str, pa.Array]]:
    rows = rows.slice(start, stop - start)
    columns = {
        name: column.slice(start, stop - start) for name, column in columns.items()
    }
    if halo is None:
        return rows, columns
    mine = pc.invert(rows.column(halo).combine_chunks())
    return rows.filter(mine), {n: column.filter(mine) for n, column in columns.items()}


def _open_key(rows: pa.Table, plan: OverPlan) -> tuple[int, int]:
    """Up to where rows are out, and from where they are carried."""
    first = int(run_bounds(rows, plan.by)[0][-1])
    stop = start = len(rows)
    durations = [frame for frame in plan.frames if frame.rows is None]
    if durations and plan.clock is not None:
        times, known = times_of(rows.slice(first), plan.clock)
        placed = len(times) if known is None else int(known.sum())
        before = len(times) - placed  # rows without a time stand first
        if not placed:
            return first, first
        now = int(times[-1])
        ticks = max(frame.ticks or 0 for frame in durations)
        mine = times[before:]
        start = first + before + int(np.searchsorted(mine, now - ticks))
        if any(frame.closed in ("both", "right") for frame in durations):
            stop = first + before + int(np.searchsorted(mine, now))
    numbers = [frame.rows for frame in plan.frames if frame.rows is not None]
    if numbers:
        start = min(start, max(stop - max(numbers) + 1, first))
    return stop, min(start, stop, len(rows) - 1)  # one row tells the key


@dataclass(frozen=True)
class RollTask:
    """`roll` as a task: `names` are the incoming columns, `gives` the schema out.

    The first `passed` columns come out again, then the new ones.
    """

    plan: OverPlan
    names: tuple[str, ...]
    passed: int
    gives: pa.Schema
    halo: str | None
    enough: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Run it over the batches of one partition."""
        named = (batch.rename_columns(list(self.names)) for batch in batches)
        resolved = resolve(self.plan, Facts())
        for rows, new in roll(named, resolved, enough=self.enough, halo=self.halo):
            arrays = [*rows.columns[: self.passed], *new.values()]
            yield from as_batches(arrays, self.gives)


__all__ = ["RollTask", "roll"]
