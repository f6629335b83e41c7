"""Slides windows over tables of slices that other tasks have folded.

A table of slices has the keys, `pane` (the instant at which the slice begins) and the
columns of the partial, sorted by key and pane.  Several tasks may send the same slice:
its partials are folded into one first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.batch.aggregate import Solved, Trim
from windrow.batch.columns import run_bounds
from windrow.batch.partials import (
    PANE,
    PartialField,
    Partials,
    partial_columns,
    read_partials,
)
from windrow.batch.slices import Job, Slices, slide_slices
from windrow.batch.sorted_rows import SortedRows
from windrow.plan.requests import KernelRequest
from windrow.plan.resolve import Resolved
from windrow.slicing import fold

from .sweep import WindowRows

Array = np.ndarray[Any, Any]


def pane_slices(
    table: pa.Table,
    by: tuple[str, ...],
    request: KernelRequest,
    fields: list[PartialField],
) -> tuple[Partials, SortedRows, Slices]:
    """The slices of a sorted table, each once, run by run."""
    partials = read_partials(request, fields, table)
    firsts, lasts = run_bounds(table, by)
    times = table.column(PANE).combine_chunks().to_numpy()
    keys = table.select(list(by)).take(pa.array(firsts)) if by else pa.table({})
    is_same = np.zeros(len(times), bool)
    is_same[1:] = times[1:] == times[:-1]
    is_same[firsts] = False
    arrays = partials.arrays
    if is_same.any():
        starts = np.flatnonzero(~is_same)
        stops = np.append(starts[1:], len(times))
        arrays = fold(request.product, arrays, starts, stops, leaf="slices")
        times = times[starts]
        before = np.concatenate([[0], np.cumsum(~is_same)])
        firsts, lasts = before[firsts], before[lasts]
    edges = np.arange(len(times) + 1)
    runs = np.append(firsts, len(times))
    stream = SortedRows(None, firsts, lasts, keys, times)
    return partials, stream, Slices(edges, runs, arrays)


def solve_panes(
    table: pa.Table, resolved: Resolved, fields: list[PartialField], trim: Trim
) -> Solved:
    """The windows of each rule over a table of slices, with a column for each call."""
    plan, request = resolved.plan, resolved.request
    partials, stream, slices = pane_slices(table, plan.by, request, fields)
    job = Job(resolved, stream, ())
    answers = trim(stream, slide_slices(job, slices))
    columns = [
        partial_columns(plan.calls, request, partials, answer.out) for answer in answers
    ]
    return replace(stream, times=None), answers, columns


def lower_panes(
    table: pa.Table, resolved: Resolved, fields: list[PartialField]
) -> WindowRows:
    """Lower each slice as one window: they are the same where windows tumble."""
    plan, request = resolved.plan, resolved.request
    partials = read_partials(request, fields, table)
    rows = np.arange(len(table))
    out = slide_arrays(
        find_algorithm("recompute"),
        request.product,
        partials.arrays,
        rows,
        rows + 1,
        leaf="slices",
    )
    columns = partial_columns(plan.calls, request, partials, out)
    begins = table.column(PANE).combine_chunks().to_numpy()
    (rule,) = plan.rules
    ends = rule.end(rule.last_over(begins))
    keys = table.select(list(plan.by))
    return WindowRows(rule, rows, keys, begins, ends, columns)


__all__ = ["lower_panes", "pane_slices", "solve_panes"]
