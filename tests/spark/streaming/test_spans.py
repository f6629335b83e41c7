"""Events with a duration on a stream: they come when they end, in micro-batches.

    delay 30 s     watermark       none      70        130        270
    events end at                  100   150 160    300        310 (begun at 20)
    windows of 20 s every 10 s

A window comes out when the watermark passes its end: its end plus the time to postpone.
"""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import assert_on_time, closed, run, stream_of, write_files

import windrow as wr
from windrow.loops import interpreting

ZERO = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("key", pa.string()),
        ("start", pa.timestamp("us", "UTC")),
        ("at", pa.timestamp("us", "UTC")),
        ("v", pa.int64()),
    ]
)
WINDOW = wr.sliding("20 seconds", every="10 seconds", span=("start", "at"))
CALLS = {"n": wr.count(), "total": wr.sum("v"), "ids": wr.collect("id")}
SHORT = [[(72, 100)], [(149, 150), (135, 160), (130, 130)], [(290, 300)], [(400, 400)]]
LONG = (20, 310)


def table_of(bounds: list[tuple[int, int]]) -> pa.Table:
    return pa.Table.from_pylist(
        [
            {
                "id": 1000 * start + end,
                "key": "odd" if end % 20 else "even",
                "start": ZERO + dt.timedelta(seconds=start),
                "at": ZERO + dt.timedelta(seconds=end),
                "v": end,
            }
            for start, end in bounds
        ],
        SCHEMA,
    )


def ran(streaming, tmp_path, batches, **how):
    folder = write_files(tmp_path / "in", [table_of(some) for some in batches])
    stream = stream_of(streaming, folder, late_by="30 seconds")
    query = wr.aggregate(stream, WINDOW, by="key", buckets=1, aggregates=CALLS, **how)
    return run(query, tmp_path / "checkpoint")


def test_windows_come_out_when_the_watermark_passes_their_end(streaming, tmp_path):
    done = ran(streaming, tmp_path, SHORT)

    with interpreting():
        table = table_of([one for some in SHORT for one in some])
        expected = wr.aggregate(table, WINDOW, by="key", aggregates=CALLS)
    assert_same_rows(done.rows, closed(expected, done.watermark))
    assert_on_time(done)
    assert done.metric("late_rows") == 0


def test_an_event_longer_than_the_delay_is_late_for_what_is_out(streaming, tmp_path):
    batches = [*SHORT[:3], [LONG], [(400, 400)]]

    done = ran(streaming, tmp_path, batches, late="keep")

    rows = done.rows.to_pylist()
    late = [row["late"]["id"] for row in rows if row["late"] is not None]
    windows = [row for row in rows if row["late"] is None]
    seen = [
        (row["window"]["start"] - ZERO).total_seconds()
        for row in windows
        if 20_310 in row["ids"]
    ]
    assert late == [20_310]
    assert done.metric("late_rows") == 1
    # the watermark was at 130 when it came: windows that end by then are out
    assert min(seen) == 120.0
    assert max(seen) == 300.0


def test_a_stream_needs_its_watermark_on_the_end(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(SHORT[0])])
    stream = stream_of(streaming, folder, late_by="30 seconds")
    window = wr.sliding("20 seconds", span=("at", "start"))

    with pytest.raises(wr.BadInput, match="the watermark is on at"):
        wr.aggregate(stream, window, by="key", n=wr.count())
    text = str(wr.explain(stream, WINDOW, by="key", n=wr.count()))
    assert "postponed  a window waits for as long as the watermark's delay" in text
