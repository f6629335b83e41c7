"""Distinct values and medians by sketches on Spark, beside its own over `window()`.

2M rows of 1,000 keys within a day, one hour every minute.  Estimates of the two sides
are never the same: their sums are compared within the errors that both state.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, race
from windrow_bench.measure.session import read, session, versions

from ._report import Bar, Result, Table
from ._settings import Settings
from ._spark_turns import OURS, SPARK

NAME = "sketches-spark"
KEYS, DAY, LEAST = 1_000, 86_400, 10.0
CALLS = {
    "approx_distinct": (wr.approx_distinct("user"), "approx_count_distinct(user)"),
    "approx_quantile": (wr.approx_quantile("x", 0.5), "percentile_approx(x, 0.5)"),
}


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Both into a sink that counts and adds up."""
    lines, bars = [], []
    with tempfile.TemporaryDirectory(prefix="windrow-bench-spark-") as name:
        path = _write(Path(name) / "events.parquet", settings.spark_rows)
        with session() as spark:
            frame = read(spark, path)
            frame.createOrReplaceTempView("events")
            for call in CALLS:
                took = _race(spark, frame, call, settings)
                say(", ".join(f"{call} {who} {s:.2f} s" for who, s in took.items()))
                lines.append([call, took[OURS], took[SPARK], took[SPARK] / took[OURS]])
                text = f"{call}: times the speed of Spark's own"
                bars.append(Bar(text, took[SPARK] / took[OURS], LEAST))
    table = Table(
        f"One hour every minute, {settings.spark_rows:,} rows, {KEYS:,} keys",
        ["", f"{OURS}, seconds", f"{SPARK}, seconds", "ratio"],
        lines,
    )
    return Result(NAME, "Spark: sketches", [table], bars, [versions()])


def _write(path: Path, rows: int) -> Path:
    rng = np.random.default_rng(1)
    seconds = np.sort(rng.integers(0, DAY, rows))
    table = pa.table(
        {
            "key": rng.integers(0, KEYS, rows),
            "at": pa.array(seconds * 10**6, pa.timestamp("us", "UTC")),
            "user": rng.zipf(1.2, rows) % 100_000,
            "x": rng.lognormal(size=rows),
        }
    )
    pq.write_table(table, path)
    return path


def _race(spark: Any, frame: Any, call: str, settings: Settings) -> dict[str, float]:
    ours, theirs = CALLS[call]
    window = wr.sliding("1 hour", every="1 minute", on="at")

    def added(result: Any) -> tuple[int, float]:
        row = result.selectExpr("count(*) as n", "sum(r) as s").first()
        return int(row["n"]), float(row["s"])

    def by_windrow() -> tuple[int, float]:
        return added(wr.aggregate(frame, window, by="key", r=ours))

    def by_spark() -> tuple[int, float]:
        return added(
            spark.sql(
                f"select {theirs} as r from events "
                "group by key, window(at, '1 hour', '1 minute')"
            )
        )

    windows, total = by_spark()

    def check(answer: tuple[int, float]) -> None:
        if answer[0] != windows or not np.isclose(answer[1], total, rtol=0.05):
            raise WrongAnswer(f"{call} differs from Spark's by more than both err")

    contenders = [Contender(OURS, by_windrow, check), Contender(SPARK, by_spark, check)]
    return race(contenders, settings.spark_rounds, settings.spark_patience)
