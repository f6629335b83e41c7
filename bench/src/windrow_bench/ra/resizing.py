"""RA's Figure 9: a window whose capacity goes up and down all the time.

    rows      n/2 ... n ... n/2 ... n ...           osc.: n/2 rows come, n/2 go at once
    capacity   n    2n    n     2n

    rows       n  n  n  n  n  n  n  n               fixed: a row comes, a row goes

A resize copies the window, and the tree above it is built anew: linear, but paid by
the n/2 rows that came before.  What one resize costs is shown apart.
"""

from __future__ import annotations

import statistics
from functools import partial
from typing import Any

import numpy as np

import windrow as wr
from windrow.aggregates.calls import calls_of
from windrow.operator.inputs import NO_EVENTS
from windrow.operator.setup import OperatorSetup
from windrow.operator.window import KeyWindow
from windrow_bench._claims import ahead, from_, places
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.answers import FOLDS, Array, WrongAnswer
from windrow_bench.measure.race import Contender, timed
from windrow_bench.measure.turns import each, race_trial

from ._schemes import AGGREGATES, PAPER, RA, SCHEMES, WORKLOAD, cost_panel, stream

COST, RESIZE = "cost", "resize"
OSCILLATING, FIXED = "osc.", "fixed"
QUICK = Sweep(powers(10, 19, 3), 100_000)
FULL = Sweep(powers(8, 21), 2_000_000)
SET_UP = (
    "Python sets up the memory of each resize, which takes it as long as some hundred "
    "rows: short windows pay dearly for that"
)
LONG = 4_096  # rows: below, Python's part is most of a resize
OFF = 0.35


def make(aggregate: str, window: Any) -> KeyWindow:
    """One window of FlatFAT, empty; without a window rows leave by hand."""
    setup = OperatorSetup(
        window,
        calls_of(AGGREGATES[aggregate]),
        algorithm=SCHEMES[RA],
        types={"value": "int64"},
        nulls=False,
    )
    return setup.new_window(keyed=False)


def let_in(cell: KeyWindow, values: Array) -> Any:
    """The result after each row, as an array."""
    parts = cell.absorb([values], NO_EVENTS, len(values))
    return parts[-1].out[0]


def contender(aggregate: str, kind: str, width: int, rows: int) -> Contender:
    """`rows` rows through a window that oscillates, or has `width` rows all along."""
    step = step_of(width)
    data = stream(rows + width + 1)
    filling, rest = data[: width + 1], data[width + 1 :]
    window = wr.rows(width) if kind == FIXED else wr.window(evict=None, trigger=1)
    cell = make(aggregate, window)
    let_in(cell, filling)

    def call() -> list[float]:
        """The last result of each step."""
        last = []
        for i in range(0, rows, step):
            if kind == OSCILLATING:
                cell.drop(step)
            last.append(float(let_in(cell, rest[i : i + step])[-1]))
        return last

    def check(actual: list[float]) -> None:
        """The first of them; what the window holds then is known."""
        most = width if kind == FIXED else width + 1
        held = np.concatenate([filling, rest[:step]])[-most:]
        _check(f"{kind}, {aggregate}", aggregate, actual[0], held)

    return Contender(f"{aggregate}, {kind}", call, check)


def _check(who: str, aggregate: str, actual: float, held: Array) -> None:
    expected = FOLDS[AGGREGATES[aggregate]](held)
    if not np.isclose(actual, expected):
        raise WrongAnswer(f"{who}: {expected}, not {actual}")


def step_of(width: int) -> int:
    """Rows that come and go: of n + 1 with room for 2n, less than a quarter is left."""
    return width // 2 + 2


def trials(size: Size) -> list[Trial]:
    """A trial for each window, and one for each resize."""
    sweep = size.pick(QUICK, FULL)
    found = []
    for width in sweep.widths:
        step = step_of(width)
        rows = max(sweep.rows // step, 4) * step
        join = partial(_enter, width, rows)
        found.append(race_trial(COST, width, join, each(rows, 1e-6), size.rounds))
    return found + [
        Trial(RESIZE, width, partial(_resize, width, size.rounds))
        for width in sweep.widths
    ]


def _enter(width: int, rows: int, _seconds: float) -> list[Contender]:
    return [
        contender(one, kind, width, rows)
        for one in AGGREGATES
        for kind in (FIXED, OSCILLATING)
    ]


def _resize(width: int, rounds: int, _seconds: float) -> list[Row]:
    """A full window to twice its capacity, with the tree built anew."""
    found = []
    for one in AGGREGATES:
        times = []
        for _ in range(rounds + 1):
            cell = make(one, wr.window(evict=None, trigger=1))
            let_in(cell, stream(width))
            took, actual = timed(partial(_double, cell, width))
            _check(f"resized, {one}", one, actual, stream(width))
            times.append(took * 1e6)
        rest = sorted(times[1:])  # the first compiles
        middle = statistics.median(rest)
        found.append(Row(RESIZE, width, one, middle, rest[0], rest[-1], len(rest)))
    return found


def _double(cell: KeyWindow, width: int) -> Any:
    cell.resize(2 * width)
    return cell.look()


def is_linear(rows: RowSet) -> Verdict:
    """Whether a resize grows with about the first power of the window."""
    xs = [float(x) for x in places(rows, RESIZE, from_(LONG))]
    if len(xs) < 2:
        raise NotMeasured(f"no two windows of {LONG:,} rows and more were resized")
    powers_ = {}
    for one in AGGREGATES:
        times = [rows.value(RESIZE, x, one) for x in xs]
        powers_[one] = float(np.polyfit(np.log(xs), np.log(times), 1)[0])
    longest = ", ".join(
        f"{one} {rows.value(RESIZE, max(xs), one) / 1e3:.1f} ms" for one in AGGREGATES
    )
    said = f"the power {min(powers_.values()):.2f} to {max(powers_.values()):.2f}"
    holds = all(abs(power - 1.0) <= OFF for power in powers_.values())
    return Verdict(f"{said} of the window; {longest} at {max(xs):,.0f} rows", holds)


FIGURE_9 = Experiment(
    name="ra-figure-9",
    paper=PAPER,
    shows="Figure 9",
    title="A capacity that oscillates between n and 2n, against a fixed one",
    workload=f"{WORKLOAD}; a result after each row, in batches of half a window",
    panels=(
        cost_panel(COST),
        Panel(
            name=RESIZE,
            x="window (rows)",
            y="microseconds a resize",
            log_x=True,
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=(
        *(
            Claim(
                f"Resizing is amortised: {one} costs no more where capacity "
                "oscillates.",
                "osc. is faster",
                ahead(
                    COST,
                    f"{one}, {OSCILLATING}",
                    [f"{one}, {FIXED}"],
                    less=True,
                    on_average=True,
                ),
                SET_UP,
            )
            for one in AGGREGATES
        ),
        Claim(
            "A single resize costs time linear in the window.",
            "StdDev: 4.2 us from 256 to 512 rows, 9.4 ms from 1M to 2M",
            is_linear,
        ),
    ),
    trials=trials,
)
