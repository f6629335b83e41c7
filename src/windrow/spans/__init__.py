"""Computes windows over events with a duration: one file per family of techniques.

To add a technique: write its picture, its invariants, its loops and its card, and add
it to `CATALOGUE`.  The agreement tests, the benchmarks, the planner and the tables read
this tuple.
"""

from windrow.errors import UnknownName

from . import clock
from ._numbering import measure
from ._technique import Technique, Windows, Work
from .buckets import AGGREGATE_BUCKETS, TUPLE_BUCKETS, fill_buckets
from .events import Events, LaidEvents, NumberedEvents, number_slices
from .frames import fold_frames
from .online import OnlineSlices, Released, SpanKernel
from .se_slicing import SE_ML_SLICING, SE_SLICING, slide_parts
from .starts_and_ends import STARTS_AND_ENDS
from .sweeping import CUMULATIVE_SWEEPING, SELECTIVE_SWEEPING
from .two_parts import HeldParts, add_goes, held, parts_of

CATALOGUE: tuple[Technique, ...] = (
    TUPLE_BUCKETS,
    AGGREGATE_BUCKETS,
    CUMULATIVE_SWEEPING,
    SELECTIVE_SWEEPING,
    SE_SLICING,
    SE_ML_SLICING,
    STARTS_AND_ENDS,
)

BY_NAME = {technique.name: technique for technique in CATALOGUE}


def find(name: str) -> Technique:
    """The technique of a name; unknown names are refused with the nearest ones."""
    if name not in BY_NAME:
        raise UnknownName.among(
            "technique for spanning events", name, ["auto", *BY_NAME]
        )
    return BY_NAME[name]


__all__ = [
    "BY_NAME",
    "CATALOGUE",
    "Events",
    "HeldParts",
    "LaidEvents",
    "NumberedEvents",
    "OnlineSlices",
    "Released",
    "SpanKernel",
    "Technique",
    "Windows",
    "Work",
    "add_goes",
    "clock",
    "fill_buckets",
    "find",
    "fold_frames",
    "held",
    "measure",
    "number_slices",
    "parts_of",
    "slide_parts",
]
