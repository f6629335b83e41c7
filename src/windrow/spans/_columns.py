r"""Folds events into slices over whole columns, without a compiler.

    pieces, by their ends      0    1    2    3    4    5    6    7
    versions of each pair     [a   ab] [d   cd] [e   ef] [g   gh]
    versions of each four     [d    ad  acd abcd] ...             by their starts

A piece is events that cross the same slices.  In a block of pieces, version n folds the
n that start first, but in the order of their ends: it is a version of the block's left
half, combined with one of its right half.  The pieces that overlap slices [low, high)
are those from some place on, of which the ones that start before `high` are a version
of each block.  So a question costs one combine for each block, of which there are at
most as many as levels, and a level costs one combine for each piece; no law is needed.
"""

from __future__ import annotations

import numpy as np

from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    leaf,
    load,
    store,
)
from windrow.slicing.fold import fold_groups


def lift_rows(source, order):
    """The partials of rows in that order."""
    partial = allocate(len(order))
    store(partial, slice(0, len(order)), leaf(source, order))
    return partial


def fold_by_place(source, places, out):
    """Fold the rows of each place, in their order; the identity where there is none."""
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=len(out[0]))
    clear_columns(out)
    store(out, np.flatnonzero(counts), fold_groups(lift_rows(source, order), counts))


def fold_pieces(source, firsts, lasts, order):
    """Fold neighbours in that order which cross the same slices."""
    firsts, lasts = firsts[order], lasts[order]
    fresh = np.ones(len(order), bool)
    fresh[1:] = (firsts[1:] != firsts[:-1]) | (lasts[1:] != lasts[:-1])
    begins = np.flatnonzero(fresh)
    counts = np.diff(np.append(begins, len(order)))
    pieces = fold_groups(lift_rows(source, order), counts)
    return pieces, firsts[begins], lasts[begins]


def clear_columns(fields):
    store(fields, slice(0, len(fields[0])), IDENTITY)


def fold_overlaps(pieces, firsts, lasts, lows, highs):
    """Fold the pieces that end in slice lows[i] or later and start before highs[i].

    `lasts` never fall.
    """
    partial = allocate(len(lows))
    clear_columns(partial)
    if len(firsts) == 0:
        return partial
    by_first = np.argsort(firsts, kind="stable")
    reach = np.append(0, np.maximum.accumulate(by_first) + 1)
    stops = reach[np.searchsorted(firsts[by_first], highs)]
    places = np.searchsorted(lasts, lows)
    versions, span = pieces, max(firsts.max(), highs.max(initial=0)) + 1
    level, is_open = 0, np.flatnonzero(places < stops)
    while len(is_open):
        blocks = np.arange(len(firsts)) >> level
        at = places[is_open]
        asks = ((at >> level) & 1 == 1) | (at + (1 << level) >= stops[is_open])
        asking, at = is_open[asks], at[asks]
        limits = (at >> level) * span + highs[asking]
        version = np.searchsorted(blocks * span + firsts, limits) - 1
        asking, version = asking[version >= at], version[version >= at]
        newer = load(versions, version)
        store(partial, asking, combine(load(partial, asking), newer))
        places[is_open[asks]] += 1 << level
        is_open = is_open[places[is_open] < stops[is_open]]
        if len(is_open):
            versions, firsts = merge_blocks(versions, firsts, level, span)
        level += 1
    return partial


def merge_blocks(versions, firsts, level, span):
    """Make the versions of blocks twice as long."""
    places = np.arange(len(firsts))
    blocks = places >> (level + 1)
    begins = blocks << (level + 1)
    order = np.argsort(blocks * span + firsts, kind="stable")
    left = np.cumsum((order >> level) & 1 == 0) - (begins >> 1)
    right = places - begins + 1 - left
    older, newer = begins + left - 1, begins + (1 << level) + right - 1
    both = np.flatnonzero((left > 0) & (right > 0))
    pairs = combine(load(versions, older[both]), load(versions, newer[both]))
    merged = load(versions, np.where(left > 0, older, newer))
    store(merged, both, pairs)
    return merged, firsts[order]


def columns_in_order(source, firsts, lasts, ends, goes):
    """Fold events into `ends` and `goes`, in the order of their ends."""
    order = np.argsort(lasts, kind="stable")
    columns_of_parts(fold_pieces(source, firsts, lasts, order), ends, goes)


def columns_in_any_order(source, firsts, lasts, ends, goes):
    """Fold events into `ends` and `goes`, in any order: more are alike."""
    order = np.lexsort((firsts, lasts))
    columns_of_parts(fold_pieces(source, firsts, lasts, order), ends, goes)


def columns_of_parts(folded, ends, goes):
    pieces, firsts, lasts = folded
    counts = np.bincount(lasts, minlength=len(ends[0]))
    clear_columns(ends)
    store(ends, np.flatnonzero(counts), fold_groups(pieces, counts))
    after = np.arange(1, len(goes[0]) + 1)
    partial = fold_overlaps(pieces, firsts, lasts, after, after)
    store(goes, slice(0, len(after)), partial)


def columns_of_one_part(source, firsts, lasts, parts):
    order = np.lexsort((firsts, lasts))
    pieces, firsts, lasts = fold_pieces(source, firsts, lasts, order)
    slices = np.arange(len(parts[0]))
    partial = fold_overlaps(pieces, firsts, lasts, slices, slices + 1)
    store(parts, slice(0, len(slices)), partial)


def prefixes(fields):
    """Fold the first j places into place j."""
    count = len(fields[0])
    sums = allocate(count + 1)
    store(sums, slice(0, 1), IDENTITY)
    store(sums, slice(1, count + 1), load(fields, slice(0, count)))
    step = 1
    while step <= count:
        rest = slice(step, count + 1)
        before = load(sums, slice(0, count + 1 - step))
        store(sums, rest, combine(before, load(sums, rest)))
        step *= 2
    return sums
