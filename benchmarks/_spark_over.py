"""`wr.over` beside Spark's `rowsBetween`, its segment tree, and doing nothing at all.

The floor is the same shuffle and sort, the same columns to Python and back, with a
kernel that computes nothing: what is left above it is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from windrow_bench.measure.race import race
from windrow_bench.measure.session import read, segment_tree
from windrow_bench.measure.spark.queries import floor, our_over, over_names, spark_over

from . import workloads
from ._report import Bar, Table
from ._settings import Settings
from ._spark_answers import of_rows
from ._spark_turns import OURS, SPARK, Case, Part, Say

KEYS = 100
TREE, FLOOR = "Spark's segment tree", "the floor"


@dataclass(frozen=True)
class Asked:
    """Aggregates of `x` over the last so many rows; bars by contender."""

    name: str
    aggregates: tuple[str, ...]
    frames: tuple[int, ...]
    bars: dict[str, float]


ONE = Asked(
    "sum, max and count of the last 1,000 rows",
    ("sum", "max", "count"),
    (1_000,),
    {SPARK: 8.0, TREE: 1.3},
)
TWELVE = Asked(
    "sum, max, min and count of the last 100, 1,000 and 10,000 rows",
    ("sum", "max", "min", "count"),
    (100, 1_000, 10_000),
    {TREE: 4.0},
)
ABOVE_FLOOR = 2.2


def run(spark: SparkSession, folder: Path, settings: Settings, say: Say) -> Part:
    """One frame and three; default Spark has to do with one."""
    part = Part()
    for asked in (ONE, TWELVE):
        took = _measure(spark, folder, settings, say, asked)
        ours = took[OURS]
        rows = [[who, seconds, seconds / ours] for who, seconds in took.items()]
        header = ["", "seconds", "times windrow's"]
        part.tables.append(Table(f"{asked.name}, {KEYS} keys", header, rows))
        count = len(over_names(asked.aggregates, asked.frames))
        for who, bar in asked.bars.items():
            text = f"over, {count} columns: times the speed of {who}"
            part.bars.append(Bar(text, took[who] / ours, bar))
        text = f"over, {count} columns: time as a multiple of the floor"
        part.bars.append(Bar(text, ours / took[FLOOR], ABOVE_FLOOR, at_least=False))
    return part


def _measure(
    spark: SparkSession, folder: Path, settings: Settings, say: Say, asked: Asked
) -> dict[str, float]:
    frame = read(spark, workloads.ticks_file(folder, settings.spark_over_rows, KEYS))
    question = (frame, asked.aggregates, asked.frames)
    names = over_names(asked.aggregates, asked.frames)
    case = Case(f"over, {len(names)} columns", lambda f: of_rows(f, names), say)
    tree = partial(segment_tree, spark)
    contenders = {
        TREE: case.contender(TREE, partial(spark_over, *question), tree),
        OURS: case.contender(OURS, partial(our_over, *question)),
        FLOOR: case.contender(FLOOR, partial(floor, *question), checked=False),
    }
    if SPARK in asked.bars:
        theirs = case.contender(SPARK, partial(spark_over, *question))
        contenders = {SPARK: theirs, **contenders}
    say(f"{asked.name}: answers are checked first")
    took = race(
        list(contenders.values()), settings.spark_rounds, settings.spark_patience
    )
    return {who: took[one.name] for who, one in contenders.items()}
