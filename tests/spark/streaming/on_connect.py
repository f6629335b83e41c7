"""Streams on a Connect session, against the in-process engine: a script."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random

import pyarrow as pa
from answers import assert_same_rows
from micro_batches import SETTINGS, stream_of, write_files
from pyspark.sql import SparkSession
from random_streams import FLUSH, LATE_BY, random_batches
from scripts import check

import windrow as wr

KEYS = ["stream", "key"]
WINDOW = wr.sliding("40 seconds", every="10 seconds", on="at")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}


def main(folder: Path) -> None:
    builder = SparkSession.builder.remote("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    check("time windows", lambda: time_windows(session, folder))
    check("connect", lambda: connect(session))
    session.stop()


def time_windows(session: SparkSession, folder: Path) -> None:
    batches = random_batches(Random(7), streams=8, batches=3)
    write_files(folder / "in", batches)
    stream = stream_of(session, folder / "in", late_by=LATE_BY)
    query = wr.aggregate(stream, WINDOW, by=KEYS, buckets=2, aggregates=CALLS)

    writer = query.writeStream.format("parquet").trigger(availableNow=True)
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    running = writer.start(str(folder / "out"))
    running.awaitTermination()

    actual = session.read.parquet(str(folder / "out")).toArrow()
    table = pa.concat_tables(batches)
    expected = wr.aggregate(table, WINDOW, by=KEYS, aggregates=CALLS).to_pylist()
    assert_same_rows(actual, [row for row in expected if row["stream"] != FLUSH])
    told = [one["observedMetrics"]["windrow"] for one in running.recentProgress]
    names = [field["name"] for field in told[0]["schema"]["fields"]]
    rows_out = names.index("rows_out")  # PySpark's own shape of a row on Connect
    assert sum(one["values"][rows_out] or 0 for one in told) == actual.num_rows


def connect(session: SparkSession) -> None:
    assert type(session).__module__.startswith("pyspark.sql.connect"), type(session)
    assert "pyspark.sql.classic.dataframe" not in sys.modules


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch))
