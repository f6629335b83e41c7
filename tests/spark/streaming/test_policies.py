"""Windows by policy on a stream: the rows of a batch, and corrections of early ones."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import run as run_all
from micro_batches import stream_of, write_files
from random_streams import FLUSH, LATE_BY, random_batches

import windrow as wr

KEYS = ["stream", "key"]
CALLS = {"n": wr.count(), "total": wr.sum("i"), "texts": wr.collect("s")}
RIDE = wr.window(evict="20 seconds", trigger=wr.delta("meter", 5.0), on="at", ties="id")
PAIRS = wr.window(evict="20 seconds", trigger=2, on="at", ties="id")


def measured(batch: pa.Table) -> pa.Table:
    """The rows with a column that never falls: whole seconds."""
    seconds = pc.floor(pc.divide(batch["at"].cast(pa.int64()).cast(pa.float64()), 1e6))
    return batch.append_column("meter", seconds).filter(pc.is_valid(batch["at"]))


@pytest.mark.deep  # state/test_policies.py has it; below are streams in update mode
def test_a_stream_gives_the_results_of_a_batch(streaming, tmp_path):
    batches = [measured(batch) for batch in random_batches(Random(4))]
    folder = write_files(tmp_path / "in", batches)
    stream = stream_of(streaming, folder, late_by=LATE_BY)

    frame = wr.aggregate(stream, RIDE, by=KEYS, aggregates=CALLS)
    ran = run_all(frame, tmp_path / "checkpoint")

    batch = wr.aggregate(pa.concat_tables(batches), RIDE, by=KEYS, aggregates=CALLS)
    expected = [row for row in batch.to_pylist() if row["stream"] != FLUSH]
    assert len(expected) > 50
    assert_same_rows(ran.rows, expected)
    assert "window     evict 20 seconds trigger" in str(
        wr.explain(stream, RIDE, by=KEYS, aggregates=CALLS)
    )


def test_in_update_mode_the_last_word_on_each_result_is_that_of_a_batch(
    streaming, tmp_path
):
    batches = [measured(batch) for batch in random_batches(Random(5), streams=12)]
    folder = write_files(tmp_path / "in", batches)
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    told: dict = {}
    corrected = 0

    def take(batch, number):
        nonlocal corrected
        for row in batch.toArrow().to_pylist():
            name = row["stream"], row["key"], row["window"]["end"]
            corrected += name in told
            told[name] = row

    frame = wr.aggregate(stream, PAIRS, by=KEYS, aggregates=CALLS, mode="update")
    writer = frame.writeStream.outputMode("update").foreachBatch(take)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()

    batch = wr.aggregate(pa.concat_tables(batches), PAIRS, by=KEYS, aggregates=CALLS)
    expected = [row for row in batch.to_pylist() if row["stream"] != FLUSH]
    assert corrected > 5
    assert_same_rows(list(told.values()), expected)
