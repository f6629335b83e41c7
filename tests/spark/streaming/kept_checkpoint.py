"""A checkpoint as this version writes it, kept for all later ones: a script.

    python kept_checkpoint.py        writes the folder `kept` beside this file

    kept/time-windows      the state after two micro-batches of `TABLES`; the third is
    kept/count-windows     for whoever goes on.  The stream is a source whose offsets
    kept/rolling-columns   are plain numbers, and state is kept as changes, so that no
                           path of the machine that wrote it is inside.
"""

from __future__ import annotations

import datetime as dt
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
from micro_batches import SETTINGS, STATE, Ran, run
from numbered_source import register
from pyspark.sql import SparkSession

import windrow as wr

KEPT = Path(os.environ.get("KEPT_TRY", str(Path(__file__).parent / "kept")))
CHANGES = {f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true"}
LATE_BY = dt.timedelta(seconds=10)
QUERIES = ("time windows", "count windows", "rolling columns")

_START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
_SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("i", pa.int64()),
        ("f", pa.float64()),
    ]
)
_WINDOWS = [
    wr.sliding("40 seconds", every="10 seconds", on="at"),
    wr.sliding("25 seconds", every="10 seconds", on="at"),
]
_CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}
_ROLLING = {"two": wr.sum("i", last=2), "near": wr.count(last="30 seconds")}


def _table(seconds: range) -> pa.Table:
    rows = [
        {
            "key": ["a", None, "é"][second % 3],
            "at": _START + dt.timedelta(seconds=second),
            "i": None if second % 7 == 0 else second,
            "f": float("nan") if second % 11 == 0 else -second / 2,
        }
        for second in seconds
    ]
    return pa.Table.from_pylist(rows, _SCHEMA)


TABLES = [_table(range(0, 60, 4)), _table(range(55, 90, 4)), _table(range(85, 400, 9))]


def answer(data: Any, query: str, **how: Any) -> Any:
    """The query over a stream or over a table."""
    if query == "time windows":
        return wr.aggregate(data, _WINDOWS, by="key", aggregates=_CALLS, **how)
    if query == "count windows":
        counted = wr.rows(5, every=2, on="at")
        return wr.aggregate(data, counted, by="key", aggregates=_CALLS, **how)
    return wr.over(data, on="at", by="key", aggregates=_ROLLING, **how)


def go_on(spark: Any, query: str, checkpoint: Path, *, until: int) -> Ran:
    """Run a query over all tables up to that one that its checkpoint has not seen."""
    source = register(spark, TABLES)
    stream = spark.readStream.format(source).option("until", until).load()
    stream = stream.withWatermark("at", f"{LATE_BY.seconds} seconds")
    return run(answer(stream, query, buckets=2), checkpoint)


def keep(spark: Any, query: str, folder: Path) -> None:
    """Write the checkpoint of a query that has seen two tables."""
    for until in (1, 2):
        go_on(spark, query, folder, until=until)
    for path in folder.rglob(".*.crc"):  # of use to a disk, not to a copy in git
        path.unlink()


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in {**SETTINGS, **CHANGES}.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    for query in QUERIES:
        with tempfile.TemporaryDirectory() as scratch:
            keep(session, query, Path(scratch) / "checkpoint")
            target = KEPT / query.replace(" ", "-")
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(Path(scratch) / "checkpoint", target)
    session.stop()


if __name__ == "__main__":
    main()
