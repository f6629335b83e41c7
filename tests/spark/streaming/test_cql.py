"""Texts over a stream: where, join and having around windows that come out once."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files

import windrow as wr
from windrow.errors import QueryError

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


SQUARES = wr.Aggregate(
    name="squares",
    identity=0.0,
    lift=lambda value: value * value,
    combine=lambda older, newer: older + newer,
    lower=lambda partial: partial,
    laws=("commutative",),
)


@pytest.mark.deep  # spans and texts each run in another test
def test_a_text_over_events_with_a_duration_gives_the_rows_of_a_table(
    streaming, tmp_path
):
    batches = [calls(first, 30) for first in (0, 30, 60)]
    batches = [
        batch.append_column("start", pc.subtract(batch["at"], dt.timedelta(seconds=7)))
        for batch in batches
    ]
    folder = write_files(tmp_path / "calls", batches)
    stream = stream_of(streaming, folder, late_by="0 seconds")
    text = """
        select window.end as over, caller, count(*) as n
        from Calls [range 20 slide 10 span start, at] group by caller
    """

    ran = run(wr.cql(text, Calls=stream, time="at"), tmp_path / "checkpoint")

    whole = wr.cql(text, Calls=pa.concat_tables(batches), time="at").to_pylist()
    closed = [row for row in whole if row["over"] <= ran.watermark]
    assert len(closed) > 10
    assert_same_rows(ran.rows, closed, named_by=["over", "caller"])


def test_distinct_over_a_stream_gives_each_row_of_a_closed_window_once(
    streaming, tmp_path
):
    batches = [calls(first, 30) for first in (0, 30, 60)] * 2
    folder = write_files(tmp_path / "calls", batches)
    stream = stream_of(streaming, folder, late_by="0 seconds", files=6)
    text = "select distinct caller, len from Calls [range 20 slide 10]"

    ran = run(wr.cql(text, Calls=stream, time="at"), tmp_path / "checkpoint")

    window = wr.sliding("20 seconds", every="10 seconds", on="at")
    table = pa.concat_tables(batches)
    groups = wr.aggregate(table, window, by=["caller", "len"], n=wr.count())
    closed = [
        {"caller": row["caller"], "len": row["len"]}
        for row in groups.to_pylist()
        if row["window"]["end"] <= ran.watermark
    ]
    assert_same_rows(ran.rows, closed, named_by=["caller", "len"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "select dstream(count(*)) from Calls [range 20 slide 10]",
            "not streaming within dstream",
        ),
        (
            "select istream(count(*)) from Calls [range 20 slide 10]",
            "not streaming within istream",
        ),
        (
            (
                "select count(n) from (select at, caller, count(*) as n "
                "from Calls [range 20 slide 10] group by caller) [now] as R"
            ),
            "not streaming in an inner query",
        ),
    ],
)
def test_a_clause_that_a_stream_cannot_have_is_refused_in_a_sentence(
    text, words, streaming
):
    stream = streaming.readStream.format("rate").load()
    stream = stream.selectExpr("timestamp as at", "value as caller")

    with pytest.raises(QueryError, match=words):
        wr.cql(text, Calls=stream.withWatermark("at", "1 second"), time="at")


def test_queries_of_a_text_share_one_state_and_come_out_in_one_frame(
    streaming, tmp_path
):
    batches = [calls(first, 30) for first in (0, 30, 60)]
    folder = write_files(tmp_path / "calls", batches)
    stream = stream_of(streaming, folder, late_by="0 seconds")
    text = """
        select at, caller, max(len) as longest from Calls [range 20 slide 10]
            group by caller having longest > 5;
        select at, caller, count(*) as n from Calls [range 30 slide 10] group by caller;
        select caller, sum(len) as total, at from Calls [range 20 slide 10]
            group by caller;
        select rstream(at, caller, count(*) as n) from Calls [range 20 slide 10]
            group by caller;
        select at, caller, squares(len) as q from Calls [range 20 slide 10]
            group by caller
    """
    asked = {"squares": SQUARES, "time": "at"}

    ran = run(wr.cql(text, Calls=stream, **asked), tmp_path / "checkpoint")

    whole = wr.cql(text, Calls=pa.concat_tables(batches), **asked)
    for number, table in enumerate(whole):
        rows = ran.rows.filter(pc.equal(ran.rows["query"], number))
        actual = pa.table(
            rows[f"q{number}"].combine_chunks().flatten(), table.schema.names
        )
        expected = [row for row in table.to_pylist() if row["at"] <= ran.watermark]
        assert len(expected) > 10
        assert_same_rows(actual, expected, named_by=["at", "caller"])
    assert {len(progress["stateOperators"]) for progress in ran.progresses} == {1}
