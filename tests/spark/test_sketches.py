"""Sketches on Spark: folded before the shuffle, and read by Spark's own functions."""

from __future__ import annotations

import datasketches
import numpy as np
import pyarrow as pa
import pyspark
import pytest

import windrow as wr
from windrow.plan.sketch_sql import SINCE

COUNT = 3000
WINDOW = wr.sliding(2000, every=200, on="t")

NATIVE = {"n": wr.count(), "theta": wr.theta_sketch("s")}
BYTES = {
    **NATIVE,
    "kinds": wr.approx_distinct("s"),
    "ids": wr.approx_distinct("u"),
    "hll": wr.hll_sketch("s"),
    "kll": wr.kll_sketch("x"),
}
FOLDED = {
    "middle": wr.approx_quantile("x", 0.5),
    "reals": wr.approx_distinct("x"),
    "most": wr.max("x"),
    "ends": wr.approx_quantile("x", [0, 0.5, 1], method="ddsketch"),
    "bins": wr.histogram("x", [0, 1, 2]),
    "top": wr.approx_top_k("s", 2),
    "whole": wr.approx_quantile("x", 1.0),
}

SPARK = tuple(int(part) for part in pyspark.__version__.split(".")[:2])


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    names = [[None, "", *"abcdefg"][i % 9] for i in rng.integers(0, 900, COUNT)]
    return pa.table(
        {
            "k": rng.integers(0, 3, COUNT),
            "t": np.sort(rng.integers(0, 9000, COUNT)),
            "x": rng.lognormal(size=COUNT),
            "u": rng.integers(0, 10**6, COUNT),
            "s": pa.array(names),
        }
    )


@pytest.fixture(scope="module")
def frame(spark, table):
    return spark.createDataFrame(table).repartition(3)


def in_order(result):
    rows = result.to_pylist()
    return sorted(rows, key=lambda row: (row["k"], row["window"]["start"]))


def thetas(row):
    return datasketches.compact_theta_sketch.deserialize(row["theta"]).get_estimate()


def test_sketches_that_catalyst_makes_are_ours(frame, table):
    found = wr.aggregate(frame, WINDOW, by="k", aggregates=NATIVE)
    actual = in_order(found.toArrow())

    expected = in_order(wr.aggregate(table, WINDOW, by="k", aggregates=NATIVE))
    for one, other in zip(actual, expected, strict=True):
        assert (one["k"], one["n"]) == (other["k"], other["n"])
        assert thetas(one) == thetas(other)
    text = str(wr.explain(frame, WINDOW, by="k", aggregates=NATIVE))
    assert ("native" in text) is (max(SINCE.values()) <= SPARK)


def test_bytes_of_our_own_sketches_are_those_in_process(frame, table):
    found = wr.aggregate(frame, WINDOW, by="k", aggregates=BYTES)
    actual = in_order(found.toArrow())

    expected = in_order(wr.aggregate(table, WINDOW, by="k", aggregates=BYTES))
    for one, other in zip(actual, expected, strict=True):
        same = ("k", "kinds", "ids", "n", "window", "hll")
        assert [one[name] for name in same] == [other[name] for name in same]
        counts = [
            datasketches.kll_doubles_sketch.deserialize(row["kll"]).n
            for row in (one, other)
        ]
        assert counts[0] == counts[1] == one["n"]
        assert thetas(one) == thetas(other)


@pytest.mark.parametrize("hints", [{}, {"hot": True}], ids=["by key", "in chunks"])
def test_sketches_of_our_own_are_folded_before_the_shuffle(frame, table, hints):
    found = wr.aggregate(frame, WINDOW, by="k", aggregates=FOLDED, **hints)
    actual = in_order(found.toArrow())

    assert actual == in_order(wr.aggregate(table, WINDOW, by="k", aggregates=FOLDED))
    text = str(wr.explain(frame, WINDOW, by="k", aggregates=FOLDED, **hints))
    assert "our kernel folds rows before they are shuffled" in text


@pytest.mark.skipif(max(SINCE.values()) > SPARK, reason="Spark 4.1 has all sketches")
def test_bytes_are_read_by_sparks_own_functions(spark, frame):
    calls = {
        "s": wr.hll_sketch("s"),
        "u": wr.hll_sketch("u"),
        "x": wr.kll_sketch("x"),
        "set": wr.theta_sketch("s"),
    }
    tumbling = wr.sliding(10_000, on="t")

    wr.aggregate(frame, tumbling, aggregates=calls).createOrReplaceTempView("sketches")
    frame.createOrReplaceTempView("rows")
    (row,) = spark.sql("""
        select hll_sketch_estimate(s) s, hll_sketch_estimate(u) u,
               kll_sketch_get_quantile_double(x, 0.5D) x,
               theta_sketch_estimate(set) set,
               hll_sketch_estimate(
                   hll_union(s, (select hll_sketch_agg(s) from rows))) both,
               theta_sketch_estimate(
                   theta_union(set, (select theta_sketch_agg(s) from rows))) sets
        from sketches""").collect()
    (exact,) = spark.sql("""
        select count(distinct u) u, percentile(x, 0.5) x from rows""").collect()

    assert (row.s, row.set, row.both, row.sets) == (7, 7, 7, 7)  # "" is passed over
    assert row.u == pytest.approx(exact.u, rel=0.07)
    assert row.x == pytest.approx(exact.x, rel=0.1)


def test_bytes_of_spark_for_each_type_hold_our_coupons(spark):
    kinds = ["int", "bigint", "string", "date", "timestamp", "boolean", "tinyint"]
    values = dict.fromkeys(kinds, "id")
    values["timestamp"] = "timestamp_seconds(id)"
    values["date"] = "date_from_unix_date(cast(id as int))"
    casts = ", ".join(f"cast({values[kind]} as {kind}) {kind}" for kind in kinds)
    frame = spark.sql(f"select 0 t, {casts} from range(100)")
    calls = {kind: wr.approx_distinct(kind) for kind in kinds}
    window = wr.sliding(10, every=1, on="t")

    actual = wr.aggregate(frame, window, aggregates=calls).limit(1).toArrow()
    expected = wr.aggregate(frame.toArrow(), window, aggregates=calls)

    for kind in kinds:
        assert actual[kind][0].as_py() == expected[kind][0].as_py(), kind
        assert actual[kind][0].as_py() == (2 if kind == "boolean" else 100)
