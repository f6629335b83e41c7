"""Makes slices of two parts ahead of windows, to be shipped and then combined.

    task 1     ends 3   goes 3   ends 4            slices of one key, from the events
    task 2     ends 3            ends 4   goes 4   that each task has seen
    together   ends 3 . ends 3   goes 3   ...      part by part, slice by slice

The parts are those of SE-Slicing, whichever technique fills them:

    technique          ends             goes
    se_slicing         as it is         as it is
    se_ml_slicing      all              tail
    starts_and_ends    ended[j]         begun[0] . ... . begun[j]
                                        less  ended[0] . ... . ended[j]

so that a long event costs here what it costs where nothing is shipped.  Where
counting twice does no harm the two are joined into one part.
"""

from __future__ import annotations

import numpy as np

from windrow._later import dataclass
from windrow.kernels.vocabulary import (
    IDENTITY,
    allocate,
    combine,
    inverse,
    leaf,
    load,
    peek,
    store,
)
from windrow.loops import arrays

from ._columns import fold_by_place, prefixes
from ._numbering import count_bounds
from ._technique import Array, Fields, Technique, Work
from .events import LaidEvents
from .se_slicing import Parts
from .starts_and_ends import STARTS_AND_ENDS


@dataclass(frozen=True)
class HeldParts:
    """The numbers of the slices with events in `ends`, and with events in `goes`."""

    ends: Array
    goes: Array

    def __len__(self) -> int:
        return len(self.ends) + len(self.goes)


def held(laid: LaidEvents, *, one_part: bool) -> HeldParts:
    """Find the slices whose parts hold an event, and so are worth shipping.

    A slice without an instant (two windows have the same edge) is left out: events
    that go through it are also in the next one, which begins at the same edge.
    """
    begun, ended = count_bounds(laid.firsts, laid.lasts, len(laid))
    living = np.cumsum(begun - ended)
    real = np.ones(len(laid), bool)
    real[:-1] = laid.begins[1:] != laid.begins[:-1]
    real[laid.runs[1:] - 1] = True
    ends, goes = (ended > 0) & real, (living > 0) & real
    if one_part:
        return HeldParts(np.flatnonzero(ends | goes), np.empty(0, np.int64))
    return HeldParts(np.flatnonzero(ends), np.flatnonzero(goes))


def run_goes(begun, ended, goes):
    whole = IDENTITY
    for j in range(len(goes[0])):
        whole = inverse(combine(whole, load(begun, j)), load(ended, j))
        store(goes, j, whole)


def columns_of_goes(begun, ended, goes):
    slices = slice(1, len(goes[0]) + 1)
    whole = inverse(load(prefixes(begun), slices), load(prefixes(ended), slices))
    store(goes, slice(0, len(goes[0])), whole)


def join_parts(ends, goes):
    for j in range(len(ends[0])):
        store(ends, j, combine(load(ends, j), load(goes, j)))


def columns_of_join(ends, goes):
    slices = slice(0, len(ends[0]))
    store(ends, slices, combine(load(ends, slices), load(goes, slices)))


def fold_tails(source, slices, goes):
    for i in range(len(slices)):
        j = peek(slices, i)
        store(goes, j, combine(load(goes, j), leaf(source, i)))


def columns_of_tails(source, slices, goes):
    tails = allocate(len(goes[0]))
    fold_by_place(source, slices, tails)
    columns_of_join(goes, tails)


def parts_of(work: Work, technique: Technique) -> Parts:
    """Compute `ends` and, unless one part is enough, `goes` of events or pieces."""
    assert technique.prepare is not None
    ends, goes = technique.prepare(work)
    if technique is STARTS_AND_ENDS:
        begun, ended = ends, goes
        ends, goes = ended, arrays(work.product.dtypes, len(work.laid))
        work.run(run_goes, begun, ended, goes, columns=columns_of_goes)
    if work.one_part and goes:
        work.run(join_parts, ends, goes, columns=columns_of_join)
        goes = ()
    return ends, goes


def add_goes(work: Work, parts: Parts, tails: Fields, slices: Array) -> None:
    """Combine `tails`, which go on beyond `slices`, into `goes` in place."""
    work.run(fold_tails, tails, slices, parts[1], columns=columns_of_tails)
