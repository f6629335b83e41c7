"""Windows over kept rows give, step by step, what the engine gives at once.

    steps      |  rows, now = 2  |  rows, now = 9  |  ...  |  now = huge
    windows         those that end by 2    by 9               all others

However the stream is cut into steps, each window comes out once, in the step whose
watermark passes it.
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
from strategies import part, range_and_slide
from windrow.aggregates.calls import gather_calls
from windrow.errors import InterpretedWarning, StateError
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.slicing import BY_NAME, shared_combs
from windrow.state.codec import HEADER, Bucket, MemoryStore, StepStats, unpack
from windrow.state.fingerprint import describe
from windrow.state.last_rows import CountBucket
from windrow.state.rows import RowBucket

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import HUGE, SCHEMA, Run, Step, run, same, streams, table_of

CALLS = {
    "all": wr.collect("x"),
    "kinds": wr.count_distinct("name"),
    "joined": wr.concat("name", separator="+"),
    "n": wr.count(),
    "total": wr.sum("x"),
    "middle": wr.median("x"),
    "top": wr.top_k("x", 2),
    "last": wr.last("name"),
    "who": wr.arg_max("x", "id"),
}
ORACLE = {
    "all": ("collect", ("x",)),
    "kinds": ("count_distinct", ("name",)),
    "joined": ("concat", ("name",), {"separator": "+"}),
    "n": ("count", ()),
    "total": ("sum", ("x",)),
    "middle": ("median", ("x",)),
    "top": ("top_k", ("x",), {"k": 2}),
    "last": ("last", ("name",)),
    "who": ("arg_max", ("x", "id")),
}


def bucket_of(
    window: Any, by: Any = ("key",), calls: Any = None, *, keep_late: bool = True
) -> Bucket:
    plan = plan_aggregate(SCHEMA, window, by, gather_calls(calls or CALLS, None))
    kind = CountBucket if plan.counts_rows else RowBucket
    return kind(plan, describe(plan, buckets=32, layout="rows"), keep_late)


def at_once(done: Run, window: Any, by: Any = ("key",)) -> list[tuple[Any, ...]]:
    """Windows over all rows that were in time: keys, query, bounds, results."""
    table = table_of(done.in_time)
    given = wr.aggregate(table, window, by=by, aggregates=CALLS).to_pylist()
    return [
        (
            *(row[key] for key in by),
            row.get("query", 0),
            *row["window"].values(),
            *(row[name] for name in CALLS),
        )
        for row in given
    ]


def given_out(done: Run) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in done.out]


def behind(time: int, closed: int) -> bool:
    return time < closed


def slice_closed(*triples: tuple[int, int, int]) -> Any:
    """Whether the slice of an instant was closed, by the edges of all windows."""
    combs = shared_combs(BY_NAME["pairs"], triples)

    def is_late(time: int, closed: int) -> bool:
        edges = range(time + 1, time + 1 + max(comb.period for comb in combs))
        end = next(
            e for e in edges if any((e - c.phase) % c.period == 0 for c in combs)
        )
        return end <= closed

    return is_late


@given(
    steps=streams(),
    window=range_and_slide(),
    offset=st.integers(0, 5),
    by=st.sampled_from([("key",), (), ("key", "name")]),
)
@part(3.0)
def test_time_windows_come_out_as_if_all_rows_had_been_there(steps, window, offset, by):
    length, slide = window
    spec = wr.sliding(length, every=slide, offset=offset, on="at")
    with interpreting():
        done = run(
            bucket_of(spec, by), steps, slice_closed((length, slide, offset % slide))
        )
        expected = at_once(done, spec, by)

    assert done.late == done.due_late
    assert same(given_out(done), expected)
    assert not done.store.blobs


@given(steps=streams(), first=range_and_slide(), second=range_and_slide())
@part(2.0)
def test_a_list_of_time_windows_is_answered_from_the_same_rows(steps, first, second):
    specs = [
        wr.sliding(first[0], every=first[1], on="at"),
        wr.sliding(second[0], every=second[1], offset=1, on="at"),
    ]
    late = slice_closed((*first, 0), (*second, 1 % second[1]))
    with interpreting():
        done = run(bucket_of(specs), steps, late)
        expected = at_once(done, specs)

    assert done.late == done.due_late
    assert same(given_out(done), expected)
    assert not done.store.blobs


@given(
    steps=streams(),
    window=range_and_slide(most=9),
    by=st.sampled_from([("key",), (), ("key", "name")]),
)
@part(3.0)
def test_count_windows_number_the_rows_of_a_key_from_step_to_step(steps, window, by):
    spec = wr.rows(window[0], every=window[1], on="at")
    with interpreting():
        done = run(bucket_of(spec, by), steps, behind)
        expected = at_once(done, spec, by)

    assert done.late == done.due_late
    assert same(given_out(done), expected)


@given(
    steps=streams(), windows=st.lists(range_and_slide(most=7), min_size=2, max_size=3)
)
@part(2.0)
def test_a_list_of_count_windows_keeps_what_the_longest_needs(steps, windows):
    specs = [wr.rows(length, every=slide, on="at") for length, slide in windows]
    with interpreting():
        done = run(bucket_of(specs), steps, behind)
        expected = at_once(done, specs)

    assert same(given_out(done), expected)


@given(steps=streams(), window=range_and_slide(most=9))
@part(2.0)
def test_clipped_count_windows_come_out_at_the_beginning_and_never_at_the_end(
    steps, window
):
    length, slide = window
    spec = wr.rows(length, every=slide, on="at", partial=True)
    with interpreting():
        done = run(bucket_of(spec), steps, behind)

    expected = []
    for key, members in oracles.groups(done.in_time, ["key"]):
        rows = oracles.sorted_by(members, "at")
        for begin in range(-(length // slide) * slide, len(rows) - length + 1, slide):
            if begin + length > 0:
                start, end = max(begin, 0), begin + length
                results = oracles.results(rows[start:end], ORACLE)
                expected.append((key["key"], 0, start, end, *results.values()))
    assert same(given_out(done), expected)


@given(steps=streams(late=False), window=range_and_slide(), counted=st.booleans())
@part(1.0)
def test_windows_are_those_of_the_oracle(steps, window, counted):
    if counted:
        spec = wr.rows(window[0], every=window[1], on="at")
        plain: Any = oracles.Count(*window, on="at")
    else:
        spec = wr.sliding(window[0], every=window[1], on="at")
        plain = oracles.Time(*window)
    with interpreting():
        done = run(bucket_of(spec), steps, behind)

    expected = oracles.aggregate(done.fed, ["key"], [plain], ORACLE)
    assert not done.late
    assert same(given_out(done), [tuple(row.values()) for row in expected])


@given(steps=streams(), window=range_and_slide(most=6), counted=st.booleans())
@part(1.0)
def test_ties_are_broken_by_the_columns_named_whatever_came_first(
    steps, window, counted
):
    make = wr.rows if counted else wr.sliding
    spec = make(window[0], every=window[1], on="at", ties=["name", "x"])
    with interpreting():
        bucket = bucket_of(spec)
        done = run(bucket, steps, behind)
        expected = at_once(done, spec)

    assert same(given_out(done), expected)


def rows_at(*times: int, key: str = "a") -> list[pa.Table]:
    return [table_of([{"key": key, "at": t, "x": t, "id": t} for t in times])]


def step(bucket: Bucket, store: MemoryStore, fed: Any, now: int) -> Any:
    stats = StepStats()
    with interpreting():
        out = [
            row
            for table in bucket.step(store, fed, now, stats)
            for row in table.to_pylist()
        ]
    return out, stats


def test_a_window_comes_out_in_the_step_that_passes_its_end():
    bucket = bucket_of(wr.sliding(10, every=5, on="at"), calls={"all": wr.collect("x")})
    store = MemoryStore()

    out = [
        [
            (row["start"], row["end"], row["r0"])
            for row in step(bucket, store, fed, now)[0]
        ]
        for fed, now in [
            (rows_at(3, 7), 0),
            ([], 4),  # nothing ends by 4
            ([], 5),
            (rows_at(6), 12),  # 6 is not late: its slice [5, 10) was open at 5
            ([], 100),
        ]
    ]

    assert out == [[], [], [(-5, 5, [3])], [(0, 10, [3, 6, 7])], [(5, 15, [6, 7])]]


def test_late_rows_are_counted_and_given_back_only_where_they_are_kept():
    spec = wr.sliding(10, every=5, on="at")
    keeping, dropping = bucket_of(spec), bucket_of(spec, keep_late=False)
    store, other = MemoryStore(), MemoryStore()
    for one, where in ((keeping, store), (dropping, other)):
        step(one, where, rows_at(31), 20)

    _, kept = step(keeping, store, rows_at(3, 19, 20, 40), 25)
    _, dropped = step(dropping, other, rows_at(3, 19, 20, 40), 25)

    assert [row["at"] for table in kept.late for row in table.to_pylist()] == [3, 19]
    assert kept.late[0].schema == SCHEMA
    assert (dropped.late, dropped.late_rows, dropped.rows_in) == ([], 2, 4)


def test_a_row_is_late_for_a_window_that_ended_in_the_middle_of_its_slice():
    spec = wr.sliding(10, every=4, on="at")  # Cutty cuts at 8 and 12, not at 10
    calls = gather_calls({"all": wr.collect("x")}, None)
    plan = plan_aggregate(SCHEMA, spec, "key", calls, slicer="cutty")
    bucket = RowBucket(plan, describe(plan, buckets=1, layout="rows"), keep_late=True)
    store = MemoryStore()
    step(bucket, store, rows_at(8), 0)

    first, _ = step(bucket, store, [], 10)
    _, stats = step(bucket, store, rows_at(9), 11)

    assert [(row["end"], row["r0"]) for row in first] == [(10, [8])]
    assert stats.late_rows == 1


def test_rows_at_one_instant_keep_the_order_in_which_they_came():
    calls = {"ids": wr.collect("id")}
    spec = wr.rows(70, on="at")
    bucket, store = bucket_of(spec, calls=calls), MemoryStore()
    for number in range(70):  # more steps than there may be pages
        row = {"key": "a", "at": 5, "id": number}
        step(bucket, store, [table_of([row])], 0)

    out, _ = step(bucket, store, [], 6)

    assert [row["r0"] for row in out] == [list(range(70))]


def test_a_step_that_closes_nothing_reads_no_page():
    spec = wr.sliding(60, every=60, on="at")
    bucket, store = bucket_of(spec), MemoryStore()
    step(bucket, store, rows_at(61, 70), 60)
    before = store.gets

    for now in (60, 70, 80, 119):
        step(bucket, store, [], now)

    assert store.gets - before == 4  # the header, each time


def test_pages_ahead_of_the_watermark_are_not_read():
    bucket, store = bucket_of(wr.rows(2, on="at")), MemoryStore()
    step(bucket, store, rows_at(1, 2), 0)
    step(bucket, store, rows_at(500), 0)
    before = store.gets

    out, _ = step(bucket, store, [], 10)

    assert len(out) == 1
    assert store.gets - before == 3  # header, tally, the first page


@pytest.mark.parametrize(
    "spec",
    [
        wr.sliding(40, every=10, on="at"),
        wr.sliding(300, every=7, on="at"),
        wr.rows(5, every=2, on="at"),
        wr.rows(200, every=50, on="at"),
    ],
    ids=str,
)
def test_a_long_run_asks_no_more_of_the_store_and_keeps_no_more(spec):
    bucket, store = bucket_of(spec, calls={"ids": wr.collect("id")}), MemoryStore()
    asked, kept = [], []

    for number in range(300):
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
    assert max(asked[150:]) <= max(asked[:150])
    assert max(count for count, _ in kept) <= 34
    assert max(size for _, size in kept[220:]) <= 1.2 * max(s for _, s in kept[140:220])


def test_a_key_of_time_windows_is_gone_when_its_last_window_is_out():
    bucket, store = bucket_of(wr.sliding(10, every=5, on="at")), MemoryStore()
    step(bucket, store, [*rows_at(3, key="a"), *rows_at(31, key="b")], 0)

    _, both = step(bucket, store, [], 8)
    _, one = step(bucket, store, [], 15)
    _, none = step(bucket, store, [], 45)

    assert (both.keys, one.keys, none.keys) == (2, 1, 0)
    assert store.blobs == {}


def test_of_a_key_of_count_windows_its_number_and_last_rows_stay():
    bucket, store = bucket_of(wr.rows(4, every=4, on="at")), MemoryStore()
    step(bucket, store, rows_at(1, 2, 3, 4, 5), 0)
    first, _ = step(bucket, store, [], 1000)

    step(bucket, store, rows_at(2001, 2002, 2003), 2000)
    then, _ = step(bucket, store, [], 3000)

    assert [(row["start"], row["r0"]) for row in first] == [(0, [1, 2, 3, 4])]
    assert [(row["start"], row["r0"]) for row in then] == [(4, [5, 2001, 2002, 2003])]
    assert set(store.blobs) == {
        HEADER,
        1,
    }  # all eight rows are out; their number is not


def test_a_page_of_mostly_dead_rows_is_written_anew_without_them():
    bucket, store = bucket_of(wr.sliding(10, on="at")), MemoryStore()
    step(bucket, store, rows_at(*range(100), 5000), 0)
    kept = [_rows_kept(store)]

    for now in (40, 60, 200):
        step(bucket, store, [], now)
        kept.append(_rows_kept(store))

    assert kept == [101, 101, 41, 1]  # 40 of 101 are not half of them


def _rows_kept(store: MemoryStore) -> int:
    pages = [blob for number, blob in store.blobs.items() if number > 1]
    return sum(len(unpack(page, "rows")[0]) for page in pages)


def test_a_bucket_to_which_only_late_rows_came_leaves_nothing_behind():
    bucket, store = bucket_of(wr.sliding(10, on="at")), MemoryStore()

    out, stats = step(bucket, store, rows_at(1, 2), 100)

    assert (out, stats.late_rows, store.blobs) == ([], 2, {})


def test_a_users_functions_that_cannot_be_compiled_see_each_row_of_a_window():
    longest = wr.Aggregate(
        name="longest",
        identity="",
        lift=lambda value: f"{value}",
        combine=lambda older, newer: max(older, newer, key=len),
        lower=len,
        laws=wr.Law.NONE,
    )
    spec = wr.sliding(10, every=5, on="at")
    with pytest.warns(InterpretedWarning, match="could not be compiled"):
        bucket = bucket_of(spec, calls={"size": longest("x")})

    done = run(bucket, [Step(rows_at(3, 777, 12), 0), Step([], HUGE)], behind)

    actual = {(row["start"], row["r0"]) for row in done.out}
    assert actual == {(-5, 1), (0, 1), (5, 2), (10, 2), (770, 3), (775, 3)}
    # what they give is not known beforehand: one type, whatever it is in a step
    assert {type(row["r0"]) for row in done.out} == {float}


def test_a_bucket_travels():
    bucket = bucket_of(wr.sliding(10, every=5, on="at"))

    travelled = pickle.loads(pickle.dumps(bucket))

    store = MemoryStore()
    step(travelled, store, rows_at(3), 0)
    assert len(step(travelled, store, [], 100)[0]) == 2


@pytest.mark.usefixtures("compiled_lane")
def test_compiled_kernels_give_what_interpreted_ones_give():
    steps = [
        Step(rows_at(*((7 * i + 13 * j) % 40 + 10 * i for j in range(30))), 10 * i - 5)
        for i in range(8)
    ]
    calls = {"total": wr.sum("x"), "most": wr.max("x"), "all": wr.collect("x")}
    bucket = bucket_of(wr.sliding(25, every=10, on="at"), calls=calls)

    compiled = run(bucket, [*steps, Step([], HUGE)], behind)

    with interpreting():
        plain = run(bucket, [*steps, Step([], HUGE)], behind)
    assert given_out(compiled) == given_out(plain)
    assert compiled.out


@pytest.mark.parametrize(
    ("other", "difference"),
    [
        (bucket_of(wr.sliding(10, every=2, on="at")), "the windows are"),
        (
            bucket_of(
                wr.sliding(10, every=5, on="at"), calls={"n": wr.collect("name")}
            ),
            "the aggregates are all=collect(x)",
        ),
        (bucket_of(wr.sliding(10, every=5, on="at"), by=()), "the keys are key string"),
        (
            bucket_of(wr.sliding(10, every=5, on="id")),
            "the time column is at int64 in ticks of int64 there and is id int64",
        ),
    ],
    ids=["windows", "aggregates", "keys", "time"],
)
def test_state_of_another_query_is_refused_with_what_differs(other, difference):
    store = MemoryStore()
    step(bucket_of(wr.sliding(10, every=5, on="at")), store, rows_at(3), 0)

    with pytest.raises(StateError, match="another query wrote it") as refused:
        step(other, store, rows_at(4), 1)

    assert difference in str(refused.value)


@pytest.mark.parametrize("counted", [False, True])
def test_no_altered_blob_becomes_a_number(counted):
    make = wr.rows if counted else wr.sliding
    bucket = bucket_of(make(4, every=2, on="at"), calls={"all": wr.collect("x")})
    store = MemoryStore()
    step(bucket, store, rows_at(3, 4, 5, 6, 7, 8), 0)
    step(bucket, store, rows_at(9), 6)
    sound = dict(store.blobs)
    assert len(sound) == 4 if counted else 3

    for number, blob in sound.items():
        for place in range(len(blob)):
            altered = bytearray(blob)
            altered[place] ^= 1 << place % 8
            store.blobs = {**sound, number: bytes(altered)}
            with pytest.raises(StateError):
                step(bucket, store, [], HUGE)
        for length in range(0, len(blob), 7):
            store.blobs = {**sound, number: blob[:length]}
            with pytest.raises(StateError):
                step(bucket, store, [], HUGE)


def test_a_page_that_is_gone_or_anothers_is_noticed():
    bucket, store = bucket_of(wr.sliding(10, every=5, on="at")), MemoryStore()
    step(bucket, store, rows_at(3), 0)
    step(bucket, store, rows_at(4, 5), 0)
    first, second = sorted(set(store.blobs) - {HEADER})
    header = store.blobs[HEADER]

    gone = MemoryStore({HEADER: header, first: store.blobs[first]})
    with pytest.raises(StateError, match=f"page {second} of a bucket is not there"):
        step(bucket, gone, [], 100)

    swapped = MemoryStore(
        {HEADER: header, first: store.blobs[second], second: store.blobs[first]}
    )
    with pytest.raises(StateError, match="has 2 rows and not 1"):
        step(bucket, swapped, [], 100)
