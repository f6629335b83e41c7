"""Runs the steps of a tree without Spark: rows in, windows out.

    rows --(partitions)--> fold_rows --(sort)--> slide_panes
                                    --(chunks, sort)--> open_sashes --(sort)--> merge
    rows --(sort)--> slide_rows

The sizes of batches and stretches are parameters, so that rows are carried from one to
the next as in a large job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from windrow.aggregates.calls import gather_calls
from windrow.batch.partials import partial_fields
from windrow.plan import plan_aggregate
from windrow.plan.tree import Tree, grow_tree
from windrow.slicing import shared_combs
from windrow.tasks.task import CHUNK, Task

ARROW = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


def tree_of(
    table: pa.Table,
    window: Any,
    by: Sequence[str],
    calls: dict[str, Any],
    *,
    split: str = "none",
    chunk: int = 0,
) -> Tree:
    """The tree of a query with this split, and with our kernel instead of Catalyst."""
    plan = plan_aggregate(table.schema, window, by, gather_calls(calls, None))
    tree = grow_tree(plan, frozenset(table.schema.names))
    level1 = "kernel" if tree.level1 == "native" else tree.level1
    return replace(tree, split=split, chunk=chunk, level1=level1)


def windows_of(
    tree: Tree,
    table: pa.Table,
    *,
    batch: int = 7,
    enough: int = 1,
    parts: int = 3,
    alike: bool = False,
) -> pa.Table:
    """The windows of the last step: k0.., q, start, end, r0..

    With `alike` windows that hold the same slices leave the task as one row.
    """
    if tree.level1 == "rows":
        return _rows(tree, table, batch, enough)
    keys = [f"k{i}" for i in range(len(tree.plan.by))]
    if any(field.payloads for field in partial_fields(tree.request, tree.slots)):
        panes = _native(tree, table)
    else:
        panes = _fold(tree, table, batch, enough, parts)
    schema = _result_schema(tree, table)
    sizes = batch, enough
    if tree.split == "none":
        panes = _sorted(panes, [*keys, "pane"])
        return _slide(tree, keys, panes, schema, sizes, alike)
    longest = max(query.even.range for query in tree.plan.rules)
    reach = longest if tree.split == "overlap" else 1
    panes = _sorted(_chunked(panes, "pane", tree.chunk, reach), [*keys, CHUNK, "pane"])
    if tree.split == "overlap":
        return _slide(tree, keys, panes, schema, sizes, alike)
    heads = [("to", pa.int64()), ("part", pa.int64()), ("query", pa.int32())]
    names = [(f.name, f.type) for f in panes.schema if f.name not in ("pane", CHUNK)]
    sash = pa.schema([*names, *heads, ("begin", pa.int64())])
    sashes = _run("open_sashes", tree, keys, panes, sash, batch, enough)
    sashes = _sorted(sashes, [*keys, "to", "query", "begin", "part"])
    return _run("merge", tree, keys, sashes, schema, batch, enough)


def _slide(
    tree: Tree,
    keys: list[str],
    panes: pa.Table,
    schema: pa.Schema,
    sizes: tuple[int, int],
    alike: bool,
) -> pa.Table:
    """The windows over sorted slices; stretches are taken apart as Spark does it."""
    if not alike:
        return _run("slide_panes", tree, keys, panes, schema, *sizes)
    names = [field for field in schema if field.name not in ("q", "end")]
    gives = pa.schema([*names, ("last", pa.int64())])
    stretches = _run("slide_stretches", tree, keys, panes, gives, *sizes)
    (rule,) = tree.plan.rules
    windows = [
        {**row, "q": 0, "start": start, "end": start + rule.even.range}
        for row in stretches.to_pylist()
        for start in range(row["start"], row["last"] + 1, rule.step)
    ]
    return pa.Table.from_pylist(windows, schema)


def _rows(tree: Tree, table: pa.Table, batch: int, enough: int) -> pa.Table:
    plan = tree.plan
    rows, keys = table.select(plan.reads), list(plan.by)
    assert plan.clock is not None
    if tree.split == "overlap":
        longest = max(query.even.range for query in plan.rules)
        rows = _chunked(rows, plan.clock.column, tree.chunk, longest)
        keys.append(CHUNK)
    rows = _sorted(rows, [*keys, plan.clock.column])
    schema = _result_schema(tree, table)
    return _run("slide_rows", tree, list(plan.by), rows, schema, batch, enough)


def _native(tree: Tree, table: pa.Table) -> pa.Table:
    """The slices that SQL would make, by plain Python: one row per key and pane."""
    combs = shared_combs(tree.plan.slicer, [q.even for q in tree.plan.rules])
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        at = row["at"]
        pane = max(at - (at - comb.phase) % comb.period for comb in combs)
        groups.setdefault((*(row[k] for k in tree.plan.by), pane), []).append(row)
    columns = {slot: name for (name, _), slot in tree.slots.columns.items()}
    masks = {slot: name for name, slot in tree.slots.masks.items()}
    fields = partial_fields(tree.request, tree.slots)
    slices = []
    for group, rows in groups.items():
        entry = dict(zip([f"k{i}" for i in range(len(group) - 1)], group, strict=False))
        entry["pane"] = group[-1]
        for part in tree.request.product.parts:
            names = [masks[slot] for slot in part.request.masks]
            valid = [r for r in rows if all(r[name] is not None for name in names)]
            value = columns[part.request.slots[0]] if part.request.slots else None
            for field in fields[part.offset : part.stop]:
                entry |= _field(part.request.aggregate.name, field, valid, value)
        slices.append(entry)
    return pa.Table.from_pylist(slices, _pane_schema(tree, table))


def _field(
    name: str, field: Any, rows: list[dict[str, Any]], value: str | None
) -> dict[str, Any]:
    """The columns of one field over the valid rows of a slice."""
    if name == "count":
        return {field.name: len(rows)}
    best = None
    if rows:
        best = {
            "first": lambda: rows[0],
            "last": lambda: rows[-1],
            "arg_min": lambda: min(rows, key=lambda row: row[value]),
            "arg_max": lambda: max(rows, key=lambda row: row[value]),
        }[name]()
    if field.payloads:
        pairs = zip(field.columns, field.payloads, strict=True)
        return {column: best and best[of] for column, of in pairs}
    return {field.name: best and best[value]}


def _fold(tree: Tree, table: pa.Table, batch: int, enough: int, parts: int) -> pa.Table:
    """The slices of our kernel, from parts of the rows."""
    rows = table.select(tree.plan.reads)
    turns = [range(i, len(rows), parts) for i in range(parts)]
    pieces = [rows.take(pa.array(turn, pa.int64())) for turn in turns]
    by, schema = list(tree.plan.by), _pane_schema(tree, table)
    return pa.concat_tables(
        _run("fold_rows", tree, by, piece, schema, batch, enough) for piece in pieces
    )


def _pane_schema(tree: Tree, table: pa.Table) -> pa.Schema:
    plan, keys = tree.plan, [f"k{i}" for i in range(len(tree.plan.by))]
    names = [
        (key, table.schema.field(n).type) for key, n in zip(keys, plan.by, strict=True)
    ]
    for field in partial_fields(tree.request, tree.slots):
        for name, of in zip(
            field.columns, field.payloads or (field.ranked,), strict=True
        ):
            kind = ARROW[field.dtype] if of is None else table.schema.field(of).type
            names.append((name, kind))
    return pa.schema([*names[: len(keys)], ("pane", pa.int64()), *names[len(keys) :]])


def _run(
    step: str,
    tree: Tree,
    by: Sequence[str],
    rows: pa.Table,
    schema: pa.Schema,
    batch: int,
    enough: int,
) -> pa.Table:
    task = Task(step, tree, tuple(by), tuple(rows.column_names), schema, enough)
    batches = rows.combine_chunks().to_batches(max_chunksize=batch)
    return pa.Table.from_batches(list(task(batches)), schema)


def _result_schema(tree: Tree, table: pa.Table) -> pa.Schema:
    keys = [(f"k{i}", table.schema.field(n).type) for i, n in enumerate(tree.plan.by)]
    bounds = [("q", pa.int32()), ("start", pa.int64()), ("end", pa.int64())]
    results = [(f"r{i}", bound.result) for i, bound in enumerate(tree.plan.calls)]
    return pa.schema([*keys, *bounds, *results])


def _chunked(rows: pa.Table, time: str, length: int, reach: int) -> pa.Table:
    """Each row once for every chunk in which a window over it may begin."""
    places, chunks = [], []
    for i, at in enumerate(rows.column(time).cast(pa.int64()).to_pylist()):
        for chunk in range((at - reach + 1) // length, at // length + 1):
            places.append(i)
            chunks.append(chunk)
    rows = rows.take(pa.array(places, pa.int64()))
    return rows.append_column(CHUNK, pa.array(chunks, pa.int64()))


def _sorted(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """The rows sorted by those columns, nulls first, as by Spark."""
    columns = [rows.column(name).to_pylist() for name in names]
    order = sorted(
        range(len(rows)),
        key=lambda i: [
            (c[i] is not None, 0 if c[i] is None else c[i]) for c in columns
        ],
    )
    return rows.take(pa.array(order, pa.int64()))
