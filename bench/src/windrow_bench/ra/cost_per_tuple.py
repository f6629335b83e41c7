"""RA's Figure 7: what a row costs RA, by window, with its best fit to a logarithm.

    cost |              . - '
         |        . - '              a + b log2(n): straight where x is a log scale
         |  . - '
         +-------------------- n

A trial is a whole curve, since the fit needs all of it.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import places
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.turns import each, in_turns, row_of

from ._log_fit import LogFit, log_fit
from ._schemes import AGGREGATES, PAPER, RA, WORKLOAD, Entry, contender, cost_panel

PANEL = "cost"
FIT = ", fit"
QUICK = Sweep(powers(3, 18, 3), 100_000)
FULL = Sweep(powers(3, 23), 4_000_000)
GOOD = 0.9  # r squared of what follows a logarithm closely
LEAST = 1e-6  # microseconds: a curve may dip below nothing
KNEE = 1.5  # times the curve, and a cost stands out


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate."""
    sweep = size.pick(QUICK, FULL)
    return [
        Trial(PANEL, one, partial(_curve, one, sweep, size.rounds))
        for one in AGGREGATES
    ]


def _curve(aggregate: str, sweep: Sweep, rounds: int, seconds: float) -> list[Row]:
    widths, rows = sweep.widths, sweep.rows
    measured, share = [], seconds / len(widths)
    for width in widths:
        one = contender(Entry(RA, aggregate), width, rows, share / (rounds + 2))
        times, first = in_turns([one], rounds, share)
        facts = {"first_call_s": first[one.name]}
        cost = each(rows, 1e-6)
        measured.append(row_of(PANEL, width, aggregate, cost, times[one.name], facts))
    curve = log_fit({float(row.x): row.value for row in measured})
    said = {"a": curve.a, "b": curve.b, "r2": curve.square}
    fitted = [
        Row(PANEL, width, aggregate + FIT, value, value, value, 1, said)
        for width, value in ((width, curve.at(width)) for width in widths)
    ]
    return measured + fitted


def fits(rows: RowSet) -> dict[str, tuple[LogFit, dict[float, float]]]:
    """The curve of each aggregate, and its costs."""
    found = {}
    for one in AGGREGATES:
        xs = [float(x) for x in places(rows, PANEL) if x in rows.xs(PANEL, one)]
        if len(xs) < 3:
            raise NotMeasured(f"{one} was not measured at three windows")
        costs = {x: rows.value(PANEL, x, one) for x in xs}
        found[one] = log_fit(costs), costs
    return found


def is_logarithmic(rows: RowSet) -> Verdict:
    """Whether each curve follows its fit."""
    curves = {one: fit for one, (fit, _) in fits(rows).items()}
    said = "; ".join(
        f"{one}: {fit.a:.3f} + {fit.b:.4f} log2 n us, r2 {fit.square:.3f}"
        for one, fit in curves.items()
    )
    holds = all(fit.square >= GOOD and fit.b > 0 for fit in curves.values())
    return Verdict(said, holds)


def has_no_knee(rows: RowSet) -> Verdict:
    """Whether no cost stands far above its curve."""
    above = {
        (one, x): cost / max(fit.at(x), LEAST)
        for one, (fit, costs) in fits(rows).items()
        for x, cost in costs.items()
    }
    worst = max(above, key=lambda place: above[place])
    said = f"{above[worst]:.2f}x the curve at most ({worst[0]} at {worst[1]:,.0f})"
    return Verdict(said, above[worst] <= KNEE)


FIGURE_7 = Experiment(
    name="ra-figure-7",
    paper=PAPER,
    shows="Figure 7",
    title="What a row costs RA, and its best fit to a logarithm",
    workload=f"{WORKLOAD}; a slide of one row, windows up to 8 million in a full run",
    panels=(cost_panel(PANEL),),
    claims=(
        Claim(
            "The cost of a row grows with the logarithm of the window.",
            "matches the fit closely",
            is_logarithmic,
        ),
        Claim(
            "There is no knee where the tree grows past the caches.",
            "none up to 8 million rows",
            has_no_knee,
        ),
    ),
    trials=trials,
)
