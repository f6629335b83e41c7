"""Contenders over ticks and flights: windows by key, many at once, `over`.

The floor of `over` is the same shuffle and sort, the same columns to Python and back,
with a kernel that computes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial, reduce
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
from .fewer import on_fewer
from .queries import (
    RESULTS,
    floor,
    our_over,
    our_windows,
    over_names,
    spark_over,
    spark_windows,
)
from .sums import Sums, sums_of
from .workers import Watch

TREE, FLOOR = "Spark's segment tree", "the floor"
TWELVE, LONGEST = "twelve windows", "the longest alone"
ASKED = ("sum", "max", "count")


def windows(
    range: int, slide: int, rows: int, keys: int, part: int = 1, column: str = "x"
) -> list[Contender]:
    """Sum, max and count by key and window; Spark's own on a `part` of the rows.

    The column is `x`, floats, or `whole`, the same as whole numbers of 64 bits.
    """
    sums = partial(sums_of, values=RESULTS)

    @cache
    def frame(some: int) -> DataFrame:
        ticks = _ticks(some, keys)
        if column == "x":
            return ticks
        return ticks.withColumn("x", F.expr("cast(x * 1000000 as bigint)"))

    def ours(some: int) -> DataFrame:
        return our_windows(frame(some), range, slide)

    def theirs(some: int) -> DataFrame:
        return spark_windows(frame(some), range, slide)

    case = Case(f"{range} s / {slide} s", sums)
    if part > 1:
        own = case.contenders({OURS: partial(ours, rows)})
        return [*own, on_fewer(SPARK, sums, ours, theirs, rows, part)]
    return case.contenders({OURS: partial(ours, rows), SPARK: partial(theirs, rows)})


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


def many(
    ranges: Sequence[int], slide: int, rows: int, keys: int, part: int = 1
) -> list[Contender]:
    """Windows of all ranges in one call, the longest alone, and Spark's together.

    Spark's own are a union of one query for each range, on a `part` of the rows.
    """
    by_range = partial(sums_of, values=RESULTS)

    frame = cache(lambda some: _ticks(some, keys))

    def together(some: int) -> DataFrame:
        return our_windows(frame(some), list(ranges), slide)

    def theirs(some: int) -> DataFrame:
        own = {str(r): spark_windows(frame(some), r, slide) for r in ranges}
        found = [
            one.select("key", F.lit(name).alias("query"), "window", *RESULTS)
            for name, one in own.items()
        ]
        return reduce(DataFrame.unionAll, found)

    def alone() -> DataFrame:
        return our_windows(frame(rows), ranges[-1], slide)

    case, last = Case(TWELVE, by_range), Case(LONGEST, by_range)
    return [
        *case.contenders({TWELVE: partial(together, rows)}),
        *last.contenders({LONGEST: alone}),
        on_fewer(SPARK, by_range, together, theirs, rows, part),
    ]


def over(
    rows: int,
    frames: Sequence[int],
    calls: Sequence[str] = ASKED,
    *,
    frame: bool = True,
    part: int = 1,
) -> list[Contender]:
    """Aggregates of each key's last rows: ours, Spark's tree, its frame, the floor.

    Spark's frame answers on a `part` of the rows.
    """
    ticks = _ticks(rows, 100)
    asked = (ticks, calls, frames)
    values = over_names(calls, frames)
    case = Case(f"the last {frames} rows", partial(sums_of, values=values))
    theirs = partial(spark_over, *asked)
    switched = partial(segment_tree, ticks.sparkSession)
    idle = case.contender(FLOOR, partial(floor, *asked), checked=False)
    some = cache(lambda n: _ticks(n, 100))
    ours = lambda n: our_over(some(n), calls, frames)  # noqa: E731
    own = lambda n: spark_over(some(n), calls, frames)  # noqa: E731
    framed = [on_fewer(SPARK, case.sums, ours, own, rows, part)] if frame else []
    return [
        *case.contenders({OURS: partial(our_over, *asked)}),
        *framed,
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
