"""Events that cross the same slices, folded into one before they are shuffled.

    events     ====   ===      crossing slices 3 to 5, say, of one key
                 =====

    keys | first: where slice 3 begins | last: where slice 5 begins | partial

What comes out is events again, with a partial for a value, and never more of them than
rows came in, however long they last: nothing is exploded.  They are laid over slices
where their key is, and all techniques serve.  Order is lost, so that aggregates must
commute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from windrow.plan.plan import Plan
from windrow.plan.requests import Asked
from windrow.plan.spanning import choose_one
from windrow.slicing import fold
from windrow.spanning import Events, Windows, Work

from .assemble import Answer
from .batch import Trim, whole
from .folded import Folding
from .partials import (
    PartialField,
    Partials,
    partial_columns,
    read_partials,
    write_partials,
)
from .runs import run_bounds
from .sources import source_of
from .spans import laid_out, lasting, lengths_of
from .stream import Stream, in_order

Array = np.ndarray[Any, Any]

FIRST, LAST = "__first", "__last"


class PieceFolding(Folding):
    """The same over events that last."""

    def fold(self, table: pa.Table) -> pa.Table:
        """One row for each key, first and last slice; keys as k0, k1, ..."""
        plan, product = self.plan, self.asked.product
        found = lasting(table, plan)
        there = None if found.known is None else np.flatnonzero(found.known)
        stream = in_order(table, plan.by, there)
        starts, lasts = stream.gather(found.starts), stream.gather(found.lasts)
        laid = laid_out(Events(starts, lasts, stream.firsts, stream.lasts), plan)
        source = source_of(table, stream, plan.calls, self.slots)
        run = laid.events.run
        order = np.lexsort((laid.lasts, laid.firsts, run))
        first, last = laid.firsts[order], laid.lasts[order]
        new = np.ones(len(order), bool)  # slices are numbered over all runs
        new[1:] = (first[1:] != first[:-1]) | (last[1:] != last[:-1])
        opens = np.flatnonzero(new)
        stops = np.append(opens[1:], len(order))
        sorted_source = tuple(array[order] for array in source.arrays)
        arrays = fold(product, sorted_source, opens, stops)
        ranked = {
            index: source.columns[field.ranked, False].ranked
            for index, field in enumerate(self.fields)
            if field.ranked is not None
        }
        partials = Partials(pa.table({}), self.fields, arrays, ranked)
        keys = stream.keys.take(pa.array(run[order][opens]))
        return pa.table(
            {
                **{f"k{i}": keys.column(n) for i, n in enumerate(plan.by)},
                FIRST: pa.array(laid.begins[first[opens]]),
                LAST: pa.array(laid.begins[last[opens]]),
                **write_partials(partials, arrays),
            }
        )


def piece_answers(
    table: pa.Table,
    plan: Plan,
    asked: Asked,
    fields: list[PartialField],
    trim: Trim = whole,
) -> tuple[Stream, list[Answer], list[list[pa.Array]]]:
    """The windows over pieces whose keys stand together, one column per call."""
    partials = read_partials(asked, fields, table)
    firsts, lasts = run_bounds(table, plan.by)
    keys = (
        table.select(list(plan.by)).take(pa.array(firsts)) if plan.by else pa.table({})
    )
    stream = Stream(None, firsts, lasts, keys, None)
    events = Events(instants(table, FIRST), instants(table, LAST), firsts, lasts)
    laid = laid_out(events, plan)
    group = choose_one(asked, lengths_of(laid), plan.algorithm, plan.chunk)
    product = asked.product
    framed = [laid.windows(*query.triple) for query in plan.queries]
    windows = [
        Windows(frame, query.range, plan.choice(query, product).algorithm)
        for query, frame in zip(plan.queries, framed, strict=True)
    ]
    work = Work(laid, product, partials.arrays, group.height, leaf="slices")
    none = np.empty(0, np.int64)
    answers = [
        Answer(query, frame.begins, frame.counts, none, none, out)
        for query, frame, out in zip(
            plan.queries, framed, group.technique.run(work, windows), strict=True
        )
    ]
    answers = trim(stream, answers)
    columns = [partial_columns(plan.calls, asked, partials, one.out) for one in answers]
    return stream, answers, columns


def instants(table: pa.Table, name: str) -> Array:
    """A column of ticks."""
    values: Array = table.column(name).combine_chunks().to_numpy()
    return values


__all__ = ["FIRST", "LAST", "PieceFolding", "instants", "piece_answers"]
