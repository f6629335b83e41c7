"""SlickDeque's Exp 1: one query over windows of 1 to 2^27 rows, a slide of one.

    rows     ........................................
    window                 [==============]            sum (1a) or max (1b), after
                            [==============]           each row that comes

Throughput is results a second.  Contenders that are too slow for their time run on
fewer rows.  SlickDeque is two algorithms: with an inverse it keeps one running value
(subtract_on_evict here), without one the deque.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from windrow.algorithms import find
from windrow.bench._claims import ahead, from_, level
from windrow.bench._experiment import Claim, Experiment, Panel, Size, Trial
from windrow.bench.measure.kernels import kernel_contender
from windrow.bench.measure.race import Contender, rows_within
from windrow.bench.measure.turns import a_second, race_trial
from windrow.bench.measure.values import values

PEERS = ("flat_fat", "b_int", "flat_fit", "two_stacks", "daba")  # the paper's
NAIVE = "recompute"
SLICK = "SlickDeque"
OWN = {"sum": "subtract_on_evict", "max": "slick_deque"}
PANEL = "throughput"


def trials(aggregate: str, size: Size) -> list[Trial]:
    """A trial for each window."""
    rows = size.pick(400_000, 16_000_000)
    widths = [2**k for k in range(0, size.pick(21, 28), size.pick(4, 1))]
    return [
        race_trial(
            PANEL,
            width,
            partial(_enter, aggregate, width, rows),
            a_second(rows),
            size.rounds,
        )
        for width in widths
    ]


def _enter(aggregate: str, width: int, rows: int, seconds: float) -> list[Contender]:
    each = seconds / 20
    mine = _contender(OWN[aggregate], aggregate, width, rows, each)
    others = [_contender(n, aggregate, width, rows, each) for n in (*PEERS, NAIVE)]
    return [replace(mine, name=SLICK), *others]


def _contender(
    name: str, aggregate: str, width: int, rows: int, seconds: float
) -> Contender:
    """One over as many results as it can do in so many seconds, its time scaled."""
    algorithm, data = find(name), values(rows + width - 1)

    def on(some: int) -> Contender:
        part = data[: some + width - 1]
        return kernel_contender(algorithm, aggregate, part, width, rows / some)

    return on(rows_within(seconds, lambda some: on(some).call(), rows, 1_000))


def _experiment(
    part: str, figure: int, aggregate: str, claims: tuple[Claim, ...]
) -> Experiment:
    return Experiment(
        name=f"slickdeque-{part}",
        paper="SlickDeque",
        shows=f"Exp {part}, Figure {figure}",
        title=f"One query, {aggregate}: throughput by window",
        workload="uniform floats, a slide of one row, windows of powers of two",
        panels=(
            Panel(
                name=PANEL,
                x="window (rows)",
                y="results a second (millions)",
                log_x=True,
                log_y=True,
            ),
        ),
        claims=claims,
        trials=partial(trials, aggregate),
    )


SINGLE_SUM = _experiment(
    "1a",
    10,
    "sum",
    (
        Claim(
            "For an aggregate with an inverse SlickDeque is the fastest from windows "
            "of 4 rows on.",
            "1.15x the second best on average",
            ahead(PANEL, SLICK, (*PEERS, NAIVE), where=from_(4)),
        ),
        Claim(
            "Throughput does not depend on the window for SlickDeque, FlatFIT, "
            "TwoStacks and DABA.",
            "constant",
            level(PANEL, (SLICK, "flat_fit", "two_stacks", "daba"), where=from_(16)),
        ),
    ),
)
SINGLE_MAX = _experiment(
    "1b",
    11,
    "max",
    (
        Claim(
            "For an aggregate without an inverse SlickDeque is the fastest from "
            "windows of 16 rows on.",
            "1.07x the second best on average, 1.10x at most",
            ahead(PANEL, SLICK, (*PEERS, NAIVE), where=from_(16)),
        ),
    ),
)

__all__ = ["SINGLE_MAX", "SINGLE_SUM"]
