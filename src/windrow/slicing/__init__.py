"""Decides WHERE the stream is cut: one file per slicer, one line here for each."""

from windrow.errors import UnknownName

from ._slicer import Comb, Slicer
from .cut import Cuts, cuts_of
from .cutty import CUTTY
from .fold import fold
from .pairs import PAIRS
from .panes import PANES
from .shared import SharedPlan, composite_slide, share, shared_combs

CATALOGUE: tuple[Slicer, ...] = (PANES, PAIRS, CUTTY)

BY_NAME = {slicer.name: slicer for slicer in CATALOGUE}


def find(name: str) -> Slicer:
    """The slicer of a name; unknown names are refused with the nearest ones."""
    if name not in BY_NAME:
        raise UnknownName.among("slicer", name, ["auto", *BY_NAME])
    return BY_NAME[name]


__all__ = [
    "BY_NAME",
    "CATALOGUE",
    "Comb",
    "Cuts",
    "SharedPlan",
    "Slicer",
    "composite_slide",
    "cuts_of",
    "find",
    "fold",
    "share",
    "shared_combs",
]
