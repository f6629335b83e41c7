"""RA's Figure 8: windows that tumble, where no scheme can reuse anything.

    [========][========][========]        n rows come, n rows go, one result

What a firing costs then is the overhead of a tree that nobody needs.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.measure.turns import each, race_trial

from ._schemes import (
    AGGREGATES,
    ISS,
    PAPER,
    RA,
    SCHEMES,
    WORKLOAD,
    Entry,
    enter,
    whole_slides,
)

PANEL = "firing"
QUICK = Sweep(powers(2, 14, 3), 200_000)
FULL = Sweep(powers(2, 20), 4_000_000)
ALIKE = 0.8  # a quarter more is about the same
WHY = (
    "the tree is written to memory and read again, level by level, while the fold of "
    "a window stays in registers; in the paper both drown in what its engine does"
)


def trials(size: Size) -> list[Trial]:
    """A trial for each window."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for width in sweep.widths:
        rows = whole_slides(sweep.rows, width)
        entries = [Entry(s, one, width) for one in AGGREGATES for s in SCHEMES]
        join = partial(enter, entries, width, rows, size.rounds)
        firing = each(rows / width, 1e-6)
        found.append(race_trial(PANEL, width, join, firing, size.rounds))
    return found


def _claim(aggregate: str) -> Claim:
    judge = ahead(
        PANEL,
        f"{RA}, {aggregate}",
        [f"{ISS}, {aggregate}"],
        times=ALIKE,
        less=True,
        on_average=True,
    )
    return Claim(
        f"A firing of a tumbling window of {aggregate} costs RA about as much as ISS.",
        "essentially no worse",
        judge,
        WHY,
    )


FIGURE_8 = Experiment(
    name="ra-figure-8",
    paper=PAPER,
    shows="Figure 8",
    title="Tumbling windows: a firing from scratch",
    workload=f"{WORKLOAD}; a slide of the whole window",
    panels=(
        Panel(
            name=PANEL,
            x="window (rows)",
            y="microseconds a firing",
            log_x=True,
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=tuple(_claim(one) for one in AGGREGATES),
    trials=trials,
)
