"""Count windows on Spark: the i-th window of a key covers its rows [i s, i s + r).

rows of a key, by `at` and then by `ties`    0 1 2 3 4 5 6
rows(3, every=2)                             |---|
                                                 |---|
                                                     |---|
"""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from answers import assert_same_rows
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from strategies import part, range_and_slide

CALLS = {
    "n": ("count", ()),
    "total": ("sum", ("i",)),
    "most": ("max", ("f",)),
    "first": ("first", ("i",)),
    "last": ("last", ("s",)),
    "all": ("collect", ("i",)),
}
ZERO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def rows_of(n=90):
    """Rows of keys with 1 to 50 rows, in no order; (at, tie) is unique in a key."""
    keys = ["long", "long", None, "short", "long"]
    return [
        {
            "stream": i % 2,
            "key": "single" if i == 11 else keys[i % 5],
            "at": ZERO + dt.timedelta(microseconds=(i * 17 % n) // 3 - 9),
            "tie": i * 17 % n % 3,
            "i": None if i % 6 == 2 else i * 7 % 19 - 9,
            "f": float("nan") if i % 13 == 5 else float(i * 11 % 17 - 8),
            "s": None if i % 4 == 1 else f"s{i}",
        }
        for i in range(n)
    ]


def calls_of(wanted):
    return {name: getattr(wr, call[0])(*call[1]) for name, call in wanted.items()}


def expected_of(rows, by, specs, *, listed=False):
    """The oracle's answer over rows in the order of (at, tie)."""
    ordered = sorted(rows, key=lambda row: (row["at"], row["tie"]))
    found = oracles.aggregate(ordered, by, specs, CALLS)
    for row in found:
        row["window"] = {"start": row.pop("start"), "end": row.pop("end")}
        if not listed:
            del row["query"]
    order = [*by, *(["query"] if listed else []), "window", *CALLS]
    return [{name: row[name] for name in order} for row in found]


def window_of(spec):
    return wr.rows(
        spec.range, every=spec.slide, partial=spec.partial, on="at", ties="tie"
    )


def frame_of(spark, rows):
    table = pa.Table.from_pylist(rows)
    return spark.createDataFrame(table).repartition(3)


@pytest.mark.parametrize("by", [["key"], ["stream", "key"], []], ids=str)
@part(0.1)
@given(sizes=range_and_slide(12), partial=st.booleans())
def test_count_windows_equal_a_plain_fold(spark, by, sizes, partial):
    rows, spec = rows_of(), oracles.Count(*sizes, partial)
    frame = frame_of(spark, rows)

    actual = wr.aggregate(frame, window_of(spec), by=by, aggregates=calls_of(CALLS))

    assert_same_rows(actual, expected_of(rows, by, [spec]))


@pytest.mark.parametrize("by", [["key"], []], ids=str)
def test_a_list_of_count_windows_is_answered_in_long_form(spark, by):
    rows = rows_of()
    specs = [
        oracles.Count(5, 2),
        oracles.Count(7, 7),
        oracles.Count(4, 3, True),
        oracles.Count(500, 9),
    ]
    frame = frame_of(spark, rows)

    actual = wr.aggregate(
        frame, [window_of(one) for one in specs], by=by, aggregates=calls_of(CALLS)
    )

    assert_same_rows(actual, expected_of(rows, by, specs, listed=True))


def test_ties_decide_the_order_of_rows_at_the_same_instant(spark):
    rows = [{"at": ZERO, "tie": tie, "v": f"v{tie}"} for tie in (3, 1, 4, 0, 2)]
    frame = spark.createDataFrame(pa.Table.from_pylist(rows)).repartition(3)
    window = wr.rows(3, every=2, on="at", ties=["tie"])

    actual = wr.aggregate(frame, window, all=wr.collect("v"), last=wr.last("v"))

    expected = [
        {"window": {"start": 0, "end": 3}, "all": ["v0", "v1", "v2"], "last": "v2"},
        {"window": {"start": 2, "end": 5}, "all": ["v2", "v3", "v4"], "last": "v4"},
    ]
    assert_same_rows(actual, expected)


def test_a_hot_key_is_counted_through_from_its_first_row_to_its_last(spark):
    n = 400
    frame = spark.range(0, n, 1, 5).selectExpr("'k' as k", "id as at", "id % 13 as v")
    window = wr.rows(50, every=7, on="at")

    actual = wr.aggregate(frame, window, by="k", hot=True, total=wr.sum("v"))

    expected = [
        {
            "k": "k",
            "window": {"start": start, "end": start + 50},
            "total": sum(i % 13 for i in range(start, start + 50)),
        }
        for start in range(0, n - 49, 7)
    ]
    assert_same_rows(actual, expected)
