"""The steps of a distributed plan, run by hand: pieces and events in small batches.

    events --(parts)--> fold_spans --(chunks, sort by start)--> slide_pieces
    events --(chunks, sort by start)--> slide_spans

Stretches are as short as one row, so that long events are carried over many of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plain_spans
import pyarrow as pa
import pytest
import spans
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
from windrow.engine.partials import partial_fields
from windrow.engine.span_pieces import FIRST, LAST
from windrow.engine.tasks import CHUNK, Task
from windrow.kernels import interpreting
from windrow.plan import gather_calls, plan_aggregate
from windrow.plan.tree import Tree, grow_tree

COMMUTING = {
    "n": ("count", ()),
    "total": ("sum", ("int_1",)),
    "most": ("max", ("text_1",)),
    "ties": ("max_count", ("int_1",)),
}
ORDERED = {
    "n": ("count", ()),
    "all": ("collect", ("int_1",)),
    "first": ("first", ("text_1",)),
    "who": ("arg_max", ("int_1", "text_1")),
}
ARROW = {"int64": pa.int64(), "float64": pa.float64()}


def run(step: str, tree: Tree, by: list[str], rows: pa.Table, gives: pa.Schema) -> Any:
    task = Task(step, tree, tuple(by), tuple(rows.column_names), gives, enough=1)
    batches = rows.combine_chunks().to_batches(max_chunksize=3)
    return pa.Table.from_batches(list(task(batches)), gives)


def by_start(rows: pa.Table, keys: list[str], start: str) -> pa.Table:
    listed = rows.to_pylist()
    listed.sort(key=lambda r: [oracles.nulls_first(r[name]) for name in (*keys, start)])
    return pa.Table.from_pylist(listed, rows.schema)


def in_chunks(rows: pa.Table, length: int, longest: int, bounds: Any) -> pa.Table:
    """Rows once for each chunk in which a window over them begins."""
    made = []
    for row in rows.to_pylist():
        first, last = bounds(row)
        numbers = range((first - longest + 1) // length, last // length + 1)
        made += [{**row, CHUNK: number} for number in numbers]
    return pa.Table.from_pylist(made, rows.schema.append(pa.field(CHUNK, pa.int64())))


def instants(row: dict[str, Any]) -> tuple[int, int]:
    point = row["start"] == row["end"]
    return row["start"], row["end"] if point else row["end"] - 1


@pytest.mark.parametrize("split", ["none", "overlap"])
@pytest.mark.parametrize("path", ["kernel", "rows"])
@given(data=st.data())
def test_however_batches_fall_the_windows_are_those_of_the_definition(
    path, split, data
):
    calls = COMMUTING if path == "kernel" else ORDERED
    window = data.draw(spans.spans())
    columns = data.draw(spans.tables(calls.values(), window, nulls=False))
    table = spans.arrow(columns)
    chunk = data.draw(st.sampled_from([1, 7, 40]))
    plan = plan_aggregate(
        table.schema,
        spans.window_of(window),
        "key",
        gather_calls(spans.asked(calls), None),
    )
    tree = grow_tree(plan, frozenset(table.schema.names), hot=True)
    tree = replace(tree, level1=path, split=split, chunk=chunk)
    key = ("k0", pa.string())
    gives = pa.schema(
        [key, ("q", pa.int32()), ("start", pa.int64()), ("end", pa.int64()),
         *((f"r{i}", bound.result) for i, bound in enumerate(plan.calls))]
    )  # fmt: skip

    with interpreting():
        if path == "rows":
            rows = table.select(plan.reads)
            if split == "overlap":
                rows = in_chunks(rows, chunk, window.range, instants)
            keys = ["key", CHUNK] if split == "overlap" else ["key"]
            found = run(
                "slide_spans", tree, ["key"], by_start(rows, keys, "start"), gives
            )
        else:
            fields = partial_fields(tree.asked, tree.slots)
            kinds = [(f.name, ARROW[f.dtype] if f.ranked is None else pa.string())
                     for f in fields]  # fmt: skip
            piece = pa.schema([key, (FIRST, pa.int64()), (LAST, pa.int64()), *kinds])
            halves = [table.slice(0, len(table) // 2), table.slice(len(table) // 2)]
            rows = pa.concat_tables(
                run("fold_spans", tree, ["key"], half.select(plan.reads), piece)
                for half in halves
            )
            assert len(rows) <= len(table)
            if split == "overlap":
                rows = in_chunks(
                    rows, chunk, window.range, lambda r: (r[FIRST], r[LAST])
                )
            keys = ["k0", CHUNK] if split == "overlap" else ["k0"]
            found = run(
                "slide_pieces", tree, ["k0"], by_start(rows, keys, FIRST), gives
            )

    actual = [
        {"key": r["k0"], "start": r["start"], "end": r["end"],
         **{name: r[f"r{i}"] for i, name in enumerate(calls)}}
        for r in found.to_pylist()
    ]  # fmt: skip
    expected = spans.single(
        plain_spans.aggregate(menus.rows_of(columns), ["key"], [window], calls)
    )
    for rows_of_one in (actual, expected):  # what ends at once stands in no order here
        for row in rows_of_one:
            if "all" in row:
                row["all"] = sorted(row["all"])
                del row["first"], row["who"]
        rows_of_one.sort(key=lambda r: (oracles.nulls_first(r["key"]), r["start"]))
    assert oracles.differences(actual, expected) == []
