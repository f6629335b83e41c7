"""Defines Pairs, which cuts where windows start and end: two slices a slide.

    range 10, slide 4     f2 = 10 mod 4 = 2, f1 = 4 - 2 = 2
    |-f2|-f1|-f2|-f1|-f2|-f1|
    |----- window ------|
            |----- window ------|

Fewer slices than Panes whenever the slide does not divide the range: Panes has
slide / gcd slices a slide, Pairs two.
"""

from ._slicer import Comb, Slicer


def _combs(range_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    starts = Comb(slide, shift % slide)
    stops = Comb(slide, (shift + range_) % slide)
    return (starts,) if starts == stops else (starts, stops)


PAIRS = Slicer(
    name="pairs",
    title="cut at window starts and window ends",
    combs=_combs,
    whole_windows=True,
    source="Krishnamurthy, Wu, Franklin (SIGMOD 2006); SlickDeque 2.1",
)
