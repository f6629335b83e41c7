"""One Spark session for all trials of a process, and a folder for their files.

    on(2)        starts one on local[2], and warms it: some 10 s
    on(2)        the same one
    on(1)        stops it and starts another in the same Java process: a second or two
    at exit      stopped, and the folder removed

The Java process says what it says into the void: it would tear up a progress bar.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from py4j.protocol import Py4JError
from pyarrow import parquet
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from windrow_bench import data
from windrow_bench.measure.machine import usable_cores
from windrow_bench.measure.session import SETTINGS, consume
from windrow_bench.measure.ticks import ROW_GROUP

from .case import NoAnswer

WARM_UP = 100_000  # rows: the first job, the first Python workers


class _SessionHolder:
    """The session and the folder, while they are there."""

    def __init__(self) -> None:
        self.cores = 0
        self.spark: SparkSession | None = None
        self.files: tempfile.TemporaryDirectory[str] | None = None

    def on(self, cores: int) -> SparkSession:
        if self.spark is None or self.cores != cores:
            self.stop()
            self.spark, self.cores = _started(cores), cores
        return self.spark

    def folder(self) -> Path:
        if self.files is None:
            self.files = tempfile.TemporaryDirectory(prefix="windrow-bench-")
        return Path(self.files.name)

    def stop(self) -> None:
        if self.spark is not None:
            self.spark.stop()
        self.spark = None

    def end(self) -> None:
        self.stop()
        if self.files is not None:
            self.files.cleanup()
        self.files = None


_HELD = _SessionHolder()
atexit.register(_HELD.end)


def on(cores: int | None = None) -> SparkSession:
    """The session on so many cores; None: on all that there are."""
    return _HELD.on(cores or usable_cores())


def renew() -> None:
    """Stop the session, so that the next one has Python workers of its own."""
    _HELD.stop()


def folder() -> Path:
    """Where files of this process are; it goes when the process ends."""
    return _HELD.folder()


def stored(table: pa.Table, name: str) -> Path:
    """A table as a Parquet file of that name, in pieces that tasks can share."""
    path = folder() / f"{name}.parquet"
    parquet.write_table(table, path, row_group_size=min(ROW_GROUP, len(table) // 4 + 1))
    return path


def origin_of(path: Path) -> dict[str, str]:
    """Where the rows of a stored file came from, as a fact of a row."""
    return {"data": data.origin(parquet.read_schema(path).empty_table())}


def framed(spark: SparkSession, path: Path) -> DataFrame:
    """The frame that all contenders start from."""
    return spark.read.parquet(str(path))


def _started(cores: int) -> SparkSession:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    builder = SparkSession.builder.master(f"local[{cores}]").appName("windrow bench")
    warehouse = {"spark.sql.warehouse.dir": str(folder() / "warehouse")}
    try:
        with _quiet():
            spark = builder.config(map=SETTINGS | warehouse).getOrCreate()
    except (Py4JError, PySparkException, OSError) as error:
        said = str(error).strip().partition("\n")[0]
        raise NoAnswer(
            f"Spark does not start: {said}; windrow doctor says why"
        ) from error
    some = spark.range(WARM_UP).repartition(cores)
    consume(some.mapInArrow(lambda batches: batches, some.schema))
    return spark


@contextmanager
def _quiet() -> Iterator[None]:
    """Processes that are started within have nowhere to write their errors to."""
    sys.stderr.flush()
    screen = os.dup(2)
    with Path(os.devnull).open("wb") as void:
        os.dup2(void.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(screen, 2)
        os.close(screen)
