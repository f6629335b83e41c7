"""Implements SE-Slicing: each slice has two parts for the events that cross it.

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
"""

from __future__ import annotations

from windrow.aggregates import Law
from windrow.algorithms import slide_arrays
from windrow.kernels import arrays
from windrow.kernels.vocabulary import IDENTITY, combine, leaf, load, peek, store

from ._technique import Fields, Technique, Windows, Work

Parts = tuple[Fields, Fields]
"""`ends` and, unless one part is enough, `goes`."""


def alike(firsts, lasts, i):
    """Find the end of the events from i on that cross the same slices as event i.

    Neighbours mostly do.  They are combined in a register and inserted once, which
    keeps their order (events of 5,000, 1,000 / 200: 25 -> 62 M events/s, a noisy run).
    """
    first, last = peek(firsts, i), peek(lasts, i)
    i += 1
    while i < len(firsts) and peek(firsts, i) == first and peek(lasts, i) == last:
        i += 1
    return i


def fold_alike(source, i, stop):
    partial = leaf(source, i)
    for k in range(i + 1, stop):
        partial = combine(partial, leaf(source, k))
    return partial


def fold_two_parts(source, firsts, lasts, ends, goes):
    for j in range(len(ends[0])):
        store(ends, j, IDENTITY)
        store(goes, j, IDENTITY)
    i = 0
    while i < len(firsts):
        first, last, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_alike(source, i, stop)
        for j in range(first, last):
            store(goes, j, combine(load(goes, j), partial))
        store(ends, last, combine(load(ends, last), partial))
        i = stop


def fold_one_part(source, firsts, lasts, parts):
    for j in range(len(parts[0])):
        store(parts, j, IDENTITY)
    i = 0
    while i < len(firsts):
        first, last, stop = peek(firsts, i), peek(lasts, i), alike(firsts, lasts, i)
        partial = fold_alike(source, i, stop)
        for j in range(first, last + 1):
            store(parts, j, combine(load(parts, j), partial))
        i = stop


def fold_parts(work: Work) -> Parts:
    """Fold every event into the slices that it crosses."""
    laid, product = work.laid, work.product
    ends = arrays(product.dtypes, len(laid))
    if work.one_part:
        work.run(fold_one_part, work.source, laid.firsts, laid.lasts, ends)
        return ends, ()
    goes = arrays(product.dtypes, len(laid))
    work.run(fold_two_parts, work.source, laid.firsts, laid.lasts, ends, goes)
    return ends, goes


def slide_parts(work: Work, parts: Parts, windows: Windows) -> Fields:
    """Slide an algorithm over `ends`, and add `goes` of each window's last slice."""
    ends, goes = parts
    starts, stops = windows.frames.starts, windows.frames.stops
    return slide_arrays(
        windows.algorithm,
        work.product,
        ends,
        starts,
        stops,
        leaf="slices",
        tails=tuple(field[stops - 1] for field in goes),
    )


SE_SLICING = Technique(
    name="se_slicing",
    title="SE-Slicing: slices of two parts, ends here and goes on",
    needs=Law.NONE,
    insert="m / b + 1",
    release="w / b; 3 here",
    space="2 w / b",
    source="SES 3.2, 5.2.1, Algorithms 1 to 4",
    prepare=fold_parts,
    answer=slide_parts,
)
