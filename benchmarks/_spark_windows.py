"""Sliding and tumbling windows by key, beside Spark's `groupBy(window())`.

Spark copies a row into each window that holds it: 60 copies at 60 s / 1 s, 3,600 at
an hour, where it is not asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from windrow_bench.measure.race import Contender, race
from windrow_bench.measure.session import read
from windrow_bench.measure.spark.queries import our_windows, spark_windows

from . import workloads
from ._report import Bar, Table
from ._settings import Settings
from ._spark_answers import by_numpy, by_query, of_queries, of_windows
from ._spark_turns import OURS, SPARK, Case, Part, Say


@dataclass(frozen=True)
class Asked:
    """A window in seconds, and by how much Spark is to be beaten if it is asked."""

    range: int
    slide: int = 1
    bar: float | None = None

    @property
    def name(self) -> str:
        """As the tables have it."""
        return f"{self.range:,} s / {self.slide} s"


FEW, MANY = 8, 1_000
MINUTE, FIVE, HOUR = Asked(60, bar=6.0), Asked(300, bar=30.0), Asked(3_600)
LIST = (MINUTE, FIVE, HOUR)
BY_FEW = (Asked(60, 60, 0.9), *LIST)
BY_MANY = (Asked(60, bar=5.0),)
LISTED = "all three"
HEADER = ["keys", "window", "Spark (s)", "windrow (s)", "times as fast"]
Times = dict[str, float]


def run(spark: SparkSession, folder: Path, settings: Settings, say: Say) -> Part:
    """Few keys and many; a list of windows in one call."""
    table = Table("Sum, max and count by key and window", HEADER, [])
    part = Part([table])
    for keys, asked in ((FEW, BY_FEW), (MANY, BY_MANY)):
        took = _measure(spark, folder, settings, say, keys, asked)
        for one in asked:
            ours, theirs = (took.get(f"{one.name}, {who}") for who in (OURS, SPARK))
            assert ours is not None
            ahead = theirs / ours if theirs else None
            cells = [one.name, theirs or "not run", ours, ahead or ""]
            table.rows.append([f"{keys:,}", *cells])
            if one.bar and ahead:
                text = f"{keys:,} keys, {one.name}: times Spark's speed"
                part.bars.append(Bar(text, ahead, one.bar))
        if keys == FEW:
            part.bars.append(_hour_beside_minute(took))
            part.tables.append(_list_beside_calls(took))
    return part


def _measure(
    spark: SparkSession,
    folder: Path,
    settings: Settings,
    say: Say,
    keys: int,
    asked: tuple[Asked, ...],
) -> Times:
    frame = read(spark, workloads.ticks_file(folder, settings.spark_rows, keys))
    events = workloads.ticks(settings.spark_rows, keys)
    expected = {one: by_numpy(events, one.range, one.slide) for one in asked}
    contenders: list[Contender] = []
    for one in asked:
        case = Case(one.name, of_windows, say, expected[one])
        ours = partial(our_windows, frame, one.range, one.slide)
        theirs = partial(spark_windows, frame, one.range, one.slide)
        contenders.append(case.contender(OURS, ours))
        if one.bar:
            contenders.append(case.contender(SPARK, theirs))
    if set(LIST) <= set(asked):
        several = by_query({str(one.range): expected[one] for one in LIST})
        ranges = [one.range for one in LIST]
        contenders.append(
            Case(LISTED, of_queries, say, several).contender(
                OURS, partial(our_windows, frame, ranges, 1)
            )
        )
    say(f"{keys:,} keys: answers are checked first")
    return race(contenders, settings.spark_rounds, settings.spark_patience)


def _hour_beside_minute(took: Times) -> Bar:
    hour, minute = (took[f"{one.name}, {OURS}"] for one in (HOUR, MINUTE))
    text = f"{FEW} keys, {HOUR.name}: time as a multiple of our own {MINUTE.name}"
    return Bar(text, hour / minute, 1.3, at_least=False)


def _list_beside_calls(took: Times) -> Table:
    together = took[f"{LISTED}, {OURS}"]
    seconds = {
        "windrow, the list in one call": together,
        "windrow, three calls": sum(took[f"{one.name}, {OURS}"] for one in LIST),
        f"Spark, {MINUTE.name} alone": took[f"{MINUTE.name}, {SPARK}"],
    }
    return Table(
        f"{FEW} keys, {', '.join(one.name for one in LIST)} as a list",
        ["", "seconds", "times the one call's"],
        [[name, took, took / together] for name, took in seconds.items()],
    )
