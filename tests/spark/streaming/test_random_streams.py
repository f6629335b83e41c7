"""Random streams in random micro-batches: Spark's own windows, and the batch answer.

    stream    in pieces, out of order     wr.aggregate    ==   groupBy(window())
    table     all rows at once            wr.aggregate    ==   on windows that closed

See `random_streams.py` for what is in them.
"""

from __future__ import annotations

from random import Random

import pytest
from answers import assert_same_rows
from micro_batches import assert_on_time, closed, run, stream_of, write_files
from pyspark.sql import functions as F
from random_streams import LATE_BY, random_batches

import windrow as wr

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(2, 14))]
KEYS = ["stream", "key"]
CALLS = {
    "n": (wr.count(), "count(*)"),
    "held": (wr.count("f"), "count(f)"),
    "f_sum": (wr.sum("f"), "sum(f)"),
    "i_sum": (wr.sum("i"), "sum(i)"),
    "i_mean": (wr.mean("i"), "avg(i)"),
    "f_min": (wr.min("f"), "min(f)"),
    "f_max": (wr.max("f"), "max(f)"),
    "at_max": (wr.max("at"), "max(at)"),
    "spread": (wr.variance("i"), "var_samp(i)"),
    "least": (wr.min("s"), "min(s)"),
}
OURS = {name: call for name, (call, _) in CALLS.items()}
WINDOWS = {
    "sliding": wr.sliding("1 minute", every="10 seconds", on="at", name="sliding"),
    "tumbling": wr.sliding("20 seconds", on="at", name="tumbling"),
    "uneven": wr.sliding(
        "25 seconds", every="10 seconds", offset="3 seconds", on="at", name="uneven"
    ),
    "longer than the stream": wr.sliding(
        "1 hour", every="7 minutes", on="at", name="longer than the stream"
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_stream_gives_the_windows_of_spark_when_they_close(streaming, tmp_path, seed):
    folder = write_files(tmp_path / "in", random_batches(Random(seed)))
    stream = stream_of(streaming, folder, late_by=LATE_BY)

    window = WINDOWS["uneven"]
    ours = run(wr.aggregate(stream, window, by=KEYS, aggregates=OURS), tmp_path / "a")

    theirs = stream.groupBy(
        *KEYS, F.window("at", "25 seconds", "10 seconds", "3 seconds").alias("window")
    ).agg(*(F.expr(text).alias(name) for name, (_, text) in CALLS.items()))
    expected = run(theirs, tmp_path / "b")
    assert expected.rows.num_rows > 200
    assert_same_rows(ours.rows, expected.rows)
    assert_on_time(ours)
    assert ours.watermarks == expected.watermarks


@pytest.mark.parametrize(
    "by",
    [
        pytest.param(KEYS, id="by key", marks=pytest.mark.deep),
        pytest.param([], id="no key", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_list_of_windows_gives_the_batch_answer(streaming, tmp_path, seed, by):
    folder = write_files(tmp_path / "in", random_batches(Random(100 + seed)))
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    windows = list(WINDOWS.values())

    ran = run(
        wr.aggregate(stream, windows, by=by, aggregates=OURS), tmp_path / "checkpoint"
    )

    table = streaming.read.parquet(str(folder))
    batch = wr.aggregate(table, windows, by=by, aggregates=OURS)
    assert_same_rows(ran.rows, closed(batch.toArrow(), ran.watermark))
    assert set(ran.rows["query"].to_pylist()) == set(WINDOWS)
    assert_on_time(ran)
