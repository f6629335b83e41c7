"""Executing the plan of `wr.aggregate` in one process.

    table --order--> stream --cut, fold--> slices --frames, kernel--> windows --> table

All windows of a list share one ordering, one reading of the columns and one set of
slices; count windows also share their scans (`graphed.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_regular
from windrow.plan.plan import Plan
from windrow.slicing import fold

from .assemble import Answer, answer_columns, assemble
from .job import Job, nth, open_job
from .shared_scans import graphed
from .slices import cut_slices, slide_slices
from .sorted_rows import Stream

Array = np.ndarray[Any, Any]

Trim = Callable[[Stream, list[Answer]], list[Answer]]


def whole(_: Stream, answers: list[Answer]) -> list[Answer]:
    """Leave nothing out."""
    return answers


def aggregate(table: pa.Table, plan: Plan) -> pa.Table:
    """One row per key and window."""
    stream, answers, columns = answers_of(table, plan)
    return assemble(plan, stream, answers, columns)


def answers_of(
    table: pa.Table,
    plan: Plan,
    *,
    bare: bool = False,
    stream: Stream | None = None,
    trim: Trim = whole,
) -> tuple[Stream, list[Answer], list[list[pa.Array]]]:
    """The results of each query, one Arrow column per call.

    With `bare` nobody asks where windows begin, and regular ones do not say.  A
    table that stands in stream order comes with its `stream`.  `trim` leaves out
    windows before their results are turned into columns.
    """
    job, read = open_job(table, plan, bare, stream)
    sharing = plan.sharing(job.asked.product) if job.asked.calls else None
    if sharing is not None and sharing.unit:
        answers = graphed(job, sharing)
    elif plan.regular and sharing is None:
        answers = [_regular(job)]
    else:
        answers = slide_slices(job, cut_slices(job))
    answers = trim(job.stream, answers)
    job.drop_times()
    job.drop_rows()
    columns = [
        answer_columns(table, job.stream, plan.calls, read, job.asked, one)
        for one in answers
    ]
    return job.stream, answers, columns


def _regular(job: Job) -> Answer:
    """One count window, its bounds by arithmetic."""
    plan, stream, product = job.plan, job.stream, job.asked.product
    query = plan.rules[0]
    range_, slide, _ = query.even
    lengths = stream.lasts - stream.firsts
    counts = np.maximum((lengths - range_) // slide + 1, 0)
    begins = rows = np.empty(0, np.int64)
    if not job.bare or range_ % slide or job.holistic:
        begins = nth(counts) * slide
        rows = np.repeat(stream.firsts, counts) + begins
    if not job.asked.calls:
        return Answer(query, begins, counts, rows, rows + range_, ())
    algorithm = plan.choice(query, product).algorithm
    tails: tuple[Array, ...] = ()
    if slide == 1:
        where, firsts, lasts, width = job.arrays, stream.firsts, stream.lasts, range_
        leaf = "rows"
    else:
        width = range_ // slide
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        where, firsts, leaf = slices.partials, slices.runs[:-1], "slices"
        lasts = firsts + np.where(counts > 0, counts + width - 1, 0)
        if range_ % slide:
            tails = fold(product, job.arrays, rows + width * slide, rows + range_)
    out = slide_regular(
        algorithm,
        product,
        where,
        firsts,
        lasts,
        width,
        leaf=leaf,
        tails=tails,
        chunk=plan.chunk,
    )
    return Answer(query, begins, counts, rows, rows + range_, out)


__all__ = [
    "Trim",
    "aggregate",
    "answers_of",
    "whole",
]
