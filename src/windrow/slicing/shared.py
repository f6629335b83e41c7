"""Lays any number of windows over one composite slide: the shared plan.

The composite slide is the least common multiple of all combs' periods; within it
the edges of all windows are marked, and what lies between two edges is a partial
that is computed once.

    Q1: range 6, slide 2        edges  2 4        composite slide 4
    Q2: range 8, slide 4        edges    4        partial lengths 2, 2
                                answered at 2: Q1;  at 4: Q1 and Q2

The engine itself never walks a composite slide (slides of 7, 11 and 13 make one
of 1,001): it cuts at the next edge of any comb, so the plan cannot blow up.  This
object is what `explain` shows; past `MOST_EDGES` it gives counts only.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from windrow._later import dataclass

from .slicers import Comb, Slicer

MOST_EDGES = 4096


@dataclass(frozen=True)
class SharedPlan:
    """The edges of the composite slide, and the windows that end at each.

    `edges` are the offsets in (0, composite] where a partial ends, `lengths` the
    partials' lengths, `answers` the windows (by number) whose end falls on each
    edge.  `partials` says, for each window, how many partials the longest of its
    windows spans; `width` is the greatest of these.  For Cutty a window may end
    between edges and is then answered in the partial that holds its end.
    """

    composite: int
    edges: tuple[int, ...]
    lengths: tuple[int, ...]
    answers: tuple[tuple[int, ...], ...]
    partials: tuple[int, ...]

    @property
    def width(self) -> int:
        """The most partials that a window spans."""
        return max(self.partials)


def shared_combs(slicer: Slicer, windows: Sequence[tuple[int, int, int]]) -> list[Comb]:
    """The distinct combs of all windows (range, slide, shift), shortest first."""
    return sorted({comb for window in windows for comb in slicer.combs(*window)})


def composite_slide(slicer: Slicer, windows: Sequence[tuple[int, int, int]]) -> int:
    """The length after which the pattern of edges and answers repeats."""
    periods = [comb.period for comb in shared_combs(slicer, windows)]
    return math.lcm(*periods, *(slide for _, slide, _ in windows))


def share(slicer: Slicer, windows: Sequence[tuple[int, int, int]]) -> SharedPlan | None:
    """The shared plan of windows (range, slide, shift); None past `MOST_EDGES`."""
    return _share(slicer, tuple(windows))


@lru_cache(maxsize=256)
def _share(
    slicer: Slicer, windows: tuple[tuple[int, int, int], ...]
) -> SharedPlan | None:
    combs = shared_combs(slicer, windows)
    composite = composite_slide(slicer, windows)
    if sum(composite // comb.period for comb in combs) > MOST_EDGES:
        return None
    marks = {
        (comb.phase + k * comb.period) % composite or composite
        for comb in combs
        for k in range(composite // comb.period)
    }
    edges = tuple(sorted(marks))
    lengths = tuple(b - a for a, b in pairwise((edges[-1] - composite, *edges)))
    answers: list[list[int]] = [[] for _ in edges]
    partials = [0] * len(windows)
    for number, (range_, slide, shift) in enumerate(windows):
        for k in range(composite // slide):
            stop = shift + k * slide + range_
            # past the last edge (Cutty): in the slice that ends in the next composite
            at = bisect_left(edges, stop % composite or composite) % len(edges)
            answers[at].append(number)
            spanned = _span(edges, composite, stop - range_, stop)
            partials[number] = max(partials[number], spanned)
    each = tuple(tuple(sorted(numbers)) for numbers in answers)
    return SharedPlan(composite, edges, lengths, each, tuple(partials))


def _span(edges: Sequence[int], composite: int, start: int, stop: int) -> int:
    """The number of partials that overlap [start, stop)."""

    def up_to(instant: int) -> int:
        turns, rest = divmod(instant, composite)
        return turns * len(edges) + bisect_right(edges, rest)

    return up_to(stop - 1) - up_to(start) + 1
