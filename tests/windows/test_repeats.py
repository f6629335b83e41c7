"""Tests that windows with one result are sent once, and that each arrives.

rows of the key       a . . . . . . b . . .
windows of 4          -1  0  1 ... 3  4 ... 7     from one change to the next: alike
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from repeated import as_windows
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.plan import plan_aggregate
from windrow.plan.flow import flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.tasks.stream import make_bucket
from windrow.windows import repeats
from windrow.windows.repeats import LAST, WINDOWS, each_window, sum_windows

SCHEMA = pa.schema(
    [("key", pa.string()), ("at", pa.timestamp("us")), ("x", pa.int64())]
)
EVERY = 10
stretches = st.lists(
    st.tuples(st.integers(-(10**15), 10**15), st.integers(1, 9), st.integers(0, 9)),
    max_size=12,
)


@given(stretches=stretches, most=st.integers(1, 12), has_end=st.booleans())
@part(1)
def test_each_window_of_a_stretch_arrives_in_its_place(
    stretches: list[tuple[int, int, int]], most: int, has_end: bool
) -> None:
    rows: list[dict[str, Any]] = [
        {"k0": str(result), "start": start, "end": start + 40, "r0": [result]}
        | {LAST: start + (count - 1) * EVERY, WINDOWS: count}
        for start, count, result in stretches
    ]
    fields = [("k0", pa.string()), ("start", pa.int64()), ("end", pa.int64())]
    fields += [("r0", pa.list_(pa.int64())), (LAST, pa.int64()), (WINDOWS, pa.int64())]
    if not has_end:
        del fields[2]
    batch = pa.RecordBatch.from_pylist(rows, pa.schema(fields))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "AT_ONCE", most)
        batches = list(each_window(batch))

    shifts = [(row, EVERY * i) for row in rows for i in range(row[WINDOWS])]
    assert [row for batch in batches for row in batch.to_pylist()] == [
        {
            name: row[name] + shift if name in ("start", "end") else row[name]
            for name, _ in fields[:-2]
        }
        for row, shift in shifts
    ]
    assert all(len(some) < most + 9 for some in batches)
    assert sum_windows(pa.Table.from_batches([batch])) == len(shifts)


def test_rows_that_stand_for_one_window_stay_as_they_are() -> None:
    batch = pa.RecordBatch.from_pydict({"start": [0, 10], "r0": [1, 2]})

    assert list(each_window(batch)) == [batch]
    assert sum_windows(pa.Table.from_batches([batch])) == 2


@pytest.mark.parametrize(
    ("seconds", "alike"), [((0, 40), True), (range(90), False)], ids=["few", "dense"]
)
@pytest.mark.parametrize("late", ["drop", "count"])
def test_few_rows_in_many_windows_leave_a_bucket_as_stretches(
    seconds: Sequence[int], alike: bool, late: str
) -> None:
    second = 1_000_000
    window = wr.sliding("60 seconds", every="1 second", on="at")
    calls = gather_calls({"n": wr.count(), "total": wr.sum("x")}, {})
    plan = plan_aggregate(SCHEMA, window, ["key"], calls)
    bucket = make_bucket(flow_of(plan, frozenset(), delay=0, late=late, buckets=1))
    rows = [{"key": k, "at": i * second, "x": i} for k in "ab" for i in seconds]
    fed = [bucket.folding.fold(pa.Table.from_pylist(rows, SCHEMA))]
    store, stats = MemoryStore(), StepStats()

    sent = list(bucket.step(store, fed, 0, stats))
    sent += bucket.step(store, [], 200 * second, stats)

    windows = [row for table in as_windows(sent) for row in table.to_pylist()]
    held = {
        start: [i for i in seconds if start <= i < start + 60]
        for start in range(-59, max(seconds) + 1)
    }
    assert stats.rows_out == len(windows) == 2 * len(held)
    assert {(w["k0"], w["start"]): (w["r0"], w["r1"]) for w in windows} == {
        (key, start * second): (len(own), sum(own))
        for key in "ab"
        for start, own in held.items()
    }
    assert any(WINDOWS in table.column_names for table in sent) == alike
    if alike:  # a row that comes or goes, or a chunk that ends, begins another
        assert sum(map(len, sent)) <= 2 * 6
