"""What our state really holds after a micro-batch: the bytes of its live blobs.

RocksDB reports its write buffers and its files, and both hold what has been overwritten
or removed until they are compacted; within a hundred small batches neither is.  Spark's
reader of state stores gives back what a restart would read: live entries alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def live_bytes(
    spark: SparkSession, checkpoint: Path, batches: Iterable[int]
) -> dict[str, int]:
    """By micro-batch, in text, for JSON has no other keys."""
    return {str(batch): _live(spark, checkpoint, batch) for batch in batches}


def _live(spark: SparkSession, checkpoint: Path, batch: int) -> int:
    reader = spark.read.format("statestore").option("batchId", batch)
    state = reader.option("stateVarName", "windrow").load(str(checkpoint))
    (row,) = state.select(F.sum(F.length("user_map_value.blob"))).collect()
    return row[0] or 0
