"""Merges windows longer than a chunk of time from sashes, their parts in each chunk.

    chunks    |   c       |   c + 1   |   c + 2   |
    window          |-----|-----------|----|
                    opening   total     closing       (lcs, chunk, csa in PBA's words)

`chunk_sashes` reads the slices of one chunk at a time.  It yields a sash for each
window that opens or closes in it, and the chunk's total for every chunk in which a
window over all of it opens.  They are sent `to` the chunk in which the window opens,
where `merge_sashes` combines them:

    window == opening . totals of the chunks between . closing

`part`, the number of the chunk, keeps the sashes of a window in stream order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.batch.columns import run_bounds
from windrow.batch.partials import (
    PartialField,
    Partials,
    partial_columns,
    read_partials,
    write_partials,
)
from windrow.plan.requests import KernelRequest
from windrow.plan.resolve import Resolved
from windrow.slicing import fold
from windrow.windows import Rule
from windrow.windows.frames import frames

from .panes import pane_slices
from .sweep import WindowRows, whole_runs

Array = np.ndarray[Any, Any]

TO, PART, QUERY, BEGIN = "to", "part", "query", "begin"
TOTAL = -(2**63)  # in `begin`: a chunk's total, sorted before all windows


def chunk_sashes(
    batches: Iterable[pa.RecordBatch],
    resolved: Resolved,
    chunk: str,
    length: int,
    fields: list[PartialField],
    *,
    enough: int,
) -> Iterator[pa.Table]:
    """Make sashes and totals from slices sorted by keys, chunk and pane."""
    for table in whole_runs(batches, (*resolved.plan.by, chunk), enough):
        yield from _sashes(table, resolved, chunk, length, fields)


def _sashes(
    table: pa.Table,
    resolved: Resolved,
    chunk: str,
    length: int,
    fields: list[PartialField],
) -> Iterator[pa.Table]:
    plan, request = resolved.plan, resolved.request
    by = (*plan.by, chunk)
    partials, stream, slices = pane_slices(table, by, request, fields)
    assert slices.partials is not None
    numbers = stream.keys.column(chunk).to_numpy()
    keys = stream.keys.select(list(plan.by))
    totals = fold(
        request.product,
        slices.partials,
        slices.runs[:-1],
        slices.runs[1:],
        leaf="slices",
    )
    for index, rule in enumerate(plan.rules):
        frame = frames(rule, stream.times, slices.edges, slices.runs)
        runs = np.repeat(np.arange(len(numbers)), frame.counts)
        opens = frame.begins // length
        closes = (frame.begins + rule.longest - 1) // length
        is_sash = (numbers[runs] == opens) | (numbers[runs] == closes)
        out = slide_arrays(
            resolved.algorithm(index),
            request.product,
            slices.partials,
            frame.starts[is_sash],
            frame.stops[is_sash],
            leaf="slices",
            raw=True,
        )
        runs, to, begins = runs[is_sash], opens[is_sash], frame.begins[is_sash]
        head = _head(keys, runs, to, numbers[runs], index, begins)
        yield pa.table({**head, **write_partials(partials, out)})
        runs, to = _spans(numbers, rule, length)
        begins = np.full(len(runs), TOTAL)
        head = _head(keys, runs, to, numbers[runs], index, begins)
        out = tuple(field[runs] for field in totals)
        yield pa.table({**head, **write_partials(partials, out)})


def _head(
    keys: pa.Table, runs: Array, to: Array, part: Array, query: int, begins: Array
) -> dict[str, Any]:
    keys = keys.take(pa.array(runs))
    return {
        **{name: keys.column(name) for name in keys.column_names},
        TO: pa.array(to),
        PART: pa.array(part),
        QUERY: pa.array(np.full(len(runs), query, np.int32)),
        BEGIN: pa.array(begins),
    }


def _spans(numbers: Array, rule: Rule, length: int) -> tuple[Array, Array]:
    """The earlier chunks in which a window over all of a run opens, for each run."""
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
    """Merge windows from sashes sorted by keys, `to`, `query`, `begin`, `part`."""
    for table in whole_runs(batches, (*resolved.plan.by, TO), enough):
        yield from _merge(table, resolved, length, fields)


def _merge(
    table: pa.Table,
    resolved: Resolved,
    length: int,
    fields: list[PartialField],
) -> Iterator[WindowRows]:
    plan, request = resolved.plan, resolved.request
    firsts, _ = run_bounds(table, (*plan.by, TO))
    keys = table.select(list(plan.by)).take(pa.array(firsts))
    run = np.zeros(len(table), np.int64)
    run[firsts[1:]] = 1
    run = np.cumsum(run)
    query, begin = (_ints(table, name) for name in (QUERY, BEGIN))
    to, part = (_ints(table, name) for name in (TO, PART))
    partials = read_partials(request, fields, table)
    total = begin == TOTAL
    for index, rule in enumerate(plan.rules):
        sash = np.flatnonzero(~total & (query == index))
        middle = np.flatnonzero(total & (query == index))
        middles = _middles(partials, request, rule, length, middle, run, to, part)
        pairs = zip((run, begin, part, *partials.arrays), middles, strict=True)
        runs, begins, parts, *arrays = (
            np.concatenate([array[sash], extra]) for array, extra in pairs
        )
        order = np.lexsort((parts, begins, runs))
        runs, begins = runs[order], begins[order]
        is_first = np.ones(len(runs), bool)
        is_first[1:] = (runs[1:] != runs[:-1]) | (begins[1:] != begins[:-1])
        starts = np.flatnonzero(is_first)
        stops = np.append(starts[1:], len(runs))
        out = slide_arrays(
            find_algorithm("recompute"),
            request.product,
            tuple(array[order] for array in arrays),
            starts,
            stops,
            leaf="slices",
        )
        columns = partial_columns(plan.calls, request, partials, out)
        ends = begins[starts] + rule.longest
        yield WindowRows(rule, runs[starts], keys, begins[starts], ends, columns)


def _middles(
    partials: Partials,
    request: KernelRequest,
    rule: Rule,
    length: int,
    middle: Array,
    run: Array,
    to: Array,
    part: Array,
) -> tuple[Array, ...]:
    """Run, begin, part and partial of the middle of every window that has one.

    The middle is all chunks between opening and closing.  The windows of a chunk close
    in one of two chunks, so that at most two middles are folded for each chunk.
    """
    none = np.empty(0, np.int64)
    middles = [(none, none, none, *(array[:0] for array in partials.arrays))]
    for totals in np.split(middle, np.flatnonzero(np.diff(run[middle])) + 1):
        if not len(totals):
            continue
        rows = totals[np.argsort(part[totals], kind="stable")]
        chunk = int(to[rows[0]])
        base = chunk * length
        first = rule.last_over(base - 1) + 1
        begins = rule.begin(np.arange(first, rule.last_over(base + length - 1) + 1))
        closes = (begins + rule.longest - 1) // length
        source = tuple(array[rows] for array in partials.arrays)
        for close in np.unique(closes):
            inside = int(np.searchsorted(part[rows], close))
            if not inside:
                continue
            windows = begins[closes == close]
            bounds = np.zeros(1, int), np.array([inside])
            partial = fold(request.product, source, *bounds, leaf="slices")
            count = len(windows)
            head = np.full(count, run[rows[0]]), windows, np.full(count, chunk + 1)
            middles.append((*head, *(np.repeat(field, count) for field in partial)))
    return tuple(np.concatenate(arrays) for arrays in zip(*middles, strict=True))


def _ints(table: pa.Table, name: str) -> Array:
    values: Array = table.column(name).combine_chunks().to_numpy()
    return values.astype(np.int64, copy=False)


__all__ = ["chunk_sashes", "merge_sashes"]
