"""Calendar windows on Spark: every way through the tree, the answer of one process.

    native, kernel, rows     how rows become slices
    key, hot key, no key     whether time is split into chunks

Rows lie around both changes of clocks, and around a day that a zone left out.
"""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from answers import assert_same_rows

import windrow as wr
from windrow.loops import interpreting

STARTS = {
    "spring": dt.datetime(2026, 3, 20, tzinfo=dt.UTC),
    "autumn": dt.datetime(2026, 10, 17, tzinfo=dt.UTC),
}
CALLS = {
    "native": {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")},
    "kernel": {"product": wr.product("x")},
    "rows": {"all": wr.collect("x")},
}
WINDOWS = [
    wr.calendar("1 month", every="1 day", on="at", tz="Europe/Berlin", name="month"),
    wr.calendar("1 week", on="at", tz="Europe/Berlin", name="week"),
]
DAYS = wr.calendar("1 day", on="at", tz="Europe/Berlin")


def table_of() -> pa.Table:
    rows = [
        {
            "key": "ab"[hours % 2],
            "at": start + dt.timedelta(hours=hours),
            "x": hours % 7,
        }
        for start in STARTS.values()
        for hours in range(0, 24 * 16, 5)
    ]
    kinds = {"key": pa.string(), "at": pa.timestamp("us", "UTC"), "x": pa.int64()}
    return pa.Table.from_pylist(rows, pa.schema(kinds))


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize(
    "how", [{"by": "key"}, {"by": "key", "hot": True}, {"by": []}], ids=str
)
def test_a_list_of_calendar_windows_gives_the_answer_of_one_process(spark, path, how):
    table, calls = table_of(), CALLS[path]

    actual = wr.aggregate(
        spark.createDataFrame(table), WINDOWS, aggregates=calls, **how
    )

    with interpreting():
        expected = wr.aggregate(table, WINDOWS, by=how["by"], aggregates=calls)
    assert_same_rows(actual, expected.to_pylist())


@pytest.mark.parametrize("path", CALLS)
def test_days_of_a_zone_have_the_hours_that_they_have(spark, path):
    table, calls = table_of(), CALLS[path]

    actual = wr.aggregate(
        spark.createDataFrame(table), DAYS, by="key", aggregates=calls
    )

    with interpreting():
        expected = wr.aggregate(table, DAYS, by="key", aggregates=calls)
    assert_same_rows(actual, expected.to_pylist())
    windows = [row["window"] for row in actual.toArrow().to_pylist()]
    hours = {(w["end"] - w["start"]) // dt.timedelta(hours=1) for w in windows}
    assert hours == {23, 24, 25}
