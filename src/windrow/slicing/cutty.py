"""Defines Cutty, which cuts only where windows start.

    range 10, slide 4
    |-------|-------|-------|
    |----- window ------|            two slices and a tail
            |----- window ------|

A window that ends in the middle of a slice is whole slices and one running tail:
half the slices of Pairs.  The tail needs the rows themselves, in order, so Cutty
serves in one process, where they are at hand.
"""

from ._slicer import Comb, Slicer


def _combs(_: int, slide: int, shift: int) -> tuple[Comb, ...]:
    return (Comb(slide, shift % slide),)


CUTTY = Slicer(
    name="cutty",
    title="cut at window starts; windows end in a running tail",
    combs=_combs,
    whole_windows=False,
    source="Carbone et al. (CIKM 2016); SlickDeque 2.1, PBA 2.2",
)
