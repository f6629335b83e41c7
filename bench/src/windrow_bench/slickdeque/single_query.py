"""SlickDeque's Exp 1: one query over windows of 1 to 2^27 rows, a slide of one.

    rows     ........................................
    window                 [==============]            sum (1a) or max (1b), after
                            [==============]           each row that comes

Throughput is results a second.  Contenders that are too slow for their time run on
fewer rows.  SlickDeque is two algorithms: with an inverse it keeps one running value,
without one the deque.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from windrow.algorithms import find
from windrow_bench._claims import ahead, from_, level
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.measure.answers import Array
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import Contender, rows_within
from windrow_bench.measure.turns import a_second, race_trial

from ._stream import PAPER, SLICK, WORKLOAD, energies, fits, unique_of

PEERS = ("flat_fat", "b_int", "flat_fit", "two_stacks", "daba")  # the paper's
NAIVE = "recompute"
OWN = {"sum": "slick_deque_inv", "max": "slick_deque"}
PANEL = "throughput"
QUICK = Sweep(powers(0, 20, 4), 400_000)
FULL = Sweep(powers(0, 27), 16_000_000)
BYTES = 80  # a row: itself, results of seven, and a tree
GUESSES = (
    "how many nodes a row drops from the deque is a branch that processors guess "
    "wrong, while TwoStacks has none that values decide"
)
IN_ORDER = (
    "as many rows that rise, or that fall, in place of the readings: 1.2 to 1.5 times "
    "as fast as TwoStacks at 16, 1,024 and 65,536 rows, where the readings give 0.4 to "
    "0.5 (processor time, beside other work)"
)
FEW = 1 << 24  # rows that Naive folds at least


def trials(aggregate: str, size: Size) -> list[Trial]:
    """A trial for each window that memory allows."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for width in sweep.widths:
        rows = max(sweep.rows, width * 3 // 2)
        if fits(BYTES * rows):
            data = partial(energies, rows + width, unique_of(size))
            join = partial(_enter, aggregate, width, rows, data)
            found.append(race_trial(PANEL, width, join, a_second(rows), size.rounds))
    return found


def _enter(
    aggregate: str, width: int, rows: int, data: Callable[[], Array], seconds: float
) -> list[Contender]:
    each = seconds / 20
    mine = _contender(OWN[aggregate], aggregate, width, rows, data(), each)
    others = [_contender(n, aggregate, width, rows, data(), each) for n in PEERS]
    naive = _naive(aggregate, width, rows, data(), each)
    return [replace(mine, name=SLICK), *others, naive]


def _contender(
    name: str, aggregate: str, width: int, rows: int, data: Array, seconds: float
) -> Contender:
    """One over as many rows as it can do in so many seconds, its time scaled.

    Each row has a result, from the first on; most windows are full.
    """

    def on(some: int) -> Contender:
        scale = rows / some
        return kernel_contender(
            find(name), aggregate, data[:some], width, scale, lead=True
        )

    least = max(width * 3 // 2, 10_000)
    if least >= rows:
        return on(rows)
    return on(rows_within(seconds, lambda some: on(some).call(), rows, least))


def _naive(
    aggregate: str, width: int, rows: int, data: Array, seconds: float
) -> Contender:
    """Naive over full windows only, of which it can do few."""

    def on(some: int) -> Contender:
        part = data[: some + width - 1]
        return kernel_contender(find(NAIVE), aggregate, part, width, rows / some)

    least = max(min(1_000, FEW // width), 3)
    return on(rows_within(seconds, lambda some: on(some).call(), rows, least))


def _experiment(
    part: str, figure: int, aggregate: str, claims: tuple[Claim, ...]
) -> Experiment:
    return Experiment(
        name=f"slickdeque-{part}",
        paper=PAPER,
        shows=f"Exp {part}, Figure {figure}",
        title=f"One query, {aggregate}: throughput by window",
        workload=(
            f"{WORKLOAD}; windows of powers of two, up to 2^27 in a full run where "
            "memory allows; leading windows are clipped, but Naive's"
        ),
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
            GUESSES,
            IN_ORDER,
        ),
    ),
)
