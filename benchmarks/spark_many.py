"""Twelve windows in one call on Spark, beside one, and beside twelve of Spark's own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from windrow_bench.measure.race import race
from windrow_bench.measure.session import read, session, versions
from windrow_bench.measure.spark.queries import our_windows, spark_windows

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings
from ._spark_answers import by_numpy, by_query, of_queries, of_windows
from ._spark_turns import OURS, SPARK, Case

NAME = "spark-many"
MINUTES = (5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60)
KEYS, SLIDE = 100, 60
MOST, LEAST = 2.5, 20.0


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """One call against one window, and against twelve jobs."""
    ranges = [60 * minutes for minutes in MINUTES]
    with tempfile.TemporaryDirectory(prefix="windrow-bench-spark-") as name:
        rows = settings.spark_rows
        path = workloads.ticks_file(Path(name), rows, KEYS)
        events = workloads.ticks(rows, KEYS)
        expected = {range_: by_numpy(events, range_, SLIDE) for range_ in ranges}
        with session() as spark:
            frame = read(spark, path)
            several = by_query({str(one): expected[one] for one in ranges})
            together = Case("twelve", of_queries, say, several).contender(
                OURS, partial(our_windows, frame, ranges, SLIDE)
            )
            longest = Case("one", of_windows, say, expected[ranges[-1]]).contender(
                OURS, partial(our_windows, frame, ranges[-1], SLIDE)
            )
            theirs = [
                Case(f"{one // 60} minutes", of_windows, say, expected[one]).contender(
                    SPARK, partial(spark_windows, frame, one, SLIDE)
                )
                for one in ranges
            ]
            took = race([together, longest], settings.spark_rounds)
            took |= race(theirs, 1)  # some minutes a round
    ours, one = took[together.name], took[longest.name]
    spark_s = sum(took[single.name] for single in theirs)
    seconds = {
        "windrow, twelve windows in one call": ours,
        "windrow, the longest of them alone": one,
        "Spark, twelve jobs with window()": spark_s,
        "Spark, the longest of them alone": took[theirs[-1].name],
    }
    rows_of = [[name, took_, took_ / ours] for name, took_ in seconds.items()]
    table = Table(
        "Sum, max and count", ["", "seconds", "times the one call's"], rows_of
    )
    return Result(
        NAME,
        "Spark: twelve windows at once",
        [table],
        [
            Bar("twelve windows: times one window's time", ours / one, MOST, False),
            Bar("twelve windows: times the speed of Spark's", spark_s / ours, LEAST),
        ],
        [
            (
                f"{settings.spark_rows:,} rows, 100 a second, {KEYS} keys; ranges of "
                f"{', '.join(map(str, MINUTES))} minutes, every minute. {versions()}. "
                "Parquet in, `noop` out; answers checked by numpy. Windrow: best of "
                f"{settings.spark_rounds} rounds after a warm-up, Spark: one."
            )
        ],
    )
