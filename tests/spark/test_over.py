"""`wr.over` on Spark: every row once, as Spark's own frames and as the engine have it.

rowsBetween(-8, 0)              last=9
rangeBetween(-60 s, 0)          last="60 seconds", peers in
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from answers import assert_same_rows
from pyspark.sql import Window
from pyspark.sql import functions as F
from watching import jobs, operators, tasks_since

import windrow as wr
from windrow.spark import ship

NAMED = ["id"]
CALLS = {
    "minute": wr.sum("x", last="60 seconds"),
    "earlier": wr.max("y", last="2 minutes", closed="left"),
    "between": wr.count("x", last="30 seconds", closed="neither"),
    "who": wr.arg_max("x", "name", last="45 seconds", closed="right"),
    "nine": wr.mean("y", last=9),
    "names": wr.collect("name", last=3),
    "spread": wr.variance("x", last=40),
}
TIMED = {name: call for name, call in CALLS.items() if not isinstance(call.last, int)}

AHEAD = {
    "soon": wr.count("x", next="40 seconds", min_periods=2),
    "around": wr.max("y", last="1 minute", next="30 seconds", closed="both"),
    "next_two": wr.collect("name", next=2),
    "beside": wr.sum("x", last=5, next=4, closed="left"),
}


def rows(n: int = 400, *, seed: int = 5, unknown: float = 0.05) -> pa.Table:
    """Skewed keys with nulls, equal instants, gaps, and some rows without a time."""
    random = np.random.default_rng(seed)
    key = random.choice(["a", "b", "c", "lonely"], n, p=[0.7, 0.2, 0.09, 0.01])
    at = random.integers(-600, 2000, n) * 500_000
    at[: n // 8] += 10**12
    y = random.normal(size=n).round(3)
    y[random.random(n) < 0.05] = np.nan
    return pa.table(
        {
            "id": pa.array(np.arange(n)),
            "key": pa.array(key, mask=random.random(n) < 0.05),
            "at": pa.array(
                at, pa.timestamp("us", "UTC"), mask=random.random(n) < unknown
            ),
            "x": pa.array(random.integers(-50, 50, n), mask=random.random(n) < 0.1),
            "y": pa.array(y),
            "name": pa.array([f"n{i % 17}" for i in range(n)]),
        }
    )


@pytest.mark.parametrize("batch", [1, 7, pytest.param(100_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(
    ("by", "calls"),
    [
        ("key", CALLS | AHEAD | {"ever": wr.sum("x")}),
        (None, TIMED),
        (None, CALLS | AHEAD),
    ],
    ids=["keys", "no key, chunks", "no key, blocks"],
)
def test_every_row_has_the_columns_of_the_engine(
    spark, settings_of, monkeypatch, by, calls, batch
):
    table = rows(120 if batch == 1 else 400)
    monkeypatch.setattr(ship, "STRETCH", min(batch, 1 << 16))
    order = {"on": "at", "by": by, "ties": ["id"], "aggregates": calls}

    with settings_of({"spark.sql.execution.arrow.maxRecordsPerBatch": batch}):
        actual = wr.over(spark.createDataFrame(table), **order).toArrow()

    assert_same_rows(actual, wr.over(table, **order), named_by=NAMED)


def test_frames_of_rows_and_of_time_are_those_of_spark(spark):
    frame = spark.createDataFrame(rows(300, unknown=0.0))
    back = Window.partitionBy("key").orderBy("at", "id")
    micros = Window.partitionBy("key").orderBy(F.unix_micros("at"))
    expected = frame.select(
        "*",
        F.sum("x").over(back.rowsBetween(-8, 0)).alias("nine"),
        F.max("y").over(back.rowsBetween(-29, 0)).alias("most"),
        F.sum("x").over(micros.rangeBetween(-60_000_000, 0)).alias("minute"),
        F.count("x").over(micros.rangeBetween(-60_000_000, -1)).alias("before"),
        F.sum("x").over(back.rowsBetween(-2, 3)).alias("beside"),
        F.count("x").over(micros.rangeBetween(1, 30_000_000)).alias("soon"),
        F.max("y").over(micros.rangeBetween(-9_000_000, 9_000_000)).alias("around"),
        F.sum("x").over(back.rowsBetween(Window.unboundedPreceding, 0)).alias("ever"),
    )

    actual = wr.over(
        frame,
        on="at",
        by="key",
        ties="id",
        nine=wr.sum("x", last=9),
        most=wr.max("y", last=30),
        minute=wr.sum("x", last="60 seconds", closed="both"),
        before=wr.count("x", last="60 seconds", closed="left"),
        beside=wr.sum("x", last=3, next=3),
        soon=wr.count("x", next="30 seconds"),
        around=wr.max("y", last="9 seconds", next="9 seconds", closed="both"),
        ever=wr.sum("x", last=10**6),
    )

    assert_same_rows(actual, expected, named_by=NAMED)


def test_rows_without_a_time_are_peers_of_each_other_as_in_spark(spark):
    frame = spark.createDataFrame(rows(200, unknown=0.3))
    window = Window.partitionBy("key").orderBy(F.unix_micros("at"))
    total = F.sum("x").over(window.rangeBetween(-60_000_000, 0))

    actual = wr.over(frame, on="at", by="key", total=wr.sum("x", last="1 minute"))

    expected = frame.select("*", total.alias("total"))
    assert_same_rows(actual, expected, named_by=NAMED)


def test_columns_come_back_as_they_were_and_new_ones_have_sparks_types(spark):
    frame = spark.createDataFrame(rows(20)).select(
        "*", F.struct("x", "name").alias("a struct"), F.array("y").alias("dots.in it")
    )

    actual = wr.over(
        frame,
        on="at",
        by="key",
        **{"new `one`": wr.sum("x", last=2)},
        n=wr.count(last=2),
        all=wr.collect("x", last=2),
    ).schema

    window = Window.partitionBy("key").orderBy("at").rowsBetween(-1, 0)
    expected = frame.select(
        "*",
        F.sum("x").over(window).alias("new `one`"),
        F.count("*").over(window).alias("n"),
        F.collect_list("x").over(window).alias("all"),
    ).schema
    assert actual == expected


def test_float_keys_group_as_sparks_do_and_keep_their_own_bits(spark):
    values = [0.0, -0.0, float("nan"), float("nan"), 1.5]
    at = [dt.datetime(2026, 1, 1, 0, 0, i, tzinfo=dt.UTC) for i in range(5)]
    table = pa.table({"key": values, "at": pa.array(at, pa.timestamp("us", "UTC"))})
    frame = spark.createDataFrame(table)

    found = wr.over(frame, on="at", by="key", n=wr.count(last=10)).toArrow()

    actual = found.sort_by("at")
    assert actual["n"].to_pylist() == [1, 2, 1, 2, 1]
    assert np.signbit(actual["key"].to_numpy()[:2]).tolist() == [False, True]


@pytest.mark.parametrize("calls", [TIMED, CALLS], ids=["chunks", "blocks"])
def test_without_a_key_no_task_sees_most_of_the_rows(spark, settings_of, calls):
    table = rows(20_000, unknown=0.0)
    spread = np.sort(np.random.default_rng(3).integers(0, 40_000, 20_000)) * 1_000_000
    at = pa.array(spread, pa.timestamp("us", "UTC"))
    frame = spark.createDataFrame(table.set_column(2, "at", at)).repartition(2)
    before = jobs(spark)

    with settings_of({"spark.sql.adaptive.coalescePartitions.enabled": "false"}):
        count = wr.over(frame, on="at", ties="id", aggregates=calls).toArrow().num_rows

    assert count == 20_000
    stages: dict[int, list[int]] = {}
    for task in tasks_since(spark, before):
        stages.setdefault(task.stage, []).append(task.shuffled)
    largest = max(max(read) for read in stages.values() if sum(read) >= 20_000)
    assert largest < 0.8 * 20_000


def test_building_it_runs_no_job(spark):
    frame = spark.createDataFrame(rows(20))
    before = jobs(spark)

    for by in ("key", None):
        wr.over(frame, on="at", by=by, aggregates=CALLS)
        wr.explain(frame, on="at", by=by, aggregates=CALLS)

    assert jobs(spark) == before


def test_several_frames_are_one_shuffle_by_key(spark):
    frame = spark.createDataFrame(rows(20))

    actual = operators(wr.over(frame, on="at", by="key", aggregates=CALLS))

    assert actual.count("Exchange") == 1
    assert actual.count("MapInArrow") == 1


def test_a_frame_without_an_order_is_refused(spark):
    frame = spark.createDataFrame(rows(20))

    with pytest.raises(wr.WindowError, match=r"no order.*\nHint: .*on='ts'"):
        wr.over(frame, by="key", nine=wr.sum("x", last=9))


def test_explain_says_how_rows_without_a_key_are_split(spark):
    frame = spark.createDataFrame(rows(20))

    chunks = str(wr.explain(frame, on="at", aggregates=TIMED))
    blocks = str(wr.explain(frame, on="at", aggregates=CALLS))

    assert "chunks of 16 minutes, each with the 2 minutes before it" in chunks
    assert "blocks: no key, and rows are counted back" in blocks
