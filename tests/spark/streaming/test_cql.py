"""Texts over a stream: where, join and having around windows that come out once."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files

import windrow as wr
from windrow.errors import QueryError, WindrowError

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


@pytest.mark.deep  # test_clock.py has it of a call, test_what_a_text_asks the options
def test_a_row_of_a_text_that_is_far_ahead_of_the_clock_closes_nothing(
    streaming, tmp_path
):
    ahead = dt.datetime(9999, 1, 1, tzinfo=dt.UTC)
    poison = pa.table({"at": [ahead], "caller": [1], "len": [9]})
    poison = poison.cast(calls(0, 1).schema)
    batches = [calls(0, 30), poison, calls(30, 30), calls(60, 30)]
    folder = write_files(tmp_path / "calls", batches)
    stream = stream_of(streaming, folder, late_by=None)
    how = {"watermark": "0 seconds", "ahead": "1 hour", "buckets": 2}

    ran = run(wr.cql(TEXT, Calls=stream, Homes=HOMES, **how), tmp_path / "checkpoint")

    whole = wr.cql(TEXT, Calls=pa.concat_tables(batches), Homes=HOMES).to_pylist()
    closed = [row for row in whole if row["at"] <= ran.watermark]
    assert len(closed) > 10
    assert_same_rows(ran.rows, closed, named_by=["at", "city"])
    assert ran.metric("late_rows") == 1


def test_what_a_text_asks_of_a_stream_is_refused_or_explained_as_a_call_is(
    streaming, tmp_path
):
    folder = write_files(tmp_path / "calls", [calls(0, 1)])
    stream = stream_of(streaming, folder, late_by=None)
    text = "select at, count(*) as n from Calls [range 20 slide 10]"

    def refused(**how):
        with pytest.raises(WindrowError) as error:
            wr.cql(text, Calls=stream, **how)
        return str(error.value)

    both = {"watermark": "5 seconds", "ahead": "9 seconds"}
    assert "hint: make ahead= at least as long" in refused(**both).lower()
    assert "the stream has no watermark" in refused(idle="30 seconds")
    assert "cannot give late rows back from a text" in refused(late="keep")
    assert "streams={'late': ...}" in refused(late=calls(0, 1))
    assert wr.cql(f"{text}; {text}", Calls=stream, watermark="5 seconds").isStreaming

    both = {"watermark": "5 seconds", "idle": "30 seconds"}
    explained = str(wr.explain_cql(text, Calls=stream, hot=True, late="drop", **both))
    assert "rested for 30 seconds, time goes on by the batch clock" in explained
    assert "hot=True: rows are dealt out" in explained
    assert "dropped where a slice is closed" in explained


@pytest.mark.parametrize(
    "other",
    [
        "select at, sum(len) from Calls [range 20 slide 10] where len > 3",
        "select caller, sum(len) from Calls [range 20 slide 10] group by caller",
        "select at, sum(len) from Calls [rows 5]",
    ],
    ids=["where", "keys", "kind of window"],
)
def test_queries_over_a_stream_that_cannot_share_a_state_are_refused(streaming, other):
    rate = streaming.readStream.format("rate").load()
    stream = rate.selectExpr("timestamp as at", "value as caller", "value as len")
    stream = stream.withWatermark("at", "1 second")
    text = f"select at, count(*) from Calls [range 20 slide 10];\n{other}"
    apart = f"select at, len from Calls;\n{other}"

    for call in (wr.cql, wr.explain_cql):
        with pytest.raises(QueryError, match="kind of window of those before") as error:
            call(text, Calls=stream, time="at")
        assert "at line 2" in str(error.value)
        assert "give it a wr.cql of its own" in str(error.value)
    assert wr.cql(apart, Calls=stream, time="at").isStreaming


def test_what_a_stream_is_told_says_nothing_of_a_table():
    told = {"hot": True, "late": "drop", "watermark": "1 hour", "idle": "1 hour"}
    text = "select at, sum(len) as s from Calls [range 20 slide 10]"

    assert wr.cql(text, Calls=calls(0, 90), **told) == wr.cql(text, Calls=calls(0, 90))
