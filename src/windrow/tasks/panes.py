"""Windows over slices that were folded elsewhere.

A table of slices has the keys, `pane` (the instant at which the slice begins) and
the columns of the partial, sorted by key and pane.  A slice may come in several
pieces, made in several places: they are folded into one first.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Trim, whole
from windrow.batch.assemble import Answer
from windrow.batch.fold_rows import PANE
from windrow.batch.job import Job
from windrow.batch.partials import (
    PartialField,
    Partials,
    partial_columns,
    read_partials,
)
from windrow.batch.runs import run_bounds
from windrow.batch.slices import Slices, slide_slices
from windrow.batch.sorted_rows import Stream
from windrow.plan.plan import Plan
from windrow.plan.requests import Asked
from windrow.slicing import fold

Array = np.ndarray[Any, Any]


def pane_slices(
    table: pa.Table, by: tuple[str, ...], asked: Asked, fields: list[PartialField]
) -> tuple[Partials, Stream, Slices]:
    """The slices of a sorted table, each once, run by run."""
    partials = read_partials(asked, fields, table)
    firsts, lasts = run_bounds(table, by)
    times = table.column(PANE).combine_chunks().to_numpy()
    keys = table.select(list(by)).take(pa.array(firsts)) if by else pa.table({})
    again = np.zeros(len(times), bool)
    again[1:] = times[1:] == times[:-1]
    again[firsts] = False
    arrays = partials.arrays
    if again.any():
        starts = np.flatnonzero(~again)
        stops = np.append(starts[1:], len(times))
        arrays = fold(asked.product, arrays, starts, stops, leaf="slices")
        times = times[starts]
        before = np.concatenate([[0], np.cumsum(~again)])
        firsts, lasts = before[firsts], before[lasts]
    edges = np.arange(len(times) + 1)
    runs = np.append(firsts, len(times))
    stream = Stream(None, firsts, lasts, keys, times)
    return partials, stream, Slices(edges, runs, arrays)


def pane_answers(
    table: pa.Table,
    plan: Plan,
    asked: Asked,
    fields: list[PartialField],
    trim: Trim = whole,
) -> tuple[Stream, list[Answer], list[list[pa.Array]]]:
    """The windows over a table of slices, and one Arrow column per call for each."""
    partials, stream, slices = pane_slices(table, plan.by, asked, fields)
    job = Job(plan, stream, (), asked, bare=False)
    answers = trim(stream, slide_slices(job, slices))
    columns = [
        partial_columns(plan.calls, asked, partials, answer.out) for answer in answers
    ]
    return replace(stream, times=None), answers, columns
