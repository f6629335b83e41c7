"""Cuts rows into slices where windows begin or end, and slides windows over them.

    rows       . .. . |  .  . | ... .. |   . |
    slices        0       1       2       3          folded once, for all windows
    windows    [==============]
                      [================]              runs of slices

Each rule slides by itself, or all of them by one graph, or in one pass by an algorithm
that answers any range.  Windows that slide by themselves have no bounds in memory:
where each slide holds a slice they are even in slices, elsewhere cursors walk them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from windrow import graph
from windrow._later import dataclass
from windrow.algorithms import (
    Algorithm,
    slide_arrays,
    slide_numbers,
    slide_regular,
)
from windrow.kernels import Product
from windrow.loops import spread
from windrow.plan.aggregate import Plan
from windrow.plan.resolved import Resolved
from windrow.plan.sharing import graph_lane
from windrow.slicing import Part, fold
from windrow.windows import (
    Frames,
    Rule,
    count_slides,
    frames,
    is_gapless,
    number_windows,
)

from .assemble import Answer
from .columns import array_runs
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Slices:
    """Slice j is rows [edges[j], edges[j + 1]); run k is slices [runs[k], runs[k + 1]).

    Without `cuts` slice j is row j, and without `partials` its rows are not folded.
    """

    cuts: Array | None
    runs: Array
    partials: tuple[Array, ...] | None

    @property
    def edges(self) -> Array:
        """The first row of each slice, and one past the last row."""
        return np.arange(self.runs[-1] + 1) if self.cuts is None else self.cuts

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The first slice of each run, and one past the last."""
        return self.runs[:-1], self.runs[1:]

    def source(self, job: Job) -> tuple[tuple[Array, ...], str]:
        """What kernels read: the values of rows, or the partials of slices."""
        if self.partials is None:
            return job.arrays, "rows"
        return self.partials[: len(job.resolved.product.dtypes)], "slices"

    def instants(self, times: Array | None) -> Array:
        """The instant of the first row of each slice: its time, or its place."""
        if times is not None:
            return times if self.cuts is None else times[self.cuts[:-1]]
        edges, sizes = self.edges, np.diff(self.runs)
        places: Array = edges[:-1] - np.repeat(edges[self.runs[:-1]], sizes)
        return places


def cut_slices(job: Job, *, always: bool = False) -> Slices:
    """Cut at the edges of all windows, and fold unless most slices are one row."""
    plan, rows, resolved = job.plan, job.rows, job.resolved
    must = always or not plan.slicer.whole_windows
    most = np.inf if must else resolved.fold_below * len(rows)
    cut = None
    if resolved.request.calls or must:
        cut = plan.cuts.cut(job.times, rows.firsts, rows.lasts, most)
    if cut is None:
        return Slices(None, np.append(rows.firsts, len(rows)), None)
    edges, runs = cut
    folded = None
    if resolved.request.calls:
        folded = fold(resolved.product, job.arrays, edges[:-1], edges[1:])
    return Slices(edges, runs, folded)


def merge_alike(
    product: Product,
    arrays: tuple[Array, ...],
    runs: tuple[Array, Array],
    instants: Array,
) -> tuple[Slices, Array]:
    """Partials as slices, each instant of a run once, and the instants of these.

    Instants rise within a run [first, last); of several that are the same, partials are
    combined in their order.
    """
    firsts, lasts = runs
    owners = np.repeat(np.arange(len(firsts)), lasts - firsts)
    starts, stops = array_runs(owners, instants)
    if len(starts) < len(instants):
        arrays = fold(product, arrays, starts, stops, leaf="slices")
        instants = instants[starts]
        firsts, lasts = np.searchsorted(starts, [firsts, lasts])
    return Slices(None, np.append(firsts, len(instants)), arrays), instants


def slide_slices(job: Job, slices: Slices) -> list[Answer]:
    """Slide the windows of all rules over slices."""
    resolved, rules = job.resolved, job.plan.rules
    if slices.partials is not None and job.plan.slicer.whole_windows:
        job.drop_arrays()
    numbers = range(len(rules))
    if all(resolved.bounds(number) == "numbers" for number in numbers):
        return [_slide_numbers(job, number, slices) for number in numbers]
    if resolved.walks_instants:
        return _slide_walked(job, slices)
    tails = not job.plan.slicer.whole_windows
    all_frames = [
        frames(rule, job.times, slices.edges, slices.runs, tails=tails)
        for rule in rules
    ]
    job.drop_times()
    outs = _slide_frames(job, slices, all_frames)
    return [
        _answer(job, rule, slices, frame, out)
        for rule, frame, out in zip(rules, all_frames, outs, strict=True)
    ]


def _slide_numbers(job: Job, number: int, slices: Slices) -> Answer:
    """Slide the windows of a rule: evenly where there is no gap, else by cursors."""
    resolved, rule, runs = job.resolved, job.plan.rules[number], slices.bounds
    choice, instants = resolved.choice(number), slices.instants(job.times)
    slides = count_slides(rule, instants, *runs)
    if (slides == runs[1] - runs[0]).all() and is_gapless(rule, instants, *runs):
        return slide_gapless(job, number, slices)
    windows = number_windows(rule, instants, *runs)
    source, leaf = slices.source(job)
    work = choice.algorithm, resolved.product, source, windows
    out = slide_numbers(*work, leaf=leaf, lane=choice.lane)
    begins = ends = none = np.empty(0, np.int64)
    if not rule.is_even:
        numbers = windows.numbers()
        begins, ends = rule.begin(numbers), rule.end(numbers)
    elif not job.bare:
        begins = windows.begins()
    uneven_ends = None if rule.is_even else ends
    return Answer(rule, begins, windows.counts, none, none, out, uneven_ends)


def _slide_walked(job: Job, slices: Slices) -> list[Answer]:
    """Slide the windows of all rules by one graph, which finds their bounds itself."""
    resolved, rules, none = job.resolved, job.plan.rules, np.empty(0, np.int64)
    source, leaf = slices.source(job)
    lists = graph.slide_walked(
        resolved.product,
        source,
        slices.instants(job.times),
        *slices.bounds,
        [rule.even for rule in rules],
        leaf=leaf,
        lane=graph_lane(job.plan),
    )
    return [
        Answer(rule, walked.begins, walked.counts, none, none, walked.out)
        for rule, walked in zip(rules, lists, strict=True)
    ]


def slide_gapless(job: Job, number: int, slices: Slices) -> Answer:
    """Slide windows over slices of which no slide is without one.

    A window is `width` slices, but for those at the ends of a run, which hold less.
    """
    rule, choice = job.plan.rules[number], job.resolved.choice(number)
    (firsts, lasts), width = slices.bounds, rule.overlap
    source, leaf = slices.source(job)
    out = slide_regular(
        choice.algorithm,
        job.resolved.product,
        source,
        firsts,
        lasts,
        width,
        leaf=leaf,
        lead=True,
        trail=True,
        chunk=job.resolved.chunk,
        lane=choice.lane,
    )
    begins = none = np.empty(0, np.int64)
    counts = lasts - firsts + width - 1
    if not job.bare:
        times = job.times
        heads = np.zeros_like(firsts) if times is None else times[job.rows.firsts]
        begins = spread(rule.begin(rule.first_over(heads)), counts, rule.step)
    return Answer(rule, begins, counts, none, none, out)


def gapless_slices(job: Job, rule: Rule) -> Slices:
    """The slices of rows of which no slide is without one: the rows, if one in each."""
    rows = job.rows
    if count_slides(rule, job.times, rows.firsts, rows.lasts).sum() < len(rows):
        return cut_slices(job, always=True)
    return Slices(None, np.append(rows.firsts, len(rows)), None)


def _slide_frames(
    job: Job, slices: Slices, all_frames: list[Frames]
) -> list[tuple[Array, ...]]:
    """The results of windows whose bounds are arrays."""
    plan, resolved, product = job.plan, job.resolved, job.resolved.product
    source, leaf = slices.source(job)
    if not resolved.request.calls:
        return [()] * len(all_frames)
    if resolved.by_graph:
        pairs = [(frame.starts, frame.stops) for frame in all_frames]
        lane = graph_lane(plan)
        return graph.slide_uneven(product, source, pairs, leaf=leaf, lane=lane)
    tails = [_tails(job, frame) for frame in all_frames]
    if resolved.together is not None:
        return _slide_together(job, resolved.together, source, leaf, all_frames, tails)
    choices = [resolved.choice(number) for number in range(len(all_frames))]
    return [
        slide_arrays(
            choice.algorithm,
            product,
            source,
            frame.starts,
            frame.stops,
            leaf=leaf,
            tails=tail,
            lane=choice.lane,
        )
        for choice, frame, tail in zip(choices, all_frames, tails, strict=True)
    ]


def _answer(
    job: Job, rule: Rule, slices: Slices, frame: Frames, out: tuple[Array, ...]
) -> Answer:
    starts = stops = np.empty(0, np.int64)
    if job.resolved.needs_bounds:
        starts, stops = slices.edges[frame.starts], slices.edges[frame.stops]
        stops = stops if frame.tail_stops is None else frame.tail_stops
    return Answer(rule, frame.begins, frame.counts, starts, stops, out, frame.ends)


def _slide_together(
    job: Job,
    algorithm: Algorithm,
    source: tuple[Array, ...],
    leaf: str,
    all_frames: list[Frames],
    tails: list[tuple[Array, ...]],
) -> list[tuple[Array, ...]]:
    """Slide the windows of all rules in one pass, by an algorithm for any range."""
    starts = np.concatenate([frame.starts for frame in all_frames])
    stops = np.concatenate([frame.stops for frame in all_frames])
    sizes = [len(frame.starts) for frame in all_frames]
    window = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((starts, stops))
    starts, stops, window = starts[order], stops[order], window[order]
    out = slide_arrays(
        algorithm,
        job.resolved.product,
        source,
        starts,
        stops,
        leaf=leaf,
        keep=np.minimum.accumulate(starts[::-1])[::-1].copy(),
        query=window,
        tails=tuple(np.concatenate(c)[order] for c in zip(*tails, strict=True)),
    )
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    parts = [np.split(array[back], np.cumsum(sizes)[:-1]) for array in out]
    return [tuple(part[i] for part in parts) for i in range(len(sizes))]


def _tails(job: Job, frame: Frames) -> tuple[Array, ...]:
    if frame.tail_starts is None or frame.tail_stops is None:
        return ()
    product = job.resolved.product
    return fold(product, job.arrays, frame.tail_starts, frame.tail_stops)


@dataclasses.dataclass
class Job:
    """A resolved plan with the rows that it runs on.

    Sorted times and values are the largest things in memory; each is freed as soon as
    possible (10M rows, three windows: peak 2.8 -> 2.5 times the input, which counts).
    With `parts` of one run, threads write their results to one array.
    """

    resolved: Resolved
    rows: SortedRows
    arrays: tuple[Array, ...]
    bare: bool = False
    parts: Sequence[Part] = ()
    threads: int = 1

    @property
    def plan(self) -> Plan:
        """The plan that was resolved."""
        return self.resolved.plan

    def drop_times(self) -> None:
        """Free the times: all frames are known."""
        self.rows = replace(self.rows, times=None)

    def drop_arrays(self) -> None:
        """Free the values: no row is lifted any more."""
        self.arrays = ()

    @property
    def times(self) -> Array | None:
        """The times in ticks, or None for windows that count rows."""
        return None if self.plan.counts_rows else self.rows.times
