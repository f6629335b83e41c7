"""Windows longer than a chunk of time, from sashes: their fragments in each chunk.

    chunks    |   c       |   c + 1   |   c + 2   |
    window          |-----|-----------|----|
                    opening   total     closing       (lcs, chunk, csa in PBA's words)

`chunk_sashes` sees the slices of one chunk at a time and gives, for each window that
opens or closes in it, the sash, and the chunk's total once for every chunk in which
a window over it opens.  All of them go `to` the chunk in which the window opens;
`merge_sashes` puts them together there:

    window == opening . totals of the chunks between . closing

A chunk number in `part` keeps the sashes of a window in stream order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.batch.keys import run_bounds
from windrow.batch.partials import (
    PartialField,
    Partials,
    partial_columns,
    read_partials,
    write_partials,
)
from windrow.plan.requests import Asked
from windrow.plan.resolve import Resolved
from windrow.slicing import fold
from windrow.windows import Rule
from windrow.windows.frames import frames

from .panes import pane_slices
from .sweep import WindowRows, whole_runs

Array = np.ndarray[Any, Any]

TO, PART, QUERY, BEGIN = "to", "part", "query", "begin"
TOTAL = -(2**63)  # in `begin`: this is a chunk's total, sorted before all windows


def chunk_sashes(
    batches: Iterable[pa.RecordBatch],
    resolved: Resolved,
    chunk: str,
    length: int,
    fields: list[PartialField],
    *,
    enough: int,
) -> Iterator[pa.Table]:
    """Sashes and totals from slices sorted by keys, chunk and pane."""
    for table in whole_runs(batches, (*resolved.plan.by, chunk), enough):
        yield from _sashes(table, resolved, chunk, length, fields)


def _sashes(
    table: pa.Table,
    resolved: Resolved,
    chunk: str,
    length: int,
    fields: list[PartialField],
) -> Iterator[pa.Table]:
    plan, asked = resolved.plan, resolved.asked
    by = (*plan.by, chunk)
    partials, stream, slices = pane_slices(table, by, asked, fields)
    assert slices.partials is not None
    numbers = stream.keys.column(chunk).to_numpy()
    keys = stream.keys.select(list(plan.by))
    totals = fold(
        asked.product, slices.partials, slices.runs[:-1], slices.runs[1:], leaf="slices"
    )
    for index, rule in enumerate(plan.rules):
        frame = frames(rule, stream.times, slices.edges, slices.runs)
        runs = np.repeat(np.arange(len(numbers)), frame.counts)
        opens = frame.begins // length
        closes = (frame.begins + rule.longest - 1) // length
        mine = (numbers[runs] == opens) | (numbers[runs] == closes)
        out = slide_arrays(
            resolved.algorithm(index),
            asked.product,
            slices.partials,
            frame.starts[mine],
            frame.stops[mine],
            leaf="slices",
            raw=True,
        )
        runs = runs[mine]
        head = _head(keys, runs, opens[mine], numbers[runs], index, frame.begins[mine])
        yield pa.table({**head, **write_partials(partials, out)})
        runs, to = _spans(numbers, rule, length)
        begins = np.full(len(runs), TOTAL)
        head = _head(keys, runs, to, numbers[runs], index, begins)
        taken = tuple(field[runs] for field in totals)
        yield pa.table({**head, **write_partials(partials, taken)})


def _head(
    keys: pa.Table, runs: Array, to: Array, part: Array, query: int, begins: Array
) -> dict[str, Any]:
    taken = keys.take(pa.array(runs))
    return {
        **{name: taken.column(name) for name in keys.column_names},
        TO: pa.array(to),
        PART: pa.array(part),
        QUERY: pa.array(np.full(len(runs), query, np.int32)),
        BEGIN: pa.array(begins),
    }


def _spans(numbers: Array, rule: Rule, length: int) -> tuple[Array, Array]:
    """For each run, the chunks before it in which a window over all of it opens."""
    # the last instant of a window that opens in chunk c: (c + 1) * length + range - 2
    most = (length + rule.longest - 2) // length
    runs = np.repeat(np.arange(len(numbers)), max(most - 1, 0))
    back = np.tile(np.arange(1, max(most, 1)), len(numbers))
    return runs, numbers[runs] - back


def merge_sashes(
    batches: Iterable[pa.RecordBatch],
    resolved: Resolved,
    length: int,
    fields: list[PartialField],
    *,
    enough: int,
) -> Iterator[WindowRows]:
    """Windows from sashes sorted by keys, `to`, `query`, `begin`, `part`."""
    for table in whole_runs(batches, (*resolved.plan.by, TO), enough):
        yield from _merge(table, resolved, length, fields)


def _merge(
    table: pa.Table,
    resolved: Resolved,
    length: int,
    fields: list[PartialField],
) -> Iterator[WindowRows]:
    plan, asked = resolved.plan, resolved.asked
    firsts, _ = run_bounds(table, (*plan.by, TO))
    keys = table.select(list(plan.by)).take(pa.array(firsts))
    run = np.zeros(len(table), np.int64)
    run[firsts[1:]] = 1
    run = np.cumsum(run)
    query, begin = (_ints(table, name) for name in (QUERY, BEGIN))
    to, part = (_ints(table, name) for name in (TO, PART))
    partials = read_partials(asked, fields, table)
    total = begin == TOTAL
    for index, rule in enumerate(plan.rules):
        sash = np.flatnonzero(~total & (query == index))
        middle = np.flatnonzero(total & (query == index))
        made = _middles(partials, asked, rule, length, middle, run, to, part)
        owner = np.concatenate([run[sash], made[0]])
        begins = np.concatenate([begin[sash], made[1]])
        parts = np.concatenate([part[sash], made[2]])
        arrays = tuple(
            np.concatenate([field[sash], extra])
            for field, extra in zip(partials.arrays, made[3], strict=True)
        )
        order = np.lexsort((parts, begins, owner))
        owner, begins = owner[order], begins[order]
        arrays = tuple(field[order] for field in arrays)
        new = np.ones(len(owner), bool)
        new[1:] = (owner[1:] != owner[:-1]) | (begins[1:] != begins[:-1])
        starts = np.flatnonzero(new)
        stops = np.append(starts[1:], len(owner))
        out = slide_arrays(
            find_algorithm("recompute"),
            asked.product,
            arrays,
            starts,
            stops,
            leaf="slices",
        )
        columns = partial_columns(plan.calls, asked, partials, out)
        ends = begins[starts] + rule.longest
        yield WindowRows(rule, owner[starts], keys, begins[starts], ends, columns)


def _middles(
    partials: Partials,
    asked: Asked,
    rule: Rule,
    length: int,
    middle: Array,
    run: Array,
    to: Array,
    part: Array,
) -> tuple[Array, Array, Array, tuple[Array, ...]]:
    """What lies between opening and closing, for every window that spans a total.

    The windows of a chunk close in one of two chunks, so there are at most two
    stretches of totals for each: all that came, or all but the last.
    """
    none = np.empty(0, np.int64)
    owners, begins, parts = [none], [none], [none]
    fields = [tuple(np.empty(0, array.dtype) for array in partials.arrays)]
    for came in np.split(middle, np.flatnonzero(np.diff(run[middle])) + 1):
        if not len(came):
            continue
        rows = came[np.argsort(part[came], kind="stable")]
        own = int(to[rows[0]])
        base = own * length
        first = rule.last_over(base - 1) + 1
        opened = rule.begin(np.arange(first, rule.last_over(base + length - 1) + 1))
        closes = (opened + rule.longest - 1) // length
        source = tuple(array[rows] for array in partials.arrays)
        for close in np.unique(closes):
            inside = int(np.searchsorted(part[rows], close))
            if not inside:
                continue
            mine = opened[closes == close]
            folded = fold(
                asked.product,
                source,
                np.zeros(1, int),
                np.array([inside]),
                leaf="slices",
            )
            owners.append(np.full(len(mine), run[rows[0]]))
            begins.append(mine)
            parts.append(np.full(len(mine), own + 1))
            fields.append(tuple(np.repeat(field, len(mine)) for field in folded))
    joined = tuple(np.concatenate(columns) for columns in zip(*fields, strict=True))
    return np.concatenate(owners), np.concatenate(begins), np.concatenate(parts), joined


def _ints(table: pa.Table, name: str) -> Array:
    values: Array = table.column(name).combine_chunks().to_numpy()
    return values.astype(np.int64, copy=False)


__all__ = ["chunk_sashes", "merge_sashes"]
