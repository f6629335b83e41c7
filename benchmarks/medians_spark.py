"""The median of the last 1,000 rows on Spark, beside its `percentile` over a frame."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, race
from windrow_bench.measure.session import read, session, versions

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings
from ._spark_turns import OURS, SPARK

NAME = "medians-spark"
KEYS, ROWS, LEAST = 100, 1_000, 10.0


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Both into a sink that counts and adds up; answers are compared by their sum."""
    rows = settings.spark_rows // 10
    with tempfile.TemporaryDirectory(prefix="windrow-bench-spark-") as name:
        path = workloads.ticks_file(Path(name), rows, KEYS)
        with session() as spark:
            frame = read(spark, path)
            frame.createOrReplaceTempView("ticks")
            key, at, value = "key", "at", "x"

            def added(result: Any) -> float:
                return float(result.selectExpr("sum(m) as s").first()["s"])

            def by_windrow() -> float:
                median = wr.median(value, last=ROWS)
                return added(wr.over(frame, on=at, by=key, m=median))

            def by_spark() -> float:
                return added(
                    spark.sql(
                        f"select percentile({value}, 0.5) over (partition by {key} "
                        f"order by {at} rows between {ROWS - 1} preceding and current "
                        "row) as m from ticks"
                    )
                )

            expected = by_spark()

            def check(answer: float) -> None:
                if not np.isclose(answer, expected, rtol=1e-9):
                    raise WrongAnswer("medians differ from Spark's percentile")

            contenders = [
                Contender(OURS, by_windrow, check),
                Contender(SPARK, by_spark, check),
            ]
            took = race(contenders, settings.spark_rounds, settings.spark_patience)
    say(", ".join(f"{who} {seconds:.2f} s" for who, seconds in took.items()))
    table = Table(
        f"Median of the last {ROWS:,} rows, {rows:,} rows, {KEYS} keys",
        ["", "seconds"],
        [[who, seconds] for who, seconds in took.items()],
    )
    bars = [
        Bar("times the speed of Spark's percentile", took[SPARK] / took[OURS], LEAST)
    ]
    return Result(NAME, "Spark: exact medians", [table], bars, [versions()])
