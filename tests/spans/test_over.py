"""`wr.over` with a span: at each event's start, what is or was under way.

at start s, last L, closed both: events that are alive at an instant of [s - L, s]
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import oracles
import windrow as wr
from windrow.aggregates.calls import gather_calls
from windrow.loops import Lane, interpreting, pinned
from windrow.plan.over import plan_over
from windrow.tasks.over import RollTask

SCHEMA = pa.schema(
    {"key": pa.string(), "a": pa.int64(), "b": pa.int64(), "x": pa.int64(),
     "id": pa.int64()}
)  # fmt: skip
CALLS = {
    "n": ("count", ()), "total": ("sum", ("x",)), "most": ("max", ("x",)),
    "first": ("first", ("id",)), "who": ("arg_max", ("x", "id")),
}  # fmt: skip


@st.composite
def tables(draw: Any, *, nulls: bool = True) -> list[dict[str, Any]]:
    rows = []
    for i in range(draw(st.integers(0, 14))):
        start = draw(st.integers(-5, 25))
        length = draw(st.sampled_from([0, 0, 1, 2, 7, 40]))
        bounds = [start, start + length]
        if nulls and draw(st.integers(0, 9)) == 0:
            bounds[draw(st.integers(0, 1))] = None
        x = draw(st.one_of(st.none(), st.integers(-9, 9)))
        rows.append({"key": draw(st.sampled_from("ab")), "a": bounds[0],
                     "b": bounds[1], "x": x, "id": i})  # fmt: skip
    return rows


def under_way(rows: Any, row: Any, last: int, closed: str) -> list[Any]:
    """The definition: by instants, in the order of ends, points last."""
    if row["a"] is None:
        return []
    low = row["a"] - last + (closed in ("right", "neither"))
    high = row["a"] - (closed in ("left", "neither"))
    found = [
        r for r in rows
        if r["key"] == row["key"] and None not in (r["a"], r["b"])
        and r["a"] <= high and max(r["b"] - 1, r["a"]) >= low and low <= high
    ]  # fmt: skip
    return sorted(found, key=lambda r: (max(r["b"] - 1, r["a"]), r["a"] != r["b"]))


@st.composite
def frames(draw: Any) -> tuple[int, str]:
    closed = draw(st.sampled_from(["right", "left", "both", "neither"]))
    return draw(st.sampled_from([1, 3, 10])), closed


SECONDS = pa.timestamp("s")


def as_times(table: pa.Table) -> pa.Table:
    for name in ("a", "b"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table.column(name).cast(SECONDS))
    return table


def calls_of(last: int, closed: str) -> dict[str, Any]:
    return {
        label: getattr(wr, name)(*columns, last=f"{last} seconds", closed=closed)
        for label, (name, columns) in CALLS.items()
    }


NONE_THERE = [  # of its frame, if neither end belongs to it
    {"key": "a", "a": 0, "b": 2, "x": None, "id": 0},
    {"key": "a", "a": 1, "b": 1, "x": None, "id": 1},
]


@given(rows=tables(), frame=frames())
@example(rows=NONE_THERE, frame=(1, "neither"))
def test_each_event_gets_what_is_or_was_under_way(rows, frame):
    table = as_times(pa.Table.from_pylist(rows, SCHEMA))
    calls = calls_of(*frame)

    with interpreting():
        walked = wr.over(table, span=("a", "b"), by="key", **calls)
    with pinned(Lane.COLUMNS):
        columns = wr.over(table, span=("a", "b"), by="key", **calls)

    expected = [oracles.results(under_way(rows, row, *frame), CALLS) for row in rows]
    assert columns.equals(walked)
    assert walked.select(list(CALLS)).to_pylist() == expected
    assert walked.select(SCHEMA.names).equals(table)


@given(rows=tables(nulls=False), frame=frames())
def test_a_task_carries_events_that_are_under_way(rows, frame):
    """Batches of two rows, sorted by key and start, as Spark's shuffle sorts them."""
    rows = sorted(rows, key=lambda row: (row["key"], row["a"]))
    table = as_times(pa.Table.from_pylist(rows, SCHEMA))
    calls = gather_calls(calls_of(*frame), None)
    plan = plan_over(table.schema, None, "key", calls, span=("a", "b"))
    types = {bound.name: bound.result for bound in plan.calls}
    gives = pa.schema([*table.schema, *types.items()])
    task = RollTask(plan, tuple(table.column_names), 5, gives, None, enough=1)

    batches = task(table.combine_chunks().to_batches(max_chunksize=2))
    actual = pa.Table.from_batches(list(batches), gives).to_pylist()

    order = {"count", "sum", "max"}
    names = [label for label, (name, _) in CALLS.items() if name in order]
    expected = [
        {"id": row["id"], **{n: results[n] for n in names}}
        for row in rows
        for results in [oracles.results(under_way(rows, row, *frame), CALLS)]
    ]
    found = [{"id": row["id"], **{n: row[n] for n in names}} for row in actual]
    assert sorted(found, key=lambda r: r["id"]) == sorted(
        expected, key=lambda r: r["id"]
    )


TABLE = pa.table({"a": [1, 5], "b": [4, 3], "x": [1, 2], "s": ["a", "b"]})


@pytest.mark.parametrize(("calls", "how", "words"), [
    ({"n": wr.count(last=3)}, {}, "events under way have no order"),
    ({"n": wr.collect("x", last="3 seconds")}, {}, "is computed from rows"),
    ({"n": wr.count(last="3 seconds")}, {"on": "a"}, "by column 'a' and by their span"),
    ({"n": wr.count(last="3 seconds")}, {"algorithm": "daba"}, "daba cannot look back"),
    ({"n": wr.count(last="3 seconds")}, {"span": ("a", "s")}, "types"),
    ({"n": wr.count(last="3 seconds")}, {}, "ends before it starts"),
])  # fmt: skip
def test_what_has_no_meaning_is_refused_in_words(calls, how, words):
    table = TABLE
    for name in ("a", "b"):
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table.column(name).cast(SECONDS))

    with pytest.raises(wr.WindrowError, match=words):
        wr.over(table, **{"span": ("a", "b"), **how}, **calls)


def test_explain_names_the_tree():
    table = as_times(pa.table({"a": [1], "b": [4]}))

    plan = str(wr.explain(table, span=("a", "b"), n=wr.count(last="1 hour")))

    assert "flat_fat" in plan
    assert "events enter by their starts and leave by their ends" in plan
