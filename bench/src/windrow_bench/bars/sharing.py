"""Many queries in one pass: the emitted kernel beside algorithms, and beside writing.

once each    the algorithm over the same values, once for each query
many         its form for several ranges in one pass, whose bounds are arrays
writing      fills as much memory with a constant: what storing results costs
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from windrow.algorithms import find
from windrow_bench._claims import from_
from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure.kernels import kernel_contender, product
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sharing import (
    each_contender,
    graph_contender,
    multi_contender,
    results_of,
    write_contender,
)
from windrow_bench.measure.turns import a_second, in_turns, row_of
from windrow_bench.measure.values import SEED, values

from ._bar import bar, bar_trial, rates, speed

ROWS = 400_000, 8_000_000  # quick, and full
WIDTHS = (1, 4, 16, 256, 4_096, 65_536, 1 << 20, 1 << 22)
QUERIES, QUICK_QUERIES = (1, 2, 10, 100), (1, 10)
LONGEST = 131_072
MANY_ROWS = 2 * LONGEST, 1_000_000
DTYPES = {"sum": "int64", "min": "float64"}
COLLAPSED = {"sum": "subtract_on_evict", "min": "two_stacks_lite"}
EACH = {
    "sum": ("subtract_on_evict", "two_stacks_lite", "sba", "daba_lite"),
    "min": ("two_stacks_lite", "sba", "daba_lite", "slick_deque"),
}
MULTI = {"sum": ("slick_deque_inv", "slide_side_inv"),
         "min": ("slick_deque", "slide_side")}  # fmt: skip
GAG, WRITING = "gag", "writing"
SHARES = {"sum": 0.5, "min": 0.3}
RATE = "results a second (millions)"
TRIED = {
    "sum": "",
    "min": "fewer than four windows left to sba: in `aggregate` over 2M rows 12.0 ms "
    "beside 12.1 with two windows, and 17.4 beside 16.2 with three (busy)",
}


def _trials(size: Size) -> list[Trial]:
    rows = size.pick(*ROWS)
    widths = [w for w in size.pick(WIDTHS[2::2], WIDTHS) if w < rows]
    one = [
        bar_trial(f"one {aggregate}", width, partial(_one, aggregate, rows, width),
                  size, value=a_second(rows))
        for aggregate in COLLAPSED for width in widths
    ]  # fmt: skip
    many = [
        Trial(f"many, {aggregate}", count, partial(_many, aggregate, count, size))
        for aggregate in COLLAPSED
        for count in size.pick(QUICK_QUERIES, QUERIES)
    ]
    return one + many


def _one(aggregate: str, rows: int, width: int) -> list[Contender]:
    given = values(rows, DTYPES[aggregate])
    algorithm = find(COLLAPSED[aggregate])
    return [
        kernel_contender(algorithm, aggregate, given, width),
        graph_contender(aggregate, given, [width]),
    ]


def _many(aggregate: str, count: int, size: Size, seconds: float) -> list[Row]:
    """Forms for many ranges have fewer values: their bounds take more memory."""
    given = values(size.pick(*MANY_ROWS), DTYPES[aggregate])
    drawn = np.random.default_rng([SEED, count]).integers(1, LONGEST + 1, count)
    ranges = [int(one) for one in drawn]
    most = size.pick(4_000_000, 16_000_000)
    fewer = given[: min(len(given), LONGEST + most // count)]
    dtype = product(aggregate, given).out_dtypes[0]
    whole = [
        write_contender(dtype, results_of(given, ranges)),
        graph_contender(aggregate, given, ranges),
        *(each_contender(find(n), aggregate, given, ranges) for n in EACH[aggregate]),
    ]
    multi = [
        multi_contender(find(n), aggregate, fewer, ranges) for n in MULTI[aggregate]
    ]
    facts: dict[str, Any] = {"shrunk": size.quick}
    rows = []
    for runners, some in ((whole, given), (multi, fewer)):
        times, _ = in_turns(runners, size.rounds // 2, seconds / 2)
        value = a_second(results_of(some, ranges))
        rows += [
            row_of(f"many, {aggregate}", count, who, value, took, facts)
            for who, took in times.items()
        ]
    return rows


SHARING = bar(
    "sharing",
    "Many queries in one pass",
    "sums of int64, which can be taken off, and minima of float64; slide 1, results "
    "into prepared memory; ranges drawn evenly from 1 to 131,072",
    [
        *(rates(f"one {one}", "window (rows)", "values a second (millions)")
          for one in COLLAPSED),
        *(rates(f"many, {one}", "queries", RATE) for one in COLLAPSED),
    ],
    [
        *(
            speed(f"One query, {one}: at least 0.95 of {name} by hand.",
                  f"one {one}", GAG, (name,), 0.95, rate=True)
            for one, name in COLLAPSED.items()
        ),
        *(
            replace(
                speed(f"2 to 100 queries, {one}: as fast as the best algorithm once "
                      "each.",
                      f"many, {one}", GAG, EACH[one], 1.0, rate=True, where=from_(2)),
                tried=TRIED[one],
            )
            for one in COLLAPSED
        ),
        *(
            speed(f"2 to 100 queries, {one}: as fast as the best form for many ranges.",
                  f"many, {one}", GAG, [f"{name}, many" for name in MULTI[one]], 1.0,
                  rate=True, where=from_(2))
            for one in COLLAPSED
        ),
        *(
            speed(f"100 queries, {one}: at least {share:g} of the rate of writing.",
                  f"many, {one}", GAG, (WRITING,), share, rate=True, where=from_(100))
            for one, share in SHARES.items()
        ),
    ],
    _trials,
)  # fmt: skip
