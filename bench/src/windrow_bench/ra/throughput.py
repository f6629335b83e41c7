"""RA's Figure 6: throughput of both schemes by window, a result after each row.

small windows     folding again is so little work that nothing beats it
large windows     folding again grows with the window, a tree with its logarithm
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, from_
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.measure.turns import a_second, race_trial

from ._schemes import PAPER, WORKLOAD, enter, series

PANEL = "throughput"
SMALL, LARGE = 8, 1_024
QUICK = Sweep((2, SMALL, 64, 256, LARGE), 100_000)
FULL = Sweep(powers(0, 12), 4_000_000)
BARE = (
    "the paper's rows also pass through an engine, which hides what a scheme costs on "
    "small windows; here the operator alone is timed"
)


def trials(size: Size) -> list[Trial]:
    """A trial for each window."""
    sweep = size.pick(QUICK, FULL)
    rows = sweep.rows
    return [
        race_trial(
            PANEL,
            width,
            partial(enter, series(), width, rows, size.rounds),
            a_second(rows),
            size.rounds,
        )
        for width in sweep.widths
    ]


FIGURE_6 = Experiment(
    name="ra-figure-6",
    paper=PAPER,
    shows="Figure 6",
    title="FlatFAT against folding the window again: throughput by window",
    workload=f"{WORKLOAD}; a slide of one row",
    panels=(
        Panel(
            name=PANEL,
            x="window (rows)",
            y="rows a second (millions)",
            log_x=True,
            log_y=True,
        ),
    ),
    claims=(
        Claim(
            "At a window of 1,024 rows RA computes Max almost 3 times as fast.",
            "almost 3x",
            ahead(PANEL, "RA, Max", ["ISS, Max"], times=2.7, where=from_(LARGE, LARGE)),
        ),
        Claim(
            "At a window of 1,024 rows RA computes StdDev over 10 times as fast.",
            "over 10x",
            ahead(
                PANEL,
                "RA, StdDev",
                ["ISS, StdDev"],
                times=10,
                where=from_(LARGE, LARGE),
            ),
        ),
        Claim(
            "On small windows RA is about a tenth slower for Max.",
            "0.90x",
            ahead(PANEL, "RA, Max", ["ISS, Max"], times=0.9, where=from_(2, SMALL)),
            BARE,
        ),
        Claim(
            "On small windows RA is about a twentieth slower for StdDev.",
            "0.95x",
            ahead(
                PANEL,
                "RA, StdDev",
                ["ISS, StdDev"],
                times=0.95,
                where=from_(2, SMALL),
            ),
            BARE,
        ),
    ),
    trials=trials,
)
