"""What one event costs inside the compiled loop: DABA Lite has no pauses of its own.

Each event's shortest time of several runs counts: pauses of the machine meet any event,
an algorithm's own meet the same ones again.
"""

from __future__ import annotations

from functools import partial

from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain
from windrow_bench.measure.latency import COUNT, TIME, quantiles, timed_events

from ._bar import bar, cost, number_row, panel

WIDTHS = (2**13, 2**14)
EVENTS, RUNS = (100_000, 1_000_000), 5
KINDS = {"max": COUNT, "moment_sketch": TIME}
TAIL = {"median": 0.5, "99.99 %": 0.9999, "maximum": 1.0}


def _run(aggregate: str, width: int, size: Size, _: float) -> list[Row]:
    rate, own, grain = a_nanosecond(), own_cost(), own_grain()
    runs = timed_events(
        "daba_lite", aggregate, KINDS[aggregate], width, size.pick(*EVENTS), RUNS
    )
    found = quantiles(runs.min(axis=0), tuple(TAIL.values()), own, rate)
    return [
        number_row(aggregate, width, name, [value], size, grain=grain / rate)
        for name, value in zip(TAIL, found, strict=True)
    ]


LATENCY = bar(
    "latency",
    "DABA Lite: the slowest events beside the median",
    "a million events (100,000 in a quick run) after a window's worth of others; max "
    "over rows, a moment sketch over ticks; evict, insert, answer",
    [panel(one, "window (rows)", "nanoseconds") for one in KINDS],
    [
        cost(f"{one}: 99.99 % of events take at most ten times the median.",
             one, "99.99 %", ("median",), 10.0)
        for one in KINDS
    ],
    lambda size: [
        Trial(one, width, partial(_run, one, width, size))
        for one in KINDS for width in WIDTHS
    ],
)  # fmt: skip
