"""Streams with late rows, row for row as Spark's own aggregation gives them.

    delay 20 s        watermark |
    rows           . .  .    .  | .   .. ..            most of them
    late         x      x   x                          up to 90 s behind the newest

Both queries read the same files, one a micro-batch, so that the watermark moves alike.
"""

from __future__ import annotations

import datetime as dt
import os
from random import Random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files
from pyspark.sql import functions as F

import windrow as wr

ZERO = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [("at", pa.timestamp("us", "UTC")), ("key", pa.string()), ("i", pa.int64())]
)
# the deep run has a longer stream
BATCHES, ROWS = 8 if os.environ.get("WINDROW_TEST_PROFILE") == "deep" else 5, 60


def batches(random: Random) -> list[pa.Table]:
    """Times go on by half a minute a micro-batch; a third of the rows lag behind.

    Each has a key that was never seen, just behind the watermark of now.
    """
    tables, newest = [], 0
    for number in range(BATCHES):
        behind = ZERO + dt.timedelta(seconds=newest - 23)
        rows = [{"at": behind, "key": f"new {number}", "i": 1}]
        newest += random.choice([0, 5, 30, 60])
        keys = random.sample("abc", random.randint(1, 3))
        for _ in range(random.choice([0, 3, ROWS])):
            lag = random.choice([0, 10, random.randint(0, 90)])
            second = newest - lag + random.choice([0, 0, 1 / 3])
            at = ZERO + dt.timedelta(seconds=second)
            rows.append(
                {"at": at, "key": random.choice(keys), "i": random.randint(-9, 9)}
            )
        tables.append(pa.Table.from_pylist(rows, SCHEMA))
    end = [{"at": ZERO + dt.timedelta(hours=2), "key": "z", "i": 0}]
    return [*tables, pa.Table.from_pylist(end, SCHEMA)]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.deep)])
def test_late_rows_count_where_sparks_own_aggregation_counts_them(
    streaming, tmp_path, seed
):
    folder = write_files(tmp_path / "in", batches(Random(seed)))
    streams = [stream_of(streaming, folder, late_by="20 seconds") for _ in range(2)]
    window = wr.sliding("45 seconds", every="10 seconds", on="at")
    calls = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("i")}

    query = wr.aggregate(streams[0], window, by="key", late="count", aggregates=calls)
    ours = run(query, tmp_path / "ours")
    spark = streams[1].groupBy("key", F.window("at", "45 seconds", "10 seconds"))
    spark = spark.agg(
        F.count("*").alias("n"), F.sum("i").alias("total"), F.max("i").alias("most")
    )
    theirs = run(spark, tmp_path / "theirs")

    assert ours.watermarks == theirs.watermarks
    for number, rows in theirs.given.items():
        assert_same_rows(ours.given[number], rows, named_by=["key", "window"])
    assert ours.metric("late_rows") > 5
