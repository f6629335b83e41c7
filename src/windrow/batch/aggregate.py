"""Executes a resolved plan of `wr.aggregate` over a table in one process.

    table --order--> stream --cut, fold--> slices --frames, kernel--> windows --> table

All windows of a list share one ordering, one reading of the columns and one set of
slices; count windows may also share the scans of one graph:

    rows --fold--> panes --graph--> results of all windows that share
                     |-----------> results of each that does not
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import slide_regular
from windrow.graph import slide_graph
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Facts, Resolved
from windrow.slicing import fold
from windrow.windows import Rule

from .assemble import Answer, answer_columns, assemble
from .kernel_inputs import facts_of, read_inputs
from .slices import Job, cut_slices, nth, slide_slices
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]

Trim = Callable[[SortedRows, list[Answer]], list[Answer]]
Solved = tuple[SortedRows, list[Answer], list[list[pa.Array]]]
"""Rows in order, the answer of each rule, and one Arrow column per call for each."""


def keep_all(_: SortedRows, answers: list[Answer]) -> list[Answer]:
    """Keep every window."""
    return answers


@dataclass(frozen=True)
class WindowJob:
    """The rows of a table in stream order, ready for a plan to be resolved."""

    table: pa.Table
    plan: Plan
    stream: SortedRows

    @property
    def facts(self) -> Facts:
        """The facts about the rows that complete the plan."""
        return facts_of(
            self.table, self.stream, self.table.column_names, self.plan.sums
        )

    def run(self, resolved: Resolved) -> pa.Table:
        """One row per key and window."""
        return assemble(self.plan, *solve_windows(self.table, resolved, self.stream))


def open_windows(table: pa.Table, plan: Plan) -> WindowJob:
    """Put the rows of a table in stream order."""
    stream = sort_rows(table, plan.by, plan.clock, plan.ties)
    return WindowJob(table, plan, stream)


def solve_windows(
    table: pa.Table,
    resolved: Resolved,
    stream: SortedRows,
    *,
    bare: bool = False,
    trim: Trim = keep_all,
) -> Solved:
    """The results of each rule over rows in stream order.

    With `bare` the starts of even windows are not computed.  `trim` removes windows
    before their results are turned into columns.
    """
    plan = resolved.plan
    check_room(stream.times, 0 if plan.counts_rows else plan.longest)
    inputs = read_inputs(table, stream, resolved.slots)
    job = Job(resolved, stream, inputs.arrays, bare)
    if resolved.way == "graph":
        answers = slide_shared(job)
    elif resolved.way == "even":
        answers = [_slide_even(job)]
    else:
        answers = slide_slices(job, cut_slices(job))
    answers = trim(job.stream, answers)
    job.drop_times()
    job.drop_rows()
    columns = [
        answer_columns(
            table, job.stream, plan.calls, inputs.columns, resolved.request, answer
        )
        for answer in answers
    ]
    return job.stream, answers, columns


def _slide_even(job: Job) -> Answer:
    """Slide one count window, whose bounds are arithmetic."""
    plan, stream, product = job.plan, job.stream, job.product
    rule = plan.rules[0]
    range_, slide, _ = rule.even
    lengths = stream.lasts - stream.firsts
    counts = np.maximum((lengths - range_) // slide + 1, 0)
    begins = rows = np.empty(0, np.int64)
    if not job.bare or range_ % slide or job.resolved.is_holistic:
        begins = nth(counts) * slide
        rows = np.repeat(stream.firsts, counts) + begins
    if not job.resolved.request.calls:
        return Answer(rule, begins, counts, rows, rows + range_, ())
    tails: tuple[Array, ...] = ()
    if slide == 1:
        source, firsts, lasts, width = job.arrays, stream.firsts, stream.lasts, range_
        leaf = "rows"
    else:
        width = range_ // slide
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        source, firsts, leaf = slices.partials, slices.runs[:-1], "slices"
        lasts = firsts + np.where(counts > 0, counts + width - 1, 0)
        if range_ % slide:
            tails = fold(product, job.arrays, rows + width * slide, rows + range_)
    out = slide_regular(
        job.resolved.algorithm(0),
        product,
        source,
        firsts,
        lasts,
        width,
        leaf=leaf,
        tails=tails,
        chunk=plan.chunk,
    )
    return Answer(rule, begins, counts, rows, rows + range_, out)


def slide_shared(job: Job) -> list[Answer]:
    """Slide the count windows of several rules over shared scans."""
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
    """Rows, or full panes of `unit` rows, with the bounds and the kind of both."""
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


__all__ = [
    "Solved",
    "Trim",
    "WindowJob",
    "keep_all",
    "open_windows",
    "slide_shared",
    "solve_windows",
]
