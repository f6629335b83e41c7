"""Computes `wr.over` on sorted batches: each row is yielded once, with its columns.

    batches   | a a a a | a a a a | a b b |            sorted by key, then time
    stretch             |---------|
    carried        + + + . .                           + yielded already, . not yet
    yielded              . . a a                       the last `a` waits for its peers

A row waits if a frame of time includes its peers and more of them may come: rows at the
last instant of the open key, or without a time before the first row with one; and if it
looks ahead, at rows that may come.  Rows that a later frame can reach are carried into
the next stretch: those within the longest duration, the last ones by number, or all of
the key where a frame has no beginning.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow._later import dataclass
from windrow.batch.columns import run_bounds
from windrow.batch.over import over_columns
from windrow.batch.sorted_rows import rows_in_order, times_of
from windrow.loops import TaskLane, running
from windrow.plan.facts import Facts
from windrow.plan.over import OverPlan
from windrow.plan.resolve import resolve
from windrow.plan.resolved import ResolvedOver

from .sweep import Batches, as_batches, join_rows, stretches


def roll(
    batches: Batches, resolved: ResolvedOver, *, enough: int, halo: str | None = None
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Yield stretches of rows and their new columns.

    Rows that are true in column `halo` are read by the frames of others, but are not
    yielded.
    """
    plan = resolved.plan
    rest: pa.Table | None = None
    skip = carried = 0
    for table, final in stretches(batches, lambda: max(enough, carried)):  # noqa: B023 - called at once
        rows = join_rows(rest, table)
        stream = rows_in_order(rows, plan.by, plan.clock)
        new = pa.table(over_columns(rows, resolved, stream))
        stop, start = len(rows), len(rows)
        if not final:
            stop, start = _open_key(rows, plan)
        pair = [part.slice(skip, stop - skip) for part in (rows, new)]
        if halo is not None:
            mask = pc.invert(pair[0].column(halo).combine_chunks())
            pair = [part.filter(mask) for part in pair]
        yield pair[0], pair[1]
        rest, skip, carried = rows.slice(start), stop - start, len(rows) - start


def _open_key(rows: pa.Table, plan: OverPlan) -> tuple[int, int]:
    """The end of the rows to yield, and the start of the rows to carry."""
    first = int(run_bounds(rows, plan.by)[0][-1])
    stop = start = len(rows)
    timed = [frame for frame in plan.frames if not frame.counts_rows]
    placed = first
    if timed and plan.clock is not None:
        times, has_time = times_of(rows.slice(first), plan.clock)
        unplaced = 0 if has_time is None else int((~has_time).sum())  # they are first
        if unplaced == len(times):
            return first, first
        placed, times, now = first + unplaced, times[unplaced:], int(times[-1])
        whole = now - max(frame.interval[1] for frame in timed)  # all is there up to it
        stop = placed + int(np.searchsorted(times, whole, side="right"))
    after = max(frame.after for frame in plan.frames)
    stop = max(min(stop, len(rows) - after), first)
    if timed and plan.clock is not None:
        ticks, _ = plan.reach
        waits = int(times[max(stop - placed, 0)]) if stop < len(rows) else now
        if plan.span is not None:  # from the first event on that may be under way
            over, _ = times_of(rows.slice(placed), plan.end_clock)
            start = placed + int(np.argmax(np.append(over >= waits - ticks, True)))
        else:
            start = placed + int(np.searchsorted(times, waits - ticks))
    if stop < placed or any(frame.is_everything for frame in plan.frames):
        return stop, first
    before = max(frame.before for frame in plan.frames)
    if any(frame.counts_rows for frame in plan.frames):
        start = min(start, max(stop - before, first))
    return stop, min(start, stop, len(rows) - 1)  # one row holds the key


@dataclass(frozen=True)
class RollTask:
    """The task of `roll`, from columns `names` to the schema `gives`.

    The first `passed` columns are yielded too, then the new ones; `lane` is how its
    kernels run.
    """

    plan: OverPlan
    names: tuple[str, ...]
    passed: int
    gives: pa.Schema
    halo: str | None
    enough: int
    lane: TaskLane = field(default_factory=TaskLane)

    def __call__(self, batches: Batches) -> Iterator[pa.RecordBatch]:
        """Run the task over the batches of one partition."""
        batches = (batch.rename_columns(list(self.names)) for batch in batches)
        resolved = resolve(self.plan, Facts())
        rolls = roll(batches, resolved, enough=self.enough, halo=self.halo)
        with running(self.lane):
            for rows, new in rolls:
                arrays = [*rows.columns[: self.passed], *new.columns]
                yield from as_batches(arrays, self.gives)
