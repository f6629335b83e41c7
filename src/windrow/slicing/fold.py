r"""Folds stretches of rows, or of partials, into partials.

fold(product, source, starts, stops)[f][j] is field f of
    row[starts[j]] + ... + row[stops[j] - 1]       the identity where that is empty

Rows become slices, and the tails of Cutty; partials of one slice that come from
several places become one.  Both lanes combine alike, so that floats come out the same:

    rows      ........ ........ ........ ........ ....      runs of 8, in order
                  \______/         \______/       |        neighbours, in pairs
                     \_______________/            |
                             \___________________/
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.kernels import Assembly, Product, run_each
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    leaf,
    load,
    peek,
    store,
)
from windrow.loops import arrays, ordinals
from windrow.sketches.packed import Packed

Array = np.ndarray[Any, Any]


RUN = 8  # rows that are folded one after the other


def run_fold(source, starts, stops, out):
    """Fold stretch by stretch."""
    stack = allocate(64)
    for j in range(len(starts)):
        start, stop = peek(starts, j), peek(stops, j)
        partial = IDENTITY
        if start < stop:
            partial = fold_run(source, start, min(start + RUN, stop))
        if stop - start > RUN:
            partial = fold_runs(source, start, stop, partial, stack)
        store(out, j, partial)


def fold_run(source, start, stop):
    """Fold rows one after the other."""
    partial = leaf(source, start)
    for i in range(start + 1, stop):
        partial = combine(partial, leaf(source, i))
    return partial


def fold_runs(source, start, stop, partial, stack):
    """Fold runs, of which the first is there; `stack[b]` holds 2**b of them."""
    store(stack, 0, partial)
    runs = 1
    for begin in range(start + RUN, stop, RUN):
        partial = fold_run(source, begin, min(begin + RUN, stop))
        level, pairs = 0, runs
        while pairs & 1:
            partial = combine(load(stack, level), partial)
            level, pairs = level + 1, pairs >> 1
        store(stack, level, partial)
        runs += 1
    level, pairs = 0, runs & (runs - 1)  # the newest is in `partial` already
    while pairs:
        if pairs & 1:
            partial = combine(load(stack, level), partial)
        level, pairs = level + 1, pairs >> 1
    return partial


def columns_of_fold(source, starts, stops, out):
    """Fold all runs side by side, then neighbours in pairs until one is left."""
    store(out, slice(0, len(starts)), IDENTITY)
    full = np.flatnonzero(starts < stops)
    none = np.empty(0, np.int64)
    store(out, full, fold_stretches(source, none, starts[full], stops[full]))


def fold_stretches(source, rows, starts, stops):
    """The partials of stretches, none of them empty, of `rows`, or of all of them."""
    counts = -((starts - stops) // RUN)
    begins = np.repeat(starts, counts) + ordinals(counts) * RUN
    ends = np.minimum(begins + RUN, np.repeat(stops, counts))
    partial = allocate(len(begins))
    for nth in range(RUN):
        some = np.flatnonzero(begins + nth < ends) if nth else slice(0, len(begins))
        at = begins[some] + nth
        newer = leaf(source, rows[at] if len(rows) else at)
        if nth:
            newer = combine(load(partial, some), newer)
        store(partial, some, newer)
    return fold_groups(partial, counts)


def fold_groups(partial, counts):
    """Fold each group of neighbours, in pairs until one is left; empty groups are out.

    Groups follow each other and have counts[k] partials.
    """
    while counts.max(initial=0) > 1:
        firsts, halves = np.cumsum(counts) - counts, (counts + 1) >> 1
        older = np.repeat(firsts, halves) + 2 * ordinals(halves)
        paired = np.flatnonzero(older + 1 < np.repeat(firsts + counts, halves))
        both = combine(load(partial, older[paired]), load(partial, older[paired] + 1))
        partial = load(partial, older)
        store(partial, paired, both)
        counts = halves
    return partial


def fold(
    product: Product,
    source: tuple[Array, ...],
    starts: Array,
    stops: Array,
    *,
    leaf: str = "rows",
) -> tuple[Array, ...]:
    """Fold each stretch [starts[j], stops[j]) into a partial; one array per field.

    The source is columns for `leaf="rows"`, or the product's fields for "slices", with
    its sketches.  Rows are folded into numbers only.  Packed sketches are not merged:
    their stretches, which follow each other, become the entries of one.
    """
    if product.companions and leaf == "slices":
        return run_each(
            product, source, lambda one, own: fold(one, own, starts, stops, leaf=leaf)
        )
    first: Any = source[0] if source else None
    if isinstance(first, Packed):
        joined: Any = first.join(starts, stops)
        return (joined,)
    product = product.numbers
    out = arrays(product.dtypes, len(starts))
    kernel = Assembly(
        what=f"{leaf} folded into slices",
        product=product,
        leaf=leaf,
        emit=None,
        entries=(("run", run_fold),),
        columns=columns_of_fold,
        alike=True,
        inline=("fold_run",),
    )
    kernel.run(source, starts, stops, out)
    return out
