"""Sessions that are measured: the same settings for both sides, stated once.

What is not named here is Spark's default: adaptive execution and code generation are
on, an Arrow batch has 10,000 rows.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
from pyspark.sql import DataFrame, SparkSession

SHUFFLE_PARTITIONS = 4
SETTINGS: dict[str, Any] = {
    "spark.driver.memory": "8g",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": str(SHUFFLE_PARTITIONS),
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
SEGMENT_TREE = "spark.sql.window.segmentTree.enabled"


@contextmanager
def session(cores: int = 2) -> Iterator[SparkSession]:
    """A session of its own on `local[cores]`, with Python workers of its own.

    The Java process outlives it and stays warm for the next one.
    """
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master(f"local[{cores}]").appName("benchmarks")
    spark = builder.config(map=SETTINGS).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


@contextmanager
def segment_tree(spark: SparkSession) -> Iterator[None]:
    """Spark's own faster frames, switched on for a while."""
    spark.conf.set(SEGMENT_TREE, "true")
    try:
        yield
    finally:
        spark.conf.unset(SEGMENT_TREE)


def read(spark: SparkSession, path: Path) -> DataFrame:
    """The frame that both sides start from."""
    return spark.read.parquet(str(path))


def consume(frame: DataFrame) -> None:
    """Compute every row and every column, and keep none."""
    frame.write.format("noop").mode("overwrite").save()


def versions() -> str:
    """Spark, Java and Python, in one line."""
    java = subprocess.run(
        ["java", "-version"],  # noqa: S607 - the one that Spark takes
        capture_output=True,
        text=True,
        check=True,
    ).stderr.split('"')[1]
    python = platform.python_version()
    return f"PySpark {pyspark.__version__}, Java {java}, Python {python}"
