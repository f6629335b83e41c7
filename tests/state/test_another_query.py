"""State is gone on from by the query that wrote it, and by no other.

    stopped      wr.sliding("1 hour", ..., offset="5 minutes")
    started      wr.sliding("1 hour", ...)                        refused: its windows
                                                                  begin elsewhere

What changes no answer may change: how a duration is written, the name of a window that
stands alone, whether a column may be null.
"""

from __future__ import annotations

import datetime as dt
import json
import warnings
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from repeated import as_windows
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.errors import StateError, StateWarning
from windrow.loops import interpreting
from windrow.plan import plan_aggregate, plan_over
from windrow.plan.by_policy import plan_by_policy
from windrow.plan.flow import Flow, flow_of
from windrow.plan.stream_clock import stream_clock
from windrow.plan.where import mask_calls
from windrow.state import fingerprint
from windrow.state.codec import HEADER, MemoryStore, StepStats, pack, unpack
from windrow.tasks.stream import make_bucket
from windrow.windows.policy import PolicyWindow

STAMP = pa.timestamp("us", "UTC")
START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
HOUR = wr.sliding("1 hour", every="10 minutes", on="at")
NULLABLE = ("key", "at", "x", "name")


def doubled(value: float) -> float:
    return 2.0 * value


def tripled(value: float) -> float:
    return 3.0 * value


def own(lift: Any) -> Any:
    return wr.Aggregate(
        name="scaled", lift=lift, combine=lambda a, b: a + b, lower=lambda p: p,
        laws="commutative",
    )  # fmt: skip


def schema_of(nullable: tuple[str, ...] = NULLABLE) -> pa.Schema:
    kinds = {"key": pa.string(), "at": STAMP, "x": pa.int64(), "name": pa.string()}
    return pa.schema(
        [pa.field(name, kind, name in nullable) for name, kind in kinds.items()]
    )


def flow(
    window: Any = HOUR,
    calls: Any = None,
    *,
    by: Any = ("key",),
    nullable: tuple[str, ...] = NULLABLE,
    late: str = "drop",
    ties: Any = None,
    **clock: str,
) -> Flow:
    """A query laid out over a stream; without a window, rolling columns."""
    schema, calls = schema_of(nullable), calls or {"n": wr.count(), "s": wr.sum("x")}
    plan: Any
    if window is None:
        plan = plan_over(schema, "at", by, gather_calls(calls, None), ties=ties)
    else:
        by_policy = isinstance(window, PolicyWindow)
        plan_windows = plan_by_policy if by_policy else plan_aggregate
        plan = plan_windows(schema, window, by, gather_calls(calls, None))
    pace = stream_clock(plan, **clock)
    how: Any = {"late": late, "buckets": 1, "clock": pace}
    return flow_of(plan, frozenset(nullable), delay=0, **how)


def rows_at(*minutes: int, nullable: tuple[str, ...] = NULLABLE) -> pa.Table:
    rows = [
        {
            "key": "ab"[minute % 2],
            "at": START + dt.timedelta(minutes=minute),
            "x": None if "x" in nullable and minute % 3 == 0 else minute,
            "name": f"{minute:02}",
        }
        for minute in minutes
    ]
    return pa.Table.from_pylist(rows, schema_of(nullable))


def ticks(minutes: int) -> int:
    return int((START + dt.timedelta(minutes=minutes)).timestamp()) * 10**6


def step(flow: Flow, store: MemoryStore, tables: list[pa.Table], minutes: int) -> Any:
    """Tables travel as bytes, folded where the stream folds; the rows that come out."""
    if flow.fed == "slices":
        folding = Folding(flow.plan, flow.request, flow.slots)
        tables = [folding.fold(table) for table in tables]
    fed = [unpack(pack(table, "feed", small=False), "feed")[0] for table in tables]
    own = any(bound.aggregate.is_users for bound in flow.plan.calls)
    with nullcontext() if own else interpreting():
        results = as_windows(
            make_bucket(flow).step(store, fed, ticks(minutes), StepStats())
        )
        return [row for table in results for row in table.to_pylist()]


def started(flow: Flow) -> MemoryStore:
    """The state of a query after two steps."""
    store = MemoryStore()
    step(flow, store, [rows_at(1, 5, 9)], 0)
    step(flow, store, [rows_at(12, 17, 23)], 11)
    assert HEADER in store.blobs
    return store


SET = {"watermark": "1 minute"}
DOUBLED = {"s": own(doubled)("x")}
HALF = {"m": wr.moment_sketch("x", quantiles=[0.5])}
TAIL = {"m": wr.moment_sketch("x", quantiles=[0.5, 0.9])}
TWO_FRAMES = {"a": wr.count(last=2), "b": wr.count(last=3)}
CHANGES = {
    "rows ahead": (
        flow(**SET, ahead="1 hour"), flow(**SET, ahead="2 hours"),
        "ahead= is 3600000000 microseconds there",
    ),
    "rows ahead no more": (
        flow(**SET, ahead="1 hour"), flow(**SET),
        "ahead= is 3600000000 microseconds there",
    ),
    "silence": (
        flow(idle="30 seconds"), flow(idle="31 seconds"),
        "idle= is 30000000 microseconds there",
    ),
    "silence that was not told before": (
        flow(), flow(idle="30 seconds"),
        "idle= is none there and is 30000000 microseconds here",
    ),
    "rows ahead that were not told before": (
        flow(**SET), flow(**SET, ahead="1 hour"),
        "ahead= is none there and is 3600000000 microseconds here",
    ),
    "offset": (
        flow(),
        flow(wr.sliding("1 hour", every="10 minutes", on="at", offset="5 minutes")),
        "range 3600000000 slide 600000000 shift 0 counted from 0 there",
    ),
    "a whole slide": (  # the same windows, but chunks begin elsewhere
        flow(),
        flow(replace(HOUR, offset=HOUR.slide)),
        "shift 0 counted from 0 there",
    ),
    "zone": (
        flow(wr.sliding("2 hours", every="1 hour", on="at")),
        flow(wr.sliding("2 hours", every="1 hour", on="at", tz="Asia/Kolkata")),
        "shift 1800000000 counted from -19800000000 here",
    ),
    "names": (
        flow([HOUR.replaced(name="a")]),
        flow([HOUR.replaced(name="b")]),
        "the windows are a: time range",
    ),
    "a list": (flow(), flow([HOUR]), "the windows are time range"),
    "own functions": (
        flow(calls=DOUBLED),
        flow(calls={"s": own(tripled)("x")}),
        "the functions of your own aggregates are s ",
    ),
    "own functions over rows": (
        flow(wr.rows(2, on="at"), {"s": own(doubled)("x")}),
        flow(wr.rows(2, on="at"), {"s": own(tripled)("x")}),
        "the functions of your own aggregates are s ",
    ),
    "quantiles": (flow(calls=HALF), flow(calls=TAIL), "quantiles=[0.5] there"),
    "separator": (
        flow(calls={"c": wr.concat("name")}),
        flow(calls={"c": wr.concat("name", separator=",")}),
        "separator=',' here",
    ),
    "form of a partial": (
        flow(calls={"p": replace(wr.product, partial_form=1)("x")}),
        flow(calls={"p": wr.product("x")}),
        "p=product(x) of int64 in form 2 here",
    ),
    "partial": (
        flow(wr.rows(3, on="at")),
        flow(wr.rows(3, on="at", partial=True)),
        "the windows are rows range 3 slide 1 counted from 0 there",
    ),
    "closed": (
        flow(None, {"n": wr.count(last="1 hour")}),
        flow(None, {"n": wr.count(last="1 hour", closed="left")}),
        "closed right there",
    ),
    "frames of calls": (
        flow(None, TWO_FRAMES | {"c": wr.sum("x", last=2)}),
        flow(None, TWO_FRAMES | {"c": wr.sum("x", last=3)}),
        "c over the last 2 rows",
    ),
    "ties of wr.over": (
        flow(None, {"n": wr.count(last=2)}),
        flow(None, {"n": wr.count(last=2)}, ties="name"),
        "ties= are none there and are name here",
    ),
    "late": (
        flow(wr.rows(2, on="at")),
        flow(wr.rows(2, on="at"), late="keep"),
        "late= is drop there and is keep here",
    ),
    "policies": (
        flow(wr.window(evict="1 hour", trigger=2, on="at")),
        flow(wr.window(evict="1 hour", trigger=3, on="at")),
        "the policies are evict by time, trigger by rows, range 3600000000, every 2",
    ),
    "a policy in place of a window": (
        flow(wr.rows(3, on="at")),
        flow(wr.window(evict="1 hour", trigger=3, on="at")),
        "the policies is none there and are evict by time, trigger by rows",
    ),
    "keys": (flow(), flow(by=()), "the keys are key string there and are none here"),
    "time": (
        flow(wr.rows(2, on="at")),
        flow(wr.rows(2, on="x")),
        "the time column is at timestamp[us, tz=UTC]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_another_query_is_refused_with_what_differs(change: str) -> None:
    before, after, difference = CHANGES[change]
    store = started(before)

    with pytest.raises(StateError, match="another query wrote it") as refused:
        step(after, store, [], 200)

    assert difference in str(refused.value)


def test_the_filter_of_an_aggregate_is_part_of_what_is_remembered() -> None:
    def remembered(where: str) -> dict[str, Any]:
        calls = gather_calls({"s": wr.sum("x", where=where)}, None)
        plain, schema, _ = mask_calls(calls, schema_of())
        plan = plan_aggregate(schema, HOUR, "key", plain)
        return fingerprint.describe(plan, buckets=1, layout="any").words

    few, more = remembered("x > 4"), remembered("x > 3")

    assert few == remembered("x > 4")
    assert {what for what in few if few[what] != more[what]} == {"the aggregates"}
    assert "where x > 3" in str(more["the aggregates"])


@pytest.mark.parametrize("change", CHANGES)
def test_the_query_itself_goes_on_without_a_word(change: str) -> None:
    query, _, _ = CHANGES[change]
    store = started(query)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = step(query, store, [], 200)

    assert rows


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (flow(), flow(wr.sliding("60 minutes", every="600 seconds", on="at"))),
        (flow(), flow(HOUR.replaced(name="renamed"))),
        (flow(calls=HALF), flow(calls={"m": wr.moment_sketch("x", quantiles=(0.5,))})),
        (flow(calls=DOUBLED), flow(calls={"s": own(lambda v: 2.0 * v)("x")})),
    ],
    ids=["other words", "a lone name", "tuples", "the same code"],
)  # fmt: skip
def test_what_changes_no_answer_may_change(before: Flow, after: Flow) -> None:
    expected = step(before, started(before), [], 200)

    actual = step(after, started(before), [], 200)

    assert actual == expected
    assert actual


def as_version_0_1_wrote_it(store: MemoryStore, flow: Flow) -> None:
    """Let the header say what version 0.1 said of a query."""
    keys, facts = unpack(store.blobs[HEADER], "header")
    words = make_bucket(flow).query.former_words
    facts["spec"] = json.loads(json.dumps(words))
    store.blobs[HEADER] = pack(keys, "header", facts, small=True)


def test_the_words_of_version_0_1_are_those_that_it_wrote() -> None:
    words = make_bucket(flow([HOUR])).query.former_words

    assert words == {
        "the aggregates": ["n=count() of ", "s=sum(x) of int64"],
        "the time column": "at",
        "the keys": ["key string"],
        "ties=": [],
        "the number of buckets": 1,
        "the layout of the state": "slices to slices",
        "the windows": ["range 1 hour slide 10 minutes"],
        "the slicer": "panes",
    }


@pytest.mark.parametrize(
    ("query", "unsaid"),
    [
        (CHANGES["offset"][1], "where its windows begin"),
        (CHANGES["zone"][1], "where its windows begin"),
        (CHANGES["names"][0], "what its windows are called"),
        (CHANGES["own functions"][0], "the functions of scaled"),
        (CHANGES["quantiles"][0], "the options of moment_sketch(x)"),
    ],
)
def test_state_of_version_0_1_that_cannot_tell_is_taken_over_with_a_warning(
    query: Flow, unsaid: str
) -> None:
    store = started(query)
    as_version_0_1_wrote_it(store, query)

    with pytest.warns(StateWarning, match="this checkpoint does not say") as warned:
        step(query, store, [], 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(query, store, [], 31)  # from now on it does

    assert unsaid in str(warned[0].message)
    assert "version 0.1 wrote it" in str(warned[0].message)


@pytest.mark.parametrize("query", [flow(), flow([HOUR]), CHANGES["closed"][0]])
def test_state_of_version_0_1_that_says_all_is_taken_over(query: Flow) -> None:
    expected = step(query, started(query), [], 200)
    store = started(query)
    as_version_0_1_wrote_it(store, query)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        actual = step(query, store, [], 200)

    assert actual == expected


def test_state_of_version_0_1_that_another_query_wrote_is_refused() -> None:
    query, other = flow(), flow(wr.sliding("2 hours", every="10 minutes", on="at"))
    store = started(query)
    as_version_0_1_wrote_it(store, query)

    with pytest.raises(StateError, match="range 1 hour slide 10 minutes there"):
        step(other, store, [], 200)


def test_own_functions_that_another_python_compiled_are_taken_over_with_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    query = CHANGES["own functions"][0]
    store = started(query)
    monkeypatch.setattr(fingerprint, "_python", lambda: "Python 3.99")

    other = CHANGES["own functions"][1]  # its digest is another, as one would expect
    with pytest.warns(StateWarning, match=r"whether the functions .* are the same"):
        step(other, store, [], 30)


NOT_NULL = ("at", "name")
LAYOUTS = {
    "slices to slices": {
        "calls": {"n": wr.count(), "s": wr.sum("x"), "m": wr.max("x")}
    },
    "rows to slices": {"calls": {"s": wr.sum("x"), "f": wr.first("name")}},
    "one maximum": {"calls": {"m": wr.max("x")}},
    "own aggregate": {"calls": DOUBLED | {"t": wr.sum("x")}},
    "rows": {"calls": {"c": wr.collect("x"), "s": wr.sum("x")}},
    "count windows": {"window": wr.rows(2, on="at")},
    "rolling columns": {"window": None, "calls": {"s": wr.sum("x", last=2)}},
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("turns", [(NULLABLE, NOT_NULL), (NOT_NULL, NULLABLE)])
def test_a_column_may_become_nullable_or_be_so_no_more(
    layout: str, turns: tuple[Any, Any]
) -> None:
    times = (1, 5, 9), (12, 17, 23), (25, 31, 58), (61, 75, 93)
    tables = [
        rows_at(*minutes, nullable=turns[number // 2 % 2])
        for number, minutes in enumerate(times)
    ]

    def run(nullable: Any) -> list[Any]:
        out, store = [], MemoryStore()
        for number, (minutes, table) in enumerate(zip(times, tables, strict=True)):
            query = flow(nullable=nullable(number), **LAYOUTS[layout])
            came = table.cast(query.plan.schema)
            out += step(query, store, [came], minutes[0] - 1)
        return out + step(query, store, [], 500)

    actual = run(lambda number: turns[number // 2 % 2])

    assert actual == run(lambda _: NULLABLE)
    assert actual


def former_of(query: Flow) -> Flow:
    """The query as version 0.1 laid it out."""
    assert query.former is not None
    asked, slots = query.former
    return replace(query, request=asked, slots=slots, former=None)


@pytest.mark.parametrize("layout", ["slices to slices", "one maximum", "own aggregate"])
def test_partials_that_version_0_1_kept_for_columns_without_nulls_are_read(
    layout: str,
) -> None:
    query = flow(nullable=NOT_NULL, **LAYOUTS[layout])
    former = former_of(query)

    def run(first: Flow) -> tuple[list[Any], int]:
        store = MemoryStore()
        step(first, store, [rows_at(1, 5, 9, nullable=NOT_NULL)], 0)
        out = step(first, store, [rows_at(12, 17, 23, nullable=NOT_NULL)], 11)
        columns = unpack(store.blobs[1], "slices")[0].num_columns
        if first is former:
            as_version_0_1_wrote_it(store, query)
        out += step(query, store, [rows_at(25, 31, 58, nullable=NOT_NULL)], 24)
        out += step(query, store, [rows_at(61, 75, 93, nullable=NOT_NULL)], 60)
        return out + step(query, store, [], 500), columns

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StateWarning)
        actual, columns_before = run(former)

    expected, columns_now = run(query)
    assert columns_before < columns_now
    assert actual == expected


def test_partials_of_version_0_1_are_refused_where_nullable_columns_changed_since():
    query = flow(nullable=NOT_NULL)
    store = MemoryStore()
    for number, minutes in enumerate([(1, 5, 9), (12, 17, 23)]):
        table = rows_at(*minutes, nullable=NOT_NULL)
        step(former_of(query), store, [table], 11 * number)
    as_version_0_1_wrote_it(store, query)

    with pytest.raises(StateError, match="since then a column became nullable"):
        step(flow(), store, [], 200)
