"""Cluster monitoring (CM): events of tasks in a compute cluster at Google.

    CM1   total cpu by category                        60 s / 1 s
    CM2   mean cpu by job, of tasks that failed        60 s / 1 s

The trace counts microseconds, but the sample file has been brought to whole seconds
(1 to 647, 619 of them taken, about 25 events in each).  Column 7, the category, has
4 values there; the paper speaks of around 8, and so many are generated.  The paper
does not say which events CM2 selects, only that few pass: failures (event type 3) are
80 of the sample's 16,385 rows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr

from ._workload import Query, Workload, arrivals, instants, read_sample

FAIL = 3
COLUMNS = [
    "ts",
    "job",
    "task",
    "machine",
    "event_type",
    "user",
    "category",
    "priority",
    "cpu",
    "ram",
    "disk",
    "constraints",
]
# How often each event type comes: submit, schedule, evict, fail, finish, kill.
_SHARES = (0.32, 0.32, 0.01, 0.02, 0.27, 0.06)


def cm1(events: DataFrame) -> DataFrame:
    """CM1: total cpu by category."""
    window = wr.sliding("60 seconds", every="1 second", on="ts")
    result: DataFrame = wr.aggregate(
        events, window, by="category", total_cpu=wr.sum("cpu")
    )
    return result


def cm1_by_spark(events: DataFrame) -> DataFrame:
    """CM1 with Spark's own windows."""
    window = F.window("ts", "60 seconds", "1 second")
    needed = events.select("ts", "category", "cpu")
    return needed.groupBy("category", window).agg(F.sum("cpu").alias("total_cpu"))


def cm2(events: DataFrame) -> DataFrame:
    """CM2: mean cpu by job, of tasks that failed."""
    failed = events.where(F.col("event_type") == FAIL)
    window = wr.sliding("60 seconds", every="1 second", on="ts")
    result: DataFrame = wr.aggregate(failed, window, by="job", avg_cpu=wr.mean("cpu"))
    return result


def cm2_by_spark(events: DataFrame) -> DataFrame:
    """CM2 with Spark's own windows."""
    failed = events.where(F.col("event_type") == FAIL).select("ts", "job", "cpu")
    window = F.window("ts", "60 seconds", "1 second")
    return failed.groupBy("job", window).agg(F.avg("cpu").alias("avg_cpu"))


def generate(rows: int, *, seed: int = 0, per_second: int = 25) -> tuple[pa.Table]:
    """Events of 240 jobs, a few of them with most of the tasks."""
    rng = np.random.default_rng(seed)
    job = (240 * rng.random(rows) ** 3).astype(np.int64)
    columns = [
        instants(arrivals(rng, rows, per_second)),
        6_251_537_638 + job,
        rng.integers(0, 2_000, rows),
        rng.integers(-1, 11_000, rows),
        rng.choice(6, rows, p=_SHARES),
        job % 74,
        (8 * rng.random(rows) ** 2).astype(np.int64),
        rng.integers(0, 11, rows),
        rng.gamma(2.0, 0.0125, rows).round(3),
        rng.gamma(2.0, 0.0140, rows).round(3),
        rng.gamma(1.0, 0.0002, rows).round(3),
        rng.integers(0, 2, rows),
    ]
    return (pa.table(columns, names=COLUMNS),)


def load(folder: Path, rows: int | None = None) -> tuple[pa.Table]:
    """The sample of the trace."""
    sample = read_sample(folder / "google-cluster-data.txt", COLUMNS, rows)
    table = pa.Table.from_pandas(sample, preserve_index=False)
    return (table.set_column(0, "ts", instants(sample["ts"].to_numpy())),)


WORKLOAD = Workload(
    "cluster monitoring",
    generate,
    load,
    (
        Query("CM1", "60 s / 1 s", 60, 200_000, cm1, cm1_by_spark),
        Query("CM2", "60 s / 1 s", 60, 200_000, cm2, cm2_by_spark),
    ),
)
