"""State is carried from one Arrow batch to the next: batch sizes change nothing.

maxRecordsPerBatch     1         every row a batch of its own
                       7         keys, panes and windows end inside batches
                       100,000   all in one, as in all other tests
"""

from __future__ import annotations

import pytest
from answers import assert_same_rows
from typed import frame_of, table_of

import windrow as wr
from covering import covering
from windrow.loops import interpreting
from windrow.spark import ship

TIME = wr.sliding("30 seconds", every="7 seconds", on="at")
LONG = wr.sliding("1300 seconds", every="1 second", on="at")
COUNT = wr.rows(9, every=2, on="at")
QUERIES = {
    "native": (TIME, {"total": wr.sum("x"), "last": wr.last("x")}, {"by": "key"}),
    "kernel": (TIME, {"product": wr.product("x"), "n": wr.count()}, {"by": "key"}),
    "rows": (TIME, {"all": wr.collect("x"), "most": wr.max("x")}, {"by": "key"}),
    "count": (COUNT, {"total": wr.sum("x"), "all": wr.collect("y")}, {"by": "key"}),
    "count, no key": (COUNT, {"total": wr.sum("x")}, {}),
    "hot": (TIME, {"total": wr.sum("x"), "v": wr.variance("x")}, {"hot": True}),
    "sash": (LONG, {"total": wr.sum("x"), "first": wr.first("y")}, {}),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        *covering(QUERIES, [1, 7]),
        *(pytest.param(name, 100_000, marks=pytest.mark.deep) for name in QUERIES),
    ],
)
def test_the_size_of_arrow_batches_changes_no_answer(
    spark, settings_of, monkeypatch, name, size
):
    monkeypatch.setattr(ship, "STRETCH", min(size, ship.STRETCH))
    window, calls, how = QUERIES[name]
    by = how.get("by", "key" if how.get("hot") else [])
    table = table_of("int", 90)
    frame = frame_of(spark, "int", table)

    with settings_of({"spark.sql.execution.arrow.maxRecordsPerBatch": size}):
        result = wr.aggregate(
            frame, window, by=by, aggregates=calls, hot=how.get("hot", False)
        )
        actual = result.toArrow()

    with interpreting():
        expected = wr.aggregate(table, window, by=by, aggregates=calls)
    assert_same_rows(actual, expected)
