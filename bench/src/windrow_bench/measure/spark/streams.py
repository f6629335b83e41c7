"""A streaming query from its first file to its last, micro-batch by micro-batch.

    files    a   b   c   d        one a trigger
    batch    0   1   2   3  (4)   the last is without rows, for the watermark alone
             |---|
             left out of what is timed: Python workers start, the JVM compiles

The sink adds up every column of every row, the same for both sides: streams that do
not add up to the same have no number.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from . import held
from .case import answering
from .sums import Sums, sums_of

WARM_UP = 2  # micro-batches
STATE = "spark.sql.streaming.stateStore"
STREAMING: dict[str, Any] = {
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
    f"{STATE}.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{STATE}.rocksdb.changelogCheckpointing.enabled": "true",
}


@dataclass(frozen=True)
class Batch:
    """One micro-batch: rows in, and its whole trigger, sink and checkpoint included."""

    rows: int
    seconds: float


@dataclass(frozen=True)
class Course:
    """The micro-batches of a query but the first two, and what its sink added up."""

    batches: list[Batch]
    sums: Sums
    kept: dict[int, int] = field(default_factory=dict)  # live bytes by micro-batch

    @property
    def busy(self) -> list[Batch]:
        """Those with rows."""
        return [one for one in self.batches if one.rows]

    @property
    def rows(self) -> int:
        """That came in."""
        return sum(one.rows for one in self.batches)

    @property
    def seconds(self) -> float:
        """That they took."""
        return sum(one.seconds for one in self.batches)


@contextmanager
def streaming(spark: SparkSession) -> Iterator[None]:
    """Settings of streams, for a while."""
    before = {name: spark.conf.get(name, None) for name in STREAMING}
    for name, value in STREAMING.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            if old is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, old)


def follow(
    spark: SparkSession, source: Path, on: str, delay: str, at_once: int = 1
) -> DataFrame:
    """The files of a folder as a stream, so many a trigger, the oldest first."""
    schema = spark.read.parquet(str(source)).schema
    files = spark.readStream.schema(schema).option("maxFilesPerTrigger", at_once)
    return files.parquet(str(source)).withWatermark(on, delay)


def run(
    who: str, frame: DataFrame, values: list[str], look_at: Sequence[int] = ()
) -> Course:
    """Run a query to its end; `values` are the columns that are added up.

    The live bytes of our state are looked at after the micro-batches `look_at`: what
    RocksDB itself reports holds what was overwritten, until it compacts.
    """
    sums: Counter[str] = Counter()

    def take(rows: DataFrame, _: int) -> None:
        sums.update(sums_of(rows, values))

    checkpoint = tempfile.mkdtemp(dir=held.folder())
    writer = frame.writeStream.outputMode("append").foreachBatch(take)
    writer = writer.option("checkpointLocation", checkpoint)
    with answering(who):
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
    reports = [json.loads(one.json) for one in query.recentProgress]
    kept = {batch: _live(frame.sparkSession, checkpoint, batch) for batch in look_at}
    shutil.rmtree(checkpoint, ignore_errors=True)
    batches = [
        Batch(one["numInputRows"], one["durationMs"]["triggerExecution"] / 1e3)
        for one in reports
    ]
    return Course(batches[WARM_UP:], dict(sums), kept)


def _live(spark: SparkSession, checkpoint: str, batch: int) -> int:
    reader = spark.read.format("statestore").option("batchId", batch)
    state = reader.option("stateVarName", "windrow").load(checkpoint)
    (row,) = state.select(F.sum(F.length("user_map_value.blob"))).collect()
    return row[0] or 0
