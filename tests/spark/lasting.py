"""Events with a duration, and Spark's own way to count them: a join on overlap."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
from pyspark.sql import functions as F

EPOCH = dt.datetime(2024, 3, 1)  # noqa: DTZ001 - the session's zone is UTC


def events(n: int = 400, seed: int = 7) -> pa.Table:
    """Three keys; points, short and long events, on edges, some without a bound."""
    dice = random.Random(seed)
    starts = [dice.randrange(0, 600) * 60 + dice.choice([0, 0, 17]) for _ in range(n)]
    lengths = [dice.choice([0, 1, 60, 300, 900, 7000, 40_000]) for _ in range(n)]
    times = [
        (EPOCH + dt.timedelta(seconds=a), EPOCH + dt.timedelta(seconds=a + b))
        for a, b in zip(starts, lengths, strict=True)
    ]
    return pa.table(
        {
            "key": [dice.choice("abc") for _ in range(n)],
            "start": pa.array([a if i % 50 else None for i, (a, _) in enumerate(times)],
                              pa.timestamp("us", "UTC")),
            "end": pa.array([b if i % 41 else None for i, (_, b) in enumerate(times)],
                            pa.timestamp("us", "UTC")),
            "v": pa.array([None if dice.random() < 0.1 else dice.randrange(1000)
                           for _ in range(n)], pa.int64()),
            "w": [dice.random() for _ in range(n)],
            "id": list(range(n)),
        }
    )  # fmt: skip


def joined(spark, frame, range_minutes: int, slide_minutes: int):
    """Spark's own: events joined with windows on overlap."""
    there = frame.where("start is not null and end is not null")
    slide, length = slide_minutes * 60_000_000, range_minutes * 60_000_000
    timed = there.selectExpr(
        "key", "v", "unix_micros(start) as s", "unix_micros(end) as e"
    ).withColumn("last", F.expr("if(e = s, s, e - 1)"))
    low, high = timed.agg(
        F.expr(f"min(s) div {slide} - {length // slide + 1}"),
        F.expr(f"max(last) div {slide} + 1"),
    ).first()
    windows = spark.range(low, high + 1).selectExpr(
        f"id * {slide} as b", f"id * {slide} + {length} as w_end"
    )
    met = timed.join(windows, F.expr("s < w_end and last >= b"))
    return (
        met.groupBy("key", "b", "w_end")
        .agg(
            F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
        )
        .selectExpr(
            "key",
            "struct(timestamp_micros(b) as start, timestamp_micros(w_end) as end)"
            " as window",
            "n",
            "total",
            "most",
        )
    )
