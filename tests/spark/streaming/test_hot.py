"""A stream without a key, or with a hot one, is folded by all tasks.

one file a micro-batch     one task reads it
hot=True                   rows are dealt out, and folded in every task
"""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from answers import assert_same_rows
from micro_batches import closed, run, stream_of, write_files

import windrow as wr
from windrow.loops import interpreting

ZERO = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
WINDOW = wr.sliding("20 seconds", every="10 seconds", on="at")
CALLS = {"n": wr.count(), "total": wr.sum("i"), "most": wr.max("i")}


def table_of(begin: int) -> pa.Table:
    return pa.table(
        {
            "at": pa.array(
                [ZERO + dt.timedelta(seconds=begin + n / 10) for n in range(400)],
                pa.timestamp("us", "UTC"),
            ),
            "i": [n * 7 % 31 for n in range(400)],
        }
    )


def test_rows_without_a_key_are_dealt_out_to_all_tasks(streaming, tmp_path):
    tables = [table_of(begin) for begin in (0, 30, 60, 300)]
    folder = write_files(tmp_path / "in", tables)
    stream = stream_of(streaming, folder, late_by="10 seconds")

    ran = run(
        wr.aggregate(stream, WINDOW, hot=True, aggregates=CALLS),
        tmp_path / "checkpoint",
    )

    with interpreting():
        expected = wr.aggregate(pa.concat_tables(tables), WINDOW, aggregates=CALLS)
    assert_same_rows(ran.rows, closed(expected, ran.watermark))
    assert ran.metric("late_rows") == 0


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "folded by the tasks that read them, their slices meet"),
        ({"hot": True}, "hot=True: rows are dealt out and folded by all tasks"),
        ({"late": "keep"}, "rows travel whole, and all meet in one bucket"),
        ({"late": "keep", "hot": True}, "hot=True changes nothing"),
    ],
)
def test_explain_says_what_tasks_share(streaming, tmp_path, how, words):
    folder = write_files(tmp_path / "in", [table_of(0)])
    stream = stream_of(streaming, folder, late_by="10 seconds")

    assert words in str(wr.explain(stream, WINDOW, aggregates=CALLS, **how))
