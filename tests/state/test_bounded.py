"""Many steps of every kind of query: what is kept and moved does not creep.

    steps     0 ........ 40 ........ 80 ........ 120     (50, 120, 200 in deep runs)
              windows fill  |  before  |   after  |
                               most       most       of bytes kept, blobs, bytes moved

Counts, and no times: these are the same on any machine.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.plan import plan_over, plan_windows
from windrow.plan.flow import Flow, flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.span_slices import PieceFolding
from windrow.tasks.stream import make_bucket

IS_DEEP = os.environ.get("WINDROW_TEST_PROFILE") == "deep"
STEPS, FULL, MIDDLE = (200, 50, 120) if IS_DEEP else (120, 40, 80)
SECOND = 1_000_000
SCHEMA = pa.schema(
    [
        ("key", pa.int64()),
        ("from", pa.timestamp("us", "UTC")),
        ("at", pa.timestamp("us", "UTC")),
        ("x", pa.int64()),
    ]
)
CALLS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}
SKETCHES = {
    "kinds": wr.approx_distinct("x"),
    "mid": wr.approx_quantile("x", 0.5),
    "top": wr.approx_top_k("x", 3),
}
SLIDING = wr.sliding("40 seconds", every="5 seconds", on="at")
LIST = [SLIDING, wr.sliding("15 seconds", every="5 seconds", on="at")]
WINDOWS: dict[str, Any] = {
    "points": (SLIDING, CALLS),
    "a list, late rows kept": (LIST, CALLS),
    "spans": (wr.sliding("40 seconds", every="5 seconds", span=("from", "at")), CALLS),
    "counts": (wr.rows(20, every=4, on="at"), CALLS),
    "rows kept": (SLIDING, {"all": wr.collect("x")}),
    "sketches": (SLIDING, SKETCHES),
    "a policy": (wr.window(evict="40 seconds", trigger=4, on="at"), CALLS),
    "over": (None, {"total": wr.sum("x", last="40 seconds"), "v": wr.max("x", last=9)}),
}
# more rows of a key may come for ever, so that its place stays: no key goes here
STAY = {"counts", "a policy", "over"}


@dataclass
class MeteredStore(MemoryStore):
    """A store that counts the bytes that are moved."""

    moved: int = 0

    def get(self, number: int) -> bytes | None:
        blob = super().get(number)
        self.moved += len(blob or b"")
        return blob

    def put(self, number: int, blob: bytes) -> None:
        self.moved += len(blob)
        super().put(number, blob)


def steps(*, keys_go: bool) -> Iterator[tuple[pa.Table, int]]:
    """Rows of a moment, a few of them late, of keys that stay and some that go."""
    random = np.random.default_rng(18)
    for number in range(STEPS):
        now = number * 5 * SECOND
        at = now + random.integers(-SECOND, 8 * SECOND, 24)
        at[:2] = now - random.integers(0, 30 * SECOND, 2)
        key = random.integers(0, 6, 24)
        if keys_go:
            key[-4:] = 100 + number // 8  # for eight steps, and never again
        since, x = at - random.integers(0, 6 * SECOND, 24), random.integers(0, 99, 24)
        columns = key, since, at, x
        arrays = [pa.array(values) for values in columns]
        plain = pa.table(dict(zip(SCHEMA.names, arrays, strict=True)))
        yield plain.cast(SCHEMA), now


def fed(flow: Flow, table: pa.Table) -> pa.Table:
    """The table as it comes to a bucket: rows, or folded before the shuffle."""
    if flow.fed == "rows":
        return table
    kind = Folding if flow.plan.span is None else PieceFolding
    return kind(flow.plan, flow.request, flow.slots).fold(table)


@pytest.mark.parametrize(  # a list has points too
    "kind", [pytest.param("points", marks=pytest.mark.deep), *list(WINDOWS)[1:]]
)
def test_what_is_kept_and_moved_does_not_creep(kind: str) -> None:
    window, calls = WINDOWS[kind]
    asked = gather_calls(calls, None)
    if window is None:
        plan: Any = plan_over(SCHEMA, "at", ["key"], asked)
    else:
        plan = plan_windows(SCHEMA, window, ["key"], asked, algorithm="auto")
    late = "keep" if "late" in kind else "count"
    flow = flow_of(plan, frozenset(), delay=8 * SECOND, late=late)
    bucket, store = make_bucket(flow), MeteredStore()
    found = []

    for table, now in steps(keys_go=kind not in STAY):
        store.moved = 0
        list(bucket.step(store, [fed(flow, table)], now, StepStats()))
        kept = sum(map(len, store.blobs.values()))
        found.append((kept, len(store.blobs), store.moved))

    before, after = (np.array(part) for part in (found[FULL:MIDDLE], found[MIDDLE:]))
    assert (after.max(axis=0) <= 1.2 * before.max(axis=0)).all()
    assert (after.mean(axis=0) <= 1.1 * before.mean(axis=0)).all()


@pytest.mark.parametrize("name", SKETCHES)
def test_sketches_cost_some_bytes_for_each_slice_that_holds_rows(name: str) -> None:
    window = wr.sliding("10 minutes", every="5 seconds", on="at")  # 120 slices
    calls = gather_calls({name: SKETCHES[name]}, None)
    plan = plan_windows(SCHEMA, window, ["key"], calls, algorithm="auto")
    flow = flow_of(plan, frozenset(), delay=SECOND, late="count")

    kept = {}
    for apart in (4, 2, 1):  # rows in one of four slices, one of two, and in each
        bucket, store, after_steps = make_bucket(flow), MemoryStore(), []
        for first in range(0, 320, 16):
            slices = np.repeat(np.arange(first, first + 16, apart), 3)
            at = slices * 5 * SECOND + np.tile(np.arange(3), 16 // apart)
            arrays = [pa.array(values) for values in (0 * at, at, at, slices)]
            table = pa.table(dict(zip(SCHEMA.names, arrays, strict=True))).cast(SCHEMA)
            now = (first + 15) * 5 * SECOND
            list(bucket.step(store, [fed(flow, table)], now, StepStats()))
            after_steps.append(sum(map(len, store.blobs.values())))
        kept[120 // apart] = max(after_steps)

    # a bit more than linear for KLL, whose merged sketches grow until they are full
    assert kept[60] <= 2.5 * kept[30]
    assert kept[120] <= 2.5 * kept[60]
    assert kept[120] <= 120 * 600  # three values cost bytes, not kilobytes
