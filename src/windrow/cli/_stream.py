"""Runs `windrow run --stream`: follows a folder, and writes windows as they close.

    SOURCE/*  ->  watermark  ->  wr.aggregate  ->  OUT/*.parquet
                                      |
                               OUT.checkpoint

A stop signal ends the stream between two micro-batches: OUT is then complete, and the
same command continues from the checkpoint.  A second one ends it at once: the running
micro-batch is given up, and repeated by the next start.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import typer

import windrow as wr
from windrow.errors import BadInput
from windrow.plan.flow import BUCKETS

from ._files import Mode, check_folders, read_stream
from ._options import QueryOptions
from ._progress import progress, status_line
from ._query import QuerySpec, make_query, time_column
from ._stream_options import Late, StreamOptions
from ._stream_totals import StreamTotals
from .console import err

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


class StopSignals:
    """Counts SIGINT and SIGTERM within its block, and lets them interrupt nothing.

    PySpark's own handler would cancel the jobs of the running micro-batch.
    """

    def __init__(self) -> None:
        self.times = 0
        self._first = threading.Event()
        self._handlers: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._handlers[number] = signal.signal(number, self.note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def note(self, *_: Any) -> None:
        """Count a signal."""
        self.times += 1
        self._first.set()

    def wait(self, seconds: float) -> None:
        """Wait, but not past the first signal."""
        self._first.wait(seconds)


def run_stream(
    options: QueryOptions, stream: StreamOptions, to: str, mode: Mode
) -> None:
    """Run a stream until it ends or is stopped, and print its totals."""
    query, source = make_query(options), options.source
    stream.check(options, to, mode)
    checkpoint = check_folders(source, to, stream.checkpoint)
    fact = f"cannot run the stream on {source}"
    with options.session(fact, _settings(stream)) as spark:
        with progress(spark, f"looking at {source}"):
            frame = read_stream(spark, source, options.format_, stream.files)
        result = streaming_frame(query, frame, time_column(options), stream)
        writer = result.writeStream.format("parquet").outputMode("append")
        writer = writer.option("checkpointLocation", checkpoint)
        begun = time.perf_counter()
        with StopSignals() as stopping, status_line(f"starting {to}") as show:
            running = writer.trigger(**stream.trigger_arguments).start(to)
            totals = _watch(running, stopping, show)
        seconds = time.perf_counter() - begun
    err.print(f"{to}: {totals.summary(seconds)}")
    if stopping.times > 1:
        raise typer.Exit(_INTERRUPTED)


def _settings(stream: StreamOptions) -> dict[str, str]:
    """State in RocksDB, and a partition for each core if all get the same buckets."""
    buckets, cores = stream.buckets or BUCKETS, os.cpu_count() or 1
    even = max(number for number in range(1, cores + 1) if buckets % number == 0)
    return {**STATE_STORE, "spark.sql.shuffle.partitions": str(even)}


def streaming_frame(
    query: QuerySpec, frame: DataFrame, on: str, stream: StreamOptions
) -> DataFrame:
    """The query as a stream that has not started yet."""
    frame = query.rows_of(frame)
    kind = frame.schema[on].dataType.simpleString()
    if kind == "timestamp_ntz":  # watermarks are on instants
        for name in {on, *(query.windows[0].span or ())}:
            frame = frame.withColumn(name, frame[name].cast("timestamp"))
    elif kind != "timestamp":
        raise BadInput.because(
            f"cannot put a watermark on {on!r}",
            f"it is of type {kind}, and Spark has watermarks on timestamps only",
            "write the files with a timestamp column",
        )
    result: DataFrame = wr.aggregate(
        frame,
        **query.arguments,
        watermark=stream.delay,
        ahead=stream.ahead,
        idle=stream.idle,
        late=str(stream.late or Late.COUNT),
        buckets=stream.buckets,
    )
    return result


def _watch(
    running: StreamingQuery, stopping: StopSignals, show: Callable[[str], None]
) -> StreamTotals:
    """Show the state of the stream until it ends; raise its error."""
    totals = StreamTotals()
    while running.isActive:
        is_news = _look(running, totals)
        if stopping.times > 1 or (stopping.times and (is_news or _is_idle(running))):
            running.stop()
            break
        show("stopping after this micro-batch" if stopping.times else totals.line())
        if stopping.times:
            time.sleep(_AT_ONCE)
        else:
            stopping.wait(_EVERY)
    running.awaitTermination()
    _look(running, totals)
    return totals


def _look(running: StreamingQuery, totals: StreamTotals) -> bool:
    """Add new reports to the totals; read all of them if one was missed."""
    last = running.lastProgress
    reports = running.recentProgress if totals.missed(last) else [last] if last else []
    return totals.add(reports)


def _is_idle(running: StreamingQuery) -> bool:
    status = running.status
    return not status["isTriggerActive"] or status["message"].startswith("Waiting")
