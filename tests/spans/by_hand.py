"""The steps of a distributed plan over events with a duration, run by hand.

    events --(stretches)--> folded --(chunks, sort by start)--> slide_pieces
    events --(chunks, sort by start)--> slide_spans

Stretches of the last step are as short as one row, so that long events are carried
over many of them.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

import oracles
from windrow.batch.partials import partial_fields
from windrow.plan.tree import Tree
from windrow.tasks.span_pieces import BLOCK, FIRST, GOES, LAST, PACKED, packs
from windrow.tasks.task import CHUNK, Task

ARROW = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


def run(step: str, tree: Tree, by: list[str], rows: pa.Table, gives: pa.Schema) -> Any:
    """What a step gives, fed with batches of three rows."""
    task = Task(step, tree, tuple(by), tuple(rows.column_names), gives, enough=1)
    batches = rows.combine_chunks().to_batches(max_chunksize=3)
    return pa.Table.from_batches(list(task(batches)), gives)


def by_start(rows: pa.Table, keys: list[str], start: str) -> pa.Table:
    """Rows as the shuffle sorts them."""
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


def cut_off(rows: pa.Table, length: int, longest: int) -> pa.Table:
    """Pieces cut off at what the windows that begin in their chunk can see."""
    made = []
    for row in rows.to_pylist():
        low = row[CHUNK] * length
        since = max(row[FIRST], low)
        until = min(row[LAST], low + length + longest - 1)
        made.append({**row, FIRST: since, LAST: max(since, until)})
    return pa.Table.from_pylist(made, rows.schema)


def folded_schema(tree: Tree) -> pa.Schema:
    """What tasks send: keys, slices, part, partial; or many of these in one."""
    keys = [(f"k{i}", pa.string()) for i in range(len(tree.plan.by))]
    if packs(tree, partial_fields(tree.request, tree.slots)):
        return pa.schema([*keys, (BLOCK, pa.int64()), (PACKED, pa.binary())])
    partials = [
        (f.name, ARROW[f.dtype] if f.ranked is None else pa.string())
        for f in partial_fields(tree.request, tree.slots)
    ]
    slices = [(FIRST, pa.int64()), (LAST, pa.int64()), (GOES, pa.bool_())]
    return pa.schema([*keys, *slices, *partials])


def windows_schema(tree: Tree) -> pa.Schema:
    """What the last step gives."""
    plan = tree.plan
    return pa.schema(
        [*((f"k{i}", pa.string()) for i in range(len(plan.by))),
         ("q", pa.int32()), ("start", pa.int64()), ("end", pa.int64()),
         *((f"r{i}", bound.result) for i, bound in enumerate(plan.calls))]
    )  # fmt: skip


def slid_pieces(tree: Tree, folded: pa.Table) -> pa.Table:
    """The windows over what was folded, split into chunks as the tree says."""
    keys = [f"k{i}" for i in range(len(tree.plan.by))]
    sorted_by = list(keys)
    if tree.split == "overlap":
        longest = max(query.even.range for query in tree.plan.rules)
        folded = in_chunks(folded, tree.chunk, longest, lambda r: (r[FIRST], r[LAST]))
        folded = cut_off(folded, tree.chunk, longest)
        sorted_by.append(CHUNK)
    rows = by_start(folded, sorted_by, BLOCK if BLOCK in folded.schema.names else FIRST)
    return run("slide_pieces", tree, keys, rows, windows_schema(tree))
