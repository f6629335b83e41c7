"""Defines Panes, which cuts equal slices of the gcd of range and slide.

range 10, slide 4     gcd 2
|--|--|--|--|--|--|--|--|
|---- window ------|
        |---- window ------|
"""

import math

from ._slicer import Comb, Slicer


def _combs(range_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    pane = math.gcd(range_, slide)
    return (Comb(pane, shift % pane),)


PANES = Slicer(
    name="panes",
    title="equal slices of gcd(range, slide)",
    combs=_combs,
    whole_windows=True,
    source="Li et al. (SIGMOD Record 2005); SlickDeque 2.1",
)
