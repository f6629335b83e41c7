"""Events with a duration on Spark, beside what Spark itself can do.

    join       events joined with all windows of their key on overlap
    explode    each event copied into the windows it overlaps, then groupBy

Intervals of 20 minutes on average, exponential, over a day; 100 keys.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench.measure.race import race
from windrow_bench.measure.session import read, session

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings
from ._spark_answers import Sums
from ._spark_turns import OURS, Case

NAME = "spanning-spark"
MINUTE = 60_000_000
KEYS = 100
ASKED = ((15, 5, None), (60, 1, 10.0))  # minutes, and the bar against both
JOIN, EXPLODE = "Spark, join on overlap", "Spark, explode into windows"


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Both settings, all three ways."""
    table = Table(
        "Count, sum and max by key and window",
        ["window", f"{JOIN} (s)", f"{EXPLODE} (s)", "windrow (s)", "times the better"],
        [],
    )
    bars = []
    with tempfile.TemporaryDirectory(prefix="windrow-bench-spans-") as name:
        path = Path(name) / "events.parquet"
        parquet.write_table(
            intervals(settings.spark_rows), path, row_group_size=workloads.ROW_GROUP
        )
        with session() as spark:
            frame = read(spark, path)
            for length, step, bar in ASKED:
                case = Case(f"{length} min / {step} min", _sums, say)
                took = race(
                    [
                        case.contender(OURS, partial(ours, frame, length, step)),
                        case.contender(EXPLODE, partial(exploded, frame, length, step)),
                        case.contender(JOIN, partial(joined, frame, length, step)),
                    ],
                    settings.spark_rounds,
                    settings.spark_patience,
                )
                mine, copies, met = took.values()
                ahead = min(copies, met) / mine
                table.rows.append([case.name, met, copies, mine, ahead])
                if bar is not None:
                    text = f"{case.name}: times the better of Spark's own ways"
                    bars.append(Bar(text, ahead, bar))
    note = (
        f"{settings.spark_rows:,} intervals of 20 minutes on average, {KEYS} keys, "
        "over a day; `local[2]`, Parquet in, `noop` out; equal in rows and in sums "
        "weighted by key and time."
    )
    return Result(NAME, "Spark: events with a duration", [table], bars, [note])


def intervals(n: int) -> pa.Table:
    """`start`, `end` (microseconds of a day and after), `key` and `v`."""
    rng = np.random.default_rng([workloads.SEED, 7])
    starts = rng.integers(0, workloads.DAY, n) + workloads.NEW_YEAR
    lengths = rng.exponential(20 * MINUTE, n).astype(np.int64)
    kind = pa.timestamp("us", "UTC")
    return pa.table(
        {
            "start": pa.array(starts, kind),
            "end": pa.array(starts + lengths, kind),
            "key": rng.integers(0, KEYS, n, dtype=np.int32),
            "v": rng.integers(0, 1_000, n),
        }
    )


def ours(frame: DataFrame, length: int, step: int) -> DataFrame:
    """Windrow's way."""
    window = wr.sliding(
        f"{length} minutes", every=f"{step} minutes", span=("start", "end")
    )
    found: DataFrame = wr.aggregate(
        frame, window, by="key", n=wr.count(), total=wr.sum("v"), most=wr.max("v")
    )
    return found.select("key", F.unix_micros("window.start").alias("b"),
                        "n", "total", "most")  # fmt: skip


def _timed(frame: DataFrame, length: int, step: int) -> DataFrame:
    """Events with their first and last window, by number."""
    slide, range_ = step * MINUTE, length * MINUTE
    timed = frame.selectExpr(
        "key", "v", "unix_micros(start) as s", "unix_micros(end) as e"
    ).withColumn("last", F.expr("if(e = s, s, e - 1)"))
    return timed.selectExpr(
        "*",
        f"(s - {range_}) div {slide} + 1 as low",
        f"last div {slide} as high",
    )


def _folded(met: DataFrame) -> DataFrame:
    return met.groupBy("key", "b").agg(
        F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
    )


def exploded(frame: DataFrame, length: int, step: int) -> DataFrame:
    """Each event once for every window, by Spark's own functions."""
    numbers = F.expr("explode(sequence(low, high))").alias("w")
    copies = _timed(frame, length, step).select("key", "v", numbers)
    slide = step * MINUTE
    return _folded(copies.selectExpr("key", "v", f"w * {slide} as b"))


def joined(frame: DataFrame, length: int, step: int) -> DataFrame:
    """Events joined with the windows of the day on overlap."""
    slide, range_ = step * MINUTE, length * MINUTE
    timed = _timed(frame, length, step)
    first = workloads.NEW_YEAR // slide - length // step - 1
    last = (workloads.NEW_YEAR + 2 * workloads.DAY) // slide
    windows = frame.sparkSession.range(first, last).selectExpr(
        f"id * {slide} as b", f"id * {slide} + {range_} as stop"
    )
    met = timed.join(F.broadcast(windows), F.expr("s < stop and last >= b"))
    return _folded(met.select("key", "v", "b"))


def _sums(found: DataFrame) -> Sums:
    place = F.expr(f"pmod(b div {MINUTE} + 31L * key, 997L)")
    columns = [F.count("*").alias("rows")]
    for name in ("n", "total", "most"):
        columns.append(F.sum(name).alias(name))
        columns.append(F.sum(F.col(name) * place).alias(f"{name} by place"))
    [row] = found.agg(*columns).collect()
    return dict(row.asDict())
