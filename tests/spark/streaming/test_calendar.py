"""Calendar windows over a stream: each comes out once, when its last day is over."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import assert_on_time, closed, run, stream_of, write_files

import windrow as wr
from windrow.loops import interpreting

START = dt.datetime(2026, 3, 24, tzinfo=dt.UTC)  # clocks go forward on the 29th
WINDOWS = [
    wr.calendar("1 month", every="1 day", on="at", tz="Europe/Berlin", name="month"),
    wr.calendar("1 day", on="at", tz="Europe/Berlin", name="day"),
]
CALLS = {
    "slices": {"n": wr.count(), "total": wr.sum("x")},
    "rows": {"n": wr.count(), "all": wr.collect("x")},
}


def batches():
    rows = [
        {"key": "ab"[hour % 2], "at": START + dt.timedelta(hours=hour), "x": hour}
        for hour in range(0, 24 * 12, 3)
    ]
    kinds = {"key": pa.string(), "at": pa.timestamp("us", "UTC"), "x": pa.int64()}
    table = pa.Table.from_pylist(rows, pa.schema(kinds))
    return [table.slice(first, 32) for first in range(0, len(table), 32)]


@pytest.mark.parametrize(
    "kept", ["slices", pytest.param("rows", marks=pytest.mark.deep)]
)  # state/test_uneven.py has both
def test_months_and_days_of_a_zone_come_out_once(streaming, tmp_path, kept):
    tables, calls = batches(), CALLS[kept]
    folder = write_files(tmp_path / "in", tables)
    stream = stream_of(streaming, folder, late_by="1 hour")

    ran = run(
        wr.aggregate(stream, WINDOWS, by="key", aggregates=calls, buckets=2),
        tmp_path / "checkpoint",
    )

    with interpreting():
        expected = wr.aggregate(
            pa.concat_tables(tables), WINDOWS, by="key", aggregates=calls
        )
    out = closed(expected, ran.watermark)
    assert {row["query"] for row in out} == {"month", "day"}
    assert_same_rows(ran.rows, out, named_by=["key", "query", "window"])
    assert_on_time(ran)
