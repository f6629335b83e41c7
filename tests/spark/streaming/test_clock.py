"""What moves time on a stream: a row from the future must not, silence must.

ahead="1 hour"      a row of the year 9999      is late; time goes on as before
idle="1 second"     the source falls silent     the last windows come out
"""

from __future__ import annotations

import datetime as dt
import time

import pyarrow as pa
import pytest
from micro_batches import run, stream_of, write_files
from pyspark.errors import StreamingQueryException

import windrow as wr
from windrow.errors import BadInput, WindowError

SCHEMA = pa.schema(
    [("at", pa.timestamp("us", "UTC")), ("key", pa.string()), ("i", pa.int64())]
)
ZERO = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
WINDOW = wr.sliding("20 seconds", every="10 seconds", on="at")


def table_of(*seconds: int | None) -> pa.Table:
    """A row for each second; None is a row from the year 9999."""
    rows = [
        {
            "at": dt.datetime(9999, 1, 1, tzinfo=dt.UTC)
            if second is None
            else ZERO + dt.timedelta(seconds=second),
            "key": "a",
            "i": second,
        }
        for second in seconds
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def bare(spark, folder):
    """The stream without a watermark."""
    return stream_of(spark, folder, late_by=None)


@pytest.mark.parametrize(
    "late", [pytest.param("count", marks=pytest.mark.deep), "keep"]
)
def test_a_row_from_the_year_9999_closes_nothing(streaming, tmp_path, late):
    tables = [table_of(0, 5, None), table_of(12), table_of(31, None), table_of(90)]
    folder = write_files(tmp_path / "in", tables)
    query = wr.aggregate(
        bare(streaming, folder),
        WINDOW,
        by="key",
        late=late,
        watermark="5 seconds",
        ahead="1 hour",
        n=wr.count(),
    )

    ran = run(query, tmp_path / "checkpoint")

    rows = ran.rows.to_pylist()
    windows = {
        (row["window"]["start"] - ZERO).total_seconds(): row["n"]
        for row in rows
        if row["window"] is not None
    }
    assert windows == {-10: 2, 0: 3, 10: 1, 20: 1, 30: 1}
    assert ran.metric("late_rows") == 2
    assert ran.metric("rows_in") == 7
    if late == "keep":
        assert [row["late"]["at"].year for row in rows if row["late"]] == [9999, 9999]


def test_the_last_windows_of_a_silent_stream_come_out(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(0, 5), table_of(12, 14)])
    stream = bare(streaming, folder)
    window = wr.sliding("2 seconds", every="1 second", on="at")
    query = wr.aggregate(
        stream, window, by="key", watermark="1 second", idle="1 second", n=wr.count()
    )
    given = {}

    def start():
        writer = query.writeStream.foreachBatch(
            lambda batch, number: given.update({number: batch.toArrow().to_pylist()})
        )
        return writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()

    def starts():
        rows = [row for some in given.values() for row in some]
        return sorted((row["window"]["start"] - ZERO).total_seconds() for row in rows)

    running = start()
    try:
        until = time.monotonic() + 90
        while len(starts()) < 8 and time.monotonic() < until:
            time.sleep(0.2)
    finally:
        running.stop()

    assert starts() == [-1, 0, 4, 5, 11, 12, 13, 14]


def test_what_cannot_be_kept_is_refused_in_a_sentence(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(0)])
    marked = stream_of(streaming, folder, late_by="5 seconds")
    stream = bare(streaming, folder)

    def refused(stream, **clock):
        with pytest.raises((BadInput, WindowError)) as error:
            wr.aggregate(stream, WINDOW, by="key", n=wr.count(), **clock)
        return str(error.value)

    both = {"watermark": "10 seconds", "ahead": "1 hour"}
    assert "already" in refused(marked, **both)
    assert "leave out .withWatermark()" in refused(marked, ahead="1 hour")
    assert "at least as long as the slide" in refused(
        stream, watermark="10 seconds", ahead="9 seconds"
    )
    assert "the stream has no watermark" in refused(stream, idle="30 seconds")
    assert "of 1 millisecond or more" in refused(marked, idle="0 seconds")
    assert "cannot read ahead=" in refused(stream, watermark="1 second", ahead=1.5)


@pytest.mark.deep  # windrow run puts these words into ours: cli/test_failures.py
def test_idle_over_a_checkpoint_without_it_is_refused_by_spark(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(0)])
    stream = stream_of(streaming, folder, late_by="5 seconds")
    run(wr.aggregate(stream, WINDOW, n=wr.count()), tmp_path / "checkpoint")
    write_files(folder, [table_of(90)], first=1)
    again = wr.aggregate(stream, WINDOW, idle="1 minute", n=wr.count())

    with pytest.raises(StreamingQueryException) as refused:
        run(again, tmp_path / "checkpoint")

    said = "Cannot change timeMode from EventTime to ProcessingTime between restarts"
    assert said in str(refused.value)


def test_explain_says_what_moves_time(streaming, tmp_path):
    folder = write_files(tmp_path / "in", [table_of(0)])
    clock = {"watermark": "10 seconds", "ahead": "1 hour", "idle": "30 seconds"}

    text = str(wr.explain(bare(streaming, folder), WINDOW, n=wr.count(), **clock))

    assert "10 seconds behind the newest row; rows more than 1 hour ahead" in text
    assert "rested for 30 seconds, time goes on by the batch clock" in text
