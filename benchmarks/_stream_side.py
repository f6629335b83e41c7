"""One side's query over one load, in a process of its own.

    python -m benchmarks._stream_side question.json answer.json

    warm    the query over few rows first: the JVM compiles, Python workers start
    whole   start() until the query has ended: Parquet in, a sink that adds up all rows
    rest    the same without the first micro-batch, which gives nothing out yet
    sums    what the sink added up
    kept    live bytes of state after the micro-batches in `look_at`

The latest micro-batch is a line on stdout now and then, so that it can be watched.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming import StreamingQuery

from windrow_bench.measure.session import SETTINGS, session
from windrow_bench.measure.spark import streams
from windrow_bench.measure.spark.queries import our_windows, spark_windows
from windrow_bench.measure.spark.stream_load import stream

from ._spark_turns import OURS, SPARK
from ._spark_workers import peaks
from ._stream_answers import of_sink
from ._stream_kept import live_bytes

ASK = {SPARK: spark_windows, OURS: our_windows}
STREAMING: dict[str, Any] = {"spark.driver.memory": "4g", **streams.STREAMING}
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
    warm: str | None = None
    look_at: Sequence[int] = ()


@dataclass(frozen=True)
class Answer:
    """Times in seconds, `progress` as Spark reports each micro-batch."""

    whole: float
    rest: float
    progress: list[dict[str, Any]]
    worker_bytes: int
    schema: str
    sums: dict[str, Any]
    kept: dict[str, int]


def answer(question: Question) -> Answer:
    """Run the query to its end, then look at what it wrote."""
    build = ASK[question.who]
    SETTINGS.update(STREAMING)
    with session() as spark:

        def asked(source: str, checkpoint: str) -> tuple[Any, str, Counter[str]]:
            files = stream(spark, Path(source), question.files_a_trigger)
            frame = build(files, question.range, question.slide)
            sums: Counter[str] = Counter()

            def take(rows: DataFrame, _: int) -> None:
                sums.update(of_sink(rows))

            writer = frame.writeStream.outputMode("append").foreachBatch(take)
            folder = Path(question.scratch) / checkpoint
            writer = writer.option("checkpointLocation", str(folder))
            writer = writer.trigger(availableNow=True)
            return writer, frame.schema.simpleString(), sums

        if question.warm is not None:
            asked(question.warm, "warm")[0].start().awaitTermination()
        writer, schema, sums = asked(question.source, "checkpoint")
        start = time.perf_counter()
        query = writer.start()
        with _watched(query):
            query.awaitTermination()
        whole = time.perf_counter() - start
        worker_bytes = max(peaks(os.getpid()).values(), default=0)
        progress = [json.loads(one.json) for one in query.recentProgress]
        first = progress[0]["durationMs"]["triggerExecution"] / 1e3
        checkpoint = Path(question.scratch) / "checkpoint"
        kept = live_bytes(spark, checkpoint, question.look_at)
    return Answer(
        whole, whole - first, progress, worker_bytes, schema, dict(sums), kept
    )


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
