"""A query whose workers run a Python without windrow: a script."""

from __future__ import annotations

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from scripts import check

import windrow as wr


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
    result = wr.aggregate(frame, window, r=wr.median("v"))
    check("the failure says so in a sentence", lambda: says_so(result))
    session.stop()


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
