"""What one event costs inside the compiled loop: DABA Lite has no pauses of its own.

Each event's shortest time of several runs counts: pauses of the machine meet any event,
an algorithm's own meet the same ones again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from windrow_bench.experiment import Claim, Row, Size, Trial
from windrow_bench.measure.answers import Array
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain
from windrow_bench.measure.latency import COUNT, TIME, quantiles, timed_events
from windrow_bench.measure.ticks import seconds

from ._bar import bar, cost, number_row, panel

WIDTHS = (2**13, 2**14)
EVENTS, RUNS = (100_000, 1_000_000), 5
SKETCH, GAPS = "moment_sketch", "moment_sketch, with gaps"
KINDS: dict[str, tuple[str, int, Callable[[int], Array]]] = {
    "max": ("max", COUNT, np.arange),
    SKETCH: (SKETCH, TIME, np.arange),
    GAPS: (SKETCH, TIME, seconds),
}
TAIL = {"median": 0.5, "99.99 %": 0.9999, "maximum": 1.0}
TRIED = (
    "the same without gaps: the claim before this one, which speaks of the algorithm; "
    "the event after a gap evicts twenty others, and so one in fifty does here"
)


def _run(kind: str, width: int, size: Size, _: float) -> list[Row]:
    rate, own, grain = a_nanosecond(), own_cost(), own_grain()
    aggregate, evict, clock = KINDS[kind]
    count = size.pick(*EVENTS)
    runs = timed_events("daba_lite", aggregate, evict, width, count, RUNS, clock=clock)
    found = quantiles(runs.min(axis=0), tuple(TAIL.values()), own, rate)
    return [
        number_row(kind, width, name, [value], size, grain=grain / rate)
        for name, value in zip(TAIL, found, strict=True)
    ]


def _claim(kind: str) -> Claim:
    text = f"{kind}: 99.99 % of events take at most ten times the median."
    one = cost(text, kind, "99.99 %", ("median",), 10.0)
    return replace(one, tried=TRIED) if kind == GAPS else one


LATENCY = bar(
    "latency",
    "DABA Lite: the slowest events beside the median",
    "a million events (100,000 in a quick run) after two windows' worth of others; max "
    "over rows, a moment sketch over time: an event a second, and with gaps of twenty "
    "seconds after one in fifty; evict, insert, answer",
    [panel(one, "window (rows, seconds)", "nanoseconds") for one in KINDS],
    [_claim(one) for one in KINDS],
    lambda size: [
        Trial(one, width, partial(_run, one, width, size))
        for one in KINDS for width in WIDTHS
    ],
)  # fmt: skip
