"""Colours and marks of series: the same in every figure of a report.

    series that meet in a panel   differ in colour, and in mark too
    more series than colours      colours come again, with another mark

Colours are told apart by colour-blind readers as well (Okabe and Ito's, and Tol's, for
white paper; lighter ones for black).  A figure is drawn in the light ones; in the page
each becomes a variable of CSS, so that one drawing serves light and dark.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

LIGHT = (
    "#0072b2",  # blue
    "#d55e00",  # vermilion
    "#009e73",  # green
    "#aa4499",  # purple
    "#c98a00",  # ochre
    "#3fa7dd",  # sky
    "#882255",  # wine
    "#6b7a12",  # olive
    "#4b3fa8",  # indigo
)
DARK = (
    "#4aa8ec",
    "#ff8c42",
    "#2fce9f",
    "#e08bd2",
    "#f2c14e",
    "#9bdcff",
    "#e0709c",
    "#c3cf5a",
    "#a89bff",
)
GREY = len(LIGHT)  # for what all others are compared with
GREYS = ("#7a8087", "#a3abb3")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
BASELINES = ("recompute", "naive", "re-evaluation", "Spark", "spark")

INK, FAINT, GRID, PAPER = "#20272e", "#626c76", "#dde1e4", "#fefefe"
INKS = {INK: "--ink", FAINT: "--faint", GRID: "--grid", PAPER: "--card"}
VARIABLES: Mapping[str, str] = {
    **INKS,
    **{colour: f"--s{i}" for i, colour in enumerate((*LIGHT, GREYS[0]))},
}


@dataclass(frozen=True)
class Look:
    """How a series is drawn: its number among the colours, and its mark."""

    index: int
    marker: str

    @property
    def colour(self) -> str:
        """On white paper."""
        return (*LIGHT, GREYS[0])[self.index]


def looks(panels: Iterable[Sequence[str]]) -> dict[str, Look]:
    """A look for each series, given who meets whom in each panel.

    >>> found = looks([["a", "b"], ["b", "recompute", "c"]])
    >>> [(name, look.index) for name, look in found.items()]
    [('b', 0), ('a', 1), ('recompute', 9), ('c', 1)]
    """
    met = [list(dict.fromkeys(panel)) for panel in panels]
    often = Counter(name for panel in met for name in panel)
    found: dict[str, Look] = {}
    for name, _ in often.most_common():
        if name in BASELINES:
            found[name] = Look(GREY, "x")
            continue
        near = {one for panel in met if name in panel for one in panel}
        found[name] = _free([found[one] for one in near if one in found])
    return found


def _free(taken: Sequence[Look]) -> Look:
    """The colour that the fewest neighbours have, then the mark likewise."""
    colours = Counter(look.index for look in taken)
    index = min(range(len(LIGHT)), key=lambda i: (colours[i], i))
    round_ = colours[index]
    return Look(index, MARKERS[(index + round_) % len(MARKERS)])


def variables() -> str:
    """The colours of series as CSS, each for light and for dark."""
    pairs = zip((*LIGHT, GREYS[0]), (*DARK, GREYS[1]), strict=True)
    return " ".join(
        f"--s{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(pairs)
    )
