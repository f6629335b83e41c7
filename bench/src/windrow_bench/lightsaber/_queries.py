"""Many queries over one stream of readings: who answers them, and how.

    SoE, TwoStacks             one instance a query, each over all readings
    SlickDeque, SlideSide      one pass for all ranges
    FlatFAT                    one tree for all ranges
    GAG                        one kernel, generated for these ranges

Ranges are drawn evenly from 1 to 128K rows, seeded; every slide is one row.  A result
is a window of a query: all of them have the same number at a place, but those that are
slow answer fewer, and their time is scaled.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from windrow.algorithms import find
from windrow_bench.experiment import Row, Trial
from windrow_bench.measure.energies import readings
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sharing import (
    each_contender,
    graph_contender,
    multi_contender,
    results_of,
)
from windrow_bench.measure.turns import SHORT, a_second, race_trial
from windrow_bench.measure.values import SEED

GAG = "gag"
SOE, STACKS, FAT = "subtract_on_evict", "two_stacks_lite", "flat_fat"
SLICK = {"sum": "slick_deque_inv", "min": "slick_deque"}
SIDE = {"sum": "slide_side_inv", "min": "slide_side"}
ALONE = {"sum": (SOE, STACKS), "min": (STACKS,)}
LONGEST = 131_072
AGGREGATES = ("sum", "min")


def ranges_of(count: int, longest: int = LONGEST) -> list[int]:
    """So many ranges, longest first."""
    rng = np.random.default_rng([SEED, count])
    drawn = [int(one) for one in rng.integers(1, longest + 1, count)]
    return sorted(drawn, reverse=True)


def queries_trial(
    aggregate: str,
    count: int,
    rows: int,
    rounds: int,
    *,
    slow: int,
    longest: int = LONGEST,
    graph: bool = True,
) -> Trial:
    """All of them at one number of queries, in millions of results a second.

    `rows` follow the longest window; algorithms of one pass answer `slow` results,
    after windows are full.
    """
    ranges = ranges_of(count, longest)
    most = longest + rows

    def enter(_: float) -> list[Contender]:
        values = readings(most).values
        results = results_of(values, ranges)
        found = [
            each_contender(find(name), aggregate, values, ranges)
            for name in ALONE[aggregate]
        ]
        together = {SLICK[aggregate]: slow, SIDE[aggregate]: slow}
        if graph:
            found.insert(0, graph_contender(aggregate, values, ranges))
            together[FAT] = slow // 10  # a path of its tree for each result
        for name, some in together.items():
            part = values[: longest + max(some // count, 1)]
            one = multi_contender(find(name), aggregate, part, ranges)
            scale = results / results_of(part, ranges)
            found.append(replace(one, name=name, scale=scale))
        return found

    def run(seconds: float) -> list[Row]:
        values = readings(most)
        rate = a_second(results_of(values.values, ranges))
        facts = {"data": values.origin, "ranges": len(ranges)}
        found = race_trial(aggregate, count, enter, rate, SHORT * rounds).run(seconds)
        return [replace(row, facts={**row.facts, **facts}) for row in found]

    return Trial(aggregate, count, run)
