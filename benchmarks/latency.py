"""Latency of one event inside the compiled loop, as PBA's Tables 2 and 3 have it.

The table tells of the first run, and its last two columns of each event's shortest time
in all runs, which keeps every pause of the algorithm's own.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow.algorithms import find
from windrow_bench.measure.clock import a_nanosecond, own_cost, own_grain, pauses
from windrow_bench.measure.latency import (
    COUNT,
    TIME,
    operator_product,
    quantiles,
    timed_events,
)

from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "latency"
ALGORITHMS = ("two_stacks_lite", "slick_deque", "daba_lite", "sba", "pba", "flat_fat")
WINDOWS = (2**13, 2**14)
QUANTILES = (0, 0.25, 0.5, 0.75, 0.999, 0.9999, 1)
HEADER = ["minimum", "25 %", "median", "75 %", "99.9 %", "99.99 %", "maximum"]
SHORTEST = ["99.99 %, of shortest times", "maximum, of shortest times"]
RUNS = 5
MOST = 10.0


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Max over count windows, a sketch of moments over time windows."""
    rate, own, grain = a_nanosecond(), own_cost(), own_grain()
    count = 100_000 if settings.quick else 1_000_000
    tables, bars = [], []
    for title, aggregate, evict in (
        ("Max over rows (PBA Table 2)", "max", COUNT),
        (
            "Moment sketch over time, a slide of one tick (PBA Table 3)",
            "moment_sketch",
            TIME,
        ),
    ):
        rows: list[list[object]] = []
        for width in WINDOWS:
            for name in ALGORITHMS:
                if not find(name).suits(operator_product(aggregate).laws):
                    continue
                runs = timed_events(name, aggregate, evict, width, count, RUNS)
                found = quantiles(runs[0], QUANTILES, own, rate)
                shortest = quantiles(runs.min(axis=0), QUANTILES[-2:], own, rate)
                rows.append([f"{width:,}", find(name).online_name, *found, *shortest])
                told = [round(x) for x in (*found, *shortest)]
                say(f"{aggregate}, {width:,}, {name}: {told} ns")
                if name == "daba_lite":
                    median = max(found[2], grain / rate)
                    text = f"{aggregate}, {width:,}: daba_lite's 99.99 % to its median"
                    bars.append(Bar(text, found[5] / median, MOST, at_least=False))
                    text += ", of shortest times"
                    bars.append(Bar(text, shortest[0] / median, MOST, at_least=False))
        header = ["window", "algorithm", *HEADER, *SHORTEST]
        tables.append(Table(f"{title}, nanoseconds", header, rows))
    return Result(
        NAME,
        "Latency of one event",
        tables,
        bars,
        [
            (
                f"{count:,} events after a window's worth of others; evict, insert, "
                "answer and lower, inside one compiled loop and in one thread. The "
                f"clock is the processor's counter at {rate:.2f} counts a nanosecond; "
                f"two readings cost {own / rate:.0f} ns, which are taken off, and "
                f"differ by {grain / rate:.0f} ns or a multiple of it: a median below "
                "that counts as that much in the ratios."
            ),
            (
                f"An empty loop on this machine loses more than 5 us "
                f"{pauses(rate):.0f} times a second to the system. Those pauses meet "
                f"any event; an algorithm's own meet the same events again, so the "
                f"last columns have each event's shortest time of {RUNS} runs."
            ),
        ],
    )


__all__ = ["NAME", "run"]
