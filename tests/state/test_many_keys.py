"""A hundred thousand keys in one bucket, most of them silent at any time.

    step     0   1   2   3   4   5   6   7   8   9   last
    key 17       xx                  x
    key 18                   x                            each has three rows, anywhere

All windows together are those of the rows as one table, column by column.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from repeated import as_windows
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.plan import plan_windows
from windrow.plan.flow import Flow, flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.span_slices import PieceFolding
from windrow.tasks.stream import make_bucket

KEYS, STEPS, LENGTH, AHEAD = 100_000, 10, 20, 8
SCHEMA = pa.schema([(name, pa.int64()) for name in ("key", "since", "at", "x")])
CALLS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}
SPAN = ("since", "at")
WINDOWS: dict[str, Any] = {
    "points": [wr.sliding(40, every=20, on="at"), wr.sliding(30, every=10, on="at")],
    "spans": [wr.sliding(40, every=20, span=SPAN), wr.sliding(30, every=10, span=SPAN)],
    "counts": [wr.rows(2, on="at", ties="x"), wr.rows(3, on="at", ties="x")],
}
DEEP = ("spans", "counts")


def rows_of(random: np.random.Generator) -> list[pa.Table]:
    """The rows of each step, which come late, but none for a window that is out."""
    key = np.repeat(np.arange(KEYS), 3)
    at = random.integers(0, STEPS * LENGTH - AHEAD, len(key))
    since = at - random.integers(0, AHEAD // 2, len(key))
    came = (at + random.integers(0, AHEAD // 2, len(key))) // LENGTH
    x = random.permutation(len(key))
    rows = pa.table([key, since, at, x], schema=SCHEMA)
    return [rows.filter(pa.array(came == step)) for step in range(STEPS)]


def fed(flow: Flow, rows: pa.Table) -> pa.Table:
    if flow.fed == "rows":
        return rows
    kind = Folding if flow.fed == "slices" else PieceFolding
    return kind(flow.plan, flow.request, flow.slots).fold(rows)


@pytest.mark.parametrize(
    "kind", ["points", *(pytest.param(k, marks=pytest.mark.deep) for k in DEEP)]
)
def test_a_hundred_thousand_keys_get_the_windows_of_a_table(kind: str) -> None:
    windows, tables = WINDOWS[kind], rows_of(np.random.default_rng(18))
    calls = gather_calls(CALLS, None)
    plan: Any = plan_windows(SCHEMA, windows, ["key"], calls, algorithm="auto")
    flow = flow_of(plan, frozenset(), delay=AHEAD)
    bucket, store, stats, out = make_bucket(flow), MemoryStore(), StepStats(), []

    for step, rows in enumerate([*tables, SCHEMA.empty_table()]):
        now = step * LENGTH - AHEAD if len(rows) else 10**6
        came = [fed(flow, rows)] if len(rows) else []
        out += as_windows(bucket.step(store, came, now, stats))

    whole = wr.aggregate(
        pa.concat_tables(tables), windows, by="key", aggregates=CALLS
    ).flatten()
    order = ["key", "query", "window.start", "window.end", *CALLS]
    actual = pa.concat_tables(out).rename_columns(order)
    assert stats.rows_in == 3 * KEYS
    assert stats.late_rows == 0
    assert len(actual) > 2 * KEYS
    by = [(name, "ascending") for name in order[:3]]
    actual, expected = (table.sort_by(by) for table in (actual, whole))
    for name in order:
        mine, theirs = (table.column(name).to_numpy() for table in (actual, expected))
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
