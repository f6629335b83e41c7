"""Executes a resolved plan of `wr.aggregate` over a table in one process.

    table --sort--> rows --cut, fold--> slices --frames, kernel--> windows --> table
    table --fold into cells (`cells.py`)--> slices --

All windows of a list share one ordering, one reading of the columns and one set of
slices; count windows may also share the scans of one graph:

    rows --fold--> panes --graph--> results of all windows that share
                     |-----------> results of each that does not

Rows are solved in parts, by as many threads as there are (`slicing/parts.py`); a part
is assembled where it is solved, and parts are chunks of the table that comes out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from windrow import graph
from windrow._later import dataclass
from windrow.algorithms import slide_regular
from windrow.loops import (
    arrays,
    in_threads,
    limited,
    ordinals,
    over_rows,
    spread,
    steadily,
)
from windrow.plan.aggregate import Plan
from windrow.plan.facts import Facts
from windrow.plan.requests import Read
from windrow.plan.resolved import Resolved
from windrow.plan.sharing import graph_lane
from windrow.slicing import Part, Runs, fold
from windrow.windows import Rule, is_gapless

from .assemble import Answer, answer_columns, assemble, join_tables
from .cells import NO_TEXTS, UnsortedRows
from .columns import Column
from .kernel_inputs import KernelInputs, prepare_parts, read_inputs, table_facts
from .slices import (
    Job,
    Slices,
    cut_slices,
    gapless_slices,
    slide_gapless,
    slide_slices,
)
from .sorted_rows import SortedRows, check_room, sort_rows

Array = np.ndarray[Any, Any]

Trim = Callable[[SortedRows, list[Answer]], list[Answer]]
Solved = tuple[SortedRows, list[Answer], list[list[pa.Array]]]
"""Rows in order, the answer of each rule, and one Arrow column per call for each."""
Result = TypeVar("Result")


def keep_all(_: SortedRows, answers: list[Answer]) -> list[Answer]:
    """Keep every window."""
    return answers


@dataclass(frozen=True)
class WindowJob:
    """Computes one row per key and window.

    Rows are `sorted` when they are asked for: not if they are folded into cells.
    """

    table: pa.Table
    plan: Plan
    threads: int
    unsorted: UnsortedRows | None

    @cached_property
    def rows(self) -> SortedRows:
        """The rows by key and time."""
        plan = self.plan
        numbers = None if self.unsorted is None else self.unsorted.keys
        order = plan.by, plan.clock, plan.ties
        return sort_rows(self.table, *order, threads=self.threads, numbers=numbers)

    @property
    def facts(self) -> Facts:
        """The facts that complete the plan; those of sorted rows where it asks."""
        if self.unsorted is None:
            return self._sorted_facts()
        known = table_facts(self.table, self.plan, len(self.table))
        known = self.unsorted.add_facts(replace(known, threads=self.threads))
        if self.unsorted.texts is not NO_TEXTS:
            return known  # such rows are folded into cells, or not at all
        return replace(known, after_sort=self._sorted_facts)

    def _sorted_facts(self) -> Facts:
        """What sorted rows tell: also whether time windows have gaps."""
        plan, rows = self.plan, self.rows
        run = len(rows) / max(len(rows.lengths), 1)
        longest = int(rows.lengths.max(initial=0))
        known = table_facts(self.table, plan, longest, run)
        known = replace(known, threads=self.threads)
        if len(plan.rules) > 1 or not plan.slicer.whole_windows:
            return known

        def gapless(some: slice) -> bool:
            """Whether a piece of the rows has no gap, nor one to the piece before."""
            part = rows.stretch(slice(max(some.start - 1, 0), some.stop))
            times = None if plan.counts_rows else part.times
            runs = part.firsts, part.lasts
            return is_gapless(plan.rules[0], times, *runs, rows.step)

        pieces = over_rows(gapless, len(rows), self.threads)
        return replace(known, gapless=all(pieces))

    def parts(self, resolved: Resolved) -> list[Part]:
        """The parts that threads take, which do not depend on how many there are.

        Of cells they are known only once rows have been folded.
        """
        return [] if resolved.cells is not None else self._parts(resolved, self.rows)

    def _parts(self, resolved: Resolved, rows: SortedRows) -> list[Part]:
        plan = self.plan
        times = None if plan.counts_rows else rows.times
        runs = Runs(rows.firsts, rows.lasts, times)
        if not resolved.cuts_runs:
            return runs.divide(None)
        return runs.ahead(plan.longest, math.lcm(*(rule.step for rule in plan.rules)))

    def run(self, resolved: Resolved) -> pa.Table:
        """The windows as a table."""

        def tables(rows: SortedRows, part: Part, solved: Solved) -> list[pa.Table]:
            if not part.is_stretch:
                return [assemble(self.plan, *solved)]
            run = rows.runs(part.runs)  # that the stretch is cut from
            pairs = zip(*solved[1:], strict=True)
            return [assemble(self.plan, run, [pair[0]], [pair[1]]) for pair in pairs]

        parts, results = self.solve(resolved, tables)
        ordered: list[tuple[int, int, pa.Table]] = [
            (part.runs.start, rule, table)
            for part, of_part in zip(parts, results, strict=True)
            for rule, table in enumerate(of_part)
        ]  # windows of a run come rule by rule, also those of its stretches
        ordered.sort(key=lambda entry: entry[:2])
        return join_tables([table for *_, table in ordered])

    def solve(
        self,
        resolved: Resolved,
        finish: Callable[[SortedRows, Part, Solved], Result],
        *,
        bare: bool = False,
    ) -> tuple[list[Part], list[Result]]:
        """What `finish` makes of each part, on as many threads as there are."""
        plan, threads = self.plan, resolved.threads(self.threads)
        with steadily(), limited(threads):
            rows, inputs = self._inputs(resolved, threads)
            check_room(rows.extremes, 0 if plan.counts_rows else plan.longest)
            parts = self._parts(resolved, rows) if resolved.divides else []
            in_one = bare and resolved.moves_by_row and len(rows.firsts) == 1
            if len(parts) < 2 or in_one:
                whole = Part(slice(0, len(rows.firsts)), slice(0, len(rows)))
                job = Job(resolved, rows, inputs.arrays, bare, parts, threads)
                solved = _solve(self.table, job, inputs.columns)
                return [whole], [finish(rows, whole, solved)]
            table = prepare_parts(self.table, rows, plan.calls)

            def solve(number: int) -> Result:
                part = parts[number]
                some, values = rows.part(part.runs, part.rows), inputs.part(part.rows)
                job = Job(resolved, some, values.arrays, bare and not part.is_stretch)
                trim = partial(_keep_own, part)
                return finish(rows, part, _solve(table, job, inputs.columns, trim))

            return parts, in_threads(solve, len(parts), threads)

    def _inputs(
        self, resolved: Resolved, threads: int
    ) -> tuple[SortedRows, KernelInputs]:
        """Sorted rows and their values; or cells in order, and their partials."""
        if resolved.cells is None:
            return self.rows, read_inputs(self.table, self.rows, resolved.slots)
        assert self.unsorted is not None
        slots, computed = resolved.slots, self.unsorted.texts.numbers
        inputs = read_inputs(self.table, None, slots, computed)
        work = resolved.product, inputs.arrays, slots, threads
        rows, partials = self.unsorted.fold(*work)
        return rows, replace(inputs, arrays=partials)


def open_windows(table: pa.Table, plan: Plan, threads: int) -> WindowJob:
    """A table for a plan, its rows not sorted yet."""
    unsorted = None
    if plan.by and plan.must_sort is None:
        unsorted = UnsortedRows(table, plan, threads)
    return WindowJob(table, plan, threads, unsorted)


def solve_windows(
    table: pa.Table, resolved: Resolved, rows: SortedRows, *, trim: Trim = keep_all
) -> Solved:
    """The results of each rule over sorted rows, by one thread, for a task.

    `trim` removes windows before their results are turned into columns.
    """
    plan = resolved.plan
    check_room(rows.extremes, 0 if plan.counts_rows else plan.longest)
    inputs = read_inputs(table, rows, resolved.slots)
    return _solve(table, Job(resolved, rows, inputs.arrays), inputs.columns, trim)


def _solve(
    table: pa.Table, job: Job, read: Mapping[Read, Column], trim: Trim = keep_all
) -> Solved:
    """The results of each rule over the rows of a job."""
    resolved = job.resolved
    if resolved.way == "graph":
        answers = slide_shared(job)
    elif resolved.way == "even":
        answers = [_slide_even(job)]
    elif resolved.cells is not None:
        runs = np.append(job.rows.firsts, len(job.rows))
        answers = slide_slices(job, Slices(None, runs, job.arrays))
    else:
        answers = slide_slices(job, cut_slices(job))
    answers = trim(job.rows, answers)
    job.drop_times()
    job.drop_arrays()
    calls, request = resolved.plan.calls, resolved.request
    columns = [
        answer_columns(table, job.rows, calls, read, request, answer)
        for answer in answers
    ]
    return job.rows, answers, columns


def _keep_own(part: Part, _: SortedRows, answers: list[Answer]) -> list[Answer]:
    """The windows of a part that begin in its stretch, if it is one."""
    return [_own(part, answer) for answer in answers] if part.is_stretch else answers


def _own(part: Part, answer: Answer) -> Answer:
    """Windows of a run stand one behind the other: those of a stretch are a slice."""
    rule, begins = answer.rule, answer.begins
    assert rule is not None
    if rule.counts_rows and part.since is not None:
        begins += part.since  # places were counted from the stretch on
    low, high = 0, len(begins)
    if part.since is not None:
        low = int(np.searchsorted(begins, part.since))
    if part.until is not None:
        high = int(np.searchsorted(begins, part.until))
    windows = slice(low, max(low, high))
    counts = np.array([windows.stop - low])
    return replace(replace(answer, begins=begins).part(windows), counts=counts)


def _slide_even(job: Job) -> Answer:
    """Slide one window, whose bounds are arithmetic."""
    rows, rule = job.rows, job.plan.rules[0]
    if not rule.is_complete:
        return slide_gapless(job, 0, gapless_slices(job, rule))
    range_, slide, _ = rule.even
    answer = _even_windows(job, rule, has_tails=range_ % slide > 0)
    if not job.resolved.request.calls:
        return answer
    tails: tuple[Array, ...] = ()
    if slide == 1:
        source, firsts, lasts, width = job.arrays, rows.firsts, rows.lasts, range_
        leaf = "rows"
    else:
        width = range_ // slide
        slices = cut_slices(job, always=True)
        assert slices.partials is not None
        source, firsts, leaf = slices.partials, slices.runs[:-1], "slices"
        lasts = firsts + np.where(answer.counts > 0, answer.counts + width - 1, 0)
        if range_ % slide:
            starts, stops = answer.row_starts + width * slide, answer.row_stops
            tails = fold(job.resolved.product, job.arrays, starts, stops)
    choice = job.resolved.choice(0)
    if len(job.parts) > 1:
        return replace(answer, out=_slide_stretches(job, range_))
    out = slide_regular(
        choice.algorithm,
        job.resolved.product,
        source,
        firsts,
        lasts,
        width,
        leaf=leaf,
        tails=tails,
        chunk=job.resolved.chunk,
        lane=choice.lane,
    )
    return replace(answer, out=out)


def _slide_stretches(job: Job, range_: int) -> tuple[Array, ...]:
    """Slide a window by one row over the stretches of one run, into one array.

    To one thread they are runs of one call: between two calls Python's own memory has
    left the cache.
    """
    choice, product = job.resolved.choice(0), job.resolved.product
    windows = len(job.rows) - range_ + 1
    out = arrays(product.out_dtypes, windows)
    how: dict[str, Any] = {"chunk": job.resolved.chunk, "lane": choice.lane}
    cuts = [part.since for part in job.parts[1:] if part.since is not None]
    bounds = np.minimum([0, *cuts, windows], windows)

    def slide(number: int) -> None:
        some = bounds[number : number + 2] if job.threads > 1 else bounds
        own = tuple(array[some[0] : some[-1]] for array in out)
        runs = some[:-1], some[1:] + range_ - 1
        work = choice.algorithm, product, job.arrays, *runs, range_
        slide_regular(*work, **how, out=own)

    in_threads(slide, len(bounds) - 1 if job.threads > 1 else 1, job.threads)
    return out


def slide_shared(job: Job) -> list[Answer]:
    """Slide the count windows of several rules over shared scans."""
    rules, sharing = job.plan.rules, job.resolved.sharing
    assert sharing is not None
    source, firsts, lasts, leaf = _inputs(job, sharing.unit)
    unit, product = sharing.unit, job.resolved.product
    windows = [(rule.even.range // unit, rule.even.slide // unit) for rule in rules]
    shared = [windows[number] for number in sharing.graphed]
    inputs, lane = (source, firsts, lasts), graph_lane(job.plan)
    results = graph.slide_graph(product, *inputs, shared, leaf=leaf, lane=lane)
    outs = dict(zip(sharing.graphed, results, strict=True))
    for number in sharing.alone:
        width, step = windows[number]
        choice = job.resolved.choice(number)
        work = choice.algorithm, product, source, firsts, lasts, width, step
        outs[number] = slide_regular(*work, leaf=leaf, lane=choice.lane)
    return [
        replace(_even_windows(job, rule), out=outs[number])
        for number, rule in enumerate(rules)
    ]


def _inputs(job: Job, unit: int) -> tuple[tuple[Array, ...], Array, Array, str]:
    """Rows, or full panes of `unit` rows, with the bounds and the kind of both."""
    rows = job.rows
    if unit == 1:
        return job.arrays, rows.firsts, rows.lasts, "rows"
    counts = rows.lengths // unit
    starts = np.repeat(rows.firsts, counts) + ordinals(counts) * unit
    panes = fold(job.resolved.product, job.arrays, starts, starts + unit)
    lasts = np.cumsum(counts)
    return panes, lasts - counts, lasts, "slices"


def _even_windows(job: Job, rule: Rule, *, has_tails: bool = False) -> Answer:
    """The windows of a count rule, with their rows where these are looked at."""
    range_, slide, _ = rule.even
    counts = np.maximum((job.rows.lengths - range_) // slide + 1, 0)
    begins = starts = np.empty(0, np.int64)
    needs_rows = has_tails or job.resolved.is_holistic
    if needs_rows or not job.bare:
        begins = spread(np.zeros_like(counts), counts, slide)
    if needs_rows:
        starts = np.repeat(job.rows.firsts, counts) + begins
    return Answer(rule, begins, counts, starts, starts + range_, ())
