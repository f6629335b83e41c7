"""Steps of a stream's bucket, whatever the window: count windows, `over`, spans.

Buckets run in this process over a store in memory: what a step reads, writes and takes
is that of the state alone.  10 new rows of each key come in a step, once windows are
full; spans have as many events a tick as it says.  Answers of windows that keep slices
are compared with those that keep rows.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_aggregate, plan_over
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.span_slices import PieceFolding
from windrow.tasks.stream import make_bucket
from windrow_bench.measure.answers import WrongAnswer

from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "stream_kinds"
KEYS, NEW, STEPS = 32, 10, 40
SCHEMA = pa.schema([("key", pa.string()), ("at", pa.int64()), ("x", pa.int64())])
SPANS = pa.schema([("key", pa.string()), ("a", pa.int64()), ("b", pa.int64())])


@dataclass
class CountingStore(MemoryStore):
    """A store that counts the bytes that are read."""

    read: int = 0

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""
        blob = super().get(number)
        self.read += len(blob or b"")
        return blob


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Blobs, bytes and milliseconds of a step, and their ratios."""
    short, long = (256, 2_048) if settings.quick else (1_024, 65_536)
    rows, bars = [], []
    for kind in ("count windows", "over"):
        costs = {
            length: _cost(_bucket(kind, length), length) for length in (short, long)
        }
        for length, cost in costs.items():
            rows.append([kind, length, *cost])
            say(f"{kind} {length}: {cost[0]:.1f} blobs, {cost[1]:,.0f} B")
        for number, what in enumerate(("blobs", "bytes read", "time")):
            ratio = costs[long][number] / costs[short][number]
            bars.append(
                Bar(f"{kind}, {what}: {long:,} to {short:,}", ratio, 1.3, False)
            )
    length = 512 if settings.quick else 8_192
    slices = _bucket("count windows", length)
    kept = _cost(slices.former, length)
    if _answers(slices) != _answers(slices.former):
        raise WrongAnswer("windows over slices differ from those over kept rows")
    faster = kept[2] / _cost(slices, length)[2]
    bars.append(Bar(f"count windows of {length:,}: slices to rows", faster, 5.0))
    sizes = [_span_cost(events) for events in (50, 500, 5_000)]
    for events, cost in zip((50, 500, 5_000), sizes, strict=True):
        rows.append([f"spans, {events} events a tick", 64, *cost])
    grows = sizes[-1][1] / sizes[0][1]
    bars.append(Bar("spans, bytes read: 5,000 events a tick to 50", grows, 1.3, False))
    columns = ["kind", "window", "blobs a step", "bytes read a step", "ms a step"]
    title = f"{KEYS} keys, {NEW} new rows of each in a step"
    table = Table(title, columns, rows)
    return Result(NAME, "Streams: cost of a step", [table], bars, [])


def _bucket(kind: str, length: int) -> Any:
    if kind == "over":
        calls = gather_calls({"total": wr.sum("x", last=length)}, None)
        plan: Any = plan_over(SCHEMA, "at", ["key"], calls)
    else:
        calls = gather_calls({"total": wr.sum("x"), "most": wr.max("x")}, None)
        plan = plan_aggregate(SCHEMA, wr.rows(length, on="at"), ["key"], calls)
    return make_bucket(flow_of(plan, frozenset(), delay=8))


def _rows(start: int, stop: int) -> pa.Table:
    at = np.repeat(np.arange(start, stop), KEYS)
    names = np.tile([f"k{i}" for i in range(KEYS)], stop - start)
    x = (at * 7_919) % 1_000_003
    return pa.table({"key": names, "at": at, "x": x}, SCHEMA)


def _step(bucket: Any, store: MemoryStore, start: int, stop: int) -> list[pa.Table]:
    return list(bucket.step(store, [_rows(start, stop)], start, StepStats()))


def _cost(bucket: Any, length: int) -> tuple[float, float, float]:
    """Blobs touched, bytes read and milliseconds of processor time in a step."""
    store, full = CountingStore(), 2 * length
    for start in range(0, full, 4_096):
        _step(bucket, store, start, min(start + 4_096, full))
    for number in range(2):  # all that came before is final
        _step(bucket, store, full + NEW * number, full + NEW * (number + 1))
    full += 2 * NEW
    store.gets = store.puts = store.read = 0
    begun = time.process_time()
    for number in range(STEPS):
        _step(bucket, store, full + NEW * number, full + NEW * (number + 1))
    took = time.process_time() - begun
    return (store.gets + store.puts) / STEPS, store.read / STEPS, took / STEPS * 1e3


def _answers(bucket: Any) -> Counter[str]:
    """All windows of a short stream."""
    store = MemoryStore()
    tables = [
        t
        for start in range(0, 2_000, 100)
        for t in _step(bucket, store, start, start + 100)
    ]
    return Counter(str(row) for table in tables for row in table.to_pylist())


def _span_cost(events: int) -> tuple[float, float, float]:
    """The same for spans of a few ticks, with so many events a tick."""
    window = wr.sliding(64, every=1, span=("a", "b"))
    plan = plan_aggregate(SPANS, window, ["key"], gather_calls({"n": wr.count()}, None))
    flow = flow_of(plan, frozenset(), delay=8)
    bucket, folding = make_bucket(flow), PieceFolding(plan, flow.request, flow.slots)
    store, took = CountingStore(), 0.0
    for now in range(160):
        if now == 120:
            store.gets = store.puts = store.read = 0
            took = 0.0
        i = np.arange(events)
        begins = now + i % 5
        table = pa.table(
            {"key": [f"k{k}" for k in i % KEYS], "a": begins, "b": begins + 1 + i % 7},
            SPANS,
        )
        begun = time.process_time()
        pieces = folding.fold(table)
        list(bucket.step(store, [pieces], now, StepStats()))
        took += time.process_time() - begun
    return (store.gets + store.puts) / 40, store.read / 40, took / 40 * 1e3
