"""Tests that rolling over sorted batches yields each row once, with its columns.

at       1   2   2 | 2   5 |          the rows at 2 are peers across two batches
last 1   (1) (1, 2, 2, 2) ...         so the first of them must wait for the last
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.loops import interpreting
from windrow.plan import plan_over
from windrow.plan.facts import Facts
from windrow.plan.resolve import resolve
from windrow.tasks.over import roll

CALLS = {
    "both": wr.sum("x", last="4"),
    "left": wr.max("x", last="9", closed="left"),
    "neither": wr.count(last="2", closed="neither"),
    "three": wr.collect("x", last=3),
    "eight": wr.arg_max("x", "id", last=8),
    "ahead": wr.sum("x", next="3", min_periods=2),
    "around": wr.collect("x", last="2", next="5", closed="left"),
    "later": wr.collect("id", next=2),
    "beside": wr.sum("x", last=2, next=3, closed="left"),
    "ever": wr.count("x", closed="neither"),
    "middle": wr.median("x", last=4),
    "place": wr.rank("x", last="4"),
    "share": wr.percent_rank("x", last=3, next=2),
}


@st.composite
def tables(draw: Any) -> pa.Table:
    """Tables sorted by key and time, rows without a time first, with ties."""
    n = draw(st.integers(1, 30))
    rows = [
        {
            "key": draw(st.sampled_from("ab")),
            "at": draw(st.one_of(st.none(), st.integers(-6, 12))),
            "x": draw(st.one_of(st.none(), st.integers(-9, 9))),
        }
        for _ in range(n)
    ]
    rows.sort(key=lambda row: (row["key"], row["at"] is not None, row["at"] or 0))
    rows = [{**row, "id": i} for i, row in enumerate(rows)]
    kinds = [("key", pa.string()), *((name, pa.int64()) for name in ("at", "x", "id"))]
    return pa.Table.from_pylist(rows, pa.schema(kinds))


def rolled(table: pa.Table, calls: Any, batch: int, enough: int) -> list[Any]:
    plan = plan_over(table.schema, "at", "key", gather_calls(calls, None))
    batches = table.to_batches(max_chunksize=batch)
    results = []
    for rows, new in roll(batches, resolve(plan, Facts()), enough=enough):
        pairs = zip(rows.to_pylist(), new.to_pylist(), strict=True)
        results += [row | columns for row, columns in pairs]
    return results


@pytest.mark.parametrize("names", [list(CALLS), *([name] for name in CALLS)])
@given(table=tables(), batch=st.integers(1, 9), enough=st.integers(1, 9))
@part(0.5)
def test_each_row_comes_out_once_with_the_columns_of_the_engine(
    names, table, batch, enough
):
    calls = {name: CALLS[name] for name in names}
    with interpreting():
        expected = wr.over(table, on="at", by="key", aggregates=calls).to_pylist()

        actual = rolled(table, calls, batch, enough)

    assert actual == expected


def test_rows_of_the_halo_are_looked_at_and_do_not_come_out():
    table = pa.table(
        {
            "key": ["a"] * 5,
            "at": [1, 2, 3, 4, 5],
            "x": [10, 20, 30, 40, 50],
            "halo": [True, True, False, False, False],
        }
    )
    calls = gather_calls({"total": wr.sum("x", last=3)}, None)
    plan = plan_over(table.schema, "at", "key", calls)

    with interpreting():
        stretches = list(
            roll(
                table.to_batches(max_chunksize=2),
                resolve(plan, Facts()),
                enough=1,
                halo="halo",
            )
        )

    actual = [value for _, new in stretches for value in new["total"].to_pylist()]
    assert actual == [60, 90, 120]
    assert Counter(at for rows, _ in stretches for at in rows["at"].to_pylist()) == {
        3: 1,
        4: 1,
        5: 1,
    }
