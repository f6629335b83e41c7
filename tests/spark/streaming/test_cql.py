"""Texts over a stream: where, join and having around windows that come out once."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files

import windrow as wr

TEXT = """
    select at, city, sum(len) / 10 as tens, count(*) as n
    from Calls [range 20 slide 10] join Homes using (caller)
    where len > 3 group by city having n > 1
"""
BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
HOMES = pa.table({"caller": [0, 1, 2], "city": ["x", "y", "y"]})


def calls(first: int, count: int) -> pa.Table:
    """A call a second."""
    seconds = range(first, first + count)
    at = [BEGIN + dt.timedelta(seconds=second) for second in seconds]
    return pa.table(
        {
            "at": pa.array(at, pa.timestamp("us", tz="UTC")),
            "caller": [second % 4 for second in seconds],
            "len": [second % 11 for second in seconds],
        }
    )


def test_a_text_over_a_stream_gives_the_rows_of_a_table(streaming, tmp_path):
    batches = [calls(first, 30) for first in (0, 30, 60)]
    folder = write_files(tmp_path / "calls", batches)
    stream = stream_of(streaming, folder, late_by="0 seconds")

    ran = run(wr.cql(TEXT, Calls=stream, Homes=HOMES), tmp_path / "checkpoint")

    whole = wr.cql(TEXT, Calls=pa.concat_tables(batches), Homes=HOMES).to_pylist()
    closed = [row for row in whole if row["at"] <= ran.watermark]
    assert len(closed) > 10
    assert_same_rows(ran.rows, closed, named_by=["at", "city"])
