"""Several count windows in one pass, over the scans of one graph.

rows --fold--> panes --graph--> results of all windows that share
                 |-----------> results of each that does not
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.algorithms import slide_regular
from windrow.graph import slide_graph
from windrow.slicing import fold
from windrow.windows import Rule

from .assemble import Answer
from .job import Job, nth

Array = np.ndarray[Any, Any]


def slide_shared(job: Job) -> list[Answer]:
    """The windows of each rule, run by run."""
    stream, rules, sharing = job.stream, job.plan.rules, job.resolved.sharing
    assert sharing is not None
    source, firsts, lasts, leaf = _inputs(job, sharing.unit)
    unit, product = sharing.unit, job.product
    windows = [(rule.even.range // unit, rule.even.slide // unit) for rule in rules]
    shared = [windows[number] for number in sharing.graphed]
    results = slide_graph(product, source, firsts, lasts, shared, leaf=leaf)
    outs = dict(zip(sharing.graphed, results, strict=True))
    for number in sharing.alone:
        width, step = windows[number]
        algorithm = job.resolved.algorithm(number)
        outs[number] = slide_regular(
            algorithm, product, source, firsts, lasts, width, step, leaf=leaf
        )
    lengths = stream.lasts - stream.firsts
    return [
        _answer(job, rule, lengths, outs[number]) for number, rule in enumerate(rules)
    ]


def _inputs(job: Job, unit: int) -> tuple[tuple[Array, ...], Array, Array, str]:
    """Rows, or panes of `unit` rows; a run's last rows that fill none are left out."""
    stream = job.stream
    if unit == 1:
        return job.arrays, stream.firsts, stream.lasts, "rows"
    counts = (stream.lasts - stream.firsts) // unit
    starts = np.repeat(stream.firsts, counts) + nth(counts) * unit
    panes = fold(job.product, job.arrays, starts, starts + unit)
    lasts = np.cumsum(counts)
    return panes, lasts - counts, lasts, "slices"


def _answer(job: Job, rule: Rule, lengths: Array, out: tuple[Array, ...]) -> Answer:
    range_, slide, _ = rule.even
    counts = np.maximum((lengths - range_) // slide + 1, 0)
    begins = nth(counts) * slide
    rows = np.empty(0, np.int64)
    if job.resolved.is_holistic:
        rows = np.repeat(job.stream.firsts, counts) + begins
    return Answer(rule, begins, counts, rows, rows + range_ if len(rows) else rows, out)


__all__ = ["slide_shared"]
