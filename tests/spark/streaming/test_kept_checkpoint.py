"""Checkpoints that an older version wrote: read, and gone on from.

    tables     0       1     |     2         the third is new to the checkpoint
    windows    given, by then|     given now: exactly those that are left
"""

from __future__ import annotations

import shutil

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from answers import assert_same_rows
from kept_checkpoint import KEPT, LATE_BY, QUERIES, TABLES, answer, go_on
from micro_batches import closed

from windrow.kernels import interpreting


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_goes_on_from_a_checkpoint_that_was_kept(streaming, tmp_path, query):
    kept = KEPT / query.replace(" ", "-")
    checkpoint = shutil.copytree(kept, tmp_path / "checkpoint")

    ran = go_on(streaming, query, checkpoint, until=len(TABLES))

    before = pc.max(pa.concat_tables(TABLES[:2])["at"]).as_py() - LATE_BY
    given = answered(query, before)
    expected = [row for row in answered(query, ran.watermark) if row not in given]
    assert given
    assert expected
    assert_same_rows(ran.rows, expected)
