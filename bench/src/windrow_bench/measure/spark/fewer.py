"""A rival that is far behind answers over fewer rows, and its time is scaled up.

    few / 2     half             seconds of a call, after one that warms up
    few         whole            what is timed in the trial
    all of them whole + (part - 1) * 2 * (whole - half)

What a job costs however few rows it has, planning and starting tasks, is in both times
and is counted once: scaled with the rows it would speak for us.  Where the cost of a
row rises with their number, as by spilled groups or longer frames, the scaled time is
too short, which speaks for the rival.  It is never more than `part` times its time.
Its answer is compared with ours over the same fewer rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pyspark.sql import DataFrame

from windrow_bench.measure.race import Contender, timed
from windrow_bench.measure.session import consume

from .case import Case
from .sums import Sums

OnRows = Callable[[int], DataFrame]


def on_fewer(
    who: str,
    sums: Callable[[DataFrame], Sums],
    ours: OnRows,
    theirs: OnRows,
    rows: int,
    part: int,
) -> Contender:
    """Who answers over one `part` of the rows; both sides are given a number of them.

    With a part of 1 it answers over all of them, and nothing is scaled.
    """
    few = rows // part
    case = Case(f"{who} on {few:,} rows", sums)
    own = case.contender(who, lambda: theirs(few))

    def rehearse() -> Sums:
        case.expected = sums(ours(few))
        return sums(theirs(few))

    scale = 1.0
    if part > 1:
        _, half, whole = (_seconds(theirs, n) for n in (few // 2, few // 2, few))
        scale = scale_of(half, whole, part)
    return replace(own, name=who, rehearse=rehearse, scale=scale)


def scale_of(half: float, whole: float, part: int) -> float:
    """By how much the time over a part of the rows is multiplied, 1 to `part`."""
    all_rows = whole + (part - 1) * 2 * (whole - half)
    return min(max(all_rows / whole, 1.0), float(part))


def _seconds(build: OnRows, rows: int) -> float:
    return timed(lambda: consume(build(rows)))[0]
