"""A query whose workers run a Python without windrow: a script."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from scripts import check

import windrow as wr
from windrow.errors import BadInput


def main() -> None:
    """The one check."""
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.ui.enabled", "false")
        .getOrCreate()
    )
    frame = session.range(5).selectExpr("timestamp_seconds(id) as at", "id as v")
    # a median slides in tasks of ours; Spark itself sums windows that do not overlap
    window = wr.sliding("2 seconds", every="1 second", on="at")
    build = partial(wr.aggregate, frame, window, r=wr.median("v"))
    check("a query is refused before a job", lambda: refused(build))
    with TemporaryDirectory() as folder:  # files that travel may have windrow in them
        other = Path(folder, "other.zip")
        ZipFile(other, "w").close()
        session.sparkContext.addPyFile(str(other))
        result = build()
        check("the failure says so in a sentence", lambda: says_so(result))
        session.stop()


def refused(build: Callable[[], object]) -> None:
    try:
        build()
    except BadInput as error:
        words = str(error)
        assert "cannot run windrow in Spark's Python workers" in words, words
        assert f"not installed for {os.environ['PYSPARK_PYTHON']}" in words, words
        assert f"PYSPARK_PYTHON={sys.executable}" in words, words
    else:
        raise AssertionError("it was not refused")


def says_so(result: object) -> None:
    try:
        result.collect()
    except PySparkException as error:
        top = str(error).split("\n\tat ", 1)[0]
        assert "cannot run windrow in Spark's Python workers" in top, top
        assert "No module named 'windrow'" in top, top
        assert "PYSPARK_PYTHON" in top, top
    else:
        raise AssertionError("it did not fail")


if __name__ == "__main__":
    main()
