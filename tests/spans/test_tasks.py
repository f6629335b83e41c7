"""The steps of a distributed plan, run by hand: what is folded and events themselves.

Stretches are as short as one row: slices are hardly ever fewer than pieces, which
`test_folding.py` is about.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import plain_spans
import pyarrow as pa
import pytest
import random_spans as spans
from by_hand import (
    by_start,
    folded_schema,
    in_chunks,
    run,
    slid_pieces,
    windows_schema,
)
from hypothesis import given
from hypothesis import strategies as st

import menus
import oracles
from windrow.aggregates.calls import gather_calls
from windrow.loops import interpreting
from windrow.plan import plan_aggregate
from windrow.plan.tree import grow_tree
from windrow.tasks.task import CHUNK

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

    with interpreting():
        if path == "rows":
            rows = table.select(plan.reads)
            if split == "overlap":
                rows = in_chunks(rows, chunk, window.range, instants)
            keys = ["key", CHUNK] if split == "overlap" else ["key"]
            rows = by_start(rows, keys, "start")
            found = run("slide_spans", tree, ["key"], rows, windows_schema(tree))
        else:
            half = len(table) // 2
            rows = pa.concat_tables(
                run("fold_spans", tree, ["key"], some.select(plan.reads),
                    folded_schema(tree))
                for some in (table.slice(0, half), table.slice(half))
            )  # fmt: skip
            assert len(rows) <= len(table)
            found = slid_pieces(tree, rows)

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
