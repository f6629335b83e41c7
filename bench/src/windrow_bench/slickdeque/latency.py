"""SlickDeque's Exp 3: how long each answer takes at a window of 1,024 rows.

    [ evict, insert, answer ]   timed by the processor's counter, inside the loop
    [ evict, insert, answer ]   the same rows several times over: the shortest time of
    ...                         each keeps what the algorithm does, not the machine

Of these times the highest 0.005 % are dropped, as in the paper.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from windrow_bench._claims import ahead
from windrow_bench._sweep import Sweep
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain
from windrow_bench.measure.latency import COUNT, timed_events

from ._stream import PAPER, SLICK, WORKLOAD, energies, unique_of

QUICK, FULL = Sweep((1_024,), 100_000), Sweep((1_024,), 1_000_000)
PEERS = ("flat_fat", "b_int", "flat_fit", "two_stacks", "daba", "recompute")
OWN = {"sum": "slick_deque_inv", "max": "slick_deque"}
QUANTILES = {"least": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "most": 1.0}
AVERAGE = "average"
OUTLIERS = 0.00005
RUNS = 3
MANY_AT_ONCE = (
    "a reading that rises above many before it drops all of these from the deque in "
    "one answer, while DABA spreads its work over answers"
)
GRAIN = "what takes less than the clock's grain counts as that much"


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate."""
    sweep, unique = size.pick(QUICK, FULL), unique_of(size)
    return [
        Trial(one, width, partial(_boxes, one, width, sweep.rows, unique))
        for width in sweep.widths
        for one in OWN
    ]


def _boxes(
    aggregate: str, width: int, count: int, unique: int, _seconds: float
) -> list[Row]:
    rate, own, grain = a_nanosecond(), own_cost(), own_grain()
    data = energies(count + 2 * width, unique)
    names = {SLICK: OWN[aggregate], **{name: name for name in PEERS}}
    rows: list[Row] = []
    for title, name in names.items():
        runs = timed_events(name, aggregate, COUNT, width, count, RUNS, data)
        spent = (runs - own) / rate
        shortest = box(spent.min(axis=0), grain / rate)
        each = [box(run, grain / rate) for run in spent]
        for x, value in shortest.items():
            low, high = min(one[x] for one in each), max(one[x] for one in each)
            facts = {} if x == AVERAGE else {"grain": grain / rate}
            rows.append(Row(aggregate, x, title, value, low, high, RUNS, facts))
    return rows


def box(spent: Any, grain: float) -> dict[str, float]:
    """Quantiles and average, without the highest.

    One time is no finer than the clock's grain; the average of many is.
    """
    kept = np.sort(spent)[: len(spent) - int(len(spent) * OUTLIERS)]
    found = {x: max(float(np.quantile(kept, q)), grain) for x, q in QUANTILES.items()}
    return {**found, AVERAGE: max(float(kept.mean()), grain / 10)}


def _lowest(aggregate: str, words: str, theirs: str) -> Claim:
    judge = ahead(aggregate, SLICK, PEERS, less=True)
    return Claim(
        f"SlickDeque {words} has the lowest latency, from the least to the most.",
        theirs,
        judge,
        MANY_AT_ONCE,
    )


EXP_3 = Experiment(
    name="slickdeque-3",
    paper=PAPER,
    shows="Exp 3, Figure 14",
    title="Latency of an answer at a window of 1,024 rows",
    workload=(f"{WORKLOAD}, one row at a time inside a compiled loop; {GRAIN}"),
    panels=tuple(
        Panel(
            name=one,
            x="",
            y="nanoseconds an answer",
            kind="boxes",
            log_y=True,
            more_is_better=False,
        )
        for one in OWN
    ),
    claims=(
        _lowest(
            "sum",
            "with an inverse",
            "1.75x the second best on average, 6.48x at most",
        ),
        _lowest(
            "max",
            "without an inverse",
            "1.08x the second best on average, 1.17x at most",
        ),
        *(
            Claim(
                f"The worst answers of {one} come sooner than DABA's.",
                "3.83x on average",
                ahead(one, SLICK, ["daba"], less=True, where="most".__eq__),
                MANY_AT_ONCE,
            )
            for one in OWN
        ),
    ),
    trials=trials,
)
