"""Windrow on a stream beside Spark's own streaming aggregate, on `local[2]`.

Parquet files in, RocksDB between, and a sink that adds up every column of every row,
with the same settings on both sides.  What does not add up to the same has no number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from windrow_bench.measure.session import versions
from windrow_bench.measure.spark.stream_load import ASTRAY, DELAY

from . import _stream_flat, _stream_late, _stream_windows
from ._report import Result
from ._settings import Settings
from ._stream_side import STREAMING

NAME = "stream"


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """The long run first: it takes minutes, and the comparison half an hour."""
    with tempfile.TemporaryDirectory(prefix="windrow-bench-stream-") as name:
        folder = Path(name)
        flat = _stream_flat.run(folder, settings, say)
        windows = _stream_windows.run(folder, settings, say)
    parts = (windows, flat, _stream_late.run(settings, say))
    return Result(
        NAME,
        "Structured Streaming: `local[2]`",
        [table for part in parts for table in part.tables],
        [bar for part in parts for bar in part.bars],
        [*_notes(settings), *(note for part in parts for note in part.notes)],
    )


def _notes(settings: Settings) -> list[str]:
    files, a_trigger = _stream_windows.FILES, _stream_windows.FILES_A_TRIGGER
    return [
        (
            f"{settings.stream_rows:,} rows in {files} files, {a_trigger} a trigger, "
            f"`availableNow`; rows up to {ASTRAY} s out of order, watermark {DELAY} s "
            "behind, each key once in a round of all keys. A key (int32), a whole "
            "number as float64."
        ),
        (
            "Each side in a process of its own, warmed by the same query over few "
            "rows, timed from `start()` to the end of the query, sink included "
            "(`foreachBatch`, one aggregation over all columns of all rows). "
            "Best of 3 at 8 keys and 60 s / 1 s, one run each elsewhere."
        ),
        (
            "Equal: rows, schema and, for each column, the sum of the hashes of key, "
            "window and value over all rows of both; both also against numpy."
        ),
        (
            f"{versions()}; driver memory {STREAMING['spark.driver.memory']}, "
            f"{STREAMING['spark.sql.shuffle.partitions']} shuffle partitions, RocksDB "
            "with changelog checkpointing on both sides, other settings Spark's "
            "defaults."
        ),
    ]
