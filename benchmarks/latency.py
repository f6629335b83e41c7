"""Latency of one event inside the compiled loop, as PBA's Tables 2 and 3 have it.

An event is: evict what has to go, insert, answer, lower.  The time of each is kept;
the array that takes them is touched beforehand.  The machine's own pauses hit any event
in any run; an algorithm's hit the same events in every run.  So the events are run
several times over: the table tells of the first run, and its last two columns of each
event's shortest time in all runs, which keeps every pause of the algorithm's own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import _policy as policy
from windrow.algorithms import find
from windrow.algorithms._layout import empty_memory
from windrow.algorithms._operator import Kind, operator_text
from windrow.kernels import ENTRY, Request, kernel, product_of

from . import workloads
from ._cycles import a_nanosecond, cycles, own_cost, own_grain, pauses
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

_TIMED = """
{entry}
def call_timed(mem, source, ticks, spent):
    memory, out = open_memory(mem)
    words, scratch, fields, marks, floats, ids = memory
    ints, kept = ints_of(words), kept_of(fields)
    mark = 0.0
    for i in range(len(spent)):
        tick, value = ticks[i], leaf(source, i)
        start = cycles()
        ints, kept = make_room_for(
            words, scratch, ints, kept, marks, floats, tick, mark
        )
        ints, kept = put(
            words, scratch, ints, kept, marks, ids, value, tick, mark
        )
        partial, ints, kept = whole(scratch, ints, kept)
        emit(out, 0, partial)
        spent[i] = cycles() - start
    set_ints(words, ints)
    set_kept(fields, kept)
"""


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Max over count windows, a sketch of moments over time windows."""
    rate, own, grain = a_nanosecond(), own_cost(), own_grain()
    count = 100_000 if settings.quick else 1_000_000
    tables, bars = [], []
    for title, aggregate, evict in (
        ("Max over rows (PBA Table 2)", "max", policy.COUNT),
        (
            "Moment sketch over time, a slide of one tick (PBA Table 3)",
            "moment_sketch",
            policy.TIME,
        ),
    ):
        rows: list[list[object]] = []
        for width in WINDOWS:
            for name in ALGORITHMS:
                if not find(name).suits(_product(aggregate).laws):
                    continue
                runs = _runs(name, aggregate, evict, width, count)
                found = _quantiles(runs[0], QUANTILES, own, rate)
                shortest = _quantiles(runs.min(axis=0), QUANTILES[-2:], own, rate)
                rows.append([f"{width:,}", name, *found, *shortest])
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


def _quantiles(
    counts: Any, which: tuple[float, ...], own: float, rate: float
) -> list[float]:
    """In nanoseconds, without the clock's own cost."""
    return [max((float(q) - own) / rate, 0.0) for q in np.quantile(counts, which)]


def _product(aggregate: str) -> Any:
    return product_of([Request(find_aggregate(aggregate), "float", (0,))])


def _runs(name: str, aggregate: str, evict: int, width: int, count: int) -> Any:
    """Counts of the clock for each event, of each run."""
    ordered = evict == policy.TIME
    kind = Kind(find(name), _product(aggregate), evict, policy.BY_HAND, ordered)
    text = operator_text(kind, plain=False) + _TIMED.format(entry=ENTRY)
    module = kernel(text, {"cycles": cycles})
    values = workloads.values(count + 2 * width)
    ticks, base = np.arange(len(values)), np.zeros(1, np.int64)
    before, spent = slice(0, 2 * width), slice(2 * width, None)
    runs = np.zeros((RUNS, count), np.int64)
    for run in runs:
        memory = empty_memory(
            kind.layout,
            kind.steps,
            module.IDENTITY,
            width,
            chunk=(width, width // 2),
            plain=False,
        )
        memory.words[policy.RANGE] = width
        for part, times in ((before, np.zeros(2 * width, np.int64)), (spent, run)):
            source = (np.ascontiguousarray(values[part]), base)
            module.call_timed(memory.argument, source, ticks[part], times)
    return runs


__all__ = ["NAME", "run"]
