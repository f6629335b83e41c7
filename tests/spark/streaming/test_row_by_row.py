"""Count windows and rolling columns over random streams: the batch answer.

They go by single rows in the order of time, so that a row counts once its time is
behind the watermark:

    watermark              |
    rows     x x x  x   xx | x  x
             given          not yet
"""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from micro_batches import run, stream_of, write_files
from random_streams import LATE_BY, random_batches

import windrow as wr
from windrow.loops import interpreting

SEEDS = [21, *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(22, 30))]
KEYS = ["stream", "key"]
COUNTED = [
    wr.rows(5, every=2, on="at", ties="id", name="5 by 2"),
    wr.rows(3, on="at", ties="id", name="3"),
]
CALLS = {
    "n": wr.count(),
    "total": wr.sum("i"),
    "most": wr.max("f"),
    "last": wr.last("s"),
    "all": wr.collect("i"),
}
ROLLING = {
    "minute": wr.sum("i", last="60 seconds"),
    "earlier": wr.max("f", last="2 minutes", closed="left"),
    "who": wr.arg_max("i", "s", last="45 seconds", closed="right"),
    "nine": wr.mean("i", last=9),
    "texts": wr.collect("s", last=3),
}


def settled(batches, watermark):
    """All rows whose time the watermark has passed."""
    table = pa.concat_tables(batches)
    return table.filter(pc.less(table["at"], watermark))


@pytest.mark.parametrize("seed", SEEDS)
def test_count_windows_go_through_all_rows_behind_the_watermark(
    streaming, tmp_path, seed
):
    batches = random_batches(Random(seed), streams=20)
    folder = write_files(tmp_path / "in", batches)
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    query = {"window": COUNTED, "by": KEYS, "aggregates": CALLS}

    ran = run(wr.aggregate(stream, **query), tmp_path / "checkpoint")

    with interpreting():
        expected = wr.aggregate(settled(batches, ran.watermark), **query)
    assert expected.num_rows > 50
    assert_same_rows(ran.rows, expected)


@pytest.mark.parametrize(
    "by",
    [
        # test_parity.py and test_late.py have streams of it, state/test_over.py all
        pytest.param(KEYS, id="by key", marks=pytest.mark.deep),
        pytest.param([], id="no key", marks=pytest.mark.deep),
    ],
)
@pytest.mark.parametrize("seed", SEEDS)
def test_rolling_columns_are_those_of_the_batch_answer(streaming, tmp_path, seed, by):
    batches = random_batches(Random(seed), streams=20)
    folder = write_files(tmp_path / "in", batches)
    stream = stream_of(streaming, folder, late_by=LATE_BY)
    query = {"on": "at", "by": by, "ties": "id", "aggregates": ROLLING}

    ran = run(wr.over(stream, **query), tmp_path / "checkpoint")

    with interpreting():
        expected = wr.over(settled(batches, ran.watermark), **query)
    assert_same_rows(ran.rows, expected, named_by=["id"])
