"""SE-ML-Slicing: slices of d levels, level k of which reaches k slices back.

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

Both are made once for a slice, with suffix sums over its levels: 5 d combines, where
each of the paper's releases costs d (w / b + (d - 1) / 2).  Order is lost, so that the
aggregate must commute.  Height 1 is SE-Slicing.
"""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, leaf, load, peek, store

from ._kernel import call
from ._technique import Technique, Work
from .se_slicing import Parts, slide_parts


def fold_levels(source, firsts, lasts, height, ends, goes):  # type: ignore[no-untyped-def]
    for at in range(len(ends[0])):
        store(ends, at, IDENTITY)
        store(goes, at, IDENTITY)
    for i in range(len(firsts)):
        partial = leaf(source, i)
        first, j = peek(firsts, i), peek(lasts, i)
        at = j * height + min(j - first, height - 1)
        store(ends, at, combine(load(ends, at), partial))
        j -= height
        while j >= first:
            at = j * height + min(j - first, height - 1)
            store(goes, at, combine(load(goes, at), partial))
            j -= height


def gather_levels(height, ends, goes, whole, tails):  # type: ignore[no-untyped-def]
    """`ends` is left with the suffix sums of both parts."""
    count = len(whole[0])
    for j in range(count):
        base = j * height
        ending, going, suffix = IDENTITY, IDENTITY, IDENTITY
        for k in range(height - 1, -1, -1):
            end, go = load(ends, base + k), load(goes, base + k)
            ending, going = combine(ending, end), combine(going, go)
            suffix = combine(suffix, combine(end, go))
            store(ends, base + k, suffix)
        store(whole, j, ending)
        store(tails, j, going)
    for j in range(count):
        tail = load(tails, j)
        for back in range(1, min(height, count - j)):
            tail = combine(tail, load(ends, (j + back) * height + back))
        store(tails, j, tail)


def gather_parts(work: Work) -> Parts:
    """Events folded into levels, levels into what windows are made of.

    Where one part is enough it serves as both: counting twice does no harm there.
    """
    laid, product, height = work.laid, work.product, work.height
    ends = arrays(product.dtypes, len(laid) * height)
    goes = ends if work.one_part else arrays(product.dtypes, len(laid) * height)
    call(fold_levels, product, work.source, laid.firsts, laid.lasts, height, ends, goes)
    whole, tails = arrays(product.dtypes, len(laid)), arrays(product.dtypes, len(laid))
    call(gather_levels, product, height, ends, goes, whole, tails)
    return whole, tails


SE_ML_SLICING = Technique(
    name="se_ml_slicing",
    title="SE-ML-Slicing: slices of d levels, one insertion for d slices",
    needs=Law.COMMUTATIVE,
    insert="m / (d b) + 1",
    release="d (w / b + (d - 1) / 2); 5 d + 3 here",
    space="2 d w / b",
    source="SES 4, 5.2.2, Algorithms 5 to 8",
    prepare=gather_parts,
    answer=slide_parts,
)
