"""Windows over slices: cut where a window begins or ends, folded, slid over.

    rows       . .. . |  .  . | ... .. |   . |
    slices        0       1       2       3          folded once, for all windows
    windows    [==============]
                      [================]              runs of slices

A query slides by itself, or all of them by one graph, or in one pass by an algorithm
that answers any range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays
from windrow.graph import slide_uneven
from windrow.slicing import fold
from windrow.windows import Rule
from windrow.windows.frames import Frames, frames

from .assemble import Answer
from .job import Job

Array = np.ndarray[Any, Any]

WORTH_FOLDING = 0.7  # slices per row above which rows are their own slices


@dataclass(frozen=True)
class Slices:
    """Slice j is rows [edges[j], edges[j + 1]); `partials` None: not folded."""

    edges: Array
    runs: Array
    partials: tuple[Array, ...] | None


def cut_slices(job: Job, *, always: bool = False) -> Slices:
    """Cut at the edges of all windows, and fold unless most slices are one row."""
    plan, stream = job.plan, job.stream
    edges, runs = plan.cuts.cut(job.times, stream.firsts, stream.lasts)
    few = len(edges) - 1 <= WORTH_FOLDING * len(stream)
    if job.asked.calls and (few or always or not plan.slicer.whole_windows):
        partials = fold(job.asked.product, job.arrays, edges[:-1], edges[1:])
        return Slices(edges, runs, partials)
    return Slices(edges, runs, None)


def slide_slices(job: Job, slices: Slices) -> list[Answer]:
    """The windows over slices that stand in order, whoever made them."""
    plan = job.plan
    framed = [
        frames(
            query,
            job.times,
            slices.edges,
            slices.runs,
            tails=not plan.slicer.whole_windows,
        )
        for query in plan.rules
    ]
    job.drop_times()
    if slices.partials is not None and plan.slicer.whole_windows:
        job.drop_rows()
    if not job.asked.calls:
        outs: list[tuple[Array, ...]] = [()] * len(framed)
    elif plan.sharing(job.asked.product, sliced=True) is not None:
        outs = _by_graph(job, slices, framed)
    elif plan.together:
        outs = _together(job, slices, framed)
    else:
        outs = [
            _alone(job, query, slices, frame)
            for query, frame in zip(plan.rules, framed, strict=True)
        ]
    return [
        _answer(job, query, slices, frame, out)
        for query, frame, out in zip(plan.rules, framed, outs, strict=True)
    ]


def _answer(
    job: Job, query: Rule, slices: Slices, frame: Frames, out: tuple[Array, ...]
) -> Answer:
    if not job.holistic:
        none = np.empty(0, np.int64)
        return Answer(query, frame.begins, frame.counts, none, none, out)
    stops = (
        frame.tail_stops if frame.tail_stops is not None else slices.edges[frame.stops]
    )
    starts = slices.edges[frame.starts]
    return Answer(query, frame.begins, frame.counts, starts, stops, out)


def _alone(job: Job, query: Rule, slices: Slices, frame: Frames) -> tuple[Array, ...]:
    """One query in a pass of its own."""
    product = job.asked.product
    starts, stops, leaf, where = _over_slices(job, slices, frame)
    return slide_arrays(
        job.plan.choice(query, product).algorithm,
        product,
        where,
        starts,
        stops,
        leaf=leaf,
        tails=_tails(job, frame),
        chunk=job.plan.chunk,
    )


def _by_graph(
    job: Job, slices: Slices, framed: list[Frames]
) -> list[tuple[Array, ...]]:
    """All queries by one graph over the slices."""
    bounds = [_over_slices(job, slices, frame) for frame in framed]
    _, _, leaf, where = bounds[0]
    pairs = [(starts, stops) for starts, stops, _, _ in bounds]
    return slide_uneven(job.asked.product, where, pairs, leaf=leaf)


def _together(
    job: Job, slices: Slices, framed: list[Frames]
) -> list[tuple[Array, ...]]:
    """All ranges in one pass, by an algorithm that can answer any of them."""
    bounds = [_over_slices(job, slices, frame) for frame in framed]
    _, _, leaf, where = bounds[0]
    starts = np.concatenate([one[0] for one in bounds])
    stops = np.concatenate([one[1] for one in bounds])
    sizes = [len(one[0]) for one in bounds]
    query = np.repeat(np.arange(len(framed)), sizes)
    order = np.lexsort((starts, stops))
    starts, stops, query = starts[order], stops[order], query[order]
    tails = [_tails(job, frame) for frame in framed]
    out = slide_arrays(
        find_algorithm(job.plan.algorithm),
        job.asked.product,
        where,
        starts,
        stops,
        leaf=leaf,
        keep=np.minimum.accumulate(starts[::-1])[::-1].copy(),
        query=query,
        tails=tuple(np.concatenate(c)[order] for c in zip(*tails, strict=True)),
        chunk=job.plan.chunk,
    )
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    parts = [np.split(array[back], np.cumsum(sizes)[:-1]) for array in out]
    return [tuple(part[i] for part in parts) for i in range(len(framed))]


def _over_slices(
    job: Job, slices: Slices, frame: Frames
) -> tuple[Array, Array, str, tuple[Array, ...]]:
    if slices.partials is None:
        starts, stops = slices.edges[frame.starts], slices.edges[frame.stops]
        return starts, stops, "rows", job.arrays
    return frame.starts, frame.stops, "slices", slices.partials


def _tails(job: Job, frame: Frames) -> tuple[Array, ...]:
    if frame.tail_starts is None or frame.tail_stops is None:
        return ()
    return fold(job.asked.product, job.arrays, frame.tail_starts, frame.tail_stops)


__all__ = ["Slices", "cut_slices", "slide_slices"]
