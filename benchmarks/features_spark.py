"""Features of labels on Spark: beside a join on intervals, and beside a sort.

range join   labels and events of a card within a day, grouped by label
floor        both tables shuffled by card and sorted by time, and nothing else
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, race
from windrow_bench.measure.session import consume, session, versions

from ._labels import LENGTHS, labels, payments, ten_features
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "features-spark"
EVENTS, LABELS = 5_000_000, 500_000
HORIZONS = ("1 hour", "1 day", "7 days", "30 days", "90 days")
ORDER = {"at": "at", "on": "ts", "by": "card"}


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Seconds of each, on the same files."""
    scale = 100 if settings.quick else 1
    with tempfile.TemporaryDirectory(prefix="windrow-bench-labels-") as name:
        folder = Path(name)
        for share in (0.0, 0.5):
            rows = (
                payments(EVENTS // scale, hot=share),
                labels(LABELS // scale, hot=share),
            )
            for what, table in zip(("events", "labels"), rows, strict=True):
                parquet.write_table(table, folder / f"{what}-{share}.parquet")
        with session() as spark:
            took = _race(spark, folder, settings, say)
    ours = took["1 day"]
    spread = [took[horizon] for horizon in HORIZONS]
    rows_of = [[name, seconds, seconds / ours] for name, seconds in took.items()]
    hot = took["one card with half of all, hot=True"] / took["ten features"]
    floor = took["ten features"] / took["shuffle and sort of both"]
    slower = max(spread) / min(spread)
    bars = [
        Bar("1 day: times the speed of a range join", took["join"] / ours, 10),
        Bar("1 hour to 90 days: slowest by fastest", slower, 1.3, False),
        Bar("half of all rows in one key: times none", hot, 1.5, False),
        Bar("ten features: times a shuffle and sort", floor, 2, False),
    ]
    note = (
        f"{EVENTS // scale:,} events, {LABELS // scale:,} labels, 20,000 cards by "
        f"Zipf; ten features are a count and a maximum over {', '.join(LENGTHS)}. "
        f"{versions()}. Parquet in, `noop` out; counts compared with the join's."
    )
    header = ["", "seconds", "times 1 day's"]
    table = Table("Labels with features", header, rows_of)
    return Result(NAME, "Features of labels on Spark", [table], bars, [note])


def _race(
    spark: SparkSession, folder: Path, settings: Settings, say: Callable[[str], None]
) -> dict[str, float]:
    def tables(share: float) -> list[DataFrame]:
        files = [folder / f"{what}-{share}.parquet" for what in ("labels", "events")]
        return [spark.read.parquet(str(file)) for file in files]

    plain, skewed = tables(0.0), tables(0.5)
    joined = by_join(*plain)
    total = joined.agg(F.sum("n")).collect()[0][0]

    def check(answer: Any) -> None:
        if answer is not None and answer != total:
            raise WrongAnswer(f"the labels have {answer} events in all, not {total}")

    one_day = {"n": wr.count(last="1 day")}
    contenders = [
        Contender("join", partial(consume, joined), check),
        Contender("shuffle and sort of both", partial(consume, by_sort(*plain)), check),
        Contender(
            "ten features",
            partial(consume, wr.as_of(*plain, **ORDER, aggregates=ten_features())),
            check,
        ),
        Contender(
            "one card with half of all, hot=True",
            partial(
                consume,
                wr.as_of(*skewed, **ORDER, hot=True, aggregates=ten_features()),
            ),
            check,
        ),
    ]
    summed = wr.as_of(*plain, **ORDER, aggregates=one_day).agg(F.sum("n"))
    for horizon in HORIZONS:
        calls = {"n": wr.count(last=horizon)}
        frame = wr.as_of(*plain, **ORDER, aggregates=calls)
        rehearse = (lambda: summed.collect()[0][0]) if horizon == "1 day" else None
        contenders.append(
            Contender(horizon, partial(consume, frame), check, rehearse=rehearse)
        )
    took = race(contenders, settings.spark_rounds, settings.spark_patience)
    say(", ".join(f"{name} {seconds:.1f} s" for name, seconds in took.items()))
    return took


def by_join(asked: DataFrame, events: DataFrame) -> DataFrame:
    """What people write: a join on the card and the interval, then a group for each."""
    within = "l.card = e.card and e.ts < l.at and e.ts >= l.at - interval 1 day"
    met = asked.alias("l").join(events.alias("e"), F.expr(within), "left")
    return met.groupBy("l.id", "l.at", "l.card").agg(F.count("e.amount").alias("n"))


def by_sort(asked: DataFrame, events: DataFrame) -> DataFrame:
    """The floor: both tables by card and time."""
    both = asked.select("card", F.col("at").alias("ts"), "id").unionByName(
        events.select("card", "ts", "amount"), allowMissingColumns=True
    )
    return both.repartition("card").sortWithinPartitions("card", "ts")
