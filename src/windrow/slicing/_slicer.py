"""Describes a slicer, which says where the stream is cut for a window.

For one window it gives the combs whose teeth are the edges:

    Comb(period, phase)     edges at phase, phase + period, phase + 2 period, ...

Slices are the stretches between neighbouring edges of all combs of all windows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Comb:
    """Edges at `phase` plus every multiple of `period`; 0 <= phase < period."""

    period: int
    phase: int


@dataclass(frozen=True)
class Slicer:
    """The card of a slicer: its name, its combs and its source.

    `combs(range, slide, shift)` gives the edges for one window.  Where
    `whole_windows` is false a window ends in the middle of a slice and needs a
    tail: that takes rows that come in order.
    """

    name: str
    title: str
    combs: Callable[[int, int, int], tuple[Comb, ...]]
    whole_windows: bool
    source: str
