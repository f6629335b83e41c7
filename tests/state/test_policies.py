"""Windows by policy over a stream: the results of a table, however it is cut."""

from __future__ import annotations

import datetime as dt
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.errors import BadInput, StateError
from windrow.plan import plan_windows
from windrow.plan.flow import Flow, flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.policies import PolicyBucket
from windrow.tasks.stream import make_bucket

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import SCHEMA, Step, run, same, streams

POLICIES = {
    "rows": 3,
    "time": "6 microseconds",
    "delta": wr.delta("km", 2.0),
    "mark": wr.punctuation("mark"),
}
TRIGGERS = POLICIES | {"rows": 2, "delta": wr.delta("km", 1.0)}
TRIGGERS["time"] = "5 microseconds"
CALLS = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "names": wr.collect("name"),
    "last": wr.last("id"),
}
MIXES = [
    (evict, trigger)
    for evict in POLICIES
    for trigger in TRIGGERS
    if (evict, trigger) not in [("rows", "rows"), ("time", "time")]  # numbered ones
]
STAMP = pa.timestamp("us", "UTC")
WIDE = pa.schema([*SCHEMA, ("km", pa.float64()), ("mark", pa.bool_())])
WIDE = WIDE.set(1, pa.field("at", STAMP))
ZERO = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def ridden(table: pa.Table) -> pa.Table:
    """The table with an odometer that goes by time, and a mark on some rows."""
    rows = [
        {**row, "km": (row["at"] or 0) // 3 / 2, "mark": row["id"] % 4 == 1}
        for row in table.to_pylist()
    ]
    table = pa.Table.from_pylist(rows, WIDE.set(1, pa.field("at", pa.int64())))
    return table.cast(WIDE)


def is_late(time: dt.datetime, closed: int) -> bool:
    return (time - ZERO) // dt.timedelta(microseconds=1) < closed


def window_of(evict: str, trigger: str) -> Any:
    return wr.window(evict=POLICIES[evict], trigger=TRIGGERS[trigger], on="at")


def flow(
    window: Any, by: Any = ("key",), mode: str = "append", late: str = "keep"
) -> Flow:
    plan: Any = plan_windows(
        WIDE, window, by, gather_calls(CALLS, None), algorithm="auto"
    )
    return flow_of(
        plan, frozenset(WIDE.names), delay=0, late=late, buckets=1, mode=mode
    )


def answer(rows: list[dict[str, Any]], window: Any, by: list[str]) -> list[Any]:
    """The results of a table, under the names that a bucket gives."""
    if not rows:
        return []
    table = wr.aggregate(pa.Table.from_pylist(rows, WIDE), window, by=by, **CALLS)
    names = [f"k{i}" for i in range(len(by))]
    return [
        {
            **dict(zip(names, (row[name] for name in by), strict=True)),
            **row["window"],
            **{f"r{i}": row[name] for i, name in enumerate(CALLS)},
        }
        for row in table.to_pylist()
    ]


@given(steps=streams(nulls=True), mix=st.sampled_from(MIXES), keyed=st.booleans())
def test_a_stream_gives_the_results_of_its_rows_as_a_table(steps, mix, keyed):
    check_stream(steps, *mix, keyed=keyed)


@pytest.mark.deep
@pytest.mark.parametrize(("evict", "trigger"), MIXES)
@given(steps=streams(nulls=True), keyed=st.booleans())
def test_each_mix_of_policies_gives_the_results_of_a_table(
    evict, trigger, steps, keyed
):
    check_stream(steps, evict, trigger, keyed=keyed)


def check_stream(steps: list[Step], evict: str, trigger: str, *, keyed: bool) -> None:
    steps = [Step([ridden(table) for table in fed], now) for fed, now in steps]
    window, by = window_of(evict, trigger), ["key"] if keyed else []

    ran = run(make_bucket(flow(window, by)), steps, is_late)

    assert same(ran.late, ran.due_late)
    assert same(ran.out, answer(ran.in_time, window, by))


@given(steps=streams(), evict=st.sampled_from(["time", "delta", "mark"]))
def test_told_again_in_update_mode_the_last_word_is_the_answer(steps, evict):
    steps = [Step([ridden(table) for table in fed], now) for fed, now in steps]
    window = window_of(evict, "rows")

    ran = run(make_bucket(flow(window, mode="update")), steps, is_late)

    last = {(row["k0"], row["end"]): row for row in ran.out}
    assert same(list(last.values()), answer(ran.in_time, window, ["key"]))
    told: dict[Any, Any] = {}
    for row in ran.out:  # nothing is told twice in the same words
        assert told.get((row["k0"], row["end"])) != row
        told[row["k0"], row["end"]] = row


def one(key: str, at: int, number: int) -> pa.Table:
    row = {"key": key, "at": at, "x": number, "name": None, "id": number}
    return ridden(pa.Table.from_pylist([row], SCHEMA))


def test_an_early_result_is_corrected_by_a_row_that_comes_before_it():
    bucket = make_bucket(flow(window_of("delta", "rows"), mode="update"))
    store = MemoryStore()

    first = list(bucket.step(store, [one("a", 5, 1), one("a", 9, 2)], 0, StepStats()))
    again = list(bucket.step(store, [one("a", 7, 8), one("a", 9, 4)], 0, StepStats()))
    final = list(bucket.step(store, [], 100, StepStats()))

    totals = [
        [row["r1"] for t in part for row in t.to_pylist()] for part in (first, again)
    ]
    assert totals == [[3], [9, 15]]
    assert final == []  # all was told already


def test_state_is_the_window_of_each_key_and_does_not_grow():
    bucket = make_bucket(flow(window_of("delta", "delta"), late="drop"))
    store, sizes = MemoryStore(), []

    for step in range(40):
        ats = range(10 * step, 10 * step + 10)
        fed = [pa.concat_tables([one("ab"[at % 2], at, at) for at in ats])]
        for _ in bucket.step(store, fed, 10 * step - 3, StepStats()):
            pass
        sizes.append(sum(map(len, store.blobs.values())))

    assert isinstance(bucket, PolicyBucket)
    assert max(sizes[20:]) < 1.2 * max(sizes[5:20])


def test_a_result_due_by_time_comes_when_the_watermark_passes_its_instant():
    bucket = make_bucket(flow(window_of("rows", "time"), late="drop"))
    store = MemoryStore()

    gave = [
        sum(map(len, bucket.step(store, fed, now, StepStats())))
        for fed, now in [([one("a", 6, 1)], 5), ([], 9), ([], 10), ([], 50)]
    ]

    assert gave == [0, 0, 1, 0]


def test_what_cannot_be_told_before_it_is_final_is_refused():
    with pytest.raises(BadInput, match="may undo results"):
        flow(window_of("rows", "mark"), mode="update")


def test_state_of_other_policies_is_refused():
    store = MemoryStore()
    before = make_bucket(flow(window_of("rows", "delta")))
    list(before.step(store, [one("a", 5, 1)], 0, StepStats()))

    after = make_bucket(flow(window_of("rows", "mark")))

    with pytest.raises(StateError, match=r"the policies are evict .* there and"):
        list(after.step(store, [], 9, StepStats()))
