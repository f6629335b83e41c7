"""Killed at random moments and started again: nothing is lost, nothing comes twice.

    WINDROW_KILL_SEED=7 pytest tests/spark/streaming/test_killed.py

See `killing.py` for how it is killed, `killed_query.py` for what.
"""

from __future__ import annotations

import os
import time
from random import Random

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from answers import assert_same_rows
from killed_query import answer
from killing import run_and_kill
from micro_batches import write_files
from random_streams import FLUSH, random_batches

from windrow.loops import interpreting

LONG = pytest.mark.deep


@pytest.mark.parametrize(
    ("query", "kills"),
    [
        ("time windows", 1),
        pytest.param("time windows", 25, marks=LONG),
        pytest.param("count windows", 10, marks=LONG),
        pytest.param("rolling columns", 10, marks=LONG),
    ],
)
def test_a_killed_query_goes_on_to_the_batch_answer(
    spark_environment, tmp_path, query, kills
):
    seed = int(os.environ.get("WINDROW_KILL_SEED", time.time_ns() % 10**6))
    print(f"WINDROW_KILL_SEED={seed}")  # noqa: T201 - pytest shows it on failure
    batches = random_batches(Random(seed), streams=12, batches=kills + 6)
    write_files(tmp_path / "in", batches)

    told = run_and_kill(
        tmp_path, query, spark_environment, kills=kills, random=Random(seed)
    )

    found = pq.read_table(tmp_path / "answer").to_pylist()
    table = pa.concat_tables(batches)
    with interpreting():
        expected = answer(table.filter(pc.is_valid(table["at"])), query).to_pylist()
    expected = [row for row in expected if row["stream"] != FLUSH]
    named_by = ["id"] if query == "rolling columns" else None
    assert_same_rows(found, expected, named_by=named_by)
    assert told.kills == kills
    assert len(told.hit) > kills // 2
