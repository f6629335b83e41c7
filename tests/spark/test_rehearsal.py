"""Tasks that are rehearsed on the driver ask for the kernels that real rows need."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.kernels.assemble import Assembly
from windrow.loops import TaskLane, Way, recording
from windrow.plan import plan_aggregate, plan_over
from windrow.plan.flow import flow_of
from windrow.spark import lanes
from windrow.spark.rehearsal import rehearse, rehearse_state
from windrow.state.codec import MemoryStore, StepStats, unpack
from windrow.tasks.over import RollTask
from windrow.tasks.stream import BLOB, BUCKET, FeedTask, StateTask, make_bucket
from windrow.tasks.task import Task

sys.path.insert(0, str(Path(__file__).parents[1] / "tasks"))
from in_tasks import tree_of, windows_of

N = 2000
DRAWN = np.random.default_rng(5)
TABLE = pa.table(
    {
        "key": np.sort(DRAWN.integers(0, 5, N)),
        "at": DRAWN.integers(0, 5000, N),
        "x": DRAWN.random(N),
        "i": DRAWN.integers(0, 9, N),
    }
)
WINDOWS = {
    "aligned": wr.sliding(60, every=10, on="at"),
    "pairs": wr.sliding(60, every=7, on="at"),
    "two": [wr.sliding(60, every=10, on="at"), wr.sliding(300, every=30, on="at")],
    "rows": wr.rows(20, every=3, on="at"),
}
CALLS = {
    "rounding": {"m": wr.mean("x"), "v": wr.variance("x")},
    "exact": {"s": wr.sum("i"), "m": wr.max("x")},
    "order": {"f": wr.first("x")},
    "holistic": {"c": wr.collect("i"), "d": wr.count_distinct("i")},
}
SPLITS = {"none": {}, "overlap": {"chunk": 600}, "sash": {"chunk": 40}}


@pytest.fixture(autouse=True)
def _automatic(monkeypatch):
    monkeypatch.delenv("WINDROW_COMPILE", raising=False)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("calls", CALLS)
@pytest.mark.parametrize("window", WINDOWS)
def test_a_rehearsal_asks_for_all_that_real_rows_need(
    monkeypatch, window, calls, split
):
    tree = tree_of(
        TABLE, WINDOWS[window], ["key"], CALLS[calls], split=split, **SPLITS[split]
    )
    tasks, run = {}, Task.__call__

    def watched(task, batches):
        batches = list(batches)
        tasks[task.step] = task, batches[0].schema
        return run(task, batches)

    with recording() as needed, monkeypatch.context() as patch:
        patch.setattr(Task, "__call__", watched)
        windows_of(tree, TABLE, batch=1000, enough=1 << 16)
    with recording() as asked:
        for task, schema in tasks.values():
            rehearse(task, schema)

    assert needed
    assert needed.keys() <= asked.keys()


def test_a_rehearsal_of_rolling_columns_asks_for_all_that_real_rows_need():
    calls = {"a": wr.mean("x", last=100), "b": wr.max("x", last=9)}
    plan = plan_over(TABLE.schema, "at", "key", gather_calls(calls, None))
    gives = pa.schema([*TABLE.schema, ("a", pa.float64()), ("b", pa.float64())])
    task = RollTask(plan, tuple(TABLE.column_names), 4, gives, None, 1 << 16)
    rows = TABLE.sort_by([("key", "ascending"), ("at", "ascending")])
    with recording() as needed:
        list(task(rows.to_batches()))

    with recording() as asked:
        rehearse(task, TABLE.schema)

    assert needed
    assert needed.keys() <= asked.keys()


def _stream(calls):
    at = TABLE["at"].cast(pa.timestamp("s")).cast(pa.timestamp("us", "UTC"))
    table = TABLE.set_column(1, "at", at)
    window = wr.sliding("60 seconds", every="10 seconds", on="at")
    plan = plan_aggregate(table.schema, window, "key", gather_calls(calls, None))
    hints = {"late": "count", "buckets": 1, "mode": "append"}
    flow = flow_of(plan, frozenset(), delay=0, **hints)
    folding = None
    if flow.fed == "slices":
        tagged = replace(plan, by=(BUCKET, *plan.by))
        folding = Folding(tagged, flow.request, flow.slots)
    feed = FeedTask((BUCKET, *plan.reads), folding, 1 << 16)
    gives = pa.schema([("k0", pa.int64()), ("start", pa.int64())])
    assert plan.clock is not None
    state = StateTask(make_bucket(flow), gives, plan.clock.tick, {})
    rows = table.select(plan.reads)
    bucket = pa.array(np.zeros(len(rows), np.int32))
    return feed, state, rows.add_column(0, BUCKET, bucket)


def _step(state, store, blobs, seconds):
    return list(state.step(store, blobs, seconds * 1000, StepStats()))


@pytest.mark.parametrize("calls", CALLS)
def test_a_rehearsal_of_a_stream_asks_for_all_that_real_rows_need(calls):
    feed, state, rows = _stream(CALLS[calls])

    def run():
        store, half = MemoryStore(), len(rows) // 2
        for part, now in ((rows[:half], 0), (rows[half:], 2000), (rows[:0], 9000)):
            batches = feed(part.to_batches())
            blobs = [blob.as_py() for batch in batches for blob in batch.column(BLOB)]
            _step(state, store, blobs, now)

    with recording() as needed:
        run()
    with recording() as asked:
        rehearse(feed, rows.schema) if feed.folding else None
        rehearse_state(state, feed, rows.schema)

    assert needed
    assert needed.keys() <= asked.keys()


@pytest.mark.parametrize("calls", ["rounding", "holistic"])
def test_a_stream_remembers_how_its_kernels_run(calls):
    feed, state, rows = _stream(CALLS[calls])
    batches = feed(rows.to_batches())
    blobs = [blob.as_py() for batch in batches for blob in batch.column(BLOB)]
    store, ways = MemoryStore(), []

    for way in (Way.COLUMNS, Way.SHIPPED):
        task = replace(state, lane=TaskLane(way))
        _step(task, store, blobs, 100)
        blobs = []
        ways.append(_way_in(store))

    assert ways == ["columns", "columns"]


def _way_in(store):
    return unpack(store.get(0), "header")[1]["way"]


def test_without_machine_code_no_kernel_that_rounds_is_compiled(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    feed, state, rows = _stream(CALLS["rounding"])

    laned = lanes.with_state_lane(state, feed, lambda: rows.schema)

    assert laned.lane.way is Way.COLUMNS
    assert laned.lane.kernels
    assert not laned.lane.code
    assert "windrow warm" in laned.lane.reason


def test_a_query_whose_kernels_are_alike_needs_none_of_them(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    feed, state, rows = _stream({"s": wr.sum("i"), "m": wr.max("x")})

    laned = lanes.with_state_lane(state, feed, lambda: rows.schema)

    assert not laned.lane.kernels
    assert "2 s of work, then compiled" in laned.lane.reason


def _own(combine):
    return wr.Aggregate(
        name="own",
        lift=lambda value: (1, value * value),
        combine=combine,
        lower=lambda partial: (partial[1] / partial[0]) ** 0.5,
        laws="commutative",
    )


ON_ARRAYS = _own(lambda a, b: (a[0] + b[0], a[1] + b[1]))
BRANCHING = _own(lambda a, b: a if a[1] > b[1] else b)


def _roll_task(call, **options):
    calls = gather_calls({"a": call}, None)
    plan = plan_over(TABLE.schema, "at", "key", calls, **options)
    gives = pa.schema([*TABLE.schema, ("a", pa.float64())])
    return RollTask(plan, tuple(TABLE.column_names), 4, gives, None, 1 << 16)


@pytest.mark.parametrize(
    ("call", "options", "words", "compiles"),
    [
        (
            ON_ARRAYS("x", last=5),
            {},
            "over whole columns: functions of",
            False,
        ),
        (
            BRANCHING("x", last=5),
            {},
            "compiled before the first call: a part",
            True,
        ),
        (
            wr.mean("x", last=5),
            {"algorithm": "two_stacks_lite"},
            "compiled before the first call: its algorithm",
            True,
        ),
        (wr.mean("x", last=5), {}, "over whole columns: this machine's cache", False),
    ],
    ids=["on arrays", "with branches", "named", "neither"],
)
def test_a_reason_says_what_the_kernels_of_a_task_do(
    tmp_path, monkeypatch, call, options, words, compiles
):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    task, compiled = _roll_task(call, **options), []
    module = Assembly.module

    def interpreted(assembly):
        compiled.append(assembly)
        return module(assembly, interpreted=True)

    (reason,) = lanes.reasons_of(lambda: lanes.with_lane(task, lambda: TABLE.schema))
    monkeypatch.setattr(Assembly, "module", interpreted)
    rows = TABLE.sort_by([("key", "ascending"), ("at", "ascending")])
    list(lanes.with_lane(task, lambda: TABLE.schema)(rows.to_batches()))

    assert reason.startswith(words)
    assert ("windrow warm" in reason) == words.endswith("cache")
    assert bool(compiled) == compiles


def test_what_was_compiled_ahead_travels_with_the_task(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_CACHE_DIR", str(tmp_path))
    task = _roll_task(wr.mean("x", last=5))

    names = lanes.compile_ahead(lambda: lanes.with_lane(task, lambda: TABLE.schema))
    laned = lanes.with_lane(task, lambda: TABLE.schema)

    assert (
        names == {path.name for path in tmp_path.glob("*.code")} == {*laned.lane.code}
    )
    assert laned.lane.way is Way.SHIPPED
    assert "compiled: this machine's cache has them" in laned.lane.reason
