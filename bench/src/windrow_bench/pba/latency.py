"""PBA's Tables 2 and 3, and Figure 7: what one window costs, and when it costs more.

    latency    |            |
               |__..__.__..|.__..__..__.|..        spikes: a whole stack is turned over
               +------------------------------ windows, one after the other

    Table 2    max over the last 2^13 and 2^14 rows, an answer after each
    Table 3    a moment sketch over the last 1 and 2 hours, an answer each second

A window's time is that of evicting, inserting a slice, and answering.  Runs are
repeated, and each window's shortest time counts: pauses of the machine meet any window,
an algorithm's own meet the same ones again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from windrow_bench._claims import between
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain
from windrow_bench.measure.latency import COUNT, TIME, timed_events
from windrow_bench.measure.ticks import seconds as seconds_held

PEERS = {"max": ("two_stacks", "slick_deque"), "moment_sketch": ("two_stacks",)}
LITE, PBA = "two_stacks_lite", "pba"
STATISTICS: dict[str, Callable[[Any], Any]] = {
    "Min": np.min,
    "Max": np.max,
    "Avg": np.mean,
    "Std": np.std,
    "LQ": lambda spent: np.quantile(spent, 0.25),
    "Med": np.median,
    "HQ": lambda spent: np.quantile(spent, 0.75),
}
NO_SBA = (
    "SBA has no form here that takes one event at a time: wr.Operator runs "
    "two_stacks_lite in its place, which stands in the table under its own name"
)
LEAST = 1.0  # ns: what the clock cannot tell from nothing, on an axis of logarithms
WARM = 0.03  # of the windows, at first: they do not count
BINS = 200  # places of the figure; each shows the longest time of its windows
# Quick, and full.
WINDOWS = 100_000, 1_000_000
RUNS = 3, 5


def trials(aggregate: str, names: dict[str, int], size: Size) -> list[Trial]:
    """A trial for each range."""
    return [
        Trial(summary(name), name, partial(_run, aggregate, name, width, size))
        for name, width in names.items()
    ]


def summary(name: str) -> str:
    """The panel with the table of a range."""
    return f"{name}, summary"


def spikes(name: str) -> str:
    """The panel with the times of windows of a range."""
    return f"{name}, windows"


def _run(
    aggregate: str, name: str, width: int, size: Size, seconds: float
) -> list[Row]:
    rate, own = a_nanosecond(), own_cost()
    facts: dict[str, Any] = {
        "clock_cost_ns": own / rate,
        "seconds": seconds,
    }
    grain = {"grain": own_grain() / rate}
    evict, clock = (COUNT, np.arange) if aggregate == "max" else (TIME, seconds_held)
    count, runs = size.pick(*WINDOWS), size.pick(*RUNS)
    rows: list[Row] = []
    for one in (*PEERS[aggregate], LITE, PBA):
        events = timed_events(one, aggregate, evict, width, count, runs, clock=clock)
        spent = np.maximum((events.min(axis=0) - own) / rate, 0.0)
        spent = spent[int(WARM * count) :]
        rows += [
            _row(
                summary(name),
                one,
                statistic,
                float(of(spent)),
                runs,
                {**facts} | ({} if statistic in ("Avg", "Std") else grain),
            )
            for statistic, of in STATISTICS.items()
        ]
        for part in np.array_split(np.arange(len(spent)), BINS):
            most = max(float(spent[part].max()), LEAST)
            rows.append(_row(spikes(name), int(part[0]), one, most, runs, {**facts}))
    return rows


def _row(
    panel: str, x: int | str, series: str, value: float, runs: int, facts: Any
) -> Row:
    return Row(panel, x, series, value, value, value, runs, facts)


def _panels(names: dict[str, int]) -> tuple[Panel, ...]:
    found = []
    for name in names:
        found.append(
            Panel(
                name=summary(name),
                kind="table",
                x="algorithm",
                y="nanoseconds",
                more_is_better=False,
            )
        )
        found.append(
            Panel(
                name=spikes(name),
                x="window",
                y="nanoseconds, the longest of some windows",
                log_y=True,
                more_is_better=False,
            )
        )
    return tuple(found)


def _claims(
    names: dict[str, int], peers: tuple[str, ...], theirs: tuple[str, str, str, str]
) -> tuple[Claim, ...]:
    short, long = names

    def value(rows: RowSet, name: str, who: str, statistic: str) -> float:
        return rows.value(summary(name), who, statistic)

    def least(rows: RowSet, statistic: str, others: tuple[str, ...]) -> float:
        return min(
            value(rows, name, one, statistic) / value(rows, name, PBA, statistic)
            for name in names
            for one in others
        )

    def growth(rows: RowSet) -> float:
        stacks = [value(rows, name, "two_stacks", "Max") for name in (short, long)]
        return stacks[1] / stacks[0]

    return (
        Claim(
            "PBA's longest time is the shortest of all.",
            theirs[0],
            between(
                lambda rows: least(rows, "Max", (*peers, LITE)),
                "the next best's is {}x as long, at the worst",
                at_least=0.97,
            ),
        ),
        Claim(
            f"On average PBA takes less than {' and '.join(peers)}.",
            theirs[1],
            between(
                lambda rows: least(rows, "Avg", peers),
                "the best of them takes {}x as long, at the worst",
                at_least=0.97,
            ),
            (
                "one event at a time both threads' work is done in one here, a suffix "
                "with each event"
            ),
        ),
        Claim(
            "TwoStacks' spikes are twice as long over twice the window.",
            theirs[2],
            between(growth, "{}x as long", 1.5, 3.0),
        ),
        Claim(
            "SBA pauses at each boundary, PBA does not.",
            theirs[3],
            lambda _: Verdict("", None, NO_SBA),
        ),
    )


_MAX = {"8,192 rows": 2**13, "16,384 rows": 2**14}
_SKETCH = {"1 hour with gaps": 3_600, "2 hours with gaps": 7_200}
_HOW = (
    " An event is evict, insert, answer, inside one compiled loop; each one's shortest "
    "time of several runs counts, less what the clock costs. One event at a time PBA "
    "is in one thread here: each step makes one suffix more, so that none is left for "
    "a boundary."
)

MAX_LATENCY = Experiment(
    name="pba-table-2",
    paper="PBA",
    shows="Table 2 and Figure 7 (a, b)",
    title="Latency of max over count windows",
    workload="max over the last 2^13 and 2^14 uniform floats, after each; a million "
    "windows (100,000 in a quick run), the first 3 % left out." + _HOW,
    panels=_panels(_MAX),
    claims=_claims(
        _MAX,
        PEERS["max"],
        (
            "559 ns; SlickDeque 667, SBA 15,160, TwoStacks 74,543 (2^13)",
            "53.9 ns; TwoStacks 69.2, SlickDeque 81.8 (2^13)",
            "74,543 ns at 2^13, 150,024 ns at 2^14",
            "559 ns to 15,160 ns at 2^13",
        ),
    ),
    trials=partial(trials, "max", _MAX),
)

SKETCH_LATENCY = Experiment(
    name="pba-table-3",
    paper="PBA",
    shows="Table 3 and Figure 7 (c, d)",
    title="Latency of a moment sketch over time windows",
    workload="a sketch of ten moments over slices of a second, of the last 3,600 and "
    "7,200 seconds, some without a row: 20 in a row after one in fifty. A million "
    "windows (100,000 in a quick run), the first 3 % left out. A "
    "slice comes with its sketch made, here of one value: merging costs the same. "
    "SlickDeque is left out: a sketch selects none of its two sides." + _HOW,
    panels=_panels(_SKETCH),
    claims=_claims(
        _SKETCH,
        PEERS["moment_sketch"],
        (
            "12,837 ns; SBA 103,716, TwoStacks 365,582 (1 h)",
            "164 ns; TwoStacks 338 (1 h)",
            "365,582 ns at 1 h, 934,212 ns at 2 h",
            "12,837 ns to 103,716 ns at 1 h",
        ),
    ),
    trials=partial(trials, "moment_sketch", _SKETCH),
    share=1.5,
)
