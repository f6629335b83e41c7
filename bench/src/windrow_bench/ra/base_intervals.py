"""RA's Figure 11 and Table 4: FlatFAT against the base intervals of Arasu and Widom.

    RA    a tree over the window: the path above each change is renewed, and the root
          is the answer
    AW    aligned intervals of 1, 2, 4, ... rows, each computed once; the answer is
          the fewest that cover the window

Both as array kernels: AW has no operator here.  Filling the first window counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from statistics import geometric_mean

from windrow.algorithms import find
from windrow_bench._claims import ahead, from_, places
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import Contender
from windrow_bench.measure.turns import each, race_trial

from ._schemes import PAPER, cost_panel, stream

RA, AW = "RA", "AW"
ALGORITHMS = {RA: "flat_fat", AW: "b_int"}
PANEL = "cost"
SLIDES = (1, 64)
TABLE = {
    "Sum": "sum",
    "Max": "max",
    "ArithmeticMean": "mean",
    "MinCount": "min_count",
    "PopulationStdDev": "stddev_population",
}
FEW = ("Sum", "Max", "PopulationStdDev")
QUICK = Sweep(powers(6, 18, 3), 200_000, more=(2**3, 2**13, 2**20))
FULL = Sweep(powers(6, 23), 4_000_000, more=(2**3, 2**13, 2**23))
ALIKE = 1.25
WORKLOAD = "whole numbers below 1,000, one array, results into prepared memory"
DEARER = (
    "a tree combines more often for a row, so that it loses more where a combine "
    "costs more"
)
WHY = (
    "base intervals here are one flat array too, none is computed before it is "
    "complete, and a slide completes one of them on average, where a tree renews "
    "the whole path above it"
)


def _enter(
    aggregate: str, width: int, slides: Sequence[int], rows: int, _seconds: float
) -> list[Contender]:
    found = []
    for every in slides:
        for name, algorithm in ALGORITHMS.items():
            one = kernel_contender(
                find(algorithm), aggregate, stream(rows), width, every=every
            )
            title = f"{name}, m = {every}" if len(slides) > 1 else name
            found.append(replace(one, name=title))
    return found


def _rows(sweep: Sweep, width: int) -> int:
    """Most of them slide: the first window is a third at most."""
    return max(sweep.rows, 3 * width)


def figure_trials(size: Size) -> list[Trial]:
    """A trial for each window."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for width in sweep.widths:
        rows = _rows(sweep, width)
        join = partial(_enter, "max", width, SLIDES, rows)
        found.append(race_trial(PANEL, width, join, each(rows, 1e-6), size.rounds))
    return found


def table_trials(size: Size) -> list[Trial]:
    """A trial for each aggregate and window."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for title in size.pick(FEW, tuple(TABLE)):
        for width in sweep.more:
            rows = _rows(sweep, width)
            join = partial(_enter, TABLE[title], width, (1,), rows)
            cost = each(rows, 1e-6)
            found.append(race_trial(title, width, join, cost, size.rounds))
    return found


def ratios(rows: RowSet) -> dict[str, dict[float, float]]:
    """What AW takes to what RA takes, by aggregate and window."""
    found = {
        title: {float(x): rows.ratio(title, x, AW, RA) for x in places(rows, title)}
        for title in TABLE
        if rows.xs(title)
    }
    if not found:
        raise NotMeasured("no aggregate was measured")
    return found


def is_slower(rows: RowSet) -> Verdict:
    """Whether AW takes longer for each aggregate at each window."""
    found = ratios(rows)
    by_window = {
        x: [one[x] for one in found.values()] for x in next(iter(found.values()))
    }
    said = "; ".join(
        f"{min(some):.2f} to {max(some):.2f} at {x:,.0f}"
        for x, some in by_window.items()
    )
    return Verdict(said, all(min(some) >= 1.0 for some in by_window.values()))


def gap_widens(rows: RowSet) -> Verdict:
    """Whether AW is behind, and falls back further as windows grow."""
    found = [*ratios(rows).values()]
    first, last = (
        geometric_mean(one[pick(one)] for one in found) for pick in (min, max)
    )
    said = f"{first:.2f} at the shortest, {last:.2f} at the longest"
    return Verdict(said, last > max(first, 1.0))


def aggregate_matters_little(rows: RowSet) -> Verdict:
    """Whether all aggregates show about the same ratio at a window."""
    found = ratios(rows)
    spread = {}
    for x in next(iter(found.values())):
        some = [one[x] for one in found.values()]
        spread[x] = max(some) / min(some)
    worst = max(spread, key=lambda x: spread[x])
    said = f"within {spread[worst]:.2f}x of each other, at the worst ({worst:,.0f})"
    return Verdict(said, spread[worst] <= ALIKE)


FIGURE_11 = Experiment(
    name="ra-figure-11",
    paper=PAPER,
    shows="Figure 11",
    title="FlatFAT against base intervals: what a row costs, by window",
    workload=f"{WORKLOAD}; Max, a result each m rows",
    panels=(cost_panel(PANEL),),
    claims=tuple(
        Claim(
            f"RA is faster than base intervals by a constant factor, slides of {m}.",
            "1.02x to 1.37x by window, at slides of 1" if m == 1 else "faster",
            ahead(
                PANEL,
                f"{RA}, m = {m}",
                [f"{AW}, m = {m}"],
                less=True,
                where=from_(64),
            ),
            WHY,
        )
        for m in SLIDES
    ),
    trials=figure_trials,
)
TABLE_4 = Experiment(
    name="ra-table-4",
    paper=PAPER,
    shows="Table 4",
    title="FlatFAT against base intervals: relative cost by aggregate",
    workload=f"{WORKLOAD}; a slide of one row, windows of 8, 8K, 8M (1M in quick runs)",
    panels=tuple(
        Panel(
            name=title,
            x="window (rows)",
            y="microseconds a row",
            kind="bars",
            more_is_better=False,
        )
        for title in TABLE
    ),
    claims=(
        Claim(
            "Base intervals take longer than RA, whatever the aggregate.",
            "1.02 to 1.06 at 8 rows, 1.20 to 1.26 at 8K, 1.35 to 1.39 at 8M",
            is_slower,
            WHY,
        ),
        Claim(
            "The gap widens as windows grow.",
            "1.04 at 8 rows, 1.37 at 8M",
            gap_widens,
            WHY,
        ),
        Claim(
            "The aggregate makes little difference at the same window.",
            "within 1.05x of each other",
            aggregate_matters_little,
            DEARER,
        ),
    ),
    trials=table_trials,
)
