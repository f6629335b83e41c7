"""Windrow on Spark beside Spark's own windows, on `local[2]`.

All read the same Parquet files and write into Spark's `noop` sink.  The warm-up
computes checksums of each answer: what differs has no number.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from windrow_bench.measure.session import (
    SETTINGS,
    SHUFFLE_PARTITIONS,
    session,
    versions,
)

from . import _spark_over, _spark_scaling, _spark_windows
from ._report import Result
from ._settings import Settings

NAME = "spark"


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Windows, rows with their past, one hot key, and growth."""
    with tempfile.TemporaryDirectory(prefix="windrow-bench-spark-") as name:
        folder = Path(name)
        with session() as spark:
            parts = [
                _spark_windows.run(spark, folder, settings, say),
                _spark_over.run(spark, folder, settings, say),
                _spark_scaling.growth(spark, folder, settings, say),
            ]
        parts.append(_spark_scaling.memory(folder, settings, say))
        parts.append(_spark_scaling.one_key(folder, settings, say))
    return Result(
        NAME,
        "Spark: `local[2]`",
        [table for part in parts for table in part.tables],
        [bar for part in parts for bar in part.bars],
        [*_notes(settings), *(note for part in parts for note in part.notes)],
    )


def _notes(settings: Settings) -> list[str]:
    return [
        (
            f"{settings.spark_rows:,} rows (over: {settings.spark_over_rows:,}), 100 a "
            "second in order of time, no two at the same microsecond; a key (int32), "
            "a float64. Parquet in, `noop` out, best of up to "
            f"{settings.spark_rounds} rounds; who has used up "
            f"{settings.spark_patience:g} s sits the others out."
        ),
        (
            f"{versions()}; driver memory {SETTINGS['spark.driver.memory']}, "
            f"{SHUFFLE_PARTITIONS} shuffle partitions, other settings Spark's defaults."
        ),
        (
            "Equal: rows, the sum of each column, and its sum weighted by key and "
            "time, to 1e-9; windows against numpy, `over` against Spark's own frames."
        ),
    ]
