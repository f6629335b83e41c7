"""Implements SE-Slicing and SE-ML-Slicing: slices of two parts, and of levels.

    slices        0      1      2      3
    event             ===============
                      goes   goes   ends          ends: it ends in this slice
                                                  goes: it goes on beyond

An event that goes on is also in the next slice, so that of several slices only the
last one's `goes` counts:

    window over slices [a, b)  ==  ends[a] . ... . ends[b - 1] . goes[b - 1]

which is any sliding algorithm over `ends`, with `goes` of the last slice as its tail:
a release costs three combines, where the paper's costs w / b.  Events are in the order
of their ends, those that go on beyond the window last, so that no law is needed.

Where counting twice does no harm (idempotent and commutative: max, any, range) one
part is enough: the event goes into `ends` of all its slices, and there is no tail.

SE-ML-Slicing has d levels, of which level k of a slice reaches k slices back:

    slices       2     3     4     5     6     7     8          d = 4
    event          ===================================
    levels                               |-- level 4 ---|       ends, at slice 8
                 |--- level 3 ----|                             goes, at slice 4

An event goes into the highest level that it fills at the slice where it ends, then d
slices back, and so on: one insertion for d slices.  It is found in a window once: in
the last of its levels that overlaps the window.  That is a level of a slice in the
window where it ends; or of the window's last slice, where it goes on; or of a later
slice, whose level reaches back into the window:

    window over slices [a, b)  ==  all[a] . ... . all[b - 1] . tail[b - 1]

    all[i]   ==  ends of all levels of slice i
    tail[i]  ==  goes of all levels of slice i
             .   ends and goes of the levels above j of slice i + j,   0 < j < d

Both are made once for a slice, with sums over its upper levels: 5 d combines, where
each of the paper's releases costs d (w / b + (d - 1) / 2).  Order is lost, so that the
aggregate must commute.  Height 1 is SE-Slicing.
"""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.algorithms import slide_arrays
from windrow.kernels.vocabulary import IDENTITY, combine, load, peek, store
from windrow.loops import arrays
from windrow.slicing.fold import fold_run

from ._columns import columns_in_any_order, columns_in_order, columns_of_one_part
from ._technique import Costs, Fields, Technique, Windows, Work
from .ring import alike, walk

Parts = tuple[Fields, Fields]
"""`ends` and, unless one part is enough, `goes`."""


def clear(parts):
    for j in range(len(parts[0])):
        store(parts, j, IDENTITY)


def fold_two_parts(source, firsts, lasts, ends, goes):
    clear(ends)
    clear(goes)
    i = 0
    while i < len(firsts):
        first, last, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_run(source, i, stop)
        for j in range(first, last):
            store(goes, j, combine(load(goes, j), partial))
        store(ends, last, combine(load(ends, last), partial))
        i = stop


def fold_one_part(source, firsts, lasts, parts):
    clear(parts)
    i = 0
    while i < len(firsts):
        first, last, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_run(source, i, stop)
        for j in range(first, last + 1):
            store(parts, j, combine(load(parts, j), partial))
        i = stop


def fold_parts(work: Work) -> Parts:
    """Fold every event into the slices that it crosses."""
    laid, product = work.laid, work.product
    ends = arrays(product.dtypes, len(laid))
    if work.one_part:
        work.run(fold_one_part, work.source, laid.firsts, laid.lasts, ends,
                 columns=columns_of_one_part)  # fmt: skip
        return ends, ()
    goes = arrays(product.dtypes, len(laid))
    commutes = Law.COMMUTATIVE in product.laws
    columns = columns_in_any_order if commutes else columns_in_order
    work.run(fold_two_parts, work.source, laid.firsts, laid.lasts, ends, goes,
             columns=columns)  # fmt: skip
    return ends, goes


def slide_parts(work: Work, parts: Parts, windows: Windows) -> Fields:
    """Slide an algorithm over `ends`, and add `goes` of each window's last slice."""
    ends, goes = parts
    starts, stops = windows.frames.starts, windows.frames.stops
    tails = tuple(field[stops - 1] for field in goes)
    return slide_arrays(windows.algorithm, work.product, ends, starts, stops,
                        leaf="slices", tails=tails, lane=work.lane)  # fmt: skip


SE_SLICING = Technique(
    name="se_slicing",
    title="SE-Slicing: slices of two parts, ends here and goes on",
    needs=Law.NONE,
    costs=Costs("m / b + 1", "4", "w / b + 4", "2 (w + p) / b"),
    any_order=Costs("m / b + 1", "4", "w / b + 4", "2 T / b"),
    online=Costs("m / b + 1", "4", "w / b + 4", "2 (w + p) / b"),
    paper="w / b a window, 2 w / b kept",
    source="SES 3.2, 5.2.1, Algorithms 1 to 4",
    prepare=fold_parts,
    answer=slide_parts,
    walk=walk,
)


def fold_levels(source, firsts, lasts, height, count, ends, goes):
    """Fold events into levels; level k of slice j stands at (k - 1) * count + j.

    An event's insertions are then neighbours.  With the levels of a slice side by
    side they would be `height` squared apart, which for a power of two is all of them
    in one set of the cache (5,000 long, step 20, 16 levels: 2.8 -> 17 M events/s).
    """
    clear(ends)
    clear(goes)
    i = 0
    while i < len(firsts):
        first, j, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_run(source, i, stop)
        at = min(j - first, height - 1) * count + j
        store(ends, at, combine(load(ends, at), partial))
        j -= height
        while j >= first:
            at = min(j - first, height - 1) * count + j
            store(goes, at, combine(load(goes, at), partial))
            j -= height
        i = stop


def gather_levels(height, count, ends, goes, above, whole, tails):
    """Sum the levels of slices; `above` holds both parts of levels from k on."""
    clear(above)
    clear(whole)
    clear(tails)
    for k in range(height - 1, -1, -1):
        base = k * count
        for j in range(count):
            end, go = load(ends, base + j), load(goes, base + j)
            store(whole, j, combine(load(whole, j), end))
            store(tails, j, combine(load(tails, j), go))
            store(above, j, combine(load(above, j), combine(end, go)))
        if k > 0:
            for j in range(count - k):
                store(tails, j, combine(load(tails, j), load(above, j + k)))


def fold_and_gather(
    source, firsts, lasts, height, count, ends, goes, above, whole, tails
):
    fold_levels(source, firsts, lasts, height, count, ends, goes)
    gather_levels(height, count, ends, goes, above, whole, tails)


def columns_of_levels(source, firsts, lasts, *levels):
    """Fold events into the two parts at once: a long event costs no more here."""
    whole, tails = levels[-2:]
    columns_in_any_order(source, firsts, lasts, whole, tails)


def gather_parts(work: Work) -> Parts:
    """Fold events into levels, and levels into the two parts of slices.

    Where one part is enough it serves as both: counting twice does no harm there.
    """
    laid, product, height = work.laid, work.product, work.height
    count = len(laid)
    ends = arrays(product.dtypes, count * height)
    goes = ends if work.one_part else arrays(product.dtypes, count * height)
    above, whole, tails = (arrays(product.dtypes, count) for _ in range(3))
    work.run(fold_and_gather, work.source, laid.firsts, laid.lasts, height, count,
             ends, goes, above, whole, tails, columns=columns_of_levels)  # fmt: skip
    return whole, tails


SE_ML_SLICING = Technique(
    name="se_ml_slicing",
    title="SE-ML-Slicing: slices of d levels, one insertion for d slices",
    needs=Law.COMMUTATIVE,
    costs=Costs("m / (d b) + 1", "5 d + 3", "w / b + 3", "(2 d + 3) T / b"),
    online=Costs(
        "m / (d b) + 1", "d d + d + 2", "d (w / b + d + 1) + 1", "2 d (w + p) / b"
    ),
    paper="d (w / b + (d - 1) / 2) a window, 2 d w / b kept",
    source="SES 4, 5.2.2, Algorithms 5 to 8",
    prepare=gather_parts,
    answer=slide_parts,
)
