"""Exact medians and ranks on Spark: as in process, and as Spark's own percentile."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import functions as fn

import oracles
import windrow as wr

WINDOW = wr.sliding("60 seconds", every="15 seconds", on="at")
ZERO = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(6)
    n = 300
    values = [None if i % 17 == 0 else float(v) for i, v in
              enumerate(rng.integers(-30, 30, n))]  # fmt: skip
    return pa.table(
        {
            "at": pa.array(
                [ZERO + dt.timedelta(seconds=int(s)) for s in rng.integers(0, 400, n)],
                pa.timestamp("us", "UTC"),
            ),
            "key": [["a", "b", None][i % 3] for i in range(n)],
            "x": pa.array(values, pa.float64()),
            "id": np.arange(n),
        }
    )


def test_windows_give_what_sparks_own_aggregates_do(spark, table):
    frame = spark.createDataFrame(table)

    actual = wr.aggregate(
        frame,
        WINDOW,
        by="key",
        p=wr.percentile("x", [0.1, 0.5]),
        m=wr.median("x"),
        c=wr.percentile_cont("x", 0.3),
        d=wr.percentile_disc("x", 0.3),
        o=wr.mode("x"),
    )

    least = spark.version >= "4"  # below, Spark's mode is any of those that are as many
    expected = frame.groupBy("key", fn.window("at", "60 seconds", "15 seconds")).agg(
        fn.expr("percentile(x, array(0.1, 0.5))").alias("p"),
        fn.expr("median(x)").alias("m"),
        fn.expr("percentile_cont(0.3) within group (order by x)").alias("c"),
        fn.expr("percentile_disc(0.3) within group (order by x)").alias("d"),
        fn.expr("mode(x, true)" if least else "mode(x)").alias("o"),
    )
    names = ["key", "window", "p", "m", "c", "d"] + ["o"] * least
    assert [f.dataType for f in actual.select(names).schema] == [
        f.dataType for f in expected.select(names).schema
    ]
    found, wanted = (
        sorted((tuple(row) for row in rows.select(names).collect()), key=repr)
        for rows in (actual, expected)
    )
    assert len(found) > 50
    assert oracles.alike(found, wanted, 1e-12)


def test_frames_give_what_they_do_in_process(spark, table):
    calls = {
        "m": wr.median("x", last=20),
        "q": wr.quantile("x", 0.9, last="60 seconds"),
        "r": wr.rank("x", last=20),
        "s": wr.percent_rank("x", last="60 seconds", closed="left"),
        "v": wr.value_counts("key", last=5),
    }
    how = {"on": "at", "by": "key", "ties": "id", "aggregates": calls}
    frame = spark.createDataFrame(table)

    actual = wr.over(frame, **how).orderBy("id").collect()

    expected = wr.over(table, **how).to_pylist()
    for row, line in zip(actual, expected, strict=True):
        for name in ("m", "q", "r", "s"):
            assert oracles.alike(row[name], line[name], 1e-12)
        assert list(row["v"].items()) == line["v"]
