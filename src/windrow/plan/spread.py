"""Lays `wr.over` out over many tasks: by key, or in pieces with a halo.

    none      the rows of a key meet in one task, which carries what it looks back at;
              so do all rows without a key if a frame has no beginning
    chunks    no key, durations only: chunks of time aligned to the epoch
    blocks    no key, numbers of rows: blocks, found by a first pass over the times

A chunk or block also gets the rows before it that its first rows look back at, and
those after it that its last rows look ahead at.
"""

from __future__ import annotations

from windrow._later import dataclass
from windrow.errors import WindowError

from .over import OverPlan

CHUNK_RANGES = 8  # durations in a chunk: an eighth of the rows is copied


@dataclass(frozen=True)
class Spread:
    """How rows are split, and why.

    `chunk` is in ticks; rows look back and ahead over `reach` ticks and `rows` rows.
    """

    split: str
    reason: str
    chunk: int = 0
    reach: tuple[int, int] | None = None
    rows: tuple[int, int] = (0, 0)


def spread_over(plan: OverPlan) -> Spread:
    """Lay a plan of `wr.over` out over many tasks."""
    if plan.clock is None:
        frame = next(iter(plan.frames))
        raise WindowError.because(
            f"cannot look back over the {frame.text} of a distributed table",
            "its rows have no order, and no time column is named",
            "say which, as in wr.over(..., on='ts')",
        )
    if plan.span is not None and not plan.by:
        raise WindowError.because(
            "cannot look back over the events of a distributed table without a key",
            "one that is under way may have begun at any time, in any task",
            "give a key: wr.over(..., by='machine')",
        )
    if plan.by:
        return Spread("none", "the rows of a key meet in one task, in order of time")
    if any(frame.is_everything for frame in plan.frames):
        reason = "no key, and a frame without a beginning: all rows meet in one task"
        return Spread("none", reason)
    before = max(frame.before for frame in plan.frames)
    after = max(frame.after for frame in plan.frames)
    reach = plan.reach if any(not f.counts_rows for f in plan.frames) else None
    if reach is not None and not any(f.counts_rows for f in plan.frames):
        reason = "no key: chunks of time, each with the rows that it looks back at"
        if reach[1]:
            reason = "no key: chunks of time, each with the rows that it looks at"
        return Spread("chunks", reason, CHUNK_RANGES * sum(reach), reach)
    reason = "no key, and rows are counted back: a first pass counts rows in time"
    return Spread("blocks", reason, 0, reach, (before + 1, after))


def check_bounded(plan: OverPlan) -> None:
    """Refuse frames of a stream without a beginning, or with rows to come."""
    for frame, calls in plan.frames.items():
        if frame.ahead:
            raise WindowError.because(
                f"cannot give rows of a stream {calls[0].name!r} over the {frame.text}",
                "they would have to wait for rows that have not come",
                "leave out next=, or use wr.over on a batch",
            )
        if frame.is_everything:
            raise WindowError.because(
                f"cannot give rows of a stream {calls[0].name!r} over {frame.text}",
                "all rows of a key would be kept",
                "say how far back, as in last='90 days' or last=1000",
            )
