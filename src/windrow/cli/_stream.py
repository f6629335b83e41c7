"""`windrow run --stream`: a folder followed, windows written as they close.

    SOURCE/*  ->  watermark  ->  wr.aggregate  ->  OUT/*.parquet
                                      |
                               OUT.checkpoint

Asked to stop, the stream ends between two micro-batches: what is in OUT is whole, and
the same command goes on from the checkpoint.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import typer

import windrow as wr
from windrow.errors import BadInput
from windrow.plan.flow import BUCKETS

from ._console import err
from ._failure import told
from ._files import Mode, read_stream
from ._live import live_line
from ._options import Asked
from ._progress import progress
from ._query import Query, check_names
from ._session import session
from ._stopping import Stopping, signals
from ._stream_folders import check_folders
from ._stream_options import Late, Streaming
from ._tally import Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

_EVERY = 0.25  # seconds between two looks at a stream
_AT_ONCE = 0.02  # the same, once it is to stop
_INTERRUPTED = 130
STATE_STORE = {
    "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution"
    ".streaming.state.RocksDBStateStoreProvider"
}


def run_stream(asked: Asked, streaming: Streaming, to: str, mode: Mode) -> None:
    """Run a stream until it ends or is stopped, and say what it did."""
    query, source = asked.query(), asked.source
    streaming.check(asked, to, mode)
    checkpoint = check_folders(source, to, streaming.checkpoint)
    settings = {**_settings(streaming), **asked.settings()}
    with (
        session(asked.master, verbose=asked.verbose, settings=settings) as spark,
        told(f"cannot run the stream on {source}", verbose=asked.verbose),
    ):
        with progress(spark, f"looking at {source}"):
            frame = read_stream(spark, source, asked.format_, streaming.files)
        result = _ask(query, frame, str(asked.on), streaming)
        writer = result.writeStream.format("parquet").outputMode("append")
        writer = writer.option("checkpointLocation", checkpoint)
        begun = time.perf_counter()
        with signals() as stopping, live_line(f"starting {to}") as show:
            running = writer.trigger(**streaming.triggered).start(to)
            tally = _watch(running, stopping, show)
        seconds = time.perf_counter() - begun
    err.print(f"{to}: {tally.summary(seconds)}", soft_wrap=True, markup=False)
    if stopping.times > 1:
        raise typer.Exit(_INTERRUPTED)


def _settings(streaming: Streaming) -> dict[str, str]:
    """State in RocksDB, and a partition for each core if all get the same buckets."""
    buckets, cores = streaming.buckets or BUCKETS, os.cpu_count() or 1
    even = max(number for number in range(1, cores + 1) if buckets % number == 0)
    return {**STATE_STORE, "spark.sql.shuffle.partitions": str(even)}


def _ask(query: Query, frame: DataFrame, on: str, streaming: Streaming) -> DataFrame:
    """The query as a stream that has not started yet."""
    frame = query.filtered(frame)
    check_names(query, frame)
    kind = frame.schema[on].dataType.simpleString()
    if kind == "timestamp_ntz":  # watermarks are on instants
        frame = frame.withColumn(on, frame[on].cast("timestamp"))
    elif kind != "timestamp":
        raise BadInput.because(
            f"cannot put a watermark on {on!r}",
            f"it is of type {kind}, and Spark has watermarks on timestamps only",
            "write the files with a timestamp column",
        )
    result: DataFrame = wr.aggregate(
        frame.withWatermark(on, streaming.delay),
        query.window,
        by=list(query.by),
        aggregates=query.calls,
        late=str(streaming.late or Late.DROP),
        buckets=streaming.buckets,
    )
    return result


def _watch(
    running: StreamingQuery, stopping: Stopping, show: Callable[[str], None]
) -> Tally:
    """Show how the stream is doing until it ends; raise what it died of."""
    tally = Tally()
    while running.isActive:
        is_news = _look(running, tally)
        if stopping.times > 1 or (stopping.times and (is_news or _is_idle(running))):
            running.stop()
            break
        show("stopping after this micro-batch" if stopping.times else tally.line())
        if stopping.times:
            time.sleep(_AT_ONCE)
        else:
            stopping.wait(_EVERY)
    running.awaitTermination()
    _look(running, tally)
    return tally


def _look(running: StreamingQuery, tally: Tally) -> bool:
    """Add what is new to the tally; all reports are asked for where one was missed."""
    last = running.lastProgress
    reports = running.recentProgress if tally.missed(last) else [last] if last else []
    return tally.add(reports)


def _is_idle(running: StreamingQuery) -> bool:
    status = running.status
    return not status["isTriggerActive"] or status["message"].startswith("Waiting")
