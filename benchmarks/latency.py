"""Latency of one event inside the compiled loop, as PBA's Tables 2 and 3 have it.

An event is: evict what has to go, insert, answer, lower.  The time of each is kept;
the array that takes them is touched beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import _policy as policy
from windrow.algorithms import find
from windrow.algorithms._layout import Memory
from windrow.algorithms._operator import Kind, operator_text
from windrow.kernels import ENTRY, Request, kernel, product_of

from . import workloads
from ._cycles import a_nanosecond, cycles, own_cost
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "latency"
ALGORITHMS = ("two_stacks_lite", "slick_deque", "daba_lite", "sba", "pba", "flat_fat")
WINDOWS = (2**13, 2**14)
QUANTILES = (0, 0.25, 0.5, 0.75, 0.999, 0.9999, 1)
HEADER = ["minimum", "25 %", "median", "75 %", "99.9 %", "99.99 %", "maximum"]
MOST = 10.0

_TIMED = """
{entry}
def call_timed(mem, source, ticks, spent):
    memory, out = open_memory(mem)
    words, scratch, fields, marks, floats, ids = memory
    ints, kept = ints_of(words), kept_of(fields)
    mark = 0.0
    for i in range(len(spent)):
        tick = ticks[i]
        start = cycles()
        ints, kept = make_room_for(
            words, scratch, ints, kept, marks, floats, tick, mark
        )
        value = leaf(source, i)
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
    rate, own = a_nanosecond(), own_cost()
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
                spent = (_spent(name, aggregate, evict, width, count) - own) / rate
                found = [max(float(q), 0.0) for q in np.quantile(spent, QUANTILES)]
                rows.append([f"{width:,}", name, *found])
                say(f"{aggregate}, {width:,}, {name}: {[round(x) for x in found]} ns")
                if name == "daba_lite":
                    text = f"{aggregate}, {width:,}: daba_lite's 99.99 % to its median"
                    bars.append(Bar(text, found[5] / found[2], MOST, at_least=False))
        tables.append(
            Table(f"{title}, nanoseconds", ["window", "algorithm", *HEADER], rows)
        )
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
                f"two readings cost {own / rate:.0f} ns, which are taken off."
            ),
            (
                "The maximum is mostly the system's: an interrupt takes some "
                "microseconds of whichever event it meets."
            ),
        ],
    )


def _product(aggregate: str) -> Any:
    return product_of([Request(find_aggregate(aggregate), "float", (0,))])


def _spent(name: str, aggregate: str, evict: int, width: int, count: int) -> Any:
    """Counts of the clock for each event."""
    ordered = evict == policy.TIME
    kind = Kind(find(name), _product(aggregate), evict, policy.BY_HAND, ordered)
    text = operator_text(kind, plain=False) + _TIMED.format(entry=ENTRY)
    module = kernel(text, {"cycles": cycles})
    memory = Memory(kind.layout, width, plain=False)
    steps = kind.steps
    memory.words[: len(steps.begin)] = steps.begin
    if steps.chunk:
        memory.words[len(steps.begin) - 2 : len(steps.begin)] = (width, width // 2)
    memory.words[policy.RANGE] = width
    for place, field in zip(kind.layout.named("kept"), module.IDENTITY, strict=True):
        memory.sections[place][:] = field
    values = workloads.values(count + 2 * width)
    ticks = np.arange(len(values))
    base = np.zeros(1, np.int64)
    before, spent = np.zeros(2 * width, np.int64), np.zeros(count, np.int64)
    for part, times in ((slice(0, 2 * width), before), (slice(2 * width, None), spent)):
        source = (np.ascontiguousarray(values[part]), base)
        module.call_timed(memory.argument, source, ticks[part], times)
    return spent


__all__ = ["NAME", "run"]
