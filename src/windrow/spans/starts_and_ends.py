"""Implements Starts and Ends: events begun before a window's end, less those over.

    slices       0     1     2     3     4
    event a       ==========                       begun[0]   ended[2]
    event b                     ======             begun[2]   ended[3]
    window [2, 4)            |-----------|

    window over slices [a, b)  ==  begun[0] . ... . begun[b - 1]
                                   less  ended[0] . ... . ended[a - 1]

An event costs two insertions however long it lasts, and a slide one combine and one
inverse: sweeping with slices in place of sorted bounds.  It needs an inverse, and so
is chosen for whole numbers only, of which taking off is exact.
"""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.kernels.vocabulary import (
    IDENTITY,
    combine,
    emit,
    inverse,
    load,
    peek,
    store,
)
from windrow.loops import arrays
from windrow.slicing.fold import fold_run

from ._columns import fold_by_place, prefixes
from ._technique import Costs, Fields, Technique, Windows, Work
from .ring import alike
from .se_slicing import Parts, clear


def fold_bounds(source, firsts, lasts, begun, ended):
    clear(begun)
    clear(ended)
    i = 0
    while i < len(firsts):
        first, last, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_run(source, i, stop)
        store(begun, first, combine(load(begun, first), partial))
        store(ended, last, combine(load(ended, last), partial))
        i = stop


def columns_of_fold_bounds(source, firsts, lasts, begun, ended):
    fold_by_place(source, firsts, begun)
    fold_by_place(source, lasts, ended)


def slide_bounds(begun, ended, starts, stops, counts, out):
    at = 0
    for k in range(len(counts)):
        whole = IDENTITY
        stop = start = peek(starts, at)
        for i in range(at, at + peek(counts, k)):
            while stop < peek(stops, i):
                whole = combine(whole, load(begun, stop))
                stop += 1
            while start < peek(starts, i):
                whole = inverse(whole, load(ended, start))
                start += 1
            emit(out, i, whole)
        at += peek(counts, k)


def columns_of_slide_bounds(begun, ended, starts, stops, _, out):
    """All windows side by side; events of other runs are in both sums, or in none."""
    begun, over = prefixes(begun), prefixes(ended)
    whole = inverse(load(begun, stops), load(over, starts))
    emit(out, slice(0, len(starts)), whole)


def _fold(work: Work) -> Parts:
    laid, product = work.laid, work.product
    begun, ended = (arrays(product.dtypes, len(laid)) for _ in range(2))
    work.run(fold_bounds, work.source, laid.firsts, laid.lasts, begun, ended,
             columns=columns_of_fold_bounds)  # fmt: skip
    return begun, ended


def _answer(work: Work, bounds: Parts, windows: Windows) -> Fields:
    out = arrays(work.product.out_dtypes, len(windows))
    frames = windows.frames
    work.run(slide_bounds, *bounds, frames.starts, frames.stops,
             frames.counts, out, columns=columns_of_slide_bounds)  # fmt: skip
    return out


STARTS_AND_ENDS = Technique(
    name="starts_and_ends",
    title="Starts and Ends: running counts of what begins and ends in each slice",
    needs=Law.COMMUTATIVE | Law.INVERTIBLE,
    costs=Costs("2", "2", "2", "2 T / b"),
    paper="not in the paper",
    source="Piatov, Helmer (SSTD 2017), with slices for bounds",
    prepare=_fold,
    answer=_answer,
)
