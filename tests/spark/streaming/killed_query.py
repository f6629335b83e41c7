"""A query from files to Parquet in a process of its own, made to be killed: a script.

    python killed_query.py FOLDER QUERY MASTER

    FOLDER/in            the files of the stream
    FOLDER/checkpoint    what a restart goes on from
    FOLDER/begun         the process whose query runs
    FOLDER/out           the sink
    FOLDER/answer        the rows of the sink, once the stream has been read to its end

The session is started at once and the query on a line from standard input, so that
the next process can get ready while this one still runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from micro_batches import SETTINGS, STATE, stream_of
from pyspark.sql import SparkSession

import windrow as wr

KEYS = ["stream", "key"]
WINDOWS = [
    wr.sliding("40 seconds", every="10 seconds", on="at"),
    wr.sliding("25 seconds", every="10 seconds", offset="3 seconds", on="at"),
]
SPANS = wr.sliding("40 seconds", every="10 seconds", span=("since", "at"))
PAST = wr.window(evict="20 seconds", trigger=3, on="at", ties="id")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}
ROLLING = {
    "minute": wr.sum("i", last="1 minute"),
    "five": wr.max("f", last=5),
    "texts": wr.collect("s", last=3),
}
COUNTED = wr.rows(5, every=2, on="at", ties="id")
QUICK = {  # a short life: nothing is run often enough to be worth compiling
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.python.authenticate.socketTimeout": "120s",  # kills load the machine
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.session.timeZone": "UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # state is written out whole, and old state removed, while the query runs
    f"{STATE}.minDeltasForSnapshot": "3",
    f"{STATE}.maintenanceInterval": "500ms",
}


def _rolling(data: Any, **how: Any) -> Any:
    return wr.over(data, on="at", by=KEYS, ties="id", aggregates=ROLLING, **how)


def _windows(window: Any, **fixed: Any) -> Callable[..., Any]:
    def ask(data: Any, **how: Any) -> Any:
        return wr.aggregate(data, window, by=KEYS, aggregates=CALLS, **fixed, **how)

    return ask


# what can be killed: the same words for a stream and for a table
QUERIES: dict[str, Callable[..., Any]] = {
    "time windows": _windows(WINDOWS),
    "count windows": _windows(COUNTED),
    "rolling columns": _rolling,
    "events with a duration": _windows(SPANS),
    "windows by policy": _windows(PAST),
    "late rows kept": _windows(WINDOWS, late="keep"),
}
# How long windows wait: events begin up to 90 seconds before they come.
DELAYS = {"events with a duration": "2 minutes", "late rows kept": "2 seconds"}
HAVE_LATE_ROWS = {"late rows kept"}


def main(folder: Path, query: str, master: str) -> None:
    builder = SparkSession.builder.master(master)
    for name, value in {**SETTINGS, **QUICK}.items():
        builder = builder.config(name, value)
    scratch = folder / "scratch" / str(os.getpid())
    session = builder.config("spark.local.dir", str(scratch)).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    sys.stdin.readline()

    late_by = DELAYS.get(query, "30 seconds")
    stream = stream_of(session, folder / "in", late_by=late_by)
    writer = QUERIES[query](stream, buckets=4).writeStream.format("parquet")
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    running = writer.trigger(availableNow=True).start(str(folder / "out"))
    (folder / "begun").write_text(str(os.getpid()))
    running.awaitTermination()

    # read by Spark, which knows which files of the folder count
    found = session.read.parquet(str(folder / "out")).toArrow()
    pq.write_table(found, folder / "answer")
    session.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
