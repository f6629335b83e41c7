"""Time windows in chunks give, step by step, what the engine gives at once.

    steps      |  rows, now = 2  |  rows, now = 9  |  ...  |  now = huge
    windows         those that end by 2    by 9               all others

However a stream is cut into steps, and however small pages, cells and slabs are.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from repeated import as_windows
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.algorithms import pba_scans as _steps
from windrow.batch.partials import Folding
from windrow.errors import StateError
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.requests import may_overflow, request_kernel, slots_of
from windrow.slicing import shared_combs
from windrow.state import advance, cells, far_pages
from windrow.state import slice_pages as pages
from windrow.state.codec import HEADER, MemoryStore, StepStats, unpack
from windrow.state.fingerprint import describe
from windrow.state.slices import SliceBucket
from windrow.state.walk import Chunks

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import HUGE, SCHEMA, Run, Step, run, same, streams, table_of

IS_DEEP = os.environ.get("WINDROW_TEST_PROFILE") == "deep"
LONG = 100 if IS_DEEP else 48  # slices of a range, beside 8
COMMUTING = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "most": wr.max("x"),
    "word": wr.max("name"),
    "spread": wr.variance("x"),
}
SKETCHED = {
    "kinds": wr.approx_distinct("name"),
    "n": wr.count(),
    "median": wr.approx_quantile("x", 0.5),
    "ends": wr.approx_quantile("x", [0, 1], method="ddsketch"),
    "bins": wr.histogram("x", [-9, 0, 5]),
    "top": wr.approx_top_k("name", 2),
    "hll": wr.hll_sketch("x"),
}
ALONE = {"kinds": wr.approx_distinct("x")}
ORDERED = {
    **COMMUTING,
    "who": wr.arg_max("x", "id"),
    "first": wr.first("name"),
    "last": wr.last("x"),
}


@pytest.fixture(autouse=True)
def _interpreted() -> Iterator[None]:
    with interpreting():
        yield


@pytest.fixture(params=["large", "small"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, cells and slabs as they are, or so small that everything is cut."""
    if request.param == "small":
        monkeypatch.setattr(pages, "PAGE_BYTES", 64)
        monkeypatch.setattr(far_pages, "BUNDLE", 2)
        monkeypatch.setattr(cells, "MOST_PAGES", 2)
        monkeypatch.setattr(advance, "SLAB", 3)


@st.composite
def windows(draw: Any) -> list[Any]:
    """One to three windows, short and long, with ranges that slides do not divide."""

    def one(number: int) -> Any:
        slide = draw(st.sampled_from([1, 2, 3, 5]))
        slides = draw(st.sampled_from([1, 1, 2, 3, 4, 5, 8, 13, 40]))
        extra = draw(st.integers(0, slide - 1))
        offset = draw(st.sampled_from([None, 1, 4]))
        return wr.sliding(
            slides * slide + extra,
            every=slide,
            on="at",
            offset=offset,
            name=f"{number}",
        )

    return [one(number) for number in range(draw(st.integers(1, 3)))]


def bucket_of(window: Any, by: Any, calls: Any, *, cell: int = 7) -> SliceBucket:
    plan = plan_aggregate(SCHEMA, window, by, gather_calls(calls, None))
    slots = slots_of(plan.calls, lambda _: True)
    request = request_kernel(plan.calls, slots, may_overflow, of_slices=True)
    folding = Folding(plan, request, slots)
    spec = describe(plan, buckets=16, layout="slices")
    folded = any(calls is one for one in (COMMUTING, SKETCHED, ALONE))
    return SliceBucket(folding, folded, cell, spec, keep_late=True)


def run_bucket(bucket: SliceBucket, steps: list[Step]) -> Run:
    """A bucket that is fed rows: folded on the way where it wants slices."""
    plan = bucket.folding.plan
    combs = shared_combs(plan.slicer, [query.even for query in plan.rules])

    def is_late(time: int, closed: int) -> bool:
        return min(t_end(time, comb) for comb in combs) <= closed

    def t_end(time: int, comb: Any) -> int:
        return int(time - (time - comb.phase) % comb.period + comb.period)

    return run(bucket, steps, is_late)


def at_once(rows: list[Any], window: Any, by: Any, calls: Any) -> list[Any]:
    found = wr.aggregate(table_of(rows), window, by=by, aggregates=calls).to_pylist()
    return [
        (
            *(row[key] for key in by),
            row["query"],
            *row["window"].values(),
            *(_rounded(row[name]) for name in calls),
        )
        for row in found
    ]


def given_out(done: Run) -> list[Any]:
    return [
        tuple(
            str(value) if name == "q" else _rounded(value)
            for name, value in row.items()
        )
        for row in done.out
    ]


def _rounded(value: Any) -> Any:
    return round(value, 9) if isinstance(value, float) else value


@pytest.mark.usefixtures("sizes")
@given(
    steps=streams(),
    window=windows(),
    by=st.sampled_from([("key",), (), ("key", "name")]),
    cell=st.sampled_from([1, 7, 500]),
)
@part(1)
def test_rows_fed_in_any_steps_give_the_windows_of_all_rows_at_once(
    steps: list[Step], window: Any, by: Any, cell: int
) -> None:
    done = run_bucket(bucket_of(window, by, ORDERED, cell=cell), steps)

    assert same(done.late, done.due_late)
    assert same(given_out(done), at_once(done.in_time, window, by, ORDERED))
    assert not done.store.blobs


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize(
    "calls", [COMMUTING, SKETCHED, ALONE], ids=["numbers", "sketches", "a sketch"]
)
@given(steps=streams(late=False), window=windows(), cell=st.sampled_from([1, 7, 500]))
@part(1)
def test_slices_that_were_folded_on_the_way_give_the_same_windows(
    calls: Any, steps: list[Step], window: Any, cell: int
) -> None:
    bucket = bucket_of(window, ("key",), calls, cell=cell)
    rows = [row for step in steps for table in step.fed for row in table.to_pylist()]
    fed = [Step([bucket.folding.fold(t) for t in step.fed], step.now) for step in steps]

    out, store = [], MemoryStore()
    stats = StepStats()
    for step in fed:
        for table in as_windows(bucket.step(store, step.fed, step.now, stats)):
            out += table.to_pylist()

    assert stats.rows_in == len(rows)
    assert stats.late_rows == 0
    expected = at_once(rows, window, ("key",), calls)
    assert same(given_out(Run(out=out)), expected)
    assert not store.blobs


@given(steps=streams(late=False), window=windows())
@part(0.5)
def test_a_bucket_that_travels_between_steps_goes_on(
    steps: list[Step], window: Any
) -> None:
    bucket = bucket_of(window, ("key",), ORDERED)

    there = run_bucket(bucket, steps)
    store, out = MemoryStore(), []
    for step in steps:
        again = pickle.loads(pickle.dumps(bucket))
        store = MemoryStore(dict(store.blobs))
        for table in as_windows(again.step(store, step.fed, step.now, StepStats())):
            out += table.to_pylist()

    assert same(out, there.out)


def test_rows_of_one_instant_keep_their_order_when_pages_are_made_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The row in between went to a longer cell: its step brought a distant row too."""
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    monkeypatch.setattr(cells, "MOST_PAGES", 2)
    window = [wr.sliding(1, every=1, on="at", name="0")]
    came = [[(5, "a")], [(5, "b")], [(5, "c"), (2000, "far")], [(5, "d")], [(5, "e")]]
    steps = [
        Step(
            [
                table_of(
                    [
                        {"key": "k", "at": at, "x": 1, "name": name, "id": 0}
                        for at, name in rows
                    ]
                )
            ],
            0,
        )
        for rows in came
    ]
    calls = {"first": wr.first("name"), "last": wr.last("name")}

    done = run_bucket(bucket_of(window, ("key",), calls, cell=1), [*steps, Step([], 9)])

    assert [(row["r0"], row["r1"]) for row in done.out] == [("a", "e")]


@pytest.mark.parametrize("by_slide", [1, 3, 17])
def test_windows_moved_on_a_little_at_a_time_are_those_of_all_rows_at_once(
    by_slide: int,
) -> None:
    window = [
        wr.sliding(40, every=1, on="at", name="0"),
        wr.sliding(27, every=2, on="at", name="1"),
    ]
    rows = [
        {"key": key, "at": at, "x": at * 7 % 11, "name": "p", "id": at}
        for at in range(160)
        for key, apart in (("a", 1), ("b", 5), ("c", 23))
        if at % apart == 0
    ]
    steps = [
        Step([table_of([r for r in rows if now <= r["at"] < now + by_slide])], now)
        for now in range(0, 160, by_slide)
    ]

    done = run_bucket(bucket_of(window, ("key",), ORDERED), [*steps, Step([], 400)])

    assert not done.late
    assert same(given_out(done), at_once(rows, window, ("key",), ORDERED))


def _steady(range_: int, slides: int) -> tuple[list[int], list[int], int]:
    """Reads, writes and most combines of a step, slide by slide, three keys."""
    window = [wr.sliding(range_, every=1, on="at", name="0")]
    bucket = bucket_of(window, ("key",), ORDERED)
    store = MemoryStore()
    gets, puts = [], []
    for now in range(slides):
        rows = [
            {"key": key, "at": now, "x": now % 7, "name": "p", "id": now}
            for key in "abc"
        ]
        store.gets = store.puts = 0
        list(bucket.step(store, [table_of(rows)], now, StepStats()))
        gets.append(store.gets)
        puts.append(store.puts)
    return gets, puts, len(store.blobs)


def test_a_slide_reads_and_writes_as_many_blobs_whatever_the_range() -> None:
    short_gets, short_puts, _ = _steady(8, 150)
    long_gets, long_puts, _ = _steady(LONG, LONG * 7 // 2)

    # header, partials, open cell, newest raw page, and for the window the page at
    # which it begins and the page that it builds next
    assert max(short_gets) <= 7
    assert max(long_gets) <= 7
    assert max(long_puts) <= max(short_puts) + 1


def test_suffixes_are_built_as_time_goes_on_and_never_a_chunk_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    built = []
    scan = _steps.suffix_scan

    def counted(product: Any, source: Any, rows: Any, *rest: Any) -> Any:
        built.append(len(rows))
        return scan(product, source, rows, *rest)

    monkeypatch.setattr(advance, "suffix_scan", counted)

    _steady(LONG, 4 * LONG)

    # three keys: at most the slices of two slides in any step, some in most steps
    assert max(built) <= 6
    assert sum(built) > 3 * 2.5 * LONG


def test_a_window_is_merged_from_three_partials_at_most() -> None:
    for slides in range(1, 60):
        for extra in (0, 1, 3):
            range_ = 4 * slides + extra
            plan = plan_aggregate(
                SCHEMA,
                wr.sliding(range_, every=4, on="at"),
                None,
                gather_calls({"n": wr.count()}, None),
            )
            chunks = Chunks(plan.rules[0])

            windows = np.arange(chunks.every)
            lasts = chunks.numbers(chunks.rule.end(windows) - 1)

            assert max(lasts) <= 2
            assert chunks.start(1) - chunks.start(0) <= range_


def test_state_of_another_query_is_refused_with_what_differs() -> None:
    ten = [wr.sliding(10, every=1, on="at", name="0")]
    twenty = [wr.sliding(20, every=1, on="at", name="0")]
    store = MemoryStore()
    fed = [table_of([{"key": "a", "at": 5, "x": 1, "name": "p", "id": 0}])]
    list(bucket_of(ten, ("key",), ORDERED).step(store, fed, 0, StepStats()))

    with pytest.raises(StateError) as refused:
        list(bucket_of(twenty, ("key",), ORDERED).step(store, [], 9, StepStats()))

    assert "range 10" in str(refused.value)
    assert "range 20" in str(refused.value)


def test_no_altered_or_missing_blob_turns_into_a_number() -> None:
    window = [wr.sliding(12, every=1, on="at", name="0")]
    bucket = bucket_of(window, ("key",), ORDERED)
    store = MemoryStore()
    for now in range(40):
        rows = [{"key": "a", "at": now + 2, "x": now, "name": "p", "id": now}]
        list(bucket.step(store, [table_of(rows)], now, StepStats()))
    noticed = 0
    for number, blob in store.blobs.items():
        for damage in (blob[:-1], blob[: len(blob) // 2], _flipped(blob), None):
            if number == HEADER and damage is None:
                continue  # a bucket without a header is a fresh one
            blobs = dict(store.blobs)
            if damage is None:
                del blobs[number]
            else:
                blobs[number] = damage

            try:
                for now in range(40, 70):
                    list(bucket.step(MemoryStore(blobs), [], now, StepStats()))
            except StateError:
                noticed += 1
            else:
                pytest.fail(f"blob {number} was damaged, and nobody noticed")

    assert noticed >= 4 * 4


def _flipped(blob: bytes) -> bytes:
    middle = len(blob) // 2
    return blob[:middle] + bytes([blob[middle] ^ 1]) + blob[middle + 1 :]


def test_a_silent_key_goes_on_until_its_last_event_has_left_and_is_gone() -> None:
    window = [wr.sliding(10, every=2, on="at", name="0")]
    bucket = bucket_of(window, ("key",), ORDERED)
    store = MemoryStore()
    fed = [table_of([{"key": "a", "at": 5, "x": 1, "name": "p", "id": 0}])]
    list(bucket.step(store, fed, 0, StepStats()))

    begins, stats = [], StepStats()
    for now in range(1, 30):
        for table in as_windows(bucket.step(store, [], now, stats)):
            begins += table.column("start").to_pylist()

    assert begins == [-4, -2, 0, 2, 4]
    assert not store.blobs


@pytest.mark.parametrize("folded", [{"m": wr.approx_quantile("x", 0.5)}, ALONE])
def test_a_step_merges_as_many_sketches_whatever_the_range(folded, monkeypatch) -> None:
    merges: dict[int, int] = {}
    sizes: dict[int, list[int]] = {}
    for slides in (16, 128 if IS_DEEP else 64):
        window = wr.sliding(slides, every=1, on="at")
        bucket = bucket_of(window, ("key",), folded)
        bucket = SliceBucket(bucket.folding, True, 7, bucket.query, keep_late=False)
        sketch = bucket.folding.request.sketches[0].sketch
        combine, count = type(sketch).combine, []
        counted = lambda *a, c=combine, n=count: n.append(1) or c(*a)  # noqa: E731
        monkeypatch.setattr(type(sketch), "combine", counted)
        store, sizes[slides] = MemoryStore(), []
        for now in range(3 * slides):
            if now == 2 * slides:
                count.clear()
            rows = [{"key": "a", "at": now, "x": now % 7, "name": "p", "id": now}]
            fed = [bucket.folding.fold(table_of(rows))]
            for _ in bucket.step(store, fed, now, StepStats()):
                pass
            sizes[slides].append(sum(map(len, store.blobs.values())))
        merges[slides] = len(count) / slides
        monkeypatch.setattr(type(sketch), "combine", combine)

    assert max(merges.values()) <= 5  # three of PBA's, one for each of its two scans
    for slides, bytes_kept in sizes.items():
        early, late = bytes_kept[slides : 2 * slides], bytes_kept[2 * slides :]
        assert max(late) <= 1.3 * max(early)  # flat once a range has passed


@pytest.mark.parametrize("pace", [1, 7])
def test_pages_that_were_far_away_are_found_when_their_time_comes(
    pace: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    monkeypatch.setattr(far_pages, "BUNDLE", 2)
    window = [
        wr.sliding(slides, every=1, on="at", name=name)
        for name, slides in (("0", 40), ("1", 18))
    ]
    bucket = bucket_of(window, ("key",), COMMUTING)
    store, stats, out, rows, most = MemoryStore(), StepStats(), [], [], 0

    for now in [*range(0, 126, pace), HUGE]:
        come = [
            {"key": key, "at": at, "x": at * 7 % 11, "name": "p", "id": 2 * at}
            for at in range(now, now + pace)
            for key in "ab"
            if now < HUGE and (at + ord(key)) % 5
        ]
        rows += come
        fed = [bucket.folding.fold(table_of(come))] if come else []
        for table in as_windows(bucket.step(store, fed, now, stats)):
            out += table.to_pylist()
        header = store.blobs.get(HEADER)
        far = unpack(header, "header")[1]["pages"].get("far", []) if header else []
        most = max(most, sum(map(len, far)))

    assert most > 4
    assert same(given_out(Run(out=out)), at_once(rows, window, ("key",), COMMUTING))
    assert not store.blobs


def test_a_step_reads_as_many_bytes_of_small_pages_whatever_the_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    calls = {"n": wr.count()}
    read = {slides: _bytes_a_step(slides, calls) for slides in (128, 1024)}

    assert read[1024] < 1.3 * read[128]


def test_a_step_reads_as_many_bytes_of_full_sketches_whatever_the_range() -> None:
    calls = {"kinds": wr.approx_distinct("x", lg_k=10)}
    read = {slides: _bytes_a_step(slides, calls) for slides in (96, 960)}

    assert read[960] < 1.3 * read[96]
    assert read[96] < 3 * pages.WIDE_PAGE_BYTES


def _bytes_a_step(slides: int, calls: dict[str, Any]) -> float:
    """Bytes that a step of one slide reads, of two keys with 30 values a slice."""
    bucket = bucket_of(wr.sliding(slides, every=1, on="at"), ("key",), calls)
    bucket = SliceBucket(bucket.folding, True, 7, bucket.query, keep_late=False)
    dice, read = np.random.default_rng(1), []

    class Counted(MemoryStore):
        def get(self, number: int) -> bytes | None:
            blob = super().get(number)
            read[-1] += len(blob or b"")
            return blob

    def step(since: int, until: int) -> None:
        at = np.repeat(np.arange(since, until), 60)
        columns = [["a", "b"] * (len(at) // 2), at, dice.integers(0, 10**6, len(at))]
        columns += [["p"] * len(at), at]
        fed = bucket.folding.fold(pa.table(columns, schema=SCHEMA))
        read.append(0)
        list(bucket.step(store, [fed], since, StepStats()))

    store = Counted()
    for since in range(0, 2 * slides, slides // 2):
        step(since, since + slides // 2)
    for since in range(2 * slides, 2 * slides + 30):
        step(since, since + 1)
    return float(np.median(read[-30:]))  # the first has much to close
