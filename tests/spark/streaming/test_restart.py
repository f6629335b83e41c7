"""A query over its own checkpoint goes on; another one over it is refused in words."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import closed, run, stream_of, write_files
from pyspark.errors import StreamingQueryException
from random_streams import LATE_BY, random_batches

import windrow as wr
from windrow.kernels import interpreting

KEYS = ["stream", "key"]
WINDOW = wr.sliding("1 minute", every="10 seconds", on="at")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("f")}
QUERY = {"window": WINDOW, "by": KEYS, "aggregates": CALLS, "buckets": 2}
OTHERS = {
    "the windows": {"window": wr.sliding("1 minute", every="20 seconds", on="at")},
    "the aggregates": {"aggregates": CALLS | {"most": wr.min("f")}},
    "the keys": {"by": ["stream"]},
    "the number of buckets": {"buckets": 3},
}


def build(stream, **changed):
    how = QUERY | changed
    return wr.aggregate(stream, how.pop("window"), **how)


def test_a_query_goes_on_where_it_was_and_others_are_refused(streaming, tmp_path):
    batches = random_batches(Random(3), streams=12, batches=5)
    folder, checkpoint = tmp_path / "in", tmp_path / "checkpoint"
    write_files(folder, batches[:3])
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    before = run(build(stream), checkpoint)
    write_files(folder, batches[3:], first=3)

    refusals = {}
    for what, changed in OTHERS.items():
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
    assert_same_rows(rows, closed(expected, after.watermark))
    assert min(after.given) == max(before.given) + 1
    for what, message in refusals.items():
        assert "cannot go on from this checkpoint: another query wrote it" in message
        assert f"{what} " in message
        assert "Hint: start this query with a checkpoint of its own" in message
