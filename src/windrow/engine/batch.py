"""Executing the plan of `wr.aggregate` in one process.

    table --order--> stream --cut, fold--> slices --frames, kernel--> windows --> table

All windows of a list share one ordering, one reading of the columns and one set of
slices; count windows also share their scans (`graphed.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.algorithms import find as find_algorithm
from windrow.algorithms import slide_arrays, slide_regular
from windrow.gag import slide_uneven
from windrow.plan.plan import Plan, Query
from windrow.slicing import cut, fold, shared_combs
from windrow.windows.frames import Frames, frames

from .assemble import Answer, answer_columns, assemble
from .graphed import graphed
from .job import Job, nth, open_job
from .stream import Stream

Array = np.ndarray[Any, Any]

Trim = Callable[[Stream, list[Answer]], list[Answer]]


def whole(_: Stream, answers: list[Answer]) -> list[Answer]:
    """Leave nothing out."""
    return answers


WORTH_FOLDING = 0.7  # slices per row above which rows are their own slices


@dataclass(frozen=True)
class Slices:
    """Slice j is rows [edges[j], edges[j + 1]); `partials` None: not folded."""

    edges: Array
    runs: Array
    partials: tuple[Array, ...] | None


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
        answers = _irregular(job)
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
    query = plan.queries[0]
    range_, slide, _ = query.triple
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


def cut_slices(job: Job, *, always: bool = False) -> Slices:
    """Cut at the edges of all windows, and fold unless most slices are one row."""
    plan, stream = job.plan, job.stream
    combs = shared_combs(plan.slicer, [query.triple for query in plan.queries])
    edges, runs = cut(job.times, stream.firsts, stream.lasts, combs)
    few = len(edges) - 1 <= WORTH_FOLDING * len(stream)
    if job.asked.calls and (few or always or not plan.slicer.whole_windows):
        partials = fold(job.asked.product, job.arrays, edges[:-1], edges[1:])
        return Slices(edges, runs, partials)
    return Slices(edges, runs, None)


def _irregular(job: Job) -> list[Answer]:
    """Windows found from the slices: time windows, lists, clipped count windows."""
    return slide_slices(job, cut_slices(job))


def slide_slices(job: Job, slices: Slices) -> list[Answer]:
    """The windows over slices that stand in order, whoever made them."""
    plan = job.plan
    framed = [
        frames(
            job.times,
            slices.edges,
            slices.runs,
            *query.triple,
            complete=query.is_complete,
            tails=not plan.slicer.whole_windows,
        )
        for query in plan.queries
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
            for query, frame in zip(plan.queries, framed, strict=True)
        ]
    return [
        _answer(job, query, slices, frame, out)
        for query, frame, out in zip(plan.queries, framed, outs, strict=True)
    ]


def _answer(
    job: Job, query: Query, slices: Slices, frame: Frames, out: tuple[Array, ...]
) -> Answer:
    if not job.holistic:
        none = np.empty(0, np.int64)
        return Answer(query, frame.begins, frame.counts, none, none, out)
    stops = (
        frame.tail_stops if frame.tail_stops is not None else slices.edges[frame.stops]
    )
    starts = slices.edges[frame.starts]
    return Answer(query, frame.begins, frame.counts, starts, stops, out)


def _alone(job: Job, query: Query, slices: Slices, frame: Frames) -> tuple[Array, ...]:
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


__all__ = [
    "Slices",
    "Trim",
    "aggregate",
    "answers_of",
    "cut_slices",
    "slide_slices",
    "whole",
]
