"""Tiles on Spark: made, stored, read back, merged, as those of one process."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from pyarrow import parquet
from watching import jobs

import windrow as wr

DICE = random.Random(23)
N = 400
MICROS = pa.timestamp("us", "UTC")
PAID = pa.table(
    {
        "ts": pa.array([DICE.randrange(21600) * 10**6 for _ in range(N)], MICROS),
        "card": [DICE.choice([1, 2, 3, None]) for _ in range(N)],
        "shop": [DICE.choice("xy") for _ in range(N)],
        "amount": [DICE.choice([None, DICE.randrange(-50, 50)]) for _ in range(N)],
        "share": [DICE.random() for _ in range(N)],
    }
)  # fmt: skip
KEYS = ["card", "shop"]
NATIVE = {
    "n": wr.count(), "spend": wr.sum("amount"), "top": wr.max("amount"),
    "mean": wr.mean("share"), "who": wr.arg_max("amount", "share"),
    "some": wr.count(where="amount > 0"), "many": wr.count_distinct("amount"),
    "all": wr.collect("share"),
}  # fmt: skip
KERNEL = NATIVE | {"skew": wr.skew("share"), "best": wr.max_count("amount")}
HOURS = [
    wr.sliding("1 hour", every="15 minutes", on="ts", name="hour"),
    wr.sliding("2 hours", on="ts", name="two"),
]


def expected(calls, windows=HOURS, by="card"):
    return wr.aggregate(PAID, windows, by=by, aggregates=calls)


@pytest.mark.parametrize("calls", [NATIVE, KERNEL], ids=["catalyst", "kernel"])
def test_windows_of_tiles_are_those_of_the_rows(spark, tmp_path, calls):
    for day, rows in enumerate((PAID.slice(0, 150), PAID.slice(150))):
        frame = spark.createDataFrame(rows)
        made = wr.tiles(frame, every="5 minutes", on="ts", by=KEYS, aggregates=calls)
        made.write.mode("append").parquet(str(tmp_path / f"day={day}"))

    stored = spark.read.parquet(str(tmp_path)).drop("day")
    begun = jobs(spark)
    merged = wr.merge_tiles(stored, HOURS, only=["n", "top", "many", "mean"], by="card")
    assert jobs(spark) == begun, "what tiles are stands in their metadata"

    wanted = {name: calls[name] for name in ("n", "top", "many", "mean")}
    assert_same_rows(merged, expected(wanted), named_by=["card", "query", "window"])


def test_tiles_are_those_of_one_process_whoever_wrote_them(spark, tmp_path):
    mine = wr.tiles(PAID, every="5 minutes", on="ts", by=KEYS, aggregates=KERNEL)
    theirs = wr.tiles(
        spark.createDataFrame(PAID), every="5 minutes", on="ts", by=KEYS,
        aggregates=KERNEL,
    )  # fmt: skip
    parquet.write_table(mine.replace_schema_metadata(), tmp_path / "mine.parquet")

    of_mine = wr.merge_tiles(spark.read.parquet(str(tmp_path)), HOURS[0])
    of_theirs = wr.merge_tiles(theirs.toArrow(), HOURS[0])

    assert theirs.columns == mine.column_names
    rows = expected(KERNEL, HOURS[0], KEYS)
    assert_same_rows(of_mine, rows, named_by=[*KEYS, "window"])
    assert_same_rows(of_theirs, rows, named_by=[*KEYS, "window"])


def test_longer_tiles_and_hot_keys_give_the_same_windows(spark):
    calls = {name: NATIVE[name] for name in ("n", "top", "many", "all")}
    frame = spark.createDataFrame(PAID)
    short = wr.tiles(frame, every="5 minutes", on="ts", by="card", aggregates=calls)
    long = wr.tiles(short, every="15 minutes")

    merged = wr.merge_tiles(long, HOURS[0], hot=True)

    assert long.count() < short.count()
    named = ["card", "window"]
    assert_same_rows(merged, expected(calls, HOURS[0]), named_by=named)


def test_tiles_of_two_kinds_are_refused_as_they_come(spark):
    frame = spark.createDataFrame(PAID)
    some = wr.tiles(frame, every="5 minutes", on="ts", by="card", n=wr.count())
    other = wr.tiles(frame, every="1 hour", on="ts", by="card", n=wr.count())
    window = wr.sliding("2 hours", on="ts")

    with pytest.raises(Exception, match="several different values\nHint"):
        wr.merge_tiles(some.unionByName(other), window).collect()
    with pytest.raises(wr.WindowError, match="multiples of 1 hour"):
        wr.merge_tiles(other, wr.sliding("90 minutes", on="ts"))
    with pytest.raises(wr.BadInput, match="no column 'tile'"):
        wr.merge_tiles(frame, window)


def test_dates_and_local_times_make_tiles(spark):
    days = [dt.date(2024, 1, 1 + i % 9) for i in range(40)]
    table = pa.table({"day": days, "x": list(range(40))})
    frame = spark.createDataFrame(table)
    tiles = wr.tiles(frame, every="1 day", on="day", s=wr.sum("x"))

    merged = wr.merge_tiles(tiles, wr.sliding("3 days", every="1 day", on="day"))

    own = wr.aggregate(
        frame, wr.sliding("3 days", every="1 day", on="day"), s=wr.sum("x")
    )
    assert_same_rows(merged, own.toArrow(), named_by=["window"])
