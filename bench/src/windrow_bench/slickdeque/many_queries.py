"""SlickDeque's Exp 2: as many queries as there can be, over ranges 1, 2, ..., n.

    rows      . . . . . . . . . . . |
    range 1                       [=]
    range 2                     [===]      n results after each row that comes
    range 3                   [=====]
    ...

Throughput is slides of the shared plan a second.  TwoStacks and DABA answer one range
only and take no part, as in the paper.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from windrow.algorithms import find
from windrow_bench._claims import ahead, from_
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sharing import multi_contender
from windrow_bench.measure.turns import a_second, race_trial

from ._stream import PAPER, SLICK, WORKLOAD, energies, unique_of

PEERS = ("flat_fat", "b_int", "flat_fit", "recompute")
OWN = {"sum": "slick_deque_inv", "max": "slick_deque"}
PANEL = "throughput"
QUICK = Sweep(powers(0, 10, 2), 1 << 18)
FULL = Sweep(powers(0, 12), 1 << 22)
WHY = (
    "a compiled fold over a short range is a handful of instructions, which costs less "
    "than looking after any structure"
)

WITHOUT_NAIVE = "recompute left out of the rivals (a quick run, AMD EPYC):"


def trials(aggregate: str, size: Size) -> list[Trial]:
    """A trial for each number of queries; half of the slides at least have them all."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for n in sweep.widths:
        slides = max(sweep.rows // n, 2 * n)
        join = partial(_enter, aggregate, n, slides, unique_of(size))
        value = a_second(slides, 1e3)
        found.append(race_trial(PANEL, n, join, value, size.rounds))
    return found


def _enter(
    aggregate: str, n: int, slides: int, unique: int, _seconds: float
) -> list[Contender]:
    data, ranges = energies(slides, unique), range(1, n + 1)
    names = {SLICK: OWN[aggregate], **{name: name for name in PEERS}}
    return [
        replace(multi_contender(find(one), aggregate, data, ranges), name=title)
        for title, one in names.items()
    ]


def _experiment(part: str, figure: int, aggregate: str, *claims: Claim) -> Experiment:
    return Experiment(
        name=f"slickdeque-{part}",
        paper=PAPER,
        shows=f"Exp {part}, Figure {figure}",
        title=f"All ranges from 1 to n at once, {aggregate}: throughput by n",
        workload=(
            f"{WORKLOAD}; up to 4,096 queries in a full run, since each row has as "
            "many results, and all are kept and checked"
        ),
        panels=(
            Panel(
                name=PANEL,
                x="window (rows), as many queries",
                y="slides a second (thousands)",
                log_x=True,
                log_y=True,
            ),
        ),
        claims=claims,
        trials=partial(trials, aggregate),
    )


MANY_SUM = _experiment(
    "2a",
    12,
    "sum",
    Claim(
        "With an inverse SlickDeque answers all ranges the fastest from windows of 4 "
        "rows on.",
        "1.45x the second best on average, 1.60x at most",
        ahead(PANEL, SLICK, PEERS, where=from_(4)),
        WHY,
        f"{WITHOUT_NAIVE} 1.4 to 2.7 times as fast from 4 to 1,024",
    ),
)
MANY_MAX = _experiment(
    "2b",
    13,
    "max",
    Claim(
        "Without an inverse SlickDeque answers all ranges the fastest from windows of "
        "4 rows on.",
        "3.66x the second best on average, 4.45x at most",
        ahead(PANEL, SLICK, PEERS, where=from_(4)),
        WHY,
        f"{WITHOUT_NAIVE} 1.05 to 2.0 times as fast from 4 to 1,024",
    ),
    Claim(
        "All ranges from 1 to 1,024 at once go at least three times as fast as by "
        "FlatFIT.",
        "3.66x the second best on average",
        ahead(PANEL, SLICK, ["flat_fit"], times=3.0, where=from_(1_024, 1_024)),
    ),
)
