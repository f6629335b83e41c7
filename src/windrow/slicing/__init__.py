"""Decides WHERE the stream is cut: one line here for each slicer."""

from windrow.errors import UnknownName

from .cells import CellRows, CellTable, fold_cells
from .cut import Cuts, cuts_of, spread_of
from .fold import fold
from .parts import HALOS, PART, Part, Runs
from .shared import composite_slide, share, shared_combs
from .slicers import CUTTY, PAIRS, PANES, Comb, Slicer

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
    "HALOS",
    "PART",
    "CellRows",
    "CellTable",
    "Comb",
    "Cuts",
    "Part",
    "Runs",
    "Slicer",
    "composite_slide",
    "cuts_of",
    "find",
    "fold",
    "fold_cells",
    "share",
    "shared_combs",
    "spread_of",
]
