"""State that version 0.1 wrote is gone on from, or refused in words.

    hours of rows   1 3 6 9 11 | 14 16 18 23 26 |  29 31 40
    watermark                  0               12          24    500
                    by version 0.1              |  by this one

`version_0_1.json` has the blobs of a bucket of each kind after two steps, in base64.
`test_damaged.py` has events with a duration, and `spark/streaming/kept` whole
checkpoints.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from repeated import as_windows
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.errors import StateError
from windrow.loops import interpreting
from windrow.plan import plan_windows
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.tasks.stream import make_bucket

WRITTEN = json.loads(Path(__file__).with_name("version_0_1.json").read_text())
START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
SCHEMA = pa.schema(
    [("key", pa.string()), ("at", pa.timestamp("us", "UTC")), ("x", pa.int64())]
)
HALF = wr.sliding("12 hours", every="4 hours", on="at")
WHOLE = wr.sliding("1 day", every="4 hours", on="at")
KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "lists": (HALF, {"all": wr.collect("x"), "s": wr.sum("x")}),
    "by order": (HALF, {"f": wr.first("x"), "n": wr.count()}),
    "a list of windows": ([HALF, WHOLE], {"v": wr.variance("x"), "m": wr.max("x")}),
    "product": (HALF, {"p": wr.product("x")}),
}
BEFORE, SINCE = (1, 3, 6, 9, 11, 14, 16, 18, 23, 26), (29, 31, 40)


def rows_at(*hours: int) -> pa.Table:
    rows = [
        {
            "key": "ab"[hour % 2],
            "at": START + dt.timedelta(hours=hour),
            "x": None if hour % 7 == 0 else hour,
        }
        for hour in hours
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def gone_on(kind: str) -> list[tuple[Any, ...]]:
    """The results of two more steps: keys, query, start, end, results."""
    window, calls = KINDS[kind]
    plan: Any = plan_windows(
        SCHEMA, window, ["key"], gather_calls(calls, None), algorithm="auto"
    )
    flow = flow_of(plan, frozenset(SCHEMA.names), delay=4 * 3600 * 10**6, buckets=1)
    blobs = {int(n): base64.b64decode(text) for n, text in WRITTEN[kind].items()}
    bucket, store, out = make_bucket(flow), MemoryStore(blobs), []
    table = rows_at(*SINCE)
    if flow.fed == "slices":
        table = Folding(plan, flow.request, flow.slots).fold(table)
    for tables, hours in (([table], 24), ([], 500)):
        now = int((START + dt.timedelta(hours=hours)).timestamp()) * 10**6
        for results in as_windows(bucket.step(store, tables, now, StepStats())):
            out += [tuple(row.values()) for row in results.to_pylist()]
    return out


def ticks(instant: dt.datetime) -> int:
    return int(instant.timestamp()) * 10**6


@pytest.mark.parametrize("kind", ["lists", "by order", "a list of windows"])
def test_a_bucket_of_version_0_1_goes_on_to_the_answer_over_all_rows(kind: str) -> None:
    window, calls = KINDS[kind]
    table = rows_at(*BEFORE, *SINCE)

    with interpreting():
        actual = gone_on(kind)
        whole = wr.aggregate(table, window, by="key", aggregates=calls).to_pylist()

    expected = [
        (row["key"], row.get("query", 0), *map(ticks, row["window"].values()))
        + tuple(row[name] for name in calls)
        for row in whole
        if row["window"]["end"] > START + dt.timedelta(hours=12)
    ]
    assert len(expected) > 10
    pairs = zip(sorted(actual, key=repr), sorted(expected, key=repr), strict=True)
    for mine, theirs in pairs:
        assert mine[:4] == theirs[:4]
        for one, other in zip(mine[4:], theirs[4:], strict=True):
            is_close = isinstance(other, float) and math.isclose(one, other)
            assert one == other or is_close


def test_partials_that_have_other_fields_now_are_refused_in_words() -> None:
    with pytest.raises(StateError, match="another query wrote it") as refused:
        gone_on("product")

    assert "product(x) of int64 there and" in str(refused.value)
    assert "product(x) of int64 in form 2 here" in str(refused.value)
    assert "start this query with a checkpoint of its own" in str(refused.value)
