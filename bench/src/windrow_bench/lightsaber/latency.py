"""LightSaber's Figure 15c: what one window of 16K rows costs, sum and min.

least |----[ 25 %  median  75 % ]--------------| most        a box for each
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from windrow_bench._claims import ahead, among
from windrow_bench._over_panels import Judge
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain
from windrow_bench.measure.energies import readings
from windrow_bench.measure.stamped import stamped_windows

from ._queries import AGGREGATES, GAG, SIDE, SLICK, SOE

WIDTH = 2**14
SERIES = {
    "sum": (GAG, SOE, SLICK["sum"], SIDE["sum"]),
    "min": (GAG, SLICK["min"], SIDE["min"]),
}
QUANTILES = {"least": 0.0, "25 %": 0.25, "median": 0.5, "75 %": 0.75, "most": 1.0}
AVERAGE = "average"
LEAST = 1.0  # ns: what the clock cannot tell from nothing, on an axis of logarithms
# Quick, and full.
WINDOWS = 200_000, 2_000_000
RUNS = 5, 9


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate."""
    return [Trial(one, one, partial(_run, one, size)) for one in AGGREGATES]


def _run(aggregate: str, size: Size, seconds: float) -> list[Row]:
    stream = readings(WIDTH + size.pick(*WINDOWS))
    rate, own = a_nanosecond(), own_cost()
    runs = size.pick(*RUNS)
    facts = {
        "clock_cost_ns": own / rate,
        "data": stream.origin,
        "seconds": seconds,
    }
    single = facts | {"grain": own_grain() / rate}
    rows = []
    for name in SERIES[aggregate]:
        found = stamped_windows(name, aggregate, stream.values, WIDTH, runs)
        # on average the clock's grain does not matter, and its cost is taken off
        mean = float(found.mean(axis=1).min() - own) / rate
        spent = np.maximum((found.min(axis=0) - own) / rate, 0.0)
        for label, share in QUANTILES.items():
            value = max(float(np.quantile(spent, share)), LEAST)
            rows.append(_row(aggregate, label, name, value, runs, single))
        rows.append(_row(AVERAGE, aggregate, name, max(mean, LEAST / 10), runs, facts))
    return rows


def _row(panel: str, x: str, series: str, value: float, runs: int, facts: Any) -> Row:
    return Row(panel, x, series, value, value, value, runs, facts)


def _lowest(aggregate: str, label: str) -> Judge:
    return ahead(aggregate, GAG, SERIES[aggregate][1:], less=True, where=among(label))


LATENCY = Experiment(
    name="lightsaber-figure-15c",
    paper="LightSaber",
    shows="Figure 15c",
    title="Latency of a window of 16K rows",
    workload="sum and min of an energy reading of DEBS12 over the last 16K rows, after "
    "each. The clock is read inside the kernel whenever a window comes out; what that "
    "costs is taken off, and the shortest time of each window in several runs counts. "
    "The average is that of the best run. TwoStacks and FlatFAT are left out, as in "
    "the paper.",
    panels=(
        *(
            Panel(
                name=one,
                x="quantile",
                y="nanoseconds",
                kind="boxes",
                more_is_better=False,
                log_y=True,
            )
            for one in AGGREGATES
        ),
        Panel(
            name=AVERAGE,
            x="aggregate",
            y="nanoseconds",
            kind="table",
            more_is_better=False,
        ),
    ),
    claims=(
        *(
            Claim(
                f"On average a window of {one} takes less time with GAG than with "
                "SlickDeque and SlideSide.",
                "the lowest",
                ahead(
                    AVERAGE,
                    GAG,
                    (SLICK[one], SIDE[one]),
                    less=True,
                    where=among(one),
                ),
            )
            for one in AGGREGATES
        ),
        Claim(
            "Three of four sums take no longer with GAG than with any other.",
            "the lowest 75th percentile",
            _lowest("sum", "75 %"),
        ),
        Claim(
            "Three of four minima take no longer with GAG than with any other.",
            "the lowest 75th percentile",
            _lowest("min", "75 %"),
        ),
        Claim(
            "The slowest minimum is the fastest with GAG.",
            "the lowest maximum",
            _lowest("min", "most"),
            (
                "where a lap ends GAG makes its suffixes at once; a deque has no such "
                "moment, and over readings that wander it stays short"
            ),
        ),
    ),
    trials=trials,
)
