"""Slicers: Panes, Pairs and Cutty say where the stream is cut for a window.

    range 5, slide 3
    windows |-------------------|
                        |-------------------|
    Panes   |---|---|---|---|---|---|---|---|     the gcd of range and slide: 1
    Pairs   |-------|---|-------|---|-------|     5 mod 3 = 2, and what is left: 1
    Cutty   |-----------|-----------|-------      whole slices, and a tail

Panes cuts equal slices, slide / gcd of them a slide; Pairs cuts where windows start and
end, two a slide: fewer whenever the slide does not divide the range.  Cutty cuts only
where windows start, so that a window is whole slices and one running tail.  The tail
needs the rows themselves, in order: Cutty serves in one process.

Slices are the stretches between neighbouring edges of all combs of all windows.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

from windrow._later import dataclass


@dataclasses.dataclass(frozen=True, order=True)
class Comb:
    """Edges at `phase` plus every multiple of `period`; 0 <= phase < period."""

    period: int
    phase: int


@dataclass(frozen=True)
class Slicer:
    """The card of a slicer: its name, its combs and its source.

    `combs(range, slide, shift)` gives the edges for one window.  Where
    `whole_windows` is false a window ends in the middle of a slice and needs a tail.
    """

    name: str
    title: str
    combs: Callable[[int, int, int], tuple[Comb, ...]]
    whole_windows: bool
    source: str


def _equal_panes(range_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    pane = math.gcd(range_, slide)
    return (Comb(pane, shift % pane),)


def _starts_and_stops(range_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    starts, stops = Comb(slide, shift % slide), Comb(slide, (shift + range_) % slide)
    return (starts,) if starts == stops else (starts, stops)


def _starts(_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    return (Comb(slide, shift % slide),)


PANES = Slicer(
    name="panes",
    title="equal slices of gcd(range, slide)",
    combs=_equal_panes,
    whole_windows=True,
    source="Li et al. (SIGMOD Record 2005); SlickDeque 2.1",
)

PAIRS = Slicer(
    name="pairs",
    title="cut at window starts and window ends",
    combs=_starts_and_stops,
    whole_windows=True,
    source="Krishnamurthy, Wu, Franklin (SIGMOD 2006); SlickDeque 2.1",
)

CUTTY = Slicer(
    name="cutty",
    title="cut at window starts; windows end in a running tail",
    combs=_starts,
    whole_windows=False,
    source="Carbone et al. (CIKM 2016); SlickDeque 2.1, PBA 2.2",
)
