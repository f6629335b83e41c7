"""RA's Table 3: from which window on FlatFAT pays, and from which tenfold.

Both are operators in compiled form, fed in batches: FlatFAT, and recomputing the
whole window for each event, which is what the paper compares with.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from windrow_bench.measure.operators import BATCH, operator
from windrow_bench.measure.race import timed

from . import workloads
from ._report import Result, Table
from ._settings import Settings

NAME = "break-even"
# aggregate, its name in the paper, and the paper's two windows
AGGREGATES = (
    ("count", "Count", "never", "never"),
    ("sum", "Sum<Double>", "290", "5,200"),
    ("max", "Max<Double>", "130", "3,600"),
    ("mean", "ArithmeticMean", "10", "900"),
    ("min_count", "MinCount", "200", "4,480"),
    ("stddev", "SampleStdDev", "10", "700"),
    ("stddev_population", "PopulationStdDev", "10", "700"),
)
MOST = 2**16


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Search for both windows, aggregate by aggregate."""
    rows: list[list[object]] = []
    for name, theirs, even, ten in AGGREGATES:
        found = [_search(name, times, settings) for times in (1, 10)]
        rows.append([theirs, even, *found[:1], ten, *found[1:]])
        say(f"{theirs}: {found[0]} (paper {even}), tenfold {found[1]} (paper {ten})")
    header = ["aggregate", "paper", "here", "tenfold, paper", "tenfold, here"]
    return Result(
        NAME,
        "FlatFAT against recomputing: break-even",
        [Table("The smallest window, in rows", header, rows)],
        [],
        [
            (
                "Found by halving between powers of two, to within a tenth; "
                f"batches of {BATCH:,} through `feed`. 'never' is not up to {MOST:,}. "
                "The paper's machine is of 2006 and its operators are C++; a compiled "
                "loop that recomputes is vectorised here where the paper's is not, so "
                "that FlatFAT has to wait longer."
            )
        ],
    )


def _search(aggregate: str, times: float, settings: Settings) -> object:
    low, high = 1, 2
    while high <= MOST and _ahead(aggregate, high, settings) < times:
        low, high = high, 2 * high
    if high > MOST:
        return "never"
    while high - low > max(high // 10, 1):
        middle = (low + high) // 2
        if _ahead(aggregate, middle, settings) < times:
            low = middle
        else:
            high = middle
    return f"{high:,}"


def _ahead(aggregate: str, width: int, settings: Settings) -> float:
    """How many times as fast FlatFAT is."""
    best = []
    for algorithm in ("recompute", "flat_fat"):
        cost = width if algorithm == "recompute" else 8 * math.log2(width + 1)
        count = int(min(200_000, max(4 * BATCH, 2e7 / cost))) // BATCH * BATCH
        values = workloads.values(count + MOST)
        took = math.inf
        for _ in range(1 if settings.quick else 3):
            one = operator(algorithm, aggregate, width)
            one.feed(values[:width])
            fed = values[width : width + count]

            def call(one=one, fed=fed):  # type: ignore[no-untyped-def]
                for i in range(0, len(fed), BATCH):
                    one.feed(fed[i : i + BATCH])

            took = min(took, timed(call)[0] / count)
        best.append(took)
    return best[0] / best[1]
