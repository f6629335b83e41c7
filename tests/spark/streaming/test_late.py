"""Rows behind the watermark: dropped, or given back; never lost without a word.

    slices of 10 s     micro-batch 0    1             2              3         4
    watermark                   none   90           110            125       125
    closed before it            none   none          90            110       125
    rows                       0 100  85 95 120  50 88 105 135  20 112 115  122 1000
    late                                         ^^ ^^          ^^
    late, row by row                             ^^ ^^          ^^          ^^^

A row is late when its slice was closed in the micro-batch before, and where results
go row by row when its time was; what lies between that and the watermark of today is
in time.  The row at 88 has missed the window that ends at 90, and not the next.
"""

from __future__ import annotations

import datetime as dt
from random import Random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import Ran, closed, run, stream_of, write_files
from random_streams import random_batches

import windrow as wr
from windrow.loops import interpreting

ZERO = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("at", pa.timestamp("us", "UTC")),
        ("key", pa.string()),
        ("i", pa.int64()),
        ("f", pa.float64()),
        ("note", pa.list_(pa.string())),
    ]
)
ARRIVE = [[0, 100], [85, 95, 120], [50, 88, 105, 135], [20, 112, 115], [122, 1000]]
LATE = [50, 88, 20]
LATE_ROW_BY_ROW = [50, 88, 20, 122]
WINDOW = wr.sliding("20 seconds", every="10 seconds", on="at")
COUNTED = wr.rows(3, every=2, on="at", ties="id")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}
ROLLING = {"two": wr.sum("i", last=2), "near": wr.count(last="30 seconds")}


def instant(second: int) -> dt.datetime:
    return ZERO + dt.timedelta(seconds=second)


def row(second: int) -> dict[str, object]:
    """A row whose other columns follow from its time."""
    return {
        "id": second,
        "at": instant(second),
        "key": None if second % 2 else "even",
        "i": second,
        "f": second / 4,
        "note": [f"at {second}"],
    }


def table_of(seconds: list[int]) -> pa.Table:
    return pa.Table.from_pylist([row(second) for second in seconds], SCHEMA)


def in_time(late: list[int]) -> pa.Table:
    return table_of([one for some in ARRIVE for one in some if one not in late])


@pytest.fixture
def stream(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(some) for some in ARRIVE])
    return stream_of(streaming, folder, late_by="10 seconds")


@pytest.mark.deep  # state/test_late_rows.py has both; below are their counts too
def test_late_rows_are_left_out_and_counted(stream, tmp_path):
    query = wr.aggregate(
        stream, WINDOW, by="key", late="drop", buckets=1, aggregates=CALLS
    )

    ran = run(query, tmp_path / "checkpoint")

    with interpreting():
        expected = wr.aggregate(in_time(LATE), WINDOW, by="key", aggregates=CALLS)
    assert_same_rows(ran.rows, closed(expected, ran.watermark))
    assert ran.metric("late_rows") == len(LATE)
    assert ran.metric("rows_in") == sum(map(len, ARRIVE))
    assert ran.metric("rows_out") == ran.rows.num_rows


def test_late_rows_come_back_whole_beside_the_windows(stream, tmp_path):
    query = wr.aggregate(
        stream, WINDOW, by="key", late="keep", buckets=1, aggregates=CALLS
    )

    ran = run(query, tmp_path / "checkpoint")

    with interpreting():
        expected = wr.aggregate(in_time([50, 20]), WINDOW, by="key", aggregates=CALLS)
    ordinary, late = parted(ran)
    missed = {"key": "even", "window": {"start": instant(70), "end": instant(90)}}
    came = [
        one
        for one in closed(expected, ran.watermark)
        if {"key": one["key"], "window": one["window"]} != missed
    ]
    assert len(came) == len(closed(expected, ran.watermark)) - 1
    assert_same_rows(ordinary, came)
    assert late == [
        {
            "key": row(second)["key"],
            "window": None,
            **dict.fromkeys(CALLS),
            "late": row(second),
        }
        for second in sorted(LATE)
    ]
    assert ran.metric("late_rows") == len(LATE)


@pytest.mark.parametrize(
    "what", [pytest.param("count windows", marks=pytest.mark.deep), "rolling columns"]
)  # state/test_rows.py has both
def test_rows_behind_what_was_given_row_by_row_come_back(stream, tmp_path, what):
    how = {"late": "keep", "buckets": 1}
    if what == "count windows":
        query = wr.aggregate(stream, COUNTED, by="key", aggregates=CALLS, **how)
    else:
        query = wr.over(stream, on="at", by="key", aggregates=ROLLING, **how)

    ran = run(query, tmp_path / "checkpoint")

    ordinary, late = parted(ran)
    with interpreting():
        rows = in_time([*LATE_ROW_BY_ROW, 1000])
        if what == "count windows":
            expected = wr.aggregate(rows, COUNTED, by="key", aggregates=CALLS)
        else:
            expected = wr.over(rows, on="at", by="key", aggregates=ROLLING)
    named_by = None if what == "count windows" else ["id"]
    assert_same_rows(ordinary, expected, named_by=named_by)
    assert [one["late"] for one in late] == [
        row(one) for one in sorted(LATE_ROW_BY_ROW)
    ]
    assert ran.metric("late_rows") == len(LATE_ROW_BY_ROW)


def parted(ran: Ran) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Ordinary rows without their last column, and late rows in order of time."""
    rows = ran.rows.to_pylist()
    assert ran.rows.column_names[-1] == "late"
    ordinary = [one for one in rows if one["late"] is None]
    late = [one for one in rows if one["late"] is not None]
    for one in ordinary:
        del one["late"]
    return ordinary, sorted(late, key=lambda one: one["late"]["at"])


@pytest.mark.deep  # state/test_late_rows.py asks this of random streams
def test_no_row_is_both_late_and_counted_nor_neither(streaming, tmp_path):
    batches = random_batches(Random(5), streams=20, batches=6)
    longest = max(range(3), key=lambda number: len(batches[number]))
    batches.insert(-1, batches.pop(longest))  # after the idle spell: too late
    folder = write_files(tmp_path / "in", batches)
    stream = stream_of(streaming, folder, late_by="5 seconds")
    window = wr.sliding("10 seconds", on="at")

    ran = run(
        wr.aggregate(stream, window, by="stream", late="keep", ids=wr.collect("id")),
        tmp_path / "checkpoint",
    )

    ordinary, late = parted(ran)
    counted = [one for some in ordinary for one in some["ids"]]
    given_back = [one["late"]["id"] for one in late]
    rows = pa.concat_tables(batches[:-1]).to_pylist()  # the last closes all others
    known = [one["id"] for one in rows if one["at"] is not None]
    assert given_back
    assert sorted(counted + given_back) == sorted(known)
