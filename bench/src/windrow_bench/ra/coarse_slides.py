"""RA's Figure 10: slides of m rows, from one row to the whole window, StdDev.

m = 1           log2(n) nodes a row
m = 64          the 64 rows of a slide share most of their paths
m = n / 4       1 + log2(n / m) nodes a row: no longer depends on n
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windrow_bench._claims import from_, level, places
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, RowSet, Size, Trial, Verdict
from windrow_bench.measure.turns import each, race_trial

from ._log_fit import log_fit
from ._schemes import PAPER, RA, WORKLOAD, Entry, cost_panel, enter, whole_slides

PANEL = "cost"
AGGREGATE = "StdDev"
SLIDES: dict[str, Callable[[int], int]] = {
    "m = 1": lambda n: 1,  # noqa: ARG005
    "m = 4": lambda n: 4,  # noqa: ARG005
    "m = 64": lambda n: 64,  # noqa: ARG005
    "m = n/16": lambda n: n // 16,
    "m = n/4": lambda n: n // 4,
    "m = n": lambda n: n,
}
QUICK = Sweep(powers(4, 19, 3), 100_000)
FULL = Sweep(powers(4, 22), 4_000_000)
CONSTANT, FRACTIONS = tuple(SLIDES)[:3], tuple(SLIDES)[3:]
LARGE = 1_024  # windows from here on are large enough
STRAIGHT = 0.8


def trials(size: Size) -> list[Trial]:
    """A trial for each window; slides longer than it take no part."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for width in sweep.widths:
        rows = whole_slides(sweep.rows, max(width, 64))
        entries = [
            Entry(RA, AGGREGATE, of(width), name)
            for name, of in SLIDES.items()
            if 1 <= of(width) <= width
        ]
        join = partial(enter, entries, width, rows, size.rounds)
        found.append(race_trial(PANEL, width, join, each(rows, 1e-6), size.rounds))
    return found


def is_straight(rows: RowSet) -> Verdict:
    """Whether costs of constant slides follow a logarithm, from large windows on."""
    found = {}
    for one in CONSTANT:
        xs = [x for x in places(rows, PANEL, from_(LARGE)) if x in rows.xs(PANEL, one)]
        found[one] = log_fit({float(x): rows.value(PANEL, x, one) for x in xs})
    said = "; ".join(f"{one}: r2 {fit.square:.2f}" for one, fit in found.items())
    holds = all(fit.square >= STRAIGHT and fit.b > 0 for fit in found.values())
    return Verdict(said, holds)


FIGURE_10 = Experiment(
    name="ra-figure-10",
    paper=PAPER,
    shows="Figure 10",
    title="Slides of m rows: what a row costs RA",
    workload=f"{WORKLOAD}; StdDev, a result each m rows",
    panels=(cost_panel(PANEL),),
    claims=(
        Claim(
            "For a constant slide the cost of a row grows with the logarithm of the "
            "window.",
            "straight lines over log n",
            is_straight,
        ),
        Claim(
            "For a slide that is a fraction of the window the cost of a row does not "
            "depend on the window, once it is large.",
            "constant",
            level(PANEL, FRACTIONS, where=from_(LARGE)),
        ),
    ),
    trials=trials,
)
