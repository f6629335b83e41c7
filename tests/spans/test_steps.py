"""Events that come step by step: each window once, when the watermark passes it.

    step       events that came            now
    0          [1, 6) [2, 3)                0
    1          [0, 9)                       7      windows that end by 7 are out, so
                                                   that [0, 9) is late for those
    last                                 huge      everything comes out

The time to postpone is how far `now` lags behind the ends that have come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import plain_spans
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from plain_spans import Span

import menus
import oracles
import windrow as wr
from repeated import as_windows
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.flow import flow_of
from windrow.state.codec import HEADER, MemoryStore, StepStats
from windrow.state.fingerprint import describe
from windrow.state.rows import SpanBucket
from windrow.state.span_slices import PieceFolding, SpanSliceBucket
from windrow.tasks.stream import make_bucket

SCHEMA = pa.schema(
    [("key", pa.string()), ("start", pa.int64()), ("end", pa.int64()),
     ("x", pa.int64()), ("id", pa.int64())]
)  # fmt: skip
HUGE = 2**63 - 1
CALLS = {
    "n": ("count", ()),
    "total": ("sum", ("x",)),
    "most": ("max", ("x",)),
    "ids": ("collect", ("id",)),
    "first": ("first", ("id",)),
}


class Step(NamedTuple):
    rows: list[dict[str, Any]]
    now: int


@st.composite
def steps(draw: Any) -> list[Step]:
    """Events shorter and longer than the delay, some of them late as a whole."""
    now, seen, made = draw(st.sampled_from([-30, 0, 5])), 0, []
    for _ in range(draw(st.integers(1, 7))):
        rows = []
        for _ in range(draw(st.integers(0, 5))):
            end = now + draw(st.integers(-12, 15))
            length = draw(st.sampled_from([0, 1, 3, 10, 40, 100]))
            rows.append(
                {
                    "key": draw(st.sampled_from(["a", "b", None])),
                    "start": end - length,
                    "end": end,
                    "x": draw(st.one_of(st.none(), st.integers(-9, 9))),
                    "id": seen,
                }
            )
            seen += 1
        made.append(Step(rows, now))
        now += draw(st.sampled_from([0, 1, 4, 11, 60]))
    return [*made, Step([], draw(st.sampled_from([now + 10_000, HUGE])))]


SHARED = [name for name in CALLS if name not in ("ids", "first")]


def plan_of(window: Span, names: Any = tuple(CALLS)) -> Any:
    spec = wr.sliding(
        window.range, every=window.slide, offset=window.offset, span=("start", "end")
    )
    calls = {name: menus.asked(CALLS[name]) for name in names}
    return plan_aggregate(SCHEMA, spec, "key", gather_calls(calls, None))


def bucket_of(window: Span) -> SpanBucket:
    plan = plan_of(window)
    return SpanBucket(plan, describe(plan, buckets=1, layout="rows"), keep_late=True)


def slices_of(plan: Any, *, late: str) -> tuple[SpanSliceBucket, PieceFolding | None]:
    """A bucket that keeps slices, and what folds events before they come."""
    flow = flow_of(plan, frozenset(), delay=4, late=late)
    bucket = make_bucket(flow)
    assert isinstance(bucket, SpanSliceBucket)
    if flow.fed == "rows":
        return bucket, None
    return bucket, PieceFolding(plan, flow.request, flow.slots)


def slice_end(instant: int, window: Span) -> int:
    """Where the slice of an instant ends: at the next start or end of a window."""
    return min(
        instant + window.slide - (instant - edge) % window.slide
        for edge in (window.offset, window.offset + window.range)
    )


@given(data=st.data())
def test_each_window_comes_out_once_with_the_events_that_were_in_time_for_it(data):
    length, slide = data.draw(st.sampled_from([(10, 5), (7, 3), (4, 4), (12, 1)]))
    window = Span(length, slide, data.draw(st.sampled_from([0, 2])))
    bucket, store = bucket_of(window), MemoryStore()
    taken = data.draw(steps())

    out, late, expected, expected_late = [], [], [], []
    open_since: dict[int, list[Any]] = {}  # the closed watermark each event met
    closed = 0
    with interpreting():
        for rows, now in taken:
            if HEADER not in store.blobs:
                closed = now
            stats = StepStats()
            table = pa.Table.from_pylist(rows, SCHEMA)
            step = bucket.step(store, [table] if rows else [], now, stats)
            for given_out in as_windows(step):
                out += given_out.to_pylist()
            late += [r["id"] for some in stats.late for r in some.to_pylist()]
            assert stats.late_rows == sum(map(len, stats.late))
            for row in rows:
                starts = plain_spans.windows_of(row["start"], row["end"], window)
                last = row["start"] if row["start"] == row["end"] else row["end"] - 1
                gone = slice_end(last, window) <= closed
                missed = [low for low in starts if low + length <= closed]
                if gone or missed:
                    expected_late.append(row["id"])
                for low in starts:
                    if not gone and low + length > closed:
                        open_since.setdefault(low, []).append(row)
            closed = now

    keys = sorted({row["key"] for some in open_since.values() for row in some},
                  key=oracles.nulls_first)  # fmt: skip
    for key in keys:
        for low in sorted(open_since):
            held = [row for row in open_since[low] if row["key"] == key]
            held.sort(key=plain_spans.by_end)
            if held:
                results = oracles.results(held, CALLS)
                expected.append((key, low, low + length, *results.values()))
    actual = [(r["k0"], r["start"], r["end"], *(r[f"r{i}"] for i in range(5)))
              for r in out]  # fmt: skip
    assert sorted(map(repr, actual)) == sorted(map(repr, expected))
    assert sorted(late) == sorted(expected_late)
    assert store.blobs == {}, "nothing is kept once every window is out"


@pytest.mark.parametrize("late", ["drop", "count", "keep"])
@given(data=st.data())
@part(2.0)
def test_slices_of_two_parts_give_what_kept_events_give(late, data):
    length, slide = data.draw(st.sampled_from([(10, 5), (7, 3), (4, 4), (12, 1)]))
    plan = plan_of(Span(length, slide, data.draw(st.sampled_from([0, 2]))), SHARED)
    bucket, folding = slices_of(plan, late=late)
    same = describe(plan, buckets=1, layout="rows")
    kept = SpanBucket(plan, same, late == "keep", bucket.count_late)
    stores, outs, ids = (MemoryStore(), MemoryStore()), ([], []), ([], [])

    with interpreting():
        for rows, now in data.draw(steps()):
            table = pa.Table.from_pylist(rows, SCHEMA)
            cut = len(rows) // 2
            tables = [table.slice(0, cut), table.slice(cut)] if rows else []
            tables = [some for some in tables if len(some)]
            counts = []
            for number, one in enumerate((bucket, kept)):
                fold = folding if number == 0 else None
                fed = [fold.fold(some) for some in tables] if fold else tables
                stats = StepStats()
                for given_out in as_windows(one.step(stores[number], fed, now, stats)):
                    outs[number].extend(map(repr, given_out.to_pylist()))
                ids[number].extend(r for t in stats.late for r in t["id"].to_pylist())
                counts.append((stats.rows_in, stats.late_rows, stats.rows_out))
            assert counts[0] == counts[1]
            # a bucket that holds nothing is closed up to the next step's time
            held = [bool(store.blobs) for store in stores]
            assume(late != "drop" or held[0] == held[1])

    assert sorted(outs[0]) == sorted(outs[1])
    assert sorted(ids[0]) == sorted(ids[1])


def test_state_does_not_grow_with_the_number_of_events():
    sizes = []
    for events in (5, 500):
        bucket, folding = slices_of(plan_of(Span(20, 2), SHARED), late="count")
        assert folding is not None
        store = MemoryStore()
        for now in range(60):
            rows = [
                {"key": "a", "start": now + i % 5, "end": now + 5 + i % 3, "x": i % 9}
                for i in range(events)
            ]
            table = folding.fold(pa.Table.from_pylist(rows, SCHEMA))
            list(bucket.step(store, [table], now, StepStats()))
        sizes.append(sum(map(len, store.blobs.values())))

    assert sizes[1] < 1.05 * sizes[0]


def test_a_long_event_counts_in_open_windows_and_is_late_for_those_that_are_out():
    bucket, store, stats = bucket_of(Span(10, 5)), MemoryStore(), StepStats()
    early = {"key": "a", "start": 0, "end": 3, "x": 1, "id": 0}
    long = {"key": "a", "start": 1, "end": 24, "x": 2, "id": 1}

    with interpreting():
        first = list(
            bucket.step(store, [pa.Table.from_pylist([early], SCHEMA)], 0, stats)
        )
        list(bucket.step(store, [], 12, stats))  # releases [-5, 5) and [0, 10)
        list(bucket.step(store, [pa.Table.from_pylist([long], SCHEMA)], 12, stats))
        rest = list(as_windows(bucket.step(store, [], HUGE, stats)))

    assert first == []
    assert stats.late_rows == 1
    assert [r["id"] for some in stats.late for r in some.to_pylist()] == [1]
    seen = [(r["start"], r["r3"]) for some in rest for r in some.to_pylist()]
    assert seen == [(5, [1]), (10, [1]), (15, [1]), (20, [1])]


def test_events_without_a_key_are_folded_by_all_tasks_and_the_plan_says_so():
    schema = pa.schema([("since", pa.int64()), ("at", pa.int64()), ("x", pa.int64())])
    window = wr.sliding(16, every=2, span=("since", "at"))

    def flow(**how):
        calls = gather_calls({"s": wr.sum("x")}, None)
        plan = plan_aggregate(schema, window, [], calls)
        return flow_of(plan, frozenset(), delay=4, **how)

    assert flow(hot=True).deals
    assert "events are dealt out and folded by all tasks" in flow(hot=True).shared
    assert "events are folded by the tasks that read them" in flow().shared
    words = "all meet in one bucket, the work of one task, since late="
    assert f'{words}"keep" gives rows back' in flow(late="keep").shared
