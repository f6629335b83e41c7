"""`wr.over` on a stream: each row once, with the columns of the engine.

at        1   2   5 | 2   9 |         the second row at 2 comes a step later
now       0         | 3     |         at 3 both rows at 2 are out, and see each other
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
import windrow as wr
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.errors import StateError
from windrow.loops import interpreting
from windrow.plan import plan_as_of, plan_over
from windrow.state.codec import HEADER, MemoryStore, StepStats
from windrow.state.fingerprint import describe
from windrow.state.last_rows import RollBucket

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import HUGE, SCHEMA, Run, Step, run, same, streams, table_of

CLOSED = ("both", "left", "right", "neither")
DURATIONS = {
    **{f"all_{c}": wr.collect("id", last="4", closed=c) for c in CLOSED},
    **{f"total_{c}": wr.sum("x", last="9", closed=c) for c in CLOSED},
    "kinds": wr.count_distinct("name", last="30"),
    "ends": wr.quantile("x", [0.1, 0.9], last="9"),
    "share": wr.percent_rank("x", last="9", closed="left"),
}
ROWS = {
    "one": wr.collect("id", last=1),
    "three": wr.collect("id", last=3),
    "most": wr.max("x", last=5),
    "who": wr.arg_max("x", "name", last=7),
    "middle": wr.median("x", last=4),
    "place": wr.rank("x", last=3),
}
MIXED = {
    "who": wr.last("name", last=2),
    "n": wr.count(last="6"),
    "all": wr.collect("id", last=4),
    "before": wr.max("x", last="5", closed="left"),
}
FRAMES = {"durations": DURATIONS, "rows": ROWS, "mixed": MIXED}


def bucket_of(
    calls: Any, by: Any = ("key",), *, ties: Any = None, keep_late: bool = True
) -> RollBucket:
    plan = plan_over(SCHEMA, "at", by, gather_calls(calls, None), ties=ties)
    return RollBucket(plan, describe(plan, buckets=32, layout="rolled"), keep_late)


def behind(time: int, closed: int) -> bool:
    return time < closed


def given_out(done: Run) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in done.out]


@pytest.mark.parametrize("frames", FRAMES)
@given(steps=streams(nulls=True), by=st.sampled_from([("key",), (), ("key", "name")]))
@part(2.0)
def test_each_row_in_time_comes_out_once_with_the_columns_of_the_engine(
    frames, steps, by
):
    calls = FRAMES[frames]
    with interpreting():
        done = run(bucket_of(calls, by), steps, behind)
        whole = wr.over(table_of(done.in_time), on="at", by=by, aggregates=calls)

    expected = [tuple(row.values()) for row in whole.to_pylist()]
    assert done.late == done.due_late
    assert same(given_out(done), expected)
    assert frames != "durations" or not done.store.blobs


@given(
    steps=streams(late=False),
    length=st.sampled_from([1, 2, 5, 40]),
    closed=st.sampled_from(CLOSED),
    count=st.integers(1, 9),
)
@part(2.0)
def test_each_row_sees_its_own_past_as_the_oracle_does(steps, length, closed, count):
    calls = {
        "r": wr.collect("id", last=str(length), closed=closed),
        "s": wr.sum("x", last=count),
    }
    with interpreting():
        done = run(bucket_of(calls), steps, behind)

    frame = oracles.Frame(duration=length, closed=closed)
    plain: Any = {
        "r": (frame, ("collect", ("id",))),
        "s": (oracles.Frame(rows=count), ("sum", ("x",))),
    }
    found = oracles.over(done.fed, plain, on="at", keys=["key"])
    pairs = zip(done.fed, found, strict=True)
    assert same(given_out(done), [(*row.values(), *new.values()) for row, new in pairs])


@given(steps=streams())
@part(1.0)
def test_ties_are_broken_by_the_columns_named_whatever_came_first(steps):
    calls = {"ids": wr.collect("id", last=3), "last": wr.last("x", last="7")}
    ties = ["name", "x"]
    with interpreting():
        done = run(bucket_of(calls, ties=ties), steps, behind)
        whole = wr.over(
            table_of(done.in_time), on="at", by="key", ties=ties, aggregates=calls
        )

    assert same(given_out(done), [tuple(row.values()) for row in whole.to_pylist()])


def rows_at(*times: int | None, key: str | None = "a") -> list[pa.Table]:
    return [table_of([{"key": key, "at": t, "x": t, "id": t} for t in times])]


def step(bucket: RollBucket, store: MemoryStore, fed: Any, now: int) -> Any:
    stats = StepStats()
    with interpreting():
        tables = list(bucket.step(store, fed, now, stats))
    return [row for table in tables for row in table.to_pylist()], stats


def test_peers_that_come_in_two_steps_see_each_other():
    bucket = bucket_of({"all": wr.collect("id", last="3", closed="both")})
    store = MemoryStore()

    out = [
        [(row["s1"], sorted(row["r0"])) for row in step(bucket, store, fed, now)[0]]
        for fed, now in [(rows_at(1, 2, 5), 0), (rows_at(2, 9), 2), ([], 3), ([], 99)]
    ]

    assert out == [
        [],
        [(1, [1])],
        [(2, [1, 2, 2]), (2, [1, 2, 2])],
        [(5, [2, 2, 5]), (9, [9])],
    ]


def test_rows_behind_the_watermark_and_rows_without_a_time_are_late():
    keeping = bucket_of({"n": wr.count(last=2)})
    dropping = bucket_of({"n": wr.count(last=2)}, keep_late=False)
    store, other = MemoryStore(), MemoryStore()
    for one, where in ((keeping, store), (dropping, other)):
        step(one, where, rows_at(31), 20)

    _, kept = step(keeping, store, rows_at(19, None, 20, 40), 25)
    _, dropped = step(dropping, other, rows_at(19, None, 20, 40), 25)

    assert [row["at"] for table in kept.late for row in table.to_pylist()] == [19, None]
    assert kept.late[0].schema == SCHEMA
    assert (dropped.late, dropped.late_rows, dropped.rows_in) == ([], 2, 4)


def test_a_row_between_the_last_watermark_and_this_one_comes_out_at_once():
    bucket, store = bucket_of({"n": wr.count(last="100")}), MemoryStore()
    step(bucket, store, rows_at(31), 20)

    out, stats = step(bucket, store, rows_at(22), 30)

    assert [(row["s1"], row["r0"]) for row in out] == [(22, 1)]
    assert (stats.rows_in, stats.late_rows, stats.rows_out) == (1, 0, 1)


def test_a_row_is_kept_as_long_as_a_row_to_come_may_reach_its_instant():
    bucket, store = (
        bucket_of({"ids": wr.collect("id", last="10", closed="both")}),
        MemoryStore(),
    )
    step(bucket, store, rows_at(5), 0)
    step(bucket, store, [], 15)

    out, _ = step(bucket, store, rows_at(15), 16)

    assert [row["r0"] for row in out] == [[5, 15]]


def test_a_key_of_durations_is_gone_when_its_rows_are_out_of_reach():
    bucket, store = bucket_of({"n": wr.count(last="10")}), MemoryStore()
    step(bucket, store, [*rows_at(3, key=None), *rows_at(31, key="b")], 0)

    _, both = step(bucket, store, [], 13)
    _, one = step(bucket, store, [], 32)
    _, still = step(bucket, store, [], 41)
    _, none = step(bucket, store, [], 42)

    assert (both.keys, one.keys, still.keys, none.keys) == (2, 1, 1, 0)
    assert store.blobs == {}


def test_of_a_frame_of_rows_the_last_of_each_key_stay():
    bucket, store = bucket_of({"ids": wr.collect("id", last=3)}), MemoryStore()
    step(bucket, store, rows_at(1, 2, 3, 4, 5), 0)
    step(bucket, store, [], 1000)

    step(bucket, store, rows_at(2001), 2000)
    out, stats = step(bucket, store, [], 3000)

    assert [row["r0"] for row in out] == [[4, 5, 2001]]
    assert stats.keys == 1
    assert HEADER in store.blobs


def test_a_step_that_makes_no_row_final_reads_no_page():
    bucket, store = bucket_of(MIXED), MemoryStore()
    step(bucket, store, rows_at(50, 70), 0)
    step(bucket, store, [], 60)
    before = store.gets

    for now in (61, 65, 70):
        step(bucket, store, [], now)

    assert store.gets - before == 3  # the header, each time


def test_pages_ahead_of_the_watermark_are_not_read():
    bucket, store = bucket_of(MIXED), MemoryStore()
    step(bucket, store, rows_at(1, 2), 0)
    step(bucket, store, rows_at(500), 0)
    before = store.gets

    out, _ = step(bucket, store, [], 10)

    assert len(out) == 2
    assert store.gets - before == 2  # the header and the first page


@pytest.mark.parametrize("frames", FRAMES)
def test_a_long_run_asks_no_more_of_the_store_and_keeps_no_more(frames):
    bucket, store = bucket_of(FRAMES[frames]), MemoryStore()
    asked, kept = [], []

    for number in range(200):
        before = store.gets + store.puts
        at = number * 3
        rows = [
            {"key": key, "at": at + lag, "id": number, "x": number}
            for key in "abc"
            for lag in (0, 9, 4)
        ]
        step(bucket, store, [table_of(rows)], at)
        asked.append(store.gets + store.puts - before)
        kept.append((len(store.blobs), sum(map(len, store.blobs.values()))))

    assert max(asked) <= 2 * 34 + 4
    assert max(asked[100:]) <= max(asked[:100])
    assert max(count for count, _ in kept) <= 33
    assert max(size for _, size in kept[150:]) <= 1.2 * max(s for _, s in kept[50:150])


def test_rows_at_one_instant_keep_the_order_in_which_they_came():
    bucket, store = bucket_of({"ids": wr.collect("id", last=70)}), MemoryStore()
    for number in range(70):  # more steps than there may be pages
        row = {"key": "a", "at": 5, "id": number}
        step(bucket, store, [table_of([row])], 0)

    out, _ = step(bucket, store, [], 6)

    assert out[-1]["r0"] == list(range(70))


def test_a_bucket_travels():
    bucket = bucket_of(MIXED)

    travelled = pickle.loads(pickle.dumps(bucket))

    store = MemoryStore()
    step(travelled, store, rows_at(3), 0)
    assert len(step(travelled, store, [], 100)[0]) == 1


@pytest.mark.usefixtures("compiled_lane")
def test_compiled_kernels_give_what_interpreted_ones_give():
    steps = [
        Step(rows_at(*((7 * i + 13 * j) % 40 + 10 * i for j in range(30))), 10 * i - 5)
        for i in range(8)
    ]
    calls = {"total": wr.sum("x", last="9"), "most": wr.max("x", last=9)}
    bucket = bucket_of(calls)

    compiled = run(bucket, [*steps, Step([], HUGE)], behind)

    with interpreting():
        plain = run(bucket, [*steps, Step([], HUGE)], behind)
    assert given_out(compiled) == given_out(plain)
    assert len(compiled.out) == 240


def test_state_of_another_query_is_refused_with_what_differs():
    store = MemoryStore()
    step(bucket_of({"n": wr.count(last=2)}), store, rows_at(3), 0)

    with pytest.raises(StateError, match="the frames are n over the last 2 rows there"):
        step(bucket_of({"n": wr.count(last=3)}), store, rows_at(4), 1)


def test_rows_kept_with_other_columns_are_refused_with_what_differs():
    bucket, store = bucket_of({"n": wr.count(last=2)}), MemoryStore()
    step(bucket, store, rows_at(3), 0)
    narrow = SCHEMA.remove(SCHEMA.get_field_index("name"))
    plan = plan_over(narrow, "at", "key", gather_calls({"n": wr.count(last=2)}, None))

    with pytest.raises(StateError, match="this query keeps key string, at int64, x"):
        step(RollBucket(plan, bucket.query, keep_late=True), store, [], 10)


def test_no_altered_blob_becomes_a_number():
    bucket, store = bucket_of({"ids": wr.collect("id", last=3)}), MemoryStore()
    step(bucket, store, rows_at(3, 4, 5), 0)
    step(bucket, store, rows_at(9), 5)
    sound = dict(store.blobs)
    assert len(sound) == 3

    for number, blob in sound.items():
        for place in range(len(blob)):
            altered = bytearray(blob)
            altered[place] ^= 1 << place % 8
            store.blobs = {**sound, number: bytes(altered)}
            with pytest.raises(StateError):
                step(bucket, store, [], HUGE)


FEATURES = {
    "durations": {n: c for n, c in DURATIONS.items() if n != "share"}
    | {"few": wr.sum("x", last="5", min_periods=2)},
    "rows": {
        "three": wr.collect("id", last=3),
        "right": wr.collect("id", last=2, closed="right"),
    },
}


@pytest.mark.parametrize("frames", FEATURES)
@pytest.mark.parametrize("delay", [None, 3])
@given(steps=streams(), by=st.sampled_from([("key",), ()]))
@part(1.5)
def test_features_of_a_stream_are_those_of_labels_at_its_instants(
    frames, delay, steps, by
):
    calls = gather_calls(FEATURES[frames], None)
    plan = plan_as_of(SCHEMA, SCHEMA, ("at", "at"), by, calls, delay=delay)
    bucket = RollBucket(plan, describe(plan, buckets=32, layout="rolled"), True)
    with interpreting():
        done = run(bucket, steps, behind)
        rows = table_of(done.in_time)
        order = {"at": "at", "on": "at", "by": by, "delay": delay}
        whole = wr.as_of(rows, rows, **order, aggregates=calls)

    assert done.late == done.due_late
    assert same(given_out(done), [tuple(row.values()) for row in whole.to_pylist()])
    assert frames != "durations" or not done.store.blobs
