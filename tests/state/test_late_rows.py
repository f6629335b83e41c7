"""A late row counts in every window that is not out yet, and in no other.

    closed               |
    late row      x      |
    windows    [------)  |           out: the row has missed them
                 [-------|--)        to come: it counts
                   [-----|----)

The oracle puts each row into its windows by the definition, one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from repeated import as_windows
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.errors import StateError
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.flow import flow_of
from windrow.state import advance, cells, far_pages, late
from windrow.state import slice_pages as pages
from windrow.state.codec import HEADER, MemoryStore, StepStats, pack, unpack
from windrow.state.fingerprint import FORM
from windrow.state.header import UNTIL
from windrow.tasks.stream import make_bucket

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import SCHEMA, Step, same, streams, table_of

CALLS = {
    "n": wr.count(),
    "total": wr.sum("x"),
    "most": wr.max("x"),
    "word": wr.max("name"),
}
HOLISTIC = {**CALLS, "kinds": wr.count_distinct("name")}
IN_ORDER = {**CALLS, "first": wr.first("id")}


@pytest.fixture(autouse=True)
def _interpreted() -> Iterator[None]:
    with interpreting():
        yield


@pytest.fixture(params=["large", "small"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages, nodes and slabs as they are, or so small that everything is cut."""
    if request.param == "small":
        monkeypatch.setattr(pages, "PAGE_BYTES", 64)
        monkeypatch.setattr(far_pages, "BUNDLE", 2)
        monkeypatch.setattr(cells, "MOST_PAGES", 2)
        monkeypatch.setattr(advance, "SLAB", 3)
        monkeypatch.setattr(late, "DIGIT", 1)
        monkeypatch.setattr(late, "SPARE", 0)
        monkeypatch.setattr(late, "BLOB_BYTES", 128)


@st.composite
def windows(draw: Any) -> list[tuple[int, int]]:
    """The range and slide of one or two windows of few or many slides."""

    def one() -> tuple[int, int]:
        slide = draw(st.sampled_from([1, 2, 3, 5]))
        slides = draw(st.sampled_from([1, 2, 3, 5, 8, 17, 40]))
        return slides * slide + draw(st.integers(0, slide - 1)), slide

    return [one() for _ in range(draw(st.integers(1, 2)))]


def bucket_of(window: Any, calls: Any, how: str = "count", by: Any = ("key",)) -> Any:
    specs = [wr.sliding(length, every=every, on="at") for length, every in window]
    plan = plan_aggregate(SCHEMA, specs, by, gather_calls(calls, None))
    flow = flow_of(plan, frozenset(SCHEMA.names), delay=8, late=how)
    return make_bucket(flow), flow


def fed(bucket: Any, flow: Any, tables: list[Any]) -> list[Any]:
    """Tables as they come to the bucket."""
    return (
        [bucket.folding.fold(t) for t in tables if len(t)]
        if flow.fed == "slices"
        else tables
    )


def run(
    bucket: Any, flow: Any, steps: list[Step], store: MemoryStore
) -> tuple[list[Any], list[StepStats]]:
    out, stats = [], []
    for tables, now in steps:
        stats.append(StepStats())
        step = bucket.step(store, fed(bucket, flow, tables), now, stats[-1])
        for table in as_windows(step):
            out += [tuple(row.values()) for row in table.to_pylist()]
    return out, stats


def by_definition(
    steps: list[Step], window: list[tuple[int, int]], calls: Any
) -> tuple[list[Any], list[list[Any]]]:
    """All windows, and the rows of each step that missed one."""
    held: dict[Any, list[Any]] = {}
    missed = []
    closed = steps[0].now
    for tables, now in steps:
        missed.append([])
        for row in (row for table in tables for row in table.to_pylist()):
            misses = False
            for number, (length, slide) in enumerate(window):
                begin = row["at"] // slide * slide
                while begin > row["at"] - length:
                    if begin + length > closed:
                        held.setdefault((row["key"], number, begin), []).append(row)
                    else:
                        misses = True
                    begin -= slide
            if misses:
                missed[-1].append(row)
        closed = max(now, closed)
    out = [
        (key, number, begin, begin + window[number][0], *_answers(rows, calls))
        for (key, number, begin), rows in held.items()
    ]
    return out, missed


def _answers(rows: list[Any], calls: Any) -> list[Any]:
    values = [row["x"] for row in rows if row["x"] is not None]
    words = [row["name"] for row in rows if row["name"] is not None]
    answers = {
        "n": len(rows),
        "total": sum(values) if values else None,
        "most": max(values, default=None),
        "word": max(words, default=None),
        "kinds": len(set(words)),
    }
    return [answers[name] for name in calls]


@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("calls", [CALLS, HOLISTIC], ids=["slices", "rows"])
@pytest.mark.parametrize("how", ["count", "keep"])
@given(steps=streams(), window=windows())
@part(3)
def test_a_late_row_counts_in_the_windows_that_are_not_out(
    calls: Any, how: str, steps: list[Step], window: Any
) -> None:
    bucket, flow = bucket_of(window, calls, how)
    store = MemoryStore()

    out, stats = run(bucket, flow, steps, store)

    expected, missed = by_definition(steps, window, calls)
    assert same(out, expected)
    assert [s.late_rows for s in stats] == [len(rows) for rows in missed]
    if how == "keep":
        kept = [[r for t in s.late for r in t.to_pylist()] for s in stats]
        assert all(same(*pair) for pair in zip(kept, missed, strict=True))
    assert set(store.blobs) == {HEADER}


def rows_at(*times: int, key: str = "a") -> Any:
    return table_of(
        [{"key": key, "at": at, "x": at % 7, "name": "p", "id": at} for at in times]
    )


def test_where_order_matters_a_row_behind_the_watermark_is_late_for_all() -> None:
    bucket, flow = bucket_of([(10, 5)], IN_ORDER)
    steps = [Step([rows_at(7)], 0), Step([], 12), Step([rows_at(8)], 12), Step([], 99)]

    out, stats = run(bucket, flow, steps, MemoryStore())

    assert "first depends on the order of rows" in flow.late_for_all
    assert [row[4] for row in out] == [1, 1]
    assert sum(s.late_rows for s in stats) == 1


@pytest.mark.parametrize("how", ["count", "drop"])
def test_a_row_misses_only_the_windows_that_are_out(how: str) -> None:
    bucket, flow = bucket_of([(40, 10)], {"n": wr.count()}, how)
    steps = [Step([rows_at(95)], 60), Step([], 100), Step([rows_at(72)], 100)]

    out, stats = run(bucket, flow, [*steps, Step([], 200)], MemoryStore())

    together = 2 if how == "count" else 1
    assert [row[2:] for row in out] == [
        (60, 100, 1),
        (70, 110, together),
        (80, 120, 1),
        (90, 130, 1),
    ]
    assert stats[2].late_rows == 1


@pytest.mark.parametrize("slides", [16, 300, 5000])
def test_a_late_row_is_merged_once_on_each_level(
    slides: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket, flow = bucket_of([(slides, 1)], {"n": wr.count()})
    store, scanned = MemoryStore(), []
    scan = late.suffix_scan

    def counted(product: Any, source: Any, rows: Any, firsts: Any, *rest: Any) -> Any:
        scanned.append(len(rows) - len(firsts))
        return scan(product, source, rows, firsts, *rest)

    monkeypatch.setattr(late, "suffix_scan", counted)
    run(bucket, flow, [Step([], 0), Step([rows_at(*range(slides))], slides)], store)
    levels = {16: 1, 300: 2, 5000: 3}[slides]
    at, merges, gets = slides, [], []
    for back in range(2, slides, max(slides // 50, 1)):
        scanned.clear()
        store.gets = 0
        at += 1
        run(bucket, flow, [Step([rows_at(at - back)], at)], store)
        merges.append(sum(scanned))
        gets.append(store.gets)

    # into one node on each level, and those that a window is made of
    assert max(merges) <= levels + (levels - 1) * 16 + 64 + 1
    assert max(gets) <= 7 + 2 * (levels + 1)


def test_a_node_whose_windows_are_out_is_merged_with_no_other() -> None:
    bucket, flow = bucket_of([(300, 1)], CALLS)
    steps = [Step([], 0), Step([rows_at(*range(0, 300, 7))], 300)]
    steps += [Step([rows_at(10, 295)], 300), *(Step([], now) for now in (320, 600))]

    out, _ = run(bucket, flow, steps, MemoryStore())

    expected, _ = by_definition(steps, [(300, 1)], CALLS)
    assert same(out, expected)


def test_late_parts_of_a_window_that_nothing_else_is_in_come_out() -> None:
    bucket, flow = bucket_of([(10, 2)], CALLS)
    store = MemoryStore()
    steps = [Step([], 50), Step([rows_at(45, key="b")], 50), Step([], 58)]

    out, _ = run(bucket, flow, steps, store)

    assert [row[2] for row in out] == [42, 44]
    assert set(store.blobs) == {HEADER}


def test_a_step_that_runs_again_gives_the_same_rows_and_the_same_state() -> None:
    bucket, flow = bucket_of([(40, 1), (7, 2)], CALLS)
    store = MemoryStore()
    for now in range(30, 90, 3):
        came = [rows_at(now + 2, now - 3, now - 20, now - 33)]
        again = MemoryStore(dict(store.blobs))

        first, _ = run(bucket, flow, [Step(came, now)], store)
        second, _ = run(bucket, flow, [Step(came, now)], again)

        assert first == second
        assert store.blobs == again.blobs


def test_state_from_before_late_rows_counted_is_taken_over() -> None:
    window, store = [(40, 10)], MemoryStore()
    dropping, flow = bucket_of(window, CALLS, "drop")
    run(dropping, flow, [Step([rows_at(61)], 60), Step([rows_at(95)], 90)], store)
    keys, facts = unpack(store.blobs[HEADER], "header")
    del facts["late"]
    facts["spec"] |= {FORM: 2}
    old = pack(keys.drop_columns([UNTIL]), "header", facts, small=True)
    store.blobs[HEADER] = old

    out, stats = run(*bucket_of(window, CALLS), [Step([rows_at(72)], 130)], store)

    assert [row[4] for row in out] == [3, 2, 1, 1]
    assert stats[0].late_rows == 1
    with pytest.raises(StateError, match="late= is drop there and is keep here"):
        run(*bucket_of(window, CALLS, "keep"), [Step([], 1)], MemoryStore({0: old}))


def test_late_pages_of_one_blob_each_are_taken_over() -> None:
    bucket, flow = bucket_of([(40, 1)], CALLS)
    store, numbers = MemoryStore(), [161, 170, 180, 195]
    run(bucket, flow, [Step([], 0), Step([rows_at(0)], 200)], store)
    run(bucket, flow, [Step([rows_at(*numbers)], 200)], store)
    keys, facts = unpack(store.blobs[HEADER], "header")
    former = MemoryStore(dict(store.blobs))
    ((blob, _),) = facts["late"][0]
    nodes = unpack(former.blobs.pop(blob), late.KIND)[0].drop_columns([late.LEVEL])
    blocks = [number >> late.DIGIT for number in nodes.column(late.NODE).to_pylist()]
    facts["late"][0] = [[0, block, 900 + block] for block in set(blocks)] + [
        [1, 0, 1000]
    ]
    for block in set(blocks):
        part = nodes.filter([b == block for b in blocks])
        former.put(900 + block, pack(part, late.KIND, small=True))
    former.put(1000, b"of a level that is no more")
    former.put(HEADER, pack(keys, "header", facts, small=True))

    steps = [Step([rows_at(185)], 203), Step([], 300)]
    (out, _), (expected, _) = (run(bucket, flow, steps, s) for s in (former, store))

    assert same(out, expected)
    assert sum(row[4] for row in out) > 0
    assert set(former.blobs) == {HEADER}


def test_no_altered_or_missing_late_page_turns_into_a_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(late, "BLOB_BYTES", 1)  # a page a blob
    bucket, flow = bucket_of([(100, 1)], CALLS)
    store = MemoryStore()
    run(bucket, flow, [Step([], 0), Step([rows_at(0)], 200)], store)
    run(bucket, flow, [Step([rows_at(150, 170, 190)], 200)], store)
    _, facts = unpack(store.blobs[HEADER], "header")
    numbers = [number for tree in facts["late"] for number, _ in tree]
    assert len(numbers) >= 3
    for number in numbers:
        whole = store.blobs[number]
        middle = len(whole) // 2
        flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
        for damage in (whole[:-1], flipped, None):
            blobs = {**store.blobs, number: damage or b""}
            steps = [Step([], now) for now in range(201, 300)]
            with pytest.raises(StateError):
                run(bucket, flow, steps, MemoryStore(blobs))


def test_state_does_not_creep_over_two_hundred_steps() -> None:
    bucket, flow = bucket_of([(60, 1), (7, 2)], CALLS)
    store, sizes, touched = MemoryStore(), [], []
    for now in range(10, 210):
        keys = [f"{now % 5}", f"once {now}"]
        came = [rows_at(now + 3, now - 2, now - 9, now - 40, key=key) for key in keys]
        store.gets = store.puts = 0
        run(bucket, flow, [Step(came, now)], store)
        sizes.append((len(store.blobs), sum(map(len, store.blobs.values()))))
        touched.append(store.gets + store.puts)

    def most(values: list[int]) -> int:
        return max(values[180:])

    blobs, size = ([size[n] for size in sizes] for n in (0, 1))
    for values in (blobs, size, touched):
        assert most(values) <= 1.1 * max(values[80:180])
