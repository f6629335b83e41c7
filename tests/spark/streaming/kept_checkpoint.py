"""A checkpoint as this version writes it, kept for all later ones: a script.

    python kept_checkpoint.py        writes the folder `kept` beside this file

    kept/time-windows      the state after two micro-batches, of `TABLES[:2]`; the
    kept/count-windows     others are for whoever goes on
    kept/rolling-columns

No path of the machine that wrote it is inside: the stream is a source whose offsets
are plain numbers, and where Spark notes the place of a file of its own the folder is
left open, to be filled in by `taken_out`.
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
from micro_batches import SETTINGS, Ran, run
from numbered_source import register
from pyspark.sql import SparkSession

import windrow as wr

KEPT = Path(__file__).parent / "kept"
LATE_BY = dt.timedelta(seconds=10)
QUERIES = ("time windows", "count windows", "rolling columns")

_NOTES = "state/*/_metadata/v2/*"
_OPEN = "<the checkpoint>"
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
_ROLLING = {
    "two": wr.sum("i", last=2),
    "near": wr.count(last="30 seconds", closed="both"),
}


def _table(seconds: range) -> pa.Table:
    rows = [
        {
            "key": ["a", None, "é", "b", "c"][second % 5],
            "at": _START + dt.timedelta(seconds=second),
            "i": None if second % 7 == 0 else second,
            "f": float("nan") if second % 11 == 0 else -second / 2,
        }
        for second in seconds
    ]
    return pa.Table.from_pylist(rows, _SCHEMA)


TABLES = [
    _table(range(0, 60, 4)),
    _table(range(51, 90, 4)),
    _table(range(82, 200, 6)),
    _table(range(5000, 5001)),  # closes all but its own
]


def answer(data: Any, query: str, **how: Any) -> Any:
    """The query over a stream or over a table."""
    if query == "time windows":
        return wr.aggregate(data, _WINDOWS, by="key", aggregates=_CALLS, **how)
    if query == "count windows":
        counted = wr.rows(2, every=1, on="at")
        return wr.aggregate(data, counted, by="key", aggregates=_CALLS, **how)
    return wr.over(data, on="at", by="key", aggregates=_ROLLING, **how)


def go_on(spark: Any, query: str, checkpoint: Path, *, until: int) -> Ran:
    """Run a query over the tables below `until` that its checkpoint has not seen."""
    source = register(spark, TABLES)
    stream = spark.readStream.format(source).option("until", until).load()
    stream = stream.withWatermark("at", f"{LATE_BY.seconds} seconds")
    return run(answer(stream, query, buckets=2), checkpoint)


def keep(checkpoint: Path, kept: Path) -> None:
    """A copy of a checkpoint without checksums of files, nor any path."""
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(checkpoint, kept, ignore=shutil.ignore_patterns(".*.crc"))
    for path in kept.glob(_NOTES):
        path.write_text(path.read_text().replace(checkpoint.as_uri()[7:], _OPEN))


def taken_out(query: str, checkpoint: Path) -> Path:
    """The checkpoint of a query, ready to be gone on from."""
    shutil.copytree(KEPT / query.replace(" ", "-"), checkpoint)
    for path in checkpoint.glob(_NOTES):
        path.write_text(path.read_text().replace(_OPEN, checkpoint.as_uri()[7:]))
    return checkpoint


def main() -> None:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    builder = builder.config("spark.driver.host", "127.0.0.1")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    for query in QUERIES:
        with tempfile.TemporaryDirectory() as scratch:
            checkpoint = Path(scratch) / "checkpoint"
            for until in (1, 2):
                go_on(session, query, checkpoint, until=until)
            keep(checkpoint, KEPT / query.replace(" ", "-"))
    session.stop()


if __name__ == "__main__":
    main()
