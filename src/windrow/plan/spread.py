"""Lays `wr.over` out over many tasks: by key, or in pieces with a halo.

    none      the rows of a key meet in one task, which carries what it looks back at
    chunks    no key, durations only: chunks of time aligned to the epoch
    blocks    no key, numbers of rows: blocks, found by a first pass over the times

A chunk or block also gets the rows before it that its first rows look back at.
"""

from __future__ import annotations

from dataclasses import dataclass

from windrow.errors import WindowError

from .over import OverPlan

CHUNK_RANGES = 8  # durations in a chunk: an eighth of the rows is copied


@dataclass(frozen=True)
class Spread:
    """How rows are split, and why; `chunk` and `reach` are in ticks, `rows` in rows."""

    split: str
    reason: str
    chunk: int = 0
    reach: int | None = None
    rows: int = 0


def spread_over(plan: OverPlan) -> Spread:
    """Lay a plan of `wr.over` out over many tasks."""
    if plan.clock is None:
        frame = next(iter(plan.frames))
        raise WindowError.because(
            f"cannot look back over the {frame.text} of a distributed table",
            "its rows have no order, and no time column is named",
            "say which, as in wr.over(..., on='ts')",
        )
    check_bounded(plan, "a distributed table")
    if plan.span is not None and not plan.by:
        raise WindowError.because(
            "cannot look back over the events of a distributed table without a key",
            "one that is under way may have begun at any time, in any task",
            "give a key: wr.over(..., by='machine')",
        )
    if plan.by:
        return Spread("none", "the rows of a key meet in one task, in order of time")
    ticks = [frame.ticks for frame in plan.frames if frame.ticks is not None]
    rows = max((frame.before + 1 for frame in plan.frames if frame.rows), default=0)
    reach = max(ticks, default=None)
    if reach is not None and not rows:
        reason = "no key: chunks of time, each with the rows that it looks back at"
        return Spread("chunks", reason, CHUNK_RANGES * reach, reach)
    reason = "no key, and rows are counted back: a first pass counts rows in time"
    return Spread("blocks", reason, 0, reach, rows)


def check_bounded(plan: OverPlan, place: str) -> None:
    """Refuse frames without a beginning where rows are kept for those to come."""
    for frame, calls in plan.frames.items():
        if frame.rows is None and frame.ticks is None:
            raise WindowError.because(
                f"cannot give rows of {place} {calls[0].name!r} over {frame.text}",
                "all rows of a key would be kept",
                "say how far back, as in last='90 days' or last=1000",
            )
