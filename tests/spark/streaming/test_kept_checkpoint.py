"""Checkpoints that an older version wrote: read, and gone on from.

    tables     0       1     |     2         the third is new to the checkpoint
    windows    given, by then|     given now: exactly those that are left
"""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows, frozen
from kept_checkpoint import KEPT, LATE_BY, QUERIES, TABLES, answer, go_on
from micro_batches import closed

from windrow.kernels import interpreting

NAMED_BY = {
    "time windows": ["key", "query", "window"],
    "count windows": ["key", "window"],
    "rolling columns": ["key", "at"],
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_goes_on_from_a_checkpoint_that_was_kept(streaming, tmp_path, query):
    kept = KEPT / query.replace(" ", "-")
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")

    ran = go_on(streaming, query, checkpoint, until=len(TABLES))

    then = pc.max(pa.concat_tables(TABLES[:2])["at"]).as_py() - LATE_BY
    before = answered(query, then, TABLES[:2])
    after = answered(query, ran.watermark, TABLES)
    assert len(after) > len(before) > 0
    named_by = NAMED_BY[query]
    given = {name_of(row, named_by) for row in before}
    left = [row for row in after if name_of(row, named_by) not in given]
    assert_same_rows(ran.rows, left, named_by=named_by)


def answered(query, watermark, tables):
    """The batch answer, as far as a stream has given it by then."""
    table = pa.concat_tables(tables)
    with interpreting():
        if query == "time windows":
            return closed(answer(table, query), watermark)
        settled = table.filter(pc.less(table["at"], watermark))
        return answer(settled, query).to_pylist()


def name_of(row, columns):
    return tuple(frozen(row[column]) for column in columns)
