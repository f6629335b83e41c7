"""What late rows cost a bucket of a stream: its steps with 5 % of them, and with none.

    watermark            |                 a step brings rows ahead of it
    rows                 |. . . . .
    late       x   x     |                 in place of some, up to 45 s behind it

Sparse is one of 16 buckets of the load that the stream is compared with Spark on: 2,000
keys with a row every 20 s.  Dense has 16 rows in a slice, so that 5 % late rows are
nearly as many late slices as there are others.  Both sides fold as many rows, in this
process, turn by turn, in processor time; windows are counted against numpy.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_aggregate
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.slices import SliceBucket
from windrow.tasks.stream import make_bucket
from windrow_bench.measure.answers import WrongAnswer

from ._report import Bar, Table
from ._settings import Settings
from ._spark_turns import Part, Say

KEYS, RANGE, STEPS = 125, 60, 40
LOADS = {"sparse": (500, 3_125), "dense": (10, 20_000)}  # seconds and rows of a step
SHARE, TURNS, DEARER = 0.05, 3, 1.3
CALLS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("x")}

Rows = tuple[pa.Table, int]


def run(_: Settings, say: Say) -> Part:
    """Both sides in turns, the best of each."""
    found = {load: _best(load, say) for load in LOADS}
    title = f"late rows: {STEPS} steps of a bucket, {KEYS} keys, {RANGE} s / 1 s"
    header = ["rows", "none late (s)", "5 % late (s)", "as a multiple"]
    rows: list[list[object]] = [
        [load, none, some, some / none] for load, (none, some) in found.items()
    ]
    none, some = found["sparse"]
    bar = "late rows: 5 % of them, time as a multiple of none"
    return Part(
        [Table(title, header, rows)],
        [Bar(bar, some / none, DEARER, at_least=False)],
        ["Late rows: processor time of folding rows and of a bucket's steps alone."],
    )


def _best(load: str, say: Say) -> tuple[float, float]:
    """The best of a few turns without late rows, and with."""
    bucket = _bucket()
    taken: dict[float, list[float]] = {0.0: [], SHARE: []}
    for turn in range(TURNS + 1):
        for share in taken:
            seconds = _turn(bucket, list(_steps(load, share)))
            taken[share] += [seconds] if turn else []  # the first compiles
            say(f"late rows, {load}, {share:.0%}: {seconds:.2f} s of processor time")
    return min(taken[0.0]), min(taken[SHARE])


def _bucket() -> SliceBucket:
    schema = pa.schema([("key", pa.int32()), ("at", pa.int64()), ("x", pa.int64())])
    window = wr.sliding(RANGE, every=1, on="at")
    plan = plan_aggregate(schema, window, "key", gather_calls(CALLS, None))
    bucket = make_bucket(flow_of(plan, frozenset(), delay=10))
    assert isinstance(bucket, SliceBucket)
    return bucket


def _steps(load: str, share: float) -> Iterator[Rows]:
    """The rows of each step, and the watermark."""
    random = np.random.default_rng(18)
    seconds, count = LOADS[load]
    for number in range(STEPS):
        now = number * seconds + RANGE
        times = now + random.integers(0, seconds, count)
        late = random.random(count) < share
        times[late] = now - random.integers(1, 46, int(late.sum()))
        columns = random.integers(0, KEYS, count, np.int32), times
        values = pa.array(random.integers(0, 1000, count))
        key, at = (pa.array(column) for column in columns)
        yield pa.table({"key": key, "at": at, "x": values}), now


def _turn(bucket: SliceBucket, steps: list[Rows]) -> float:
    store, counted = MemoryStore(), 0
    begun = time.process_time()
    for rows, now in steps:
        tables = [bucket.folding.fold(rows)]
        for out in bucket.step(store, tables, now, StepStats()):
            counted += int(out.column("r0").to_numpy().sum())
    seconds = time.process_time() - begun
    if counted != _by_numpy(steps):
        raise WrongAnswer(f"late rows: {counted:,} and not {_by_numpy(steps):,}")
    return seconds


def _by_numpy(steps: list[Rows]) -> int:
    """In how many windows that are out all rows are, added up."""
    closed, last, total = steps[0][1], steps[-1][1], 0
    for rows, now in steps:
        times = rows.column("at").to_numpy()
        first_end = np.maximum(times + 1, closed + 1)  # ends of windows are whole
        last_end = np.minimum(times + RANGE, last)
        total += int(np.maximum(last_end - first_end + 1, 0).sum())
        closed = now
    return total
