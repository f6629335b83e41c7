"""One side's query over one load, in a process of its own: a JVM that is not warm.

    python -m benchmarks._stream_side question.json answer.json

    whole   start() until the query has ended: Parquet in, Parquet out
    rest    the same without the first micro-batch, where Python workers start
    sums    of what is in the sink, computed afterwards and not timed

The latest micro-batch is a line on stdout now and then, so that it can be watched.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql.streaming import StreamingQuery

from ._spark_queries import our_windows, spark_windows
from ._spark_session import SETTINGS, session
from ._spark_turns import OURS, SPARK
from ._spark_workers import peaks
from ._stream_answers import of_sink
from ._stream_load import stream

ASK = {SPARK: spark_windows, OURS: our_windows}
STATE = "spark.sql.streaming.stateStore"
STREAMING: dict[str, Any] = {
    "spark.driver.memory": "4g",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    f"{STATE}.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
}
EVERY = 2.0  # seconds between two looks at the query


@dataclass(frozen=True)
class Question:
    """Who is asked for which windows, and where everything is."""

    who: str
    range: int
    slide: int
    source: str
    scratch: str
    files_a_trigger: int


@dataclass(frozen=True)
class Answer:
    """Times in seconds, `progress` as Spark reports each micro-batch."""

    whole: float
    rest: float
    progress: list[dict[str, Any]]
    worker_bytes: int
    schema: str
    sums: dict[str, Any]


def answer(question: Question) -> Answer:
    """Run the query to its end, then look at what it wrote."""
    build = ASK[question.who]
    SETTINGS.update(STREAMING)
    scratch = Path(question.scratch)
    sink = str(scratch / "sink")
    with session() as spark:
        source = stream(spark, Path(question.source), question.files_a_trigger)
        frame = build(source, question.range, question.slide)
        writer = frame.writeStream.format(os.environ.get("SINK","parquet")).outputMode("append")
        writer = writer.option("checkpointLocation", str(scratch / "checkpoint"))
        writer = writer.trigger(availableNow=True)
        start = time.perf_counter()
        query = writer.start(sink)
        with _watched(query):
            query.awaitTermination()
        whole = time.perf_counter() - start
        worker_bytes = max(peaks(os.getpid()).values(), default=0)
        progress = [json.loads(one.json) for one in query.recentProgress]
        [print(p["batchId"],p["durationMs"]) for p in progress]; print("whole",whole,"rest",whole-progress[0]["durationMs"]["triggerExecution"]/1e3); os._exit(0)
        first = progress[0]["durationMs"]["triggerExecution"] / 1e3
        schema = written.schema.simpleString()
        sums = of_sink(written)
    return Answer(whole, whole - first, progress, worker_bytes, schema, sums)


@contextmanager
def _watched(query: StreamingQuery) -> Iterator[None]:
    """Say what each micro-batch took, while the query runs."""
    done = threading.Event()

    def look() -> None:
        last = -1
        while not done.wait(EVERY):
            one = query.lastProgress
            if one is not None and one.batchId > last:
                last = one.batchId
                took = one.durationMs["triggerExecution"] / 1e3
                rows = one.numInputRows
                print(f"batch {last}: {rows:,} rows, {took:.1f} s", flush=True)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    given, target = (Path(name) for name in sys.argv[1:])
    asked = Question(**json.loads(given.read_text("utf-8")))
    target.write_text(json.dumps(asdict(answer(asked))), "utf-8")
