"""Killed at random moments and started again: nothing is lost, nothing comes twice.

    make test-faults                                 a hundred kills, told at its end
    WINDROW_KILL_SEED=7 make test-faults             the same ones again

See `killing.py` for how it is killed, `killed_query.py` for what.
"""

from __future__ import annotations

import os
import time
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from answers import assert_same_rows
from killed_query import CALLS, HAVE_LATE_ROWS, KEYS, QUERIES, WINDOWS
from killing import run_and_kill, run_and_kill_executors
from late_answer import answer_with_late_rows, named, watermarks_of
from micro_batches import write_files
from random_streams import FLUSH, random_batches

from windrow.loops import interpreting

# The campaign, `make test-faults`: kills of everything, and of executors alone.
CAMPAIGN = [
    pytest.param(query, kills, executors, marks=pytest.mark.faults)
    for query in QUERIES
    for kills, executors in [(13, False), (4, True)]
]


@pytest.mark.parametrize(
    ("query", "kills", "executors"),
    [
        ("time windows", 3, False),
        *CAMPAIGN,
    ],
)
def test_a_killed_query_goes_on_to_the_answer_of_one_that_was_not(
    spark_environment, tmp_path, record_property, query, kills, executors
):
    seed = int(os.environ.get("WINDROW_KILL_SEED", time.time_ns() % 10**6))
    print(f"WINDROW_KILL_SEED={seed}")  # noqa: T201 - pytest shows it on failure
    record_property("seed", seed)
    # executors die in one run, each in a later micro-batch, moments that are missed too
    files = (5 if executors else 2) * kills + 6
    batches = random_batches(Random(seed), streams=12, batches=files)
    write_files(tmp_path / "in", batches)
    kill = run_and_kill_executors if executors else run_and_kill

    told = kill(tmp_path, query, spark_environment, kills=kills, random=Random(seed))
    record_property("kills", dict(told.moments))

    actual = pq.read_table(tmp_path / "answer").to_pylist()
    named_by = ["id"] if query == "rolling columns" else None
    if query in HAVE_LATE_ROWS:  # which these are depends on the micro-batches
        watermarks = watermarks_of(tmp_path / "checkpoint")
        how = WINDOWS, KEYS, CALLS
        expected = named(answer_with_late_rows(batches, watermarks, *how))
        actual, named_by = named(actual), ["id", *KEYS, "query", "window"]
    else:
        expected = _answer_of_a_table(pa.concat_tables(batches), query)
    assert_same_rows(actual, expected, named_by=named_by)
    assert told.kills == kills
    assert len(told.hit) > kills // 2


def _answer_of_a_table(table: pa.Table, query: str) -> list[dict[str, Any]]:
    with interpreting():
        rows = QUERIES[query](table.filter(pc.is_valid(table["at"]))).to_pylist()
    return [row for row in rows if row["stream"] != FLUSH]
