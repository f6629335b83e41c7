"""The paper's two schemes as operators: RA is FlatFAT, ISS folds the whole window.

    fill the window, then     [==============]            a result each m rows:
                               [==============]           what a row costs, without
                                [==============]          the filling

Values are whole numbers of 64 bits, where the paper's have 32: it is the width that
operators here keep.  Rows come in batches through `wr.Operator.feed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow_bench.experiment import Panel
from windrow_bench.measure.operators import steady_within
from windrow_bench.measure.race import Contender
from windrow_bench.measure.values import Array, values

PAPER = "RA"
RA, ISS = "RA", "ISS"
SCHEMES = {RA: "flat_fat", ISS: "recompute"}
AGGREGATES = {"Max": "max", "StdDev": "stddev"}
WORKLOAD = "whole numbers below 1,000, one key, operators fed in batches"


@dataclass(frozen=True)
class Entry:
    """Who takes part: a scheme, an aggregate of the paper, and a slide."""

    scheme: str
    aggregate: str
    every: int = 1
    name: str = ""

    @property
    def series(self) -> str:
        """Its name in a figure."""
        return self.name or f"{self.scheme}, {self.aggregate}"


def series(aggregates: Sequence[str] = tuple(AGGREGATES)) -> list[Entry]:
    """Both schemes for each aggregate, as most figures have them."""
    return [Entry(scheme, one) for one in aggregates for scheme in SCHEMES]


def cost_panel(name: str) -> Panel:
    """What a row costs, by window: the axes of most of the figures."""
    return Panel(
        name=name,
        x="window (rows)",
        y="microseconds a row",
        log_x=True,
        more_is_better=False,
    )


def stream(rows: int) -> Array:
    """The values of all of RA's experiments."""
    return values(rows, "int64")


def contender(entry: Entry, width: int, rows: int, seconds: float) -> Contender:
    """One over as many of those rows as it can do in so many seconds."""
    return steady_within(
        entry.series,
        SCHEMES[entry.scheme],
        AGGREGATES[entry.aggregate],
        stream(rows + width),
        width,
        seconds,
        every=entry.every,
    )


def enter(
    entries: Sequence[Entry], width: int, rows: int, rounds: int, seconds: float
) -> list[Contender]:
    """All of them, each with its part of the time: a rehearsal, a try, and rounds."""
    each = seconds / len(entries) / (rounds + 2)
    return [contender(one, width, rows, each) for one in entries]


def whole_slides(rows: int, every: int) -> int:
    """At least so many rows, and a whole number of slides."""
    return -(-rows // every) * every
