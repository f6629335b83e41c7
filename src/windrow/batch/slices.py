"""Cuts rows into slices where windows begin or end, and slides windows over them.

    rows       . .. . |  .  . | ... .. |   . |
    slices        0       1       2       3          folded once, for all windows
    windows    [==============]
                      [================]              runs of slices

Each rule slides by itself, or all of them by one graph, or in one pass by an algorithm
that answers any range.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from windrow.algorithms import Algorithm, slide_arrays
from windrow.graph import slide_uneven
from windrow.plan.aggregate import Plan
from windrow.plan.resolve import Resolved
from windrow.plan.sharing import graph_lane
from windrow.slicing import fold
from windrow.windows import Frames, Rule, frames

from .assemble import Answer
from .sorted_rows import SortedRows

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Slices:
    """Slice j is rows [edges[j], edges[j + 1]); `partials` None: not folded."""

    edges: Array
    runs: Array
    partials: tuple[Array, ...] | None


def cut_slices(job: Job, *, always: bool = False) -> Slices:
    """Cut at the edges of all windows, and fold unless most slices are one row."""
    plan, rows = job.plan, job.rows
    edges, runs = plan.cuts.cut(job.times, rows.firsts, rows.lasts)
    pays = len(edges) - 1 <= job.resolved.fold_below * len(rows)
    if job.resolved.request.calls and (pays or always or not plan.slicer.whole_windows):
        product = job.resolved.product
        folded = fold(product, job.arrays, edges[:-1], edges[1:])
        return Slices(edges, runs, folded)
    return Slices(edges, runs, None)


def slide_slices(job: Job, slices: Slices) -> list[Answer]:
    """Slide the windows of all rules over slices."""
    plan, resolved = job.plan, job.resolved
    tails = not plan.slicer.whole_windows
    all_frames = [
        frames(rule, job.times, slices.edges, slices.runs, tails=tails)
        for rule in plan.rules
    ]
    job.drop_times()
    if slices.partials is not None and plan.slicer.whole_windows:
        job.drop_arrays()
    partials = slices.partials
    source, leaf = (job.arrays, "rows") if partials is None else (partials, "slices")

    def bounds(frame: Frames) -> tuple[Array, Array]:
        if leaf == "rows":
            return slices.edges[frame.starts], slices.edges[frame.stops]
        return frame.starts, frame.stops

    product = resolved.product
    if not resolved.request.calls:
        outs: list[tuple[Array, ...]] = [()] * len(all_frames)
    elif resolved.by_graph:
        pairs = [bounds(frame) for frame in all_frames]
        lane = graph_lane(plan)
        outs = slide_uneven(product, source, pairs, leaf=leaf, lane=lane)
    elif resolved.together is not None:
        pairs = [bounds(frame) for frame in all_frames]
        folded = [_tails(job, frame) for frame in all_frames]
        outs = _slide_together(job, resolved.together, source, leaf, pairs, folded)
    else:
        choices = [resolved.choice(number) for number in range(len(all_frames))]
        outs = [
            slide_arrays(
                choice.algorithm,
                product,
                source,
                *bounds(frame),
                leaf=leaf,
                tails=_tails(job, frame),
                chunk=plan.chunk,
                lane=choice.lane,
            )
            for choice, frame in zip(choices, all_frames, strict=True)
        ]
    return [
        _answer(job, rule, slices, frame, out)
        for rule, frame, out in zip(plan.rules, all_frames, outs, strict=True)
    ]


def _answer(
    job: Job, rule: Rule, slices: Slices, frame: Frames, out: tuple[Array, ...]
) -> Answer:
    starts = stops = np.empty(0, np.int64)
    if job.resolved.is_holistic:
        starts, stops = slices.edges[frame.starts], slices.edges[frame.stops]
        stops = stops if frame.tail_stops is None else frame.tail_stops
    return Answer(rule, frame.begins, frame.counts, starts, stops, out, frame.ends)


def _slide_together(
    job: Job,
    algorithm: Algorithm,
    source: tuple[Array, ...],
    leaf: str,
    bounds: list[tuple[Array, Array]],
    tails: list[tuple[Array, ...]],
) -> list[tuple[Array, ...]]:
    """Slide the windows of all rules in one pass, by an algorithm for any range."""
    starts, stops = (np.concatenate(side) for side in zip(*bounds, strict=True))
    sizes = [len(pair[0]) for pair in bounds]
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
        chunk=job.plan.chunk,
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


@dataclass
class Job:
    """A resolved plan with the rows that it runs on.

    Sorted times and values are the largest things in memory; each is freed as soon as
    possible (10M rows, three windows: peak 2.8 -> 2.5 times the input, which counts).
    """

    resolved: Resolved
    rows: SortedRows
    arrays: tuple[Array, ...]
    bare: bool = False

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
