"""`wr.aggregate` on Spark equals `groupBy(window())`, row for row.

    wr.aggregate(df, wr.sliding(r, every=s, offset=o, on="at"), by=keys, ...)
    df.groupBy(keys, window("at", r, s, o)).agg(...)

The frames are random; see `streams.py` for what is in them.
"""

from __future__ import annotations

from typing import Any

import pytest
from answers import assert_same_rows
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import functions as fn
from streams import TimeWindow, frames, time_windows

import windrow as wr
from strategies import part

SUMS = {
    "n": (wr.count(), "count(*)"),
    "held": (wr.count("f"), "count(f)"),
    "f_sum": (wr.sum("f"), "sum(f)"),
    "i_sum": (wr.sum("i"), "sum(i)"),
    "f_mean": (wr.mean("f"), "avg(f)"),
    "i_mean": (wr.mean("i"), "avg(i)"),
    "f_min": (wr.min("f"), "min(f)"),
    "f_max": (wr.max("f"), "max(f)"),
    "i_min": (wr.min("i"), "min(i)"),
    "i_max": (wr.max("i"), "max(i)"),
    "at_max": (wr.max("at"), "max(at)"),
}
MOMENTS = {
    "variance": (wr.variance("i"), "var_samp(i)"),
    "deviation": (wr.stddev_population("i"), "stddev_pop(i)"),
    "strange": (wr.variance("f"), "var_samp(f)"),
    "skew": (wr.skew("i"), "skewness(i)"),
    "kurtosis": (wr.kurtosis("i"), "kurtosis(i)"),
    "together": (wr.covariance("i", "f"), "covar_samp(i, f)"),
    "bits": (wr.bit_xor("i"), "bit_xor(i)"),
    "and": (wr.bit_and("i"), "bit_and(i)"),
    "least": (wr.min("s"), "min(s)"),
    "most": (wr.max("s"), "max(s)"),
    "kinds": (wr.count_distinct("s"), "count(distinct s)"),
}


def ours(frame: Any, window: TimeWindow, by: Any, calls: Any, **hints: Any) -> Any:
    """The window in Windrow's words."""
    spec = wr.sliding(
        window.text("range"),
        every=window.text("slide"),
        offset=window.text("offset"),
        on="at",
    )
    wanted = {name: call for name, (call, _) in calls.items()}
    return wr.aggregate(frame, spec, by=by, aggregates=wanted, **hints)


def theirs(frame: Any, window: TimeWindow, by: Any, calls: Any) -> Any:
    """The same in Spark's."""
    lengths = [window.text(one) for one in ("range", "slide", "offset")]
    windows = fn.window("at", *lengths).alias("window")
    wanted = [fn.expr(text).alias(name) for name, (_, text) in calls.items()]
    return frame.groupBy(*by, windows).agg(*wanted)


@pytest.mark.parametrize("calls", [SUMS, MOMENTS], ids=["sums", "moments"])
@part(0.2)
@given(data=st.data())
def test_random_streams_give_the_rows_of_spark(spark, calls, data):
    window = data.draw(time_windows())
    frame = spark.createDataFrame(data.draw(frames(window)))
    hints = data.draw(st.sampled_from([{}, {"hot": True}, {"keys": 3}]))

    actual = ours(frame, window, ["stream", "key"], calls, **hints)

    expected = theirs(frame, window, ["stream", "key"], calls)
    assert_same_rows(actual, expected)


@part(0.15)
@given(data=st.data())
def test_all_streams_at_once_without_a_key_give_the_rows_of_spark(spark, data):
    window = data.draw(time_windows())
    frame = spark.createDataFrame(data.draw(frames(window)))

    actual = ours(frame, window, [], SUMS)

    expected = theirs(frame, window, [], SUMS)
    assert_same_rows(actual, expected)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kathmandu"])
@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date"])
def test_windows_lie_where_spark_puts_them_in_any_zone(spark, settings_of, kind, zone):
    with settings_of({"spark.sql.session.timeZone": zone}):
        frame = spark.range(60).selectExpr(
            "id as i",
            "cast(cast('2026-03-07 20:00:00' as timestamp_ntz)"
            f" + make_dt_interval(0, id, 7 * id) as {kind}) as at",
        )
        window = TimeWindow(9, 2, 1, "hours")
        calls = {"n": SUMS["n"], "i_sum": SUMS["i_sum"]}

        actual = ours(frame, window, [], calls)

        expected = theirs(frame, window, [], calls)
        assert actual.schema["window"].dataType == expected.schema["window"].dataType
        assert_same_rows(actual, expected)
