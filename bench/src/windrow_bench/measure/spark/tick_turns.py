"""Contenders over ticks and flights: windows by key, many at once, `over`.

The floor of `over` is the same shuffle and sort, the same columns to Python and back,
with a kernel that computes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench.libraries import load
from windrow_bench.measure.race import Contender, timed
from windrow_bench.measure.session import consume, segment_tree
from windrow_bench.measure.ticks import ticks_file

from . import held
from .case import OURS, SPARK, Case, answering
from .queries import (
    RESULTS,
    floor,
    our_over,
    our_windows,
    over_names,
    spark_over,
    spark_windows,
)
from .sums import Sums, check_sums, sums_of
from .workers import Watch

TREE, FLOOR = "Spark's segment tree", "the floor"
TWELVE, LONGEST = "twelve windows", "the longest alone"
ASKED = ("sum", "max", "count")


def windows(range: int, slide: int, rows: int, keys: int) -> list[Contender]:
    """Sum, max and count by key and window, on both sides."""
    frame = _ticks(rows, keys)
    case = Case(f"{range} s / {slide} s", partial(sums_of, values=RESULTS))
    return case.contenders(
        {
            OURS: partial(our_windows, frame, range, slide),
            SPARK: partial(spark_windows, frame, range, slide),
        }
    )


def alone(
    range: int, rows: int, keys: int, *, hot: bool = False, cores: int | None = None
) -> list[Contender]:
    """Windrow over windows that are too long for Spark, every second.

    A row is in `range` windows, which is enough to tell what all windows together
    must come to.
    """
    frame = _ticks(rows, keys, cores)
    [found] = frame.agg(F.count("x").alias("n"), F.sum("x").alias("total")).collect()
    expected = {name: range * value for name, value in found.asDict().items()}
    case = Case(f"{range} s / 1 s", _added_up, expected=expected)
    return case.contenders({OURS: partial(our_windows, frame, range, 1, hot=hot)})


def _added_up(frame: DataFrame) -> Sums:
    [row] = frame.agg(F.sum("n").alias("n"), F.sum("total").alias("total")).collect()
    return dict(row.asDict())


def many(ranges: Sequence[int], slide: int, rows: int, keys: int) -> list[Contender]:
    """Windows of all ranges in one call, the longest alone, and Spark's, one by one."""
    frame = _ticks(rows, keys)
    said: dict[str, Sums] = {}

    def by_range(found: DataFrame) -> Sums:
        parts = {r: found.where(F.col("query") == str(r)).drop("query") for r in ranges}
        return _of_all({r: sums_of(part, RESULTS) for r, part in parts.items()})

    def theirs() -> list[DataFrame]:
        return [spark_windows(frame, range, slide) for range in ranges]

    def check(who: str, actual: Sums) -> None:
        check_sums(who, actual, said.setdefault("all", actual))

    def run_all() -> None:
        for one in theirs():
            consume(one)

    together = partial(our_windows, frame, list(ranges), slide)
    last = Case(LONGEST, partial(sums_of, values=RESULTS))
    return [
        Contender(
            TWELVE,
            lambda: consume(together()),
            partial(check, TWELVE),
            rehearse=lambda: by_range(together()),
        ),
        *last.contenders({LONGEST: partial(our_windows, frame, ranges[-1], slide)}),
        Contender(
            SPARK,
            run_all,
            partial(check, SPARK),
            rehearse=lambda: _of_all(
                {r: sums_of(f, RESULTS) for r, f in zip(ranges, theirs(), strict=True)}
            ),
        ),
    ]


def _of_all(found: dict[int, Sums]) -> Sums:
    """The numbers of several results as those of one."""
    parts = found.items()
    return {f"{name} of {r}": v for r, sums in parts for name, v in sums.items()}


def over(
    rows: int,
    frames: Sequence[int],
    calls: Sequence[str] = ASKED,
    *,
    frame: bool = True,
) -> list[Contender]:
    """Aggregates of each key's last rows: ours, Spark's tree, its frame, the floor."""
    ticks = _ticks(rows, 100)
    asked = (ticks, calls, frames)
    values = over_names(calls, frames)
    case = Case(f"the last {frames} rows", partial(sums_of, values=values))
    theirs = partial(spark_over, *asked)
    switched = partial(segment_tree, ticks.sparkSession)
    idle = case.contender(FLOOR, partial(floor, *asked), checked=False)
    own = {SPARK: theirs} if frame else {}
    return [
        *case.contenders({OURS: partial(our_over, *asked), **own}),
        replace(case.contender(TREE, theirs, switched), name=TREE),
        replace(idle, name=FLOOR),
    ]


def flights(length: str) -> list[Contender]:
    """The demo's query over a year of flights, every five minutes."""
    module: Any = load("windrow.cli._flights")
    frame = module.read_flights(held.on(), held.folder())
    case = Case(length, partial(sums_of, values=("flown", "mean", "worst")))
    forms = {OURS: module.by_windrow, SPARK: module.by_spark}
    return case.contenders(
        {n: partial(form, frame, length) for n, form in forms.items()}
    )


def median(rows: int, keys: int, last: int) -> list[Contender]:
    """The median of each key's last rows, beside `percentile` over a frame."""
    frame = _ticks(rows, keys)
    sql = (
        "select key, at, percentile(x, 0.5) over (partition by key order by at rows "  # noqa: S608
        f"between {last - 1} preceding and current row) as m from {{ticks}}"
    )

    def ours() -> DataFrame:
        found: DataFrame = wr.over(
            frame, on="at", by="key", m=wr.median("x", last=last)
        )
        return found.select("key", "at", "m")

    case = Case("median", partial(sums_of, values=("m",)))
    own = partial(frame.sparkSession.sql, sql, None, ticks=frame)
    return case.contenders({OURS: ours, SPARK: own})


def on_cores(cores: int, range: int, rows: int, rounds: int) -> list[float]:
    """Seconds of windows over one key that is known to be hot, on so many cores."""
    [one] = alone(range, rows, 1, hot=True, cores=cores)
    assert one.rehearse is not None
    one.check(one.rehearse())
    return [timed(one.call)[0] for _ in _rounds(rounds)]


def worker_peak(range: int, rows: int, keys: int) -> int:
    """The most bytes that a Python worker of a fresh session held."""
    held.renew()
    with Watch() as watch, answering("memory"):
        consume(our_windows(_ticks(rows, keys), range, 1))
    assert watch.peaks, "no Python worker was seen in /proc"
    return watch.highest


_rounds = range


def _ticks(rows: int, keys: int, cores: int | None = None) -> DataFrame:
    spark = held.on(cores)
    return held.framed(spark, ticks_file(held.folder(), rows, keys))
