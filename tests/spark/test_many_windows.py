"""A list of windows on Spark: the answers of each alone, for the price of one.

one window      scan - Exchange - ...
five windows    scan - Exchange - ...       not five scans, not five shuffles
"""

from __future__ import annotations

import random
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from answers import assert_same_rows
from pyspark.sql import DataFrame
from typed import table_of
from watching import operators

import windrow as wr

WINDOWS = [
    wr.sliding("60 seconds", every="1 second", on="at", name="long"),
    wr.sliding("30 seconds", every="7 seconds", offset="3 s", on="at", name="odd"),
    wr.sliding("5 seconds", on="at", name="tumbling"),
    wr.sliding("1500 ms", every="500 ms", on="at", name="fine"),
    wr.sliding("1 hour", every="25 minutes", on="at", name="coarse"),
]
# As long as the longest, as often as the most frequent: split like all together.
WIDEST = wr.sliding("1 hour", every="500 ms", on="at")
CALLS = {
    "native": {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("y")},
    "kernel": {"product": wr.product("x"), "sketch": wr.moment_sketch("x")},
    "rows": {"all": wr.collect("x"), "kinds": wr.count_distinct("x")},
}
SCANS = ("LocalTableScan", "Scan", "BatchScan", "Range")


@pytest.mark.parametrize(
    ("path", "by"),
    [
        ("native", "key"),
        pytest.param("native", [], marks=pytest.mark.deep),
        ("kernel", "key"),
        ("rows", []),
    ],
)
def test_a_list_of_windows_equals_each_alone(spark, path, by):
    frame = spark.createDataFrame(table_of("double"))
    calls = CALLS[path]

    actual = wr.aggregate(frame, WINDOWS, by=by, aggregates=calls)

    alone = [wr.aggregate(frame, [one], by=by, aggregates=calls) for one in WINDOWS]
    assert_same_rows(actual, reduce(DataFrame.unionAll, alone))


def test_windows_without_names_are_numbered_in_the_order_of_the_list(spark):
    frame = spark.range(10).selectExpr("id as at", "id as x")
    windows = [wr.sliding(5, on="at"), wr.sliding(10, on="at")]

    actual = wr.aggregate(frame, windows, total=wr.sum("x"))

    expected = [
        {"query": 0, "window": {"start": 0, "end": 5}, "total": 10},
        {"query": 0, "window": {"start": 5, "end": 10}, "total": 35},
        {"query": 1, "window": {"start": 0, "end": 10}, "total": 45},
    ]
    assert_same_rows(actual, expected)


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize("by", [["key"], []], ids=str)
def test_a_list_is_one_scan_and_no_more_shuffles_than_one_window(spark, path, by):
    frame = spark.createDataFrame(table_of("double"))

    many = operators(wr.aggregate(frame, WINDOWS, by=by, aggregates=CALLS[path]))
    one = operators(wr.aggregate(frame, WIDEST, by=by, aggregates=CALLS[path]))

    assert _scans(many) == _scans(one) == 1
    assert many.count("Exchange") <= one.count("Exchange")
    assert many.count("MapInArrow") <= one.count("MapInArrow")


@pytest.mark.parametrize("kind", ["rows", "time"])
@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(n, marks=pytest.mark.deep) for n in (2, 3, 4))]
)
def test_a_random_list_equals_each_window_alone_in_process(spark, kind, seed):
    """1 to 50 windows, ranges and slides as they come."""
    rng = random.Random(f"{seed} {kind}")
    made = np.random.default_rng(seed)
    n = 900
    table = pa.table(
        {
            "key": made.integers(0, 3, n),
            "at": np.sort(made.choice(5_000, n, replace=False)),
            "x": made.integers(-9, 9, n),
            "y": made.integers(-40, 40, n) / 4,
        }
    )
    windows = []
    for _ in range(rng.randint(20, 50)):
        range_ = rng.choice([rng.randint(1, 30), rng.randint(64, 250)])
        every = rng.randint(max(range_ // 9, 1), range_)
        windows.append(
            wr.rows(range_, every=every, on="at")
            if kind == "rows"
            else wr.sliding(range_ * 5, every=every * 5, on="at")
        )
    calls = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("y")}

    actual = wr.aggregate(
        spark.createDataFrame(table), windows, by="key", aggregates=calls
    )

    expected = []
    for number, window in enumerate(windows):
        alone = wr.aggregate(table, window, by="key", aggregates=calls)
        expected += [
            {"key": row.pop("key"), "query": number, **row} for row in alone.to_pylist()
        ]
    assert_same_rows(actual, expected)


def _scans(found: list[str]) -> int:
    return sum(operator in SCANS for operator in found)
