"""Steps of a stream's bucket, whatever the window: count windows, `over`, spans, late.

Buckets run in this process over a store in memory: what a step reads, writes and takes
is that of the state alone.  10 new rows of each key come in a step, once windows are
full; spans have as many events a tick as it says.

    late     watermark |. . . . .      a step brings rows ahead of it, and
              x   x    |               5 % of them up to 45 s behind it
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_aggregate, plan_over
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.span_slices import PieceFolding, SpanSliceBucket
from windrow.tasks.stream import make_bucket
from windrow.windows.repeats import WINDOWS
from windrow_bench._claims import among, from_
from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure import ticks
from windrow_bench.measure.answers import WrongAnswer

from ._bar import bar, cost, growth, number_row, panel, speed

KEYS, NEW, STEPS = 32, 10, 40
LENGTHS, QUICK_LENGTHS = (1_024, 65_536), (256, 2_048)
KEPT, QUICK_KEPT = 8_192, 512
SPAN_LOADS, QUICK_LOADS = (50, 500, 5_000), (50, 500)
SLICES, ROWS, SPANS, POINTS = "slices", "rows", "spans", "points"
SCHEMA = pa.schema([("key", pa.string()), ("at", pa.int64()), ("x", pa.int64())])
EVENTS = pa.schema([("key", pa.string()), ("a", pa.int64()), ("b", pa.int64())])
BLOBS, BYTES, MILLIS = "blobs a step", "bytes read a step", "ms a step"
LONG_SPANS = "long spans, with gaps"
KINDS = ("count windows", "over", LONG_SPANS)
NONE, SOME = "none late", "5 % late"
LATE_KEYS, RANGE, SHARE, TURNS = 125, 60, 0.05, 3
LOADS = {"sparse": (500, 3_125), "dense": (10, 20_000)}  # seconds and rows of a step
LATE_CALLS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}
Cost = tuple[float, float, float]  # blobs, bytes read, milliseconds


@dataclass
class CountingStore(MemoryStore):
    """A store that counts the bytes that are read."""

    read: int = 0

    def get(self, number: int) -> bytes | None:
        """The blob under that number, if there is one."""
        blob = super().get(number)
        self.read += len(blob or b"")
        return blob

    def cost(self, steps: int, seconds: float) -> Cost:
        """What was counted, of one of so many steps."""
        touched = self.gets + self.puts
        return touched / steps, self.read / steps, seconds / steps * 1e3

    def forget(self) -> None:
        """Count from here on."""
        self.gets = self.puts = self.read = 0


def _trials(size: Size) -> list[Trial]:
    lengths = size.pick(QUICK_LENGTHS, LENGTHS)
    kinds = [
        Trial(kind, lengths[-1], partial(_lengths, kind, lengths, size))
        for kind in KINDS
    ]
    kept = size.pick(QUICK_KEPT, KEPT)
    spans = [
        Trial("spans", load, partial(_spans, load, size))
        for load in size.pick(QUICK_LOADS, SPAN_LOADS)
    ]
    late = [Trial("late rows", load, partial(_late, load)) for load in LOADS]
    return [*kinds, Trial("kept", kept, partial(_kept, kept, size)), *spans, *late]


def _rows_of(panel: str, x: int, cost: Cost, size: Size) -> list[Row]:
    names = (BLOBS, BYTES, MILLIS)
    return [
        number_row(panel, x, name, [value], size)
        for name, value in zip(names, cost, strict=True)
    ]


def _lengths(kind: str, lengths: tuple[int, ...], size: Size, _: float) -> list[Row]:
    """Windows of all lengths, a step of each in turn."""
    costs = _costs([(_bucket(kind, length), length) for length in lengths])
    pairs = zip(lengths, costs, strict=True)
    return [row for x, cost in pairs for row in _rows_of(kind, x, cost, size)]


def _kept(length: int, size: Size, _: float) -> list[Row]:
    """Slices beside the kept rows of before, which give the same windows."""
    slices = _bucket("count windows", length)
    if _answers(slices) != _answers(slices.former):
        raise WrongAnswer("windows over slices differ from those over kept rows")
    costs = _costs([(slices, length), (slices.former, length)])
    return [
        number_row("kept", length, name, [cost[2]], size)
        for name, cost in zip((SLICES, ROWS), costs, strict=True)
    ]


def _bucket(kind: str, length: int) -> Any:
    if kind == "over":
        calls = gather_calls({"total": wr.sum("x", last=length)}, None)
        plan: Any = plan_over(SCHEMA, "at", ["key"], calls)
    elif kind == LONG_SPANS:
        calls, window = gather_calls({"n": wr.count()}, None), _over_spans(length)
        plan = plan_aggregate(EVENTS, window, ["key"], calls)
        # late rows are given back, so that events come whole and are folded in it
        return make_bucket(flow_of(plan, frozenset(), delay=8, late="keep"))
    else:
        calls = gather_calls({"total": wr.sum("x"), "most": wr.max("x")}, None)
        plan = plan_aggregate(SCHEMA, wr.rows(length, on="at"), ["key"], calls)
    return make_bucket(flow_of(plan, frozenset(), delay=8))


def _over_spans(length: int) -> Any:
    return wr.sliding(length, every=1, span=("a", "b"))


@cache
def _clock() -> np.ndarray[Any, Any]:
    """The seconds in which events begin, of as many steps as there ever are."""
    return ticks.seconds(4 * max(LENGTHS))


def _step(bucket: Any, store: MemoryStore, start: int, stop: int) -> list[pa.Table]:
    at = np.repeat(np.arange(start, stop), KEYS)
    names = np.tile([f"k{i}" for i in range(KEYS)], stop - start)
    if isinstance(bucket, SpanSliceBucket):
        at = _clock()[at]
        rows = pa.table({"key": names, "a": at, "b": at + 1 + at % 7}, EVENTS)
    else:
        rows = pa.table({"key": names, "at": at, "x": (at * 7_919) % 1_000_003}, SCHEMA)
    return list(bucket.step(store, [rows], int(at[0]), StepStats()))


def _costs(sides: list[tuple[Any, int]]) -> list[Cost]:
    """Of buckets, with the length of their windows: full ones, a step of each in turn.

    Milliseconds are the middle of all steps; blobs and bytes, which pages that fill
    add to, are the mean.
    """
    stores = [CountingStore() for _ in sides]
    took: list[list[float]] = [[] for _ in sides]
    for (bucket, length), store in zip(sides, stores, strict=True):
        for start in range(0, 2 * length, 4_096):
            _step(bucket, store, start, min(start + 4_096, 2 * length))
    for number in range(2 + STEPS):
        for (bucket, length), store, times in zip(sides, stores, took, strict=True):
            if number == 2:  # all that came before is final
                store.forget()
                times.clear()
            start, begun = 2 * length + NEW * number, time.process_time()
            _step(bucket, store, start, start + NEW)
            times.append(time.process_time() - begun)
    pairs = zip(stores, took, strict=True)
    return [store.cost(STEPS, STEPS * median(times)) for store, times in pairs]


def _answers(bucket: Any) -> Counter[str]:
    """All windows of a short stream."""
    store = MemoryStore()
    starts = range(0, 2_000, 100)
    tables = [t for start in starts for t in _step(bucket, store, start, start + 100)]
    return Counter(str(row) for table in tables for row in table.to_pylist())


def _spans(events: int, size: Size, _: float) -> list[Row]:
    """Spans of a few ticks, and points at their beginnings, so many a tick."""
    calls = gather_calls({"n": wr.count()}, None)
    spans = plan_aggregate(EVENTS, _over_spans(64), ["key"], calls)
    points = plan_aggregate(EVENTS, wr.sliding(64, every=1, on="a"), ["key"], calls)
    flow = flow_of(spans, frozenset(), delay=8)
    folding = PieceFolding(spans, flow.request, flow.slots)
    found = _tick_cost(make_bucket(flow), folding.fold, events)
    bucket: Any = make_bucket(flow_of(points, frozenset(), delay=8))
    beside = _tick_cost(bucket, bucket.folding.fold, events)
    return [
        *_rows_of("spans", events, found, size),
        number_row("spans", events, SPANS, [found[2]], size),
        number_row("spans", events, POINTS, [beside[2]], size),
    ]


def _tick_cost(bucket: Any, fold: Callable[[pa.Table], Any], events: int) -> Cost:
    store, took = CountingStore(), 0.0
    i = np.arange(events)
    names = [f"k{k}" for k in i % KEYS]
    for now in range(160):
        if now == 120:
            store.forget()
            took = 0.0
        begins = now + i % 5
        table = pa.table({"key": names, "a": begins, "b": begins + 1 + i % 7}, EVENTS)
        begun = time.process_time()
        list(bucket.step(store, [fold(table)], now, StepStats()))
        took += time.process_time() - begun
    return store.cost(40, took)


def _late(load: str, _: float) -> list[Row]:
    """Processor time of 40 steps without late rows and with, in turns."""
    schema = pa.schema([("key", pa.int32()), ("at", pa.int64()), ("x", pa.int64())])
    window = wr.sliding(RANGE, every=1, on="at")
    plan = plan_aggregate(schema, window, "key", gather_calls(LATE_CALLS, None))
    bucket: Any = make_bucket(flow_of(plan, frozenset(), delay=10))
    taken: dict[str, list[float]] = {NONE: [], SOME: []}
    for turn in range(TURNS + 1):
        for name, share in ((NONE, 0.0), (SOME, SHARE)):
            seconds = _late_turn(bucket, list(_late_steps(load, share)))
            taken[name] += [seconds] if turn else []  # the first compiles
    return [number_row("late rows", load, name, took) for name, took in taken.items()]


def _late_steps(load: str, share: float) -> Iterator[tuple[pa.Table, int]]:
    """The rows of each step, and the watermark."""
    random = np.random.default_rng(18)
    seconds, count = LOADS[load]
    for number in range(STEPS):
        now = number * seconds + RANGE
        times = now + random.integers(0, seconds, count)
        late = random.random(count) < share
        times[late] = now - random.integers(1, 46, int(late.sum()))
        key = random.integers(0, LATE_KEYS, count, np.int32)
        x = random.integers(0, 1000, count)
        yield pa.table({"key": key, "at": times, "x": x}), now


def _late_turn(bucket: Any, steps: list[tuple[pa.Table, int]]) -> float:
    store, counted = MemoryStore(), 0
    begun = time.process_time()
    for rows, now in steps:
        for out in bucket.step(store, [bucket.folding.fold(rows)], now, StepStats()):
            times = out.column(WINDOWS).to_numpy() if WINDOWS in out.column_names else 1
            counted += int((out.column("r0").to_numpy() * times).sum())
    seconds = time.process_time() - begun
    expected = _in_windows(steps)
    if counted != expected:
        raise WrongAnswer(f"late rows: {counted:,} and not {expected:,}")
    return seconds


def _in_windows(steps: list[tuple[pa.Table, int]]) -> int:
    """In how many windows that are out all rows are, added up, by numpy."""
    closed, last, total = steps[0][1], steps[-1][1], 0
    for rows, now in steps:
        times = rows.column("at").to_numpy()
        first_end = np.maximum(times + 1, closed + 1)  # ends of windows are whole
        last_end = np.minimum(times + RANGE, last)
        total += int(np.maximum(last_end - first_end + 1, 0).sum())
        closed = now
    return total


STREAM_KINDS = bar(
    "stream-kinds",
    "What a step of a stream's state costs, by kind and length of window",
    "32 keys, 10 new rows of each in a step, windows full, the middle of 40 steps in "
    "turns; spans of a few ticks over windows of 64 slices, or as many as are told, "
    "these with gaps of twenty ticks; late rows: 125 keys, 60 s every second; in "
    "process, processor time",
    [
        *(panel(kind, "window (rows, slices)", "blobs, bytes, ms") for kind in KINDS),
        panel("kept", "window (rows)", MILLIS),
        panel("spans", "events a tick", "blobs, bytes, ms"),
        panel("late rows", "load", "seconds of 40 steps"),
    ],
    [
        *(
            growth(f"{kind}: {what} grow by at most 30 % from 1,024 to 65,536.",
                   kind, what, 1.3)
            for kind in KINDS for what in (BLOBS, BYTES, MILLIS)
        ),
        speed("Count windows of 8,192 by slices are five times as fast as by rows.",
              "kept", SLICES, (ROWS,), 5.0),
        growth("Spans: bytes read grow by at most 30 % from 50 events a tick to 5,000.",
               "spans", BYTES, 1.3),
        cost("Spans at 5,000 events a tick take at most twice points.",
             "spans", SPANS, (POINTS,), 2.0, where=from_(500)),
        *(
            cost(f"5 % late rows, {load}: at most 30 % more time.",
                 "late rows", SOME, (NONE,), 1.3, where=among(load))
            for load in LOADS
        ),
    ],
    _trials,
)  # fmt: skip
