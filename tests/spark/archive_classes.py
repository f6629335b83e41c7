"""Loads the classes that most tests need, for an archive (`jvms.py`): a script.

    python archive_classes.py HALF WHOLE

A session runs a batch and a stream.  When its JVM ends it writes the archive to HALF,
as its options say, which then gets the name under which others look for it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

import windrow as wr

sys.path.insert(0, str(Path(__file__).parent / "streaming"))

from micro_batches import SETTINGS, run, stream_of, write_files

WINDOW = wr.sliding("10 seconds", every="3 seconds", on="at")
CALLS = {"n": wr.count(), "mean": wr.mean("v")}


def main(folder: Path, half: Path, whole: Path) -> None:
    """Run both, and wait for the archive."""
    seconds = pa.array(range(90), pa.timestamp("us", "UTC"))
    table = pa.table({"key": ["a", "b"] * 45, "at": seconds, "v": range(90)})
    builder = SparkSession.builder.master("local[1]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.local.dir", str(folder / "local"))
    session = builder.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
    jvm = session.sparkContext._gateway.proc

    frame = session.createDataFrame(table)
    wr.aggregate(frame, WINDOW, by="key", aggregates=CALLS).toPandas()
    frame.groupBy("key").count().orderBy("key").collect()
    files = write_files(folder / "in", [table])
    stream = stream_of(session, files, late_by="1 second")
    run(wr.aggregate(stream, WINDOW, by="key", aggregates=CALLS), folder / "checkpoint")

    session.stop()
    jvm.stdin.close()
    jvm.wait()
    half.rename(whole)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        main(Path(scratch), *map(Path, sys.argv[1:]))
