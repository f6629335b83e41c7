"""A query over its own checkpoint goes on; another one over it is refused in words."""

from __future__ import annotations

import datetime as dt
import os
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from late_answer import answer_with_late_rows, named, watermarks_of
from micro_batches import closed, run, stream_of, write_files
from pyspark.errors import StreamingQueryException
from pyspark.sql import functions as F
from random_streams import LATE_BY, random_batches

import windrow as wr
from windrow.loops import interpreting

KEYS = ["stream", "key"]
WINDOW = [wr.sliding("1 minute", every="10 seconds", on="at", name="minute")]
SHIFTED = [wr.sliding("1 minute", every="10 seconds", on="at", offset="5 seconds")]


def scaled(by):
    return wr.Aggregate(
        name="scaled",
        lift=lambda value: by * value,
        combine=lambda a, b: a + b,
        lower=lambda total: total,
        laws="commutative",
    )


CALLS = {"n": wr.count(), "total": wr.sum("i"), "own": scaled(2)("i")}
KEPT = {"n": wr.count(), "total": wr.sum("i"), "first": wr.first("i")}
QUERY = {"window": WINDOW, "by": KEYS, "aggregates": CALLS, "buckets": 2}
OTHERS = {
    "the windows are minute: ": {"window": SHIFTED},
    "name": {"window": [WINDOW[0].replaced(name="renamed")]},
    "the functions of your own aggregates": {
        "aggregates": CALLS | {"own": scaled(3)("i")}
    },
    "the aggregates": {"aggregates": CALLS | {"total": wr.min("i")}},
    "the keys": {"by": ["stream"]},
    "the number of buckets": {"buckets": 3},
}


def build(stream, **changed):
    how = QUERY | changed
    return wr.aggregate(stream, how.pop("window"), **how)


def test_a_query_goes_on_where_it_was_and_others_are_refused(streaming, tmp_path):
    batches = random_batches(Random(4), streams=12, batches=5)
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    write_files(folder, batches[:3])
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    before = run(build(stream), checkpoint)
    write_files(folder, batches[3:], first=3)

    refusals = {}
    is_deep = os.environ.get("WINDROW_TEST_PROFILE") == "deep"
    others = OTHERS if is_deep else dict(list(OTHERS.items())[:1])
    for what, changed in others.items():  # `state/test_another_query.py` has them all
        with pytest.raises(StreamingQueryException) as refused:
            run(build(stream, **changed), checkpoint)
        refusals[what] = str(refused.value)
    after = run(build(stream), checkpoint)

    with interpreting():
        expected = wr.aggregate(
            pa.concat_tables(batches), WINDOW, by=KEYS, aggregates=CALLS
        )
    rows = pa.concat_tables([before.rows, after.rows])
    assert before.rows.num_rows > 0
    named_by = [*KEYS, "query", "window"]
    assert_same_rows(rows, closed(expected, after.watermark), named_by=named_by)
    assert min(after.given) == max(before.given) + 1
    for what, message in refusals.items():
        assert "cannot go on from this checkpoint: another query wrote it" in message
        assert what in message
        assert "Hint: start this query with a checkpoint of its own" in message


@pytest.mark.deep  # state/test_another_query.py has it of every kind of query
def test_a_stream_goes_on_when_a_column_becomes_nullable_and_is_so_no_more(
    streaming, tmp_path
):
    batches = random_batches(Random(5), streams=12, batches=3)
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    given = []
    for number, batch in enumerate(batches):
        write_files(folder, [batch], first=number)
        stream = stream_of(streaming, folder, late_by=LATE_BY)
        never = F.coalesce("i", F.lit(0)).cast("bigint")
        column = never if number % 2 else F.when(F.col("at").isNotNull(), never)
        stream = stream.withColumn("i", column)
        assert stream.schema["i"].nullable == (number % 2 == 0)
        given.append(run(build(stream, aggregates=KEPT), checkpoint))

    whole = pa.concat_tables(batches)
    filled = pc.fill_null(whole["i"], 0)
    whole = whole.set_column(whole.schema.get_field_index("i"), "i", filled)
    with interpreting():
        expected = wr.aggregate(whole, WINDOW, by=KEYS, aggregates=KEPT)
    rows = pa.concat_tables([ran.rows for ran in given])
    named_by = [*KEYS, "query", "window"]
    assert_same_rows(rows, closed(expected, given[-1].watermark), named_by=named_by)


@pytest.mark.deep
def test_a_micro_batch_that_only_the_sink_has_counts_once_and_moves_no_watermark(
    streaming, settings_of, tmp_path
):
    """Killed between the sink's commit and the query's: Spark passes over it."""
    batches = random_batches(Random(9), streams=12, batches=6)
    folder, checkpoint, out = (tmp_path / name for name in ("in", "checkpoint", "out"))
    windows = [WINDOW[0], wr.sliding("25 seconds", every="10 seconds", on="at")]
    calls = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}

    def go_on():
        stream = stream_of(streaming, folder, late_by="2 seconds")
        how = {"by": KEYS, "aggregates": calls, "late": "keep", "buckets": 2}
        frame = wr.aggregate(stream, [w.replaced(name=None) for w in windows], **how)
        writer = frame.writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(checkpoint))
        writer.trigger(availableNow=True).start(str(out)).awaitTermination()

    with settings_of({"spark.sql.streaming.noDataMicroBatches.enabled": "false"}):
        write_files(folder, batches[:3])
        go_on()
        (checkpoint / "commits" / "2").unlink()
        write_files(folder, batches[3:], first=3)
        go_on()

    watermarks = watermarks_of(checkpoint)
    newest = pc.max(batches[2]["at"]).as_py() - dt.timedelta(seconds=2)
    assert watermarks[2] == watermarks[3] < newest
    expected = answer_with_late_rows(batches, watermarks, windows, KEYS, calls)
    actual = streaming.read.parquet(str(out)).toArrow().to_pylist()
    assert any(row["late"] for row in expected)
    named_by = ["id", *KEYS, "query", "window"]
    assert_same_rows(named(actual), named(expected), named_by=named_by)
