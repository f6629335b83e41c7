"""Windows of many lengths over a stream: calendar days and months are such windows.

    windows     [--------)[-)[----------------)      bounds come from the rule, never
                   [--------)[-)                     by arithmetic

Every window that holds a row in time comes out once, with its own start and end.
"""

from __future__ import annotations

import datetime as dt
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import windrow as wr
from strategies import part
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import PANE, Folding
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.aggregate import Plan
from windrow.plan.flow import flow_of
from windrow.plan.requests import may_overflow, request_kernel, slots_of
from windrow.state import advance
from windrow.state import slice_pages as pages
from windrow.state.codec import HEADER, MemoryStore, StepStats
from windrow.state.fingerprint import describe
from windrow.state.rows import RowBucket
from windrow.state.slices import SliceBucket
from windrow.state.walk import Chunks
from windrow.tasks.stream import make_bucket

sys.path.insert(0, str(Path(__file__).parent))
from in_steps import SCHEMA, Step, run, same, streams, table_of
from uneven import Uneven

SUMS = {"n": wr.count(), "total": wr.sum("x"), "most": wr.max("name")}
COLLECTED = {"n": wr.count(), "ids": wr.collect("id")}
COLLECTED_X = {"n": wr.count(), "all": wr.collect("x")}


@st.composite
def rules(draw: Any) -> list[Uneven]:
    """One or two rules of uneven windows; some windows hold many others' begins."""

    def rule(number: int) -> Uneven:
        steps = draw(st.lists(st.sampled_from([1, 1, 2, 3, 9, 30]), min_size=1))
        edges = [draw(st.integers(-20, 20))]
        for step in steps:
            edges.append(edges[-1] + step)
        period = edges.pop() - edges[0]
        reach = draw(st.sampled_from([1, 2, 3, 5, 8]))
        return Uneven(tuple(edges), period, reach, name=number)

    return [rule(number) for number in range(draw(st.integers(1, 2)))]


def plan_of(rules: list[Uneven], by: tuple[str, ...], calls: Any) -> Plan:
    """The plan of windows of one instant, with other rules in their place."""
    windows = [wr.sliding(1, on="at", name=str(n)) for n in range(len(rules))]
    plan = plan_aggregate(SCHEMA, windows, by, gather_calls(calls, None))
    return replace(plan, rules=tuple(rules))


def folding_of(rules: list[Uneven], by: tuple[str, ...]) -> Folding:
    plan = plan_of(rules, by, SUMS)
    slots = slots_of(plan.calls, lambda _: True)
    return Folding(plan, request_kernel(plan.calls, slots, may_overflow), slots)


def slice_bucket(rules: list[Uneven], by: tuple[str, ...], cell: int) -> SliceBucket:
    folding = folding_of(rules, by)
    spec = describe(folding.plan, buckets=1, layout="slices to slices")
    return SliceBucket(folding, True, cell, spec, keep_late=True)


def pieces_of(bucket: SliceBucket, table: pa.Table) -> pa.Table:
    """A table of rows as pieces of slices: those of one instant, each by itself."""
    plan = bucket.folding.plan
    instants = plan_aggregate(SCHEMA, wr.sliding(1, on="at"), plan.by, calls_of(plan))
    pieces = replace(bucket.folding, plan=instants).fold(table)
    panes = plan.cuts.begins(pieces.column(PANE).to_numpy())
    place = pieces.column_names.index(PANE)
    return pieces.set_column(place, PANE, pa.array(panes))


def calls_of(plan: Plan) -> Any:
    return {bound.name: bound.call for bound in plan.calls}


def row_bucket(rules: list[Uneven], by: tuple[str, ...]) -> RowBucket:
    plan = plan_of(rules, by, COLLECTED)
    return RowBucket(plan, describe(plan, buckets=1, layout="rows"), keep_late=True)


def is_late(rules: list[Uneven]) -> Any:
    return lambda time, closed: min(rule.next_cut(time) for rule in rules) <= closed


def windows_of(rows: list[Any], rules: list[Uneven], by: tuple[str, ...]) -> Any:
    """Every window that holds a row, with its rows in order of time, then arrival."""
    for number, rule in enumerate(rules):
        found: dict[Any, list[Any]] = {}
        for row in sorted(rows, key=lambda row: row["at"]):
            k = rule.last_over(row["at"])
            while rule.end(k) > row["at"]:
                found.setdefault((tuple(row[key] for key in by), k), []).append(row)
                k -= 1
        for (key, k), mine in found.items():
            yield (*key, number, rule.begin(k), rule.end(k)), mine


def sums(mine: list[Any]) -> tuple[Any, ...]:
    values = [row["x"] for row in mine if row["x"] is not None]
    names = [row["name"] for row in mine if row["name"] is not None]
    total = sum(values) if values else None
    return len(mine), total, max(names, default=None)


@pytest.fixture(params=["large", "small"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages and slabs as they are, or so small that everything is cut."""
    if request.param == "small":
        monkeypatch.setattr(pages, "PAGE_BYTES", 64)
        monkeypatch.setattr(advance, "SLAB", 3)


@pytest.mark.usefixtures("sizes")
@given(
    steps=streams(late=False),
    rules=rules(),
    by=st.sampled_from([("key",), ()]),
    cell=st.sampled_from([1, 7, 500]),
)
@part(1)
def test_windows_over_slices_come_out_once_with_their_own_bounds(
    steps: list[Step], rules: list[Uneven], by: tuple[str, ...], cell: int
) -> None:
    bucket, store, stats = slice_bucket(rules, by, cell), MemoryStore(), StepStats()
    rows = [row for step in steps for table in step.fed for row in table.to_pylist()]

    out = []
    with interpreting():
        for step in steps:
            pieces = [pieces_of(bucket, table) for table in step.fed]
            for table in bucket.step(store, pieces, step.now, stats):
                out += table.to_pylist()

    expected = [(*name, *sums(mine)) for name, mine in windows_of(rows, rules, by)]
    assert (stats.rows_in, stats.late_rows) == (len(rows), 0)
    assert same([tuple(row.values()) for row in out], expected)
    assert not store.blobs


@given(steps=streams(), rules=rules(), by=st.sampled_from([("key",), ()]))
@part(1)
def test_windows_over_rows_come_out_once_with_their_own_bounds(
    steps: list[Step], rules: list[Uneven], by: tuple[str, ...]
) -> None:
    with interpreting():
        done = run(row_bucket(rules, by), steps, is_late(rules))

    expected = [
        (*name, len(mine), [row["id"] for row in mine])
        for name, mine in windows_of(done.in_time, rules, by)
    ]
    assert same(done.late, done.due_late)
    assert same([tuple(row.values()) for row in done.out], expected)
    assert not done.store.blobs


@given(rules=rules(), window=st.integers(-60, 60))
def test_a_window_never_touches_more_than_three_chunks(
    rules: list[Uneven], window: int
) -> None:
    for rule in rules:
        chunks = Chunks(rule)
        last = rule.last_over(rule.end(window) - 1)

        assert last // chunks.every - window // chunks.every <= 2


def test_suffixes_are_built_as_time_goes_on_and_never_a_chunk_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    edges = tuple(e for month in range(4) for e in range(40 * month, 40 * month + 28))
    rule = Uneven(edges, 160, reach=90)
    monkeypatch.setattr(pages, "PAGE_BYTES", 64)
    built = []
    scan = advance.suffix_scan

    def counted(product: Any, source: Any, rows: Any, *rest: Any) -> Any:
        built.append(len(rows))
        return scan(product, source, rows, *rest)

    monkeypatch.setattr(advance, "suffix_scan", counted)
    bucket, store = slice_bucket([rule], ("key",), 7), MemoryStore()

    with interpreting():
        for k in range(400):
            now = rule.begin(k)
            row = {"key": "a", "at": now, "x": 1, "name": "p", "id": k}
            pieces = pieces_of(bucket, table_of([row]))
            list(bucket.step(store, [pieces], now, StepStats()))

    # most steps move time on by one instant, some by as much as a third of a chunk
    assert Chunks(rule).every == 45
    assert sorted(built)[-20] <= 3
    assert max(built) <= 20
    assert sum(built) > 250


BERLIN = dt.datetime(2026, 3, 25, tzinfo=dt.UTC)  # clocks go forward on the 29th
APIA = dt.datetime(2011, 12, 24, tzinfo=dt.UTC)  # there was no 30 December
CALENDARS = {
    "days": (BERLIN, [wr.calendar("1 day", on="at", tz="Europe/Berlin")]),
    "a month every day": (
        BERLIN,
        [wr.calendar("1 month", every="1 day", on="at", tz="Europe/Berlin")],
    ),
    "days and weeks": (
        BERLIN,
        [
            wr.calendar("3 days", every="1 day", on="at", tz="Europe/Berlin"),
            wr.calendar("2 weeks", every="1 week", on="at", tz="Europe/Berlin"),
        ],
    ),
    "a day that never was": (
        APIA,
        [wr.calendar("5 days", every="1 day", on="at", tz="Pacific/Apia")],
    ),
}
ORDERED = {"n": wr.count(), "total": wr.sum("x"), "first": wr.first("x")}


@pytest.mark.parametrize("calls", [ORDERED, COLLECTED_X], ids=["slices", "rows"])
@pytest.mark.parametrize("calendar", CALENDARS)
def test_calendar_windows_come_out_as_if_all_rows_had_been_there(
    calendar: str, calls: Any
) -> None:
    start, window = CALENDARS[calendar]
    schema = pa.schema(
        [("key", pa.string()), ("at", pa.timestamp("us", "UTC")), ("x", pa.int64())]
    )
    hours = [hour for hour in range(0, 24 * 60, 5) if hour // 24 not in range(20, 45)]
    rows = [
        {"key": "ab"[hour % 2], "at": start + dt.timedelta(hours=hour), "x": hour}
        for hour in hours
    ]
    plan = plan_aggregate(schema, window, ("key",), gather_calls(calls, None))
    bucket = make_bucket(flow_of(plan, frozenset(schema.names), delay=0, late="keep"))
    store, stats, out = MemoryStore(), StepStats(), []

    with interpreting():
        for since in range(0, len(rows), 7):
            came = rows[since : since + 7]
            now = int(came[0]["at"].timestamp()) * 10**6
            table = pa.Table.from_pylist(came, schema)
            for result in bucket.step(store, [table], now, stats):
                out += [tuple(row.values()) for row in result.to_pylist()]
        for result in bucket.step(store, [], 2**62, stats):
            out += [tuple(row.values()) for row in result.to_pylist()]
        table = pa.Table.from_pylist(rows, schema)
        expected = wr.aggregate(table, window, by="key", aggregates=calls).to_pylist()

    assert stats.late_rows == 0
    assert set(store.blobs) <= {HEADER}
    assert same(
        out,
        [
            (
                row["key"],
                row["query"],
                *(int(bound.timestamp()) * 10**6 for bound in row["window"].values()),
                *(row[name] for name in calls),
            )
            for row in expected
        ],
    )
