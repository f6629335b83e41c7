"""Windows over what tasks have folded of events with a duration.

    keys | first and last: where slices begin | goes | partial

    a piece       events that cross the slices first ... last, folded into one
    `ends`        a piece of one slice: what ends in it
    `goes`        what overlaps that slice, and goes on beyond

Some tasks send pieces and some send slices, of the same key too.  Pieces are events
again, with a partial for a value, so that all techniques serve; where there are `goes`
as well, pieces are made into slices of two parts, and the parts are added up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.batch.aggregate import Solved, Trim
from windrow.batch.assemble import Answer
from windrow.batch.partials import (
    PartialField,
    Partials,
    partial_columns,
    read_partials,
)
from windrow.batch.runs import run_bounds
from windrow.batch.sorted_rows import Stream
from windrow.batch.spans import lay_events, lengths_of
from windrow.plan.aggregate import Plan
from windrow.plan.requests import Asked
from windrow.plan.resolve import Resolved, slide_algorithms
from windrow.plan.spans import choose_one
from windrow.spans import Events, Laid, Windows, Work, add_goes, parts_of, slide_parts

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]

FIRST, LAST, GOES = "__first", "__last", "__goes"


def solve_pieces(
    table: pa.Table, resolved: Resolved, fields: list[PartialField], trim: Trim
) -> Solved:
    """The windows over pieces whose keys stand together, one column per call."""
    plan, asked = resolved.plan, resolved.asked
    partials = read_partials(asked, fields, table)
    firsts, lasts = run_bounds(table, plan.by)
    keys = (
        table.select(list(plan.by)).take(pa.array(firsts)) if plan.by else pa.table({})
    )
    stream = Stream(None, firsts, lasts, keys, None)
    events = Events(instants(table, FIRST), instants(table, LAST), firsts, lasts)
    laid = lay_events(events, plan)
    framed = [laid.windows(rule) for rule in plan.rules]
    sliders = slide_algorithms(plan, asked.product)
    windows = [
        Windows(frame, rule.longest, algorithm)
        for rule, frame, algorithm in zip(plan.rules, framed, sliders, strict=True)
    ]
    goes = table.column(GOES).to_numpy()
    outs = _outs(plan, asked, laid, partials, goes, windows)
    none = np.empty(0, np.int64)
    answers = [
        Answer(rule, frame.begins, frame.counts, none, none, out)
        for rule, frame, out in zip(plan.rules, framed, outs, strict=True)
    ]
    answers = trim(stream, answers)
    columns = [
        partial_columns(plan.calls, asked, partials, answer.out) for answer in answers
    ]
    return stream, answers, columns


def _outs(
    plan: Plan,
    asked: Asked,
    laid: Laid,
    partials: Partials,
    goes: Array,
    windows: list[Windows],
) -> list[Fields]:
    """What kernels write for each rule."""
    product, source = asked.product, partials.arrays
    if not goes.any():
        group = choose_one(asked, lengths_of(laid), plan.algorithm, plan.chunk)
        work = Work(laid, product, source, group.height, leaf="slices")
        return group.technique.run(work, windows)
    pieces, tails = laid.only(~goes), laid.firsts[goes]
    group = choose_one(asked, lengths_of(pieces), "auto", 0)
    own = tuple(field[~goes] for field in source)
    work = Work(pieces, product, own, group.height, leaf="slices")
    parts = parts_of(work, group.technique)
    add_goes(work, parts, tuple(field[goes] for field in source), tails)
    return [slide_parts(work, parts, window) for window in windows]


def instants(table: pa.Table, name: str) -> Array:
    """A column of ticks."""
    values: Array = table.column(name).combine_chunks().to_numpy()
    return values


__all__ = ["FIRST", "GOES", "LAST", "instants", "solve_pieces"]
