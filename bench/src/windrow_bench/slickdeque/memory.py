"""SlickDeque's Exp 4: memory by window, of a process that keeps one.

Naive, SlickDeque (Inv)        n        the rows of the window
SlickDeque (Non-Inv)           < 2n     those that can still be an answer
TwoStacks, DABA, FlatFIT       2n
FlatFAT, B-Int                 2n, n rounded up to a power of two
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.measure.memory import Peak, peaks

from ._stream import PAPER, WORKLOAD, energies, fits, unique_of

INV, NON_INV, NAIVE = "SlickDeque (Inv)", "SlickDeque (Non-Inv)", "recompute"
SERIES = {
    INV: ("slick_deque_inv", "sum"),
    NON_INV: ("slick_deque", "max"),
    NAIVE: (NAIVE, "sum"),
    "two_stacks": ("two_stacks", "sum"),
    "daba": ("daba", "sum"),
    "flat_fat": ("flat_fat", "sum"),
    "flat_fit": ("flat_fit", "sum"),
    "b_int": ("b_int", "sum"),
}
PANEL = "memory"
QUICK, FULL = Sweep(powers(19, 21, 2)), Sweep(powers(10, 27))
BYTES = 128  # a row of the largest
MB = 1e6


def trials(size: Size) -> list[Trial]:
    """A trial for each series: a process goes through all windows that fit."""
    sweep = size.pick(QUICK, FULL)
    both = [w for width in sweep.widths for w in (width, width * 3 // 2)]
    widths = [width for width in both if fits(BYTES * width)]
    return [
        Trial(PANEL, one, partial(_windows, one, widths, unique_of(size)))
        for one in SERIES
    ]


def _windows(series: str, widths: list[int], unique: int, _seconds: float) -> list[Row]:
    found = peaks(*SERIES[series], energies(unique, unique), widths)
    return [_row(series, one) for one in found]


def _row(series: str, found: Peak) -> Row:
    value = found.own / MB
    facts = {"whole_process_mb": found.whole / MB}
    return Row(PANEL, found.width, series, value, value, value, 1, facts)


EXP_4 = Experiment(
    name="slickdeque-4",
    paper=PAPER,
    shows="Exp 4, Figure 15",
    title="Memory of a window, by its length",
    workload=(
        f"{WORKLOAD}; the resident set of a fresh process, less that of the same "
        "process with a window of two rows, a page at least; windows of 2^k and "
        "3 x 2^(k - 1) rows; rings are powers of two, and pages that were never used "
        "do not count; FlatFAT also keeps the numbers of rows, so that any can be "
        "corrected"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="window (rows)",
            y="resident set less the process (MB)",
            log_x=True,
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=(
        Claim(
            "With an inverse SlickDeque takes no more memory than Naive.",
            "the same",
            ahead(PANEL, INV, [NAIVE], less=True, on_average=True),
        ),
        Claim(
            "Without an inverse SlickDeque takes half of Naive's memory.",
            "2x less on average, 5x at most",
            ahead(PANEL, NON_INV, [NAIVE], times=2, less=True, on_average=True),
        ),
        Claim(
            "With an inverse SlickDeque takes less than TwoStacks, DABA, FlatFAT, "
            "FlatFIT and B-Int.",
            "half of theirs",
            ahead(PANEL, INV, tuple(SERIES)[3:], less=True),
        ),
    ),
    trials=trials,
)
