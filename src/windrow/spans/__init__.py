"""Computes windows over events with a duration: one file per family of techniques.

To add a technique: write its picture, its invariants, its loops and its card, and add
it to `CATALOGUE` in `catalogue.py`.  The agreement tests, the benchmarks, the planner
and the tables read this tuple.

The names of this package are loaded when they are first used: most events are points.
"""

from typing import TYPE_CHECKING

from windrow._later import load_later

if TYPE_CHECKING:
    from . import clock
    from ._numbering import measure
    from ._technique import Technique, Windows, Work
    from .buckets import fill_buckets
    from .catalogue import BY_NAME, CATALOGUE, find
    from .events import Events, LaidEvents, NumberedEvents, number_slices
    from .frames import FRAME_COSTS, fold_frames
    from .online import OnlineSlices, Released, SpanKernel
    from .se_slicing import slide_parts
    from .two_parts import HeldParts, add_goes, held, parts_of

__getattr__ = load_later(
    __name__,
    {
        "BY_NAME": ".catalogue",
        "CATALOGUE": ".catalogue",
        "Events": ".events",
        "HeldParts": ".two_parts",
        "LaidEvents": ".events",
        "NumberedEvents": ".events",
        "OnlineSlices": ".online",
        "Released": ".online",
        "SpanKernel": ".online",
        "Technique": "._technique",
        "Windows": "._technique",
        "Work": "._technique",
        "add_goes": ".two_parts",
        "fill_buckets": ".buckets",
        "find": ".catalogue",
        "FRAME_COSTS": ".frames",
        "fold_frames": ".frames",
        "held": ".two_parts",
        "measure": "._numbering",
        "number_slices": ".events",
        "parts_of": ".two_parts",
        "slide_parts": ".se_slicing",
    },
)

__all__ = [
    "BY_NAME",
    "CATALOGUE",
    "FRAME_COSTS",
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
