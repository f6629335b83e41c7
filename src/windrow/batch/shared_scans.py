"""Several count windows in one pass, over the scans of one graph.

rows --fold--> panes --graph--> results of all windows that share
                 |-----------> results of each that does not
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.algorithms import slide_regular
from windrow.graph import slide_graph
from windrow.plan.sharing import Sharing, choice_alone
from windrow.slicing import fold
from windrow.windows import Rule

from .assemble import Answer
from .job import Job, nth

Array = np.ndarray[Any, Any]


def graphed(job: Job, sharing: Sharing) -> list[Answer]:
    """The windows of each query, run by run."""
    stream, queries = job.stream, job.plan.rules
    source, firsts, lasts, leaf = _inputs(job, sharing.unit)
    unit, product = sharing.unit, job.asked.product
    windows = [
        (query.even.range // unit, query.even.slide // unit) for query in queries
    ]
    shared = [windows[number] for number in sharing.graphed]
    found = slide_graph(product, source, firsts, lasts, shared, leaf=leaf)
    outs = dict(zip(sharing.graphed, found, strict=True))
    for number in sharing.alone:
        width, step = windows[number]
        choice = choice_alone(product, queries[number], unit)
        outs[number] = slide_regular(
            choice.algorithm, product, source, firsts, lasts, width, step, leaf=leaf
        )
    lengths = stream.lasts - stream.firsts
    return [
        _answer(job, query, lengths, outs[number])
        for number, query in enumerate(queries)
    ]


def _inputs(job: Job, unit: int) -> tuple[tuple[Array, ...], Array, Array, str]:
    """Rows, or panes of `unit` rows; a run's last rows that fill none are left out."""
    stream = job.stream
    if unit == 1:
        return job.arrays, stream.firsts, stream.lasts, "rows"
    counts = (stream.lasts - stream.firsts) // unit
    starts = np.repeat(stream.firsts, counts) + nth(counts) * unit
    panes = fold(job.asked.product, job.arrays, starts, starts + unit)
    lasts = np.cumsum(counts)
    return panes, lasts - counts, lasts, "slices"


def _answer(job: Job, query: Rule, lengths: Array, out: tuple[Array, ...]) -> Answer:
    range_, slide, _ = query.even
    counts = np.maximum((lengths - range_) // slide + 1, 0)
    begins = nth(counts) * slide
    rows = np.empty(0, np.int64)
    if job.holistic:
        rows = np.repeat(job.stream.firsts, counts) + begins
    return Answer(
        query, begins, counts, rows, rows + range_ if len(rows) else rows, out
    )


__all__ = ["graphed"]
