"""Windows by policy on a DataFrame: each key in one pass, as in one process."""

from __future__ import annotations

import datetime as dt

import pytest
from answers import assert_same_rows

import windrow as wr
from windrow.errors import WindowError

ZERO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
CALLS = {"n": wr.count(), "total": wr.sum("x"), "last": wr.last("x")}


def rides(count=200):
    """Rides of three cars, in no order, with an odometer that never falls."""
    rows = []
    for i in range(count):
        place = i * 37 % count
        at = ZERO + dt.timedelta(seconds=place)
        rows.append(("abc"[place % 3], at, place * 0.7, place % 11 == 0, i % 19))
    return rows


@pytest.mark.parametrize(
    "window",
    [
        wr.window(evict=wr.delta("km", 9.0), trigger=5, on="at"),
        wr.window(evict="20 seconds", trigger=wr.punctuation("mark"), on="at"),
        wr.window(evict=wr.punctuation("mark"), trigger=wr.delta("km", 4.0), on="at"),
        wr.window(evict=7, trigger="15 seconds", on="at"),
    ],
    ids=str,
)
def test_results_are_those_of_one_process(spark, window):
    schema = "car string, at timestamp, km double, mark boolean, x long"
    frame = spark.createDataFrame(rides(), schema)

    actual = wr.aggregate(frame, window, by="car", **CALLS)

    expected = wr.aggregate(frame.toArrow(), window, by="car", **CALLS)
    assert_same_rows(actual.toArrow(), expected)


def test_explain_names_the_pass_and_an_order_is_asked_for(spark):
    frame = spark.createDataFrame([], "car string, at timestamp, km double, x long")
    window = wr.window(evict=wr.delta("km", 9.0), trigger=5, on="at")

    told = str(wr.explain(frame, window, by="car", **CALLS))

    assert "S→Window, evict km by 9 trigger 5 rows" in told
    assert "a key is one pass" in told
    with pytest.raises(WindowError, match="its rows have no order"):
        wr.aggregate(frame, wr.window(evict=wr.delta("km", 9.0)), by="car", **CALLS)
