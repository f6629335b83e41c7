"""What cannot be done on a stream is refused when the query is built, with a hint."""

from __future__ import annotations

import pytest
from micro_batches import STATE
from watching import jobs

import windrow as wr

WINDOW = wr.sliding("20 seconds", every="10 seconds", on="at")
N = {"n": wr.count()}
HDFS = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"


@pytest.fixture
def bare(streaming):
    """A stream without a watermark."""
    rate = streaming.readStream.format("rate").load()
    return rate.selectExpr("timestamp as at", "value as v", "value as late", "at as to")


@pytest.fixture
def stream(bare):
    return bare.withWatermark("at", "10 seconds")


def refused(build, hint=""):
    """The sentence with which building a query is refused; its hint begins so."""
    with pytest.raises(wr.WindrowError) as error:
        build()
    sentence, way_out = str(error.value).split("\nHint: ")
    assert way_out.startswith(hint)
    return sentence


def test_a_stream_without_a_watermark_is_refused(bare):
    sentence = refused(lambda: wr.aggregate(bare, WINDOW, aggregates=N))

    assert sentence.endswith("the stream has no watermark")


def test_a_watermark_on_another_column_is_refused(bare):
    other = bare.withWatermark("to", "10 seconds")

    sentence = refused(
        lambda: wr.aggregate(other, WINDOW, aggregates=N),
        hint="set it on 'at' in its place",
    )

    assert "'at'" in sentence
    assert sentence.endswith("the watermark is on to")


def test_rolling_columns_without_a_watermark_are_refused(bare):
    rolling = {"two": wr.sum("v", last=2)}

    sentence = refused(lambda: wr.over(bare, on="at", aggregates=rolling))

    assert sentence.endswith("the stream has no watermark")


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_results_before_a_window_is_closed_are_refused(stream, mode):
    sentence = refused(lambda: wr.aggregate(stream, WINDOW, mode=mode, aggregates=N))

    assert mode in sentence


def test_a_state_store_that_stateful_python_cannot_use_is_refused(stream, settings_of):
    with settings_of({f"{STATE}.providerClass": HDFS}):
        sentence = refused(lambda: wr.aggregate(stream, WINDOW, aggregates=N))

    assert "not RocksDB" in sentence


def test_a_treatment_of_late_rows_that_does_not_exist_is_refused(stream):
    sentence = refused(lambda: wr.aggregate(stream, WINDOW, late="lose", aggregates=N))

    assert "'lose'" in sentence


@pytest.mark.parametrize("buckets", [0, -3])
def test_fewer_than_one_bucket_is_refused(stream, buckets):
    sentence = refused(
        lambda: wr.aggregate(stream, WINDOW, by="v", buckets=buckets, aggregates=N)
    )

    assert f"{buckets} buckets" in sentence


@pytest.mark.parametrize("place", ["key", "aggregate", "column"])
def test_another_column_called_late_is_refused_where_late_rows_are_kept(stream, place):
    def build():
        if place == "column":
            two = {"two": wr.sum("v", last=2)}
            return wr.over(stream, on="at", late="keep", aggregates=two)
        by, name = ("late", "n") if place == "key" else ("v", "late")
        calls = {name: wr.count()}
        return wr.aggregate(stream, WINDOW, by=by, late="keep", aggregates=calls)

    sentence = refused(build)

    assert "'late'" in sentence


def test_a_column_called_late_is_part_of_the_row_that_is_given_back(stream):
    query = wr.aggregate(stream, WINDOW, by="v", late="keep", aggregates=N)

    assert query.columns == ["v", "window", "n", "late"]
    assert query.schema["late"].dataType.names == stream.columns


def test_a_late_row_that_is_given_back_has_its_own_columns_alone(stream):
    stream = stream.drop("late")
    how = {"by": "v", "late": "keep"}
    one, two = (wr.count(where="v > 1", last=last) for last in (None, 2))
    features = wr.features(by="v", on="at", n=wr.count(where="v > 1", last="1 hour"))

    results = (
        wr.aggregate(stream, WINDOW, **how, n=one),
        wr.over(stream, on="at", **how, n=two),
        wr.over(stream, features, late="keep"),
    )

    for result in results:
        assert result.schema["late"].dataType.names == stream.columns


def test_count_windows_without_an_order_are_refused(stream):
    sentence = refused(lambda: wr.aggregate(stream, wr.rows(5), aggregates=N))

    assert "no order" in sentence


@pytest.mark.parametrize(
    "window",
    [
        wr.window(evict=wr.delta("v", 5), trigger=3),
        wr.window(evict=wr.punctuation("mark"), trigger=wr.punctuation("mark")),
        wr.window(evict="1 hour", trigger=3),
        wr.window(evict=3, trigger="1 minute"),
    ],
    ids=["delta", "punctuation", "time", "trigger by time"],
)
def test_windows_by_policy_without_an_order_are_refused(stream, window):
    marked = stream.withColumn("mark", stream.v > 3)

    sentence = refused(
        lambda: wr.aggregate(marked, window, aggregates=N),
        hint="say which, as in wr.window(..., on='ts')",
    )

    assert "no time column" in sentence


@pytest.mark.parametrize("window", [WINDOW, wr.window(evict="1 h", trigger=3, on="at")])
def test_silence_has_no_end_on_a_stream_without_a_watermark(bare, window):
    sentence = refused(
        lambda: wr.aggregate(bare, window, idle="1 minute", aggregates=N),
        hint="call .withWatermark('at', '10 minutes') on it first, or give watermark=",
    )

    assert sentence.endswith("no watermark, from which time could go on by idle=")


def test_building_and_explaining_run_no_job(streaming, stream):
    before = jobs(streaming)

    query = wr.aggregate(stream, WINDOW, by="v", aggregates=N)
    text = str(wr.explain(stream, WINDOW, by="v", aggregates=N))

    assert query.isStreaming
    assert "bucket" in text
    assert jobs(streaming) == before
