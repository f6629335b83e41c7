"""A stream cut into micro-batches by hand, and all that came of it.

    files      batch-000.parquet  batch-001.parquet  ...      a micro-batch each
    watermark      0 (none yet)        w1              w2     known when it starts
    rows           [...]              [...]           [...]   what it gave

Spark takes files by the time of their last change, so that is set, not left to luck.
After the last file one more micro-batch runs without rows if the watermark moved.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import from_arrow_schema

STATE = "spark.sql.streaming.stateStore"
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",
    f"{STATE}.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.numRecentProgressUpdates": "1000",
}
_FIRST_FILE = 1_700_000_000  # seconds: any instant will do


def write_files(folder: Path, batches: Iterable[pa.Table], *, first: int = 0) -> Path:
    """Each table as a file, in the order in which the stream will take them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, table in enumerate(batches, first):
        path = folder / f"batch-{number:03}.parquet"
        hidden = folder / f".{path.name}"  # a running query must not see half of it
        pq.write_table(table, hidden)
        os.utime(hidden, (_FIRST_FILE + number,) * 2)
        hidden.rename(path)
    return folder


def stream_of(spark: Any, folder: Path, *, late_by: str | None, files: int = 1) -> Any:
    """The files as a stream, `files` a micro-batch; a watermark on `at`, or none."""
    arrow = pq.read_schema(min(folder.glob("*.parquet")))
    schema = from_arrow_schema(arrow, prefer_timestamp_ntz=True)
    reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", files)
    stream = reader.parquet(str(folder))
    return stream if late_by is None else stream.withWatermark("at", late_by)


@dataclass
class Ran:
    """What a query gave in each micro-batch, and what it said about itself."""

    given: dict[int, pa.Table] = field(default_factory=dict)
    progresses: list[dict[str, Any]] = field(default_factory=list)

    @property
    def rows(self) -> pa.Table:
        """All rows."""
        return pa.concat_tables(self.given.values())

    @property
    def watermarks(self) -> dict[int, dt.datetime]:
        """The watermark that each micro-batch started with, by its number."""
        return {
            progress["batchId"]: dt.datetime.fromisoformat(
                progress["eventTime"]["watermark"]
            )
            for progress in self.progresses
        }

    @property
    def watermark(self) -> dt.datetime:
        """The last watermark: windows that end at or before it are closed."""
        return max(self.watermarks.values())

    def metric(self, name: str) -> int:
        """A metric of ours, summed over all micro-batches; some have none to tell."""
        seen = (progress["observedMetrics"] for progress in self.progresses)
        return sum(one["windrow"][name] or 0 for one in seen)


def run(frame: Any, checkpoint: Path) -> Ran:
    """Run a streaming frame over all there is, collect what each micro-batch gives."""
    ran = Ran()

    def take(batch: Any, number: int) -> None:
        assert number not in ran.given
        ran.given[number] = batch.toArrow()

    writer = frame.writeStream.outputMode("append").foreachBatch(take)
    writer = writer.option("checkpointLocation", str(checkpoint))
    query = writer.trigger(availableNow=True).start()
    try:
        query.awaitTermination()
        ran.progresses.extend(query.recentProgress)
    finally:
        query.stop()
    return ran


def closed(rows: pa.Table, watermark: dt.datetime) -> list[dict[str, Any]]:
    """The windows of a batch answer that a stream has closed by then."""
    return [row for row in rows.to_pylist() if row["window"]["end"] <= watermark]


def assert_on_time(ran: Ran) -> None:
    """Each window came in the first micro-batch whose watermark had passed its end."""
    before = dt.datetime.min.replace(tzinfo=dt.UTC)
    for number, watermark in sorted(ran.watermarks.items()):
        ends = [row["window"]["end"] for row in ran.given[number].to_pylist()]
        early = [end for end in ends if end > watermark]
        late = [end for end in ends if end <= before]
        assert (early, late) == ([], []), f"micro-batch {number} at {watermark}"
        before = watermark
