"""What `explain` says of a stream is what its buckets do, whatever they keep.

kept                       algorithm of
slices                     pba, a step at a time     its three merges, and no other
levels                     windows within new rows
rows, past, window         windows over kept rows
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import pyarrow as pa
import pytest

import windrow as wr
from explained import named, watched
from repeated import as_windows
from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import Folding
from windrow.errors import BadInput
from windrow.loops import interpreting
from windrow.plan import plan_over, plan_windows
from windrow.plan.explain_stream import explain_flow
from windrow.plan.flow import Flow, flow_of
from windrow.state.codec import MemoryStore, StepStats
from windrow.state.span_slices import PieceFolding
from windrow.tasks.stream import make_bucket

START = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
STAMP = pa.timestamp("us", "UTC")
SCHEMA = pa.schema(
    [("key", pa.string()), ("since", STAMP), ("at", STAMP), ("x", pa.int64())]
)
SUMS = {"n": wr.count(), "s": wr.sum("x")}
LISTS = {"c": wr.collect("x"), "s": wr.sum("x")}
FRAMES = {"t": wr.sum("x", last="1 minute"), "m": wr.max("x", last=5)}
FULL_FRAMES = {"m": wr.max("x", last=5, min_periods=2), "c": wr.sum("x", last=3)}
SKETCHES = {"d": wr.approx_distinct("x"), "k": wr.approx_top_k("x", 3)}
SLIDING = wr.sliding("40 seconds", every="10 seconds", on="at")
SHORT = wr.sliding("20 seconds", every="10 seconds", on="at")
LASTING = wr.sliding("40 seconds", every="10 seconds", span=("since", "at"))
COUNTED = wr.rows(6, every=2, on="at")
PAST = wr.window(evict="1 hour", trigger=3, on="at")
QUERIES: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "points": ("slices", SLIDING, SUMS),
    "points by order": ("slices", SLIDING, {"f": wr.first("x")}),
    "sketches": ("slices", SLIDING, {"d": wr.approx_distinct("x")}),
    "a list": ("slices", [SLIDING, SHORT], SUMS),
    "spans": ("slices", LASTING, SUMS),
    "counts": ("levels", COUNTED, SUMS),
    "over": ("levels", None, FRAMES),
    "kept rows": ("rows", SLIDING, LISTS),
    "kept rows alone": ("rows", SLIDING, {"c": wr.collect("x")}),
    "kept rows of counts": ("rows", COUNTED, LISTS),
    "kept rows of over": ("past", None, FULL_FRAMES),
    "a policy": ("window", PAST, SUMS),
    "a policy by rows": ("window", PAST, {"c": wr.collect("x")}),
}


def flow_over(
    window: Any, calls: dict[str, Any], by: Any = ("key",), **how: Any
) -> Flow:
    asked = gather_calls(calls, None)
    if window is None:
        plan: Any = plan_over(SCHEMA, "at", by, asked)
    else:
        plan = plan_windows(SCHEMA, window, by, asked, algorithm="auto")
    return flow_of(plan, frozenset(), delay=5 * 10**6, **how)


def explained(*query: Any, **how: Any) -> str:
    return str(explain_flow(flow_over(*query, **how), ["as told"]))


def run(flow: Flow) -> int:
    """Some steps, each with rows ahead of the watermark; how many results came out."""
    bucket, store, results = make_bucket(flow), MemoryStore(), 0
    for number in range(8):
        ats = [START + dt.timedelta(seconds=15 * number + s) for s in (1, 3, 8, 9)]
        rows = [
            {"key": "a", "since": at - dt.timedelta(seconds=2), "at": at, "x": number}
            for at in ats
        ]
        table = pa.Table.from_pylist(rows, SCHEMA)
        if flow.fed != "rows":
            kind = Folding if flow.fed == "slices" else PieceFolding
            table = kind(flow.plan, flow.request, flow.slots).fold(table)
        now = int(START.timestamp() + 15 * number) * 10**6
        for out in as_windows(bucket.step(store, [table], now, StepStats())):
            results += len(out)
    return results


@pytest.mark.parametrize("query", QUERIES)
def test_a_bucket_runs_the_algorithms_that_explain_names(query):
    kept, window, calls = QUERIES[query]
    flow = flow_over(window, calls)
    text = str(explain_flow(flow, ["as told"]))

    with interpreting(), watched() as (ran, _):
        results = run(flow)

    assert flow.kept == kept
    assert results > 4
    assert named(text.replace("pba, a step at a time", "pba")) == (
        {"pba"} if kept == "slices" else ran
    )
    assert ("  kernel     as told" in text) == bool(flow.request.calls)
    assert ("  partial " in text) == bool(flow.request.calls)


@pytest.mark.parametrize("buckets", [0, 2.5, "4"])
def test_what_is_no_number_of_buckets_is_refused_with_what_it_is(buckets):
    with pytest.raises(BadInput, match="into how many parts the keys") as refused:
        flow_over(SLIDING, SUMS, buckets=buckets)

    assert f"cannot keep state in {buckets!r} buckets" in str(refused.value)


@pytest.mark.parametrize("query", QUERIES)
def test_where_rows_are_kept_explain_says_why_and_what_that_costs(query):
    kept, window, calls = QUERIES[query]
    says = f"  kept       {kept}: "

    (line,) = [
        line for line in explained(window, calls).splitlines() if line.startswith(says)
    ]

    whys = {
        "rows": "collect(x) has no partial of bounded size",
        "past": "min_periods= counts the values of a frame",
        "window": "policies go row by row",
    }
    assert line.startswith(f"{says}{whys.get(kept, '')}")
    assert line.endswith("and costs more the more there are") == (kept in whys)


def test_an_aggregate_that_goes_by_order_makes_a_late_row_late_for_all():
    by_order = {"f": wr.first("x"), **SUMS}
    late = "  late       a row behind the watermark"

    assert f"{late} counts in windows that are not out" in explained(SLIDING, SUMS)
    text = explained(SLIDING, by_order)
    assert f"{late} is late for all: first depends on the order of rows, and" in text
    assert f"{late} counts in" in explained(SLIDING, by_order | LISTS)  # rows are kept


def test_sketches_on_a_stream_are_merged_as_slices_are():
    text = explained(
        SLIDING, {"d": wr.approx_distinct("x"), "k": wr.approx_top_k("x", 3)}
    )

    assert text.count("merged slice by slice as other partials are") == 2
    assert "no sketch of a window is made" not in text


@pytest.mark.parametrize(
    ("window", "calls", "how", "why"),
    [
        (SLIDING, LISTS, {}, "collect(x) has no partial of bounded size"),
        (
            SLIDING,
            {"d": wr.count_distinct("x")},
            {},
            "count_distinct(x) has no partial",
        ),
        (SLIDING, {"f": wr.first("x")}, {}, "first depends on the order of rows"),
        (SLIDING, SUMS, {"late": "keep"}, 'late="keep" gives rows back'),
        (COUNTED, SUMS, {}, "rows are numbered in order of time"),
        (PAST, SUMS, {}, "policies go row by row"),
        (LASTING, LISTS, {}, "collect(x) has no partial of bounded size"),
    ],
)
def test_without_a_key_explain_says_what_one_task_does_and_why(window, calls, how, why):
    text = explained(window, calls, by=(), **how)

    assert f"all meet in one bucket, the work of one task, since {why}" in text
    assert "hot=True changes nothing" not in text
    assert "hot=True changes nothing" in explained(
        window, calls, by=(), hot=True, **how
    )


def test_without_a_key_rows_that_fold_are_the_work_of_all_tasks():
    text = explained(SLIDING, SUMS, by=())

    assert "rows are folded by the tasks that read them, their slices meet" in text
    assert "one task" not in text
