"""Count windows and `wr.over` on streams cost what a step brings, not the window.

Shelves are made small here, so that short streams have several levels, pages that are
swept, and keys that come at different rates.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_aggregate, plan_over
from windrow.plan.flow import flow_of
from windrow.state import fill_shelves, key_table, locate, positions, shelves
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.last_rows import CountBucket
from windrow.state.past_slices import CountSliceBucket, OverSliceBucket
from windrow.tasks.stream import make_bucket

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("at", pa.int64()),
        ("x", pa.int64()),
        ("name", pa.string()),
        ("id", pa.int64()),
    ]
)
CALLS = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "last": wr.last("name"),
    "who": wr.arg_max("x", "id"),
    "most": wr.max("name"),
    "first": wr.first("id"),
}


@pytest.fixture
def small_shelves(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set how many keys a shelf has, and how many rows a page."""

    def set_sizes(keys: int, rows: int) -> None:
        for module in (shelves, locate, positions, key_table, fill_shelves):
            monkeypatch.setattr(module, "KEYS", keys, raising=False)
            monkeypatch.setattr(module, "PAGE_ROWS", rows, raising=False)

    return set_sizes


def random_steps(rng: random.Random) -> tuple[list[tuple[Any, int]], pa.Table]:
    """A stream in steps: keys of different rates, ties, disorder, idle spells."""
    keys, skew = rng.choice([1, 3, 9]), rng.choice([1, 3])
    now, rows, steps = 0, [], []
    for _ in range(rng.randint(3, 30)):
        came = [
            {
                "key": rng.choice([None, ""]) if key == 1 else str(key),
                "at": now + rng.randint(0, 8),
                "x": rng.choice([None, *range(-9, 10)]),
                "name": rng.choice(["a", "b", "zz", None, ""]),
                "id": len(rows) + number,
            }
            for number in range(rng.randint(0, 24))
            for key in [int(rng.random() ** skew * keys)]
        ]
        rows += came
        steps.append(([pa.Table.from_pylist(came, SCHEMA)] if came else [], now))
        now += rng.choice([0, 1, 2, 3, 5, 9, 30])
    return [*steps, ([], now + 40)], pa.Table.from_pylist(rows, SCHEMA)


def run(bucket: Any, steps: Any, store: MemoryStore | None = None) -> list[Any]:
    store = MemoryStore() if store is None else store
    out = []
    for tables, now in steps:
        stats = StepStats()
        given = list(bucket.step(store, tables, now, stats))
        out += [tuple(row.values()) for table in given for row in table.to_pylist()]
        assert not stats.late_rows
    return out


def bucket_of(plan: Any, **options: Any) -> Any:
    return make_bucket(flow_of(plan, frozenset(), delay=8, **options))


@pytest.mark.parametrize("seed", range(16))
def test_count_windows_equal_those_over_the_table(seed, small_shelves):
    rng = random.Random(seed)
    small_shelves(4, rng.choice([12, 20, 36]))
    steps, table = random_steps(rng)
    windows = []
    for number in range(rng.choice([1, 1, 2, 3])):
        slide = rng.choice([1, 1, 2, 3, 4])
        length = slide * rng.choice([1, 3, 9, 40]) + rng.choice([0, 0, 1, 5])
        windows.append(wr.rows(length, every=slide, on="at", name=str(number)))
    by = rng.choice([["key"], [], ["key", "name"]])

    bucket = bucket_of(plan_aggregate(SCHEMA, windows, by, gather_calls(CALLS, None)))
    actual = run(bucket, steps)

    whole = wr.aggregate(table, windows, by=by, aggregates=CALLS).to_pylist()
    expected = [
        (
            *(row[key] for key in by),
            int(row["query"]),
            *row["window"].values(),
            *(row[name] for name in CALLS),
        )
        for row in whole
    ]
    assert isinstance(bucket, CountSliceBucket)
    assert Counter(actual) == Counter(expected)


@pytest.mark.parametrize("seed", range(4))
def test_clipped_count_windows_equal_those_over_kept_rows(seed, small_shelves):
    rng = random.Random(seed)
    small_shelves(2, 8)
    steps, _ = random_steps(rng)
    window = wr.rows(rng.choice([5, 12, 60]), every=3, on="at", partial=True)
    plan = plan_aggregate(SCHEMA, window, ["key"], gather_calls(CALLS, None))
    bucket = bucket_of(plan)

    actual = run(bucket, steps)

    kept = bucket.former
    assert isinstance(kept, CountBucket)
    assert Counter(actual) == Counter(run(kept, steps))


@pytest.mark.parametrize("seed", range(16))
def test_rows_look_back_as_they_do_in_the_table(seed, small_shelves):
    rng = random.Random(seed)
    small_shelves(4, rng.choice([12, 20, 36]))
    steps, table = random_steps(rng)
    lasts: list[Any] = ["1", "7", "60"] if seed % 3 else ["5", "33"]
    lasts += [1, 3, 9, 40] if seed % 3 else []

    def framed(make: Any, *columns: str) -> Any:
        last = rng.choice(lasts)
        ends = ["right", "left", "both", "neither"][: 2 if isinstance(last, int) else 4]
        return make(*columns, last=last, closed=rng.choice(ends))

    calls = {
        "n": framed(wr.count),
        "total": framed(wr.sum, "x"),
        "last": framed(wr.last, "name"),
        "who": framed(wr.arg_max, "x", "id"),
        "most": framed(wr.max, "name"),
        "first": framed(wr.first, "id"),
    }
    by = rng.choice([["key"], [], ["key", "name"]])

    bucket = bucket_of(plan_over(SCHEMA, "at", by, gather_calls(calls, None)))
    store = MemoryStore()
    actual = run(bucket, [*steps, ([], 10**9)], store)

    whole = wr.over(table, on="at", by=by, aggregates=calls).to_pylist()
    assert isinstance(bucket, OverSliceBucket)
    assert Counter(actual) == Counter(tuple(row.values()) for row in whole)
    if not seed % 3:
        assert not store.blobs  # durations alone: every key is gone


@dataclass
class CountingStore(MemoryStore):
    """A store that counts the bytes that are read and written."""

    read: int = 0
    sizes: list[int] = field(default_factory=list)

    def get(self, number: int) -> bytes | None:
        blob = super().get(number)
        self.read += len(blob or b"")
        return blob

    def put(self, number: int, blob: bytes) -> None:
        super().put(number, blob)
        self.sizes.append(len(blob))


def cost_of_steps(bucket: Any, length: int, keys: int = 4) -> tuple[float, float]:
    """Blobs touched and bytes read in a step, once windows are full."""
    store, schema = CountingStore(), SCHEMA.remove(3).remove(3)
    rng = np.random.default_rng(length)

    def rows(start: int, stop: int) -> pa.Table:
        at = np.repeat(np.arange(start, stop), keys)
        names = np.tile([f"k{i}" for i in range(keys)], stop - start)
        x = rng.integers(-(10**6), 10**6, len(at))
        return pa.table({"key": names, "at": at, "x": x}, schema)

    def step(start: int, stop: int) -> None:
        for _ in bucket.step(store, [rows(start, stop)], start, StepStats()):
            pass

    full = 2 * length
    for start in range(0, full, 4096):
        step(start, min(start + 4096, full))
    for number in range(66):
        if number == 2:  # all that came before is final
            store.gets = store.puts = store.read = 0
        step(full + 10 * number, full + 10 * number + 10)
    return (store.gets + store.puts) / 64, store.read / 64


@pytest.mark.parametrize("kind", ["count windows", "over"])
def test_a_step_costs_the_same_whatever_the_window(kind, small_shelves):
    small_shelves(4, 256)  # as many rows of a key in a page, and in a step, as usual

    def bucket(length: int) -> Any:
        schema = SCHEMA.remove(3).remove(3)
        if kind == "over":
            calls = gather_calls({"total": wr.sum("x", last=length)}, None)
            return bucket_of(plan_over(schema, "at", ["key"], calls))
        calls = gather_calls({"total": wr.sum("x"), "most": wr.max("x")}, None)
        window = wr.rows(length, on="at")
        return bucket_of(plan_aggregate(schema, window, ["key"], calls))

    short, long = cost_of_steps(bucket(256), 256), cost_of_steps(bucket(4096), 4096)

    assert long[0] < 1.3 * short[0]
    assert long[1] < 1.3 * short[1]


def test_slow_keys_do_not_keep_the_rows_of_fast_ones(small_shelves):
    small_shelves(4, 32)
    window = wr.rows(40, on="at")
    calls = gather_calls({"total": wr.sum("x")}, None)
    schema = SCHEMA.remove(3).remove(3)
    bucket = bucket_of(plan_aggregate(schema, window, ["key"], calls))
    store, sizes = MemoryStore(), []

    for number in range(600):
        keys = ["fast"] * 20 + ["slow"] * (number % 5 == 0)
        table = pa.table(
            {"key": keys, "at": [number] * len(keys), "x": [1] * len(keys)}
        )
        list(bucket.step(store, [table.cast(schema)], number, StepStats()))
        sizes.append(sum(map(len, store.blobs.values())))

    assert max(sizes[400:]) < 1.3 * max(sizes[200:400])
    assert len(store.blobs) < 60


def test_holistic_aggregates_keep_rows_and_explain_says_so():
    plan = plan_aggregate(
        SCHEMA,
        wr.rows(9, on="at"),
        ["key"],
        gather_calls({"all": wr.collect("x")}, None),
    )

    flow = flow_of(plan, frozenset(), delay=8)

    assert flow.kept == "rows"
    assert "collect(x) has no partial of bounded size" in flow.kept_reason
