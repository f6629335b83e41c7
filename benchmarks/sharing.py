"""Many queries in one pass: LightSaber's Figures 1 and 15, SlickDeque's Exp 2."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from windrow.algorithms import CATALOGUE, find
from windrow_bench.measure.kernels import kernel_contender, product
from windrow_bench.measure.race import race
from windrow_bench.measure.sharing import (
    each_contender,
    graph_contender,
    multi_contender,
    results_of,
    write_contender,
)

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "sharing"
COLLAPSED = {"sum": "subtract_on_evict", "min": "two_stacks_lite"}
DTYPES = {"sum": "int64", "min": "float64"}
EACH = {
    "sum": ("subtract_on_evict", "two_stacks_lite", "sba", "daba_lite"),
    "min": ("two_stacks_lite", "sba", "daba_lite", "slick_deque"),
}
MULTI = {
    "sum": ("slick_deque_inv", "slide_side_inv"),
    "min": ("slick_deque", "slide_side"),
}
WITHIN, SHARES = 0.95, {"sum": 0.5, "min": 0.3}
LONGEST = 131_072
WINDOWS = (1, 4, 16, 256, 4_096, 65_536, 1 << 20, 1 << 22)


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """One query, 1 to 100 queries, and all ranges at once."""
    one, bars = _one(settings, say)
    many, more = _many(settings, say)
    all_, _ = _all(settings, say)
    return Result(
        NAME,
        "Many queries, one pass",
        [one, *many, *all_],
        [*bars, *more],
        [
            (
                "Sums of int64, which can be taken off, minima of float64; slide 1, "
                "results into prepared memory. Ranges are drawn evenly from 1 to "
                f"{LONGEST:,}, seeded. `once each`: the algorithm over the same values "
                "once for each query; `many`: its form for several ranges in one pass, "
                "whose bounds are arrays, over fewer values (at most 16M results)."
            ),
            (
                "`writing` fills as much memory with a constant; a share of 1 would be "
                "a window for the price of storing it."
            ),
        ],
    )


def _one(settings: Settings, say: Callable[[str], None]) -> tuple[Table, list[Bar]]:
    """The emitted kernel beside the algorithm that it collapses to."""
    n = settings.n
    windows = [width for width in WINDOWS if width < n]
    rows: list[list[object]] = []
    bars = []
    for aggregate, name in COLLAPSED.items():
        values = workloads.values(n, DTYPES[aggregate])
        ratios = []
        for width in windows:
            hand = kernel_contender(find(name), aggregate, values, width)
            graph = graph_contender(aggregate, values, [width])
            took = race([hand, graph], settings.rounds)
            ratios.append(took[name] / took["gag"])
            say(f"one {aggregate}, {width:,}: {ratios[-1]:.2f} of {name}")
        rows.append([aggregate, name, *ratios])
        text = f"one query, {aggregate}: speed of the emitted kernel to {name}'s, worst"
        bars.append(Bar(text, min(ratios), WITHIN))
    header = ["aggregate", "collapses to", *(f"{width:,}" for width in windows)]
    title = "One query: speed of the emitted kernel over the hand-written one"
    return Table(title, header, rows), bars


def _many(
    settings: Settings, say: Callable[[str], None]
) -> tuple[list[Table], list[Bar]]:
    n = 2 * LONGEST if settings.quick else 1_000_000
    tables, bars = [], []
    for aggregate in COLLAPSED:
        values = workloads.values(n, DTYPES[aggregate])
        rows: list[list[object]] = []
        ahead, multi_ahead = float("inf"), float("inf")
        for count in (1, 2, 10, 100):
            ranges = _ranges(count)
            results = results_of(values, ranges)
            writing = write_contender(_out_dtype(aggregate, values), results)
            runners = [writing, graph_contender(aggregate, values, ranges)]
            runners += [
                each_contender(find(name), aggregate, values, ranges)
                for name in EACH[aggregate]
            ]
            took = race(runners, max(settings.rounds // 2, 1), settings.patience)
            rates = {name: results / one for name, one in took.items()}
            rates |= _multi(aggregate, values, ranges, settings)
            share = rates["gag"] / rates["writing"]
            others = [rates[name] for name in EACH[aggregate]]
            several = [rates[f"{name}, many"] for name in MULTI[aggregate]]
            if count > 1:
                ahead = min(ahead, rates["gag"] / max(others))
                multi_ahead = min(multi_ahead, rates["gag"] / max(several))
            rows.append([f"{count}", *(rate / 1e6 for rate in rates.values()), share])
            say(f"{count} {aggregate}: {rates['gag'] / 1e6:.0f} M/s, {share:.2f}")
        title = f"{aggregate}: million results a second"
        tables.append(Table(title, ["queries", *rates, "gag of writing"], rows))
        text = f"{aggregate}, 2 to 100 queries: times the best algorithm once each"
        bars.append(Bar(text, ahead, 1.0))
        text = f"{aggregate}, 2 to 100 queries: times the best form for many ranges"
        bars.append(Bar(text, multi_ahead, 1.0))
        text = f"{aggregate}, 100 queries: share of the rate of writing"
        bars.append(Bar(text, share, SHARES[aggregate]))
    return tables, bars


def _multi(
    aggregate: str, values: np.ndarray, ranges: list[int], settings: Settings
) -> dict[str, float]:
    most = 4_000_000 if settings.quick else 16_000_000
    fewer = values[: min(len(values), LONGEST + most // len(ranges))]
    results = results_of(fewer, ranges)
    runners = [
        multi_contender(find(name), aggregate, fewer, ranges)
        for name in MULTI[aggregate]
    ]
    took = race(runners, 2, settings.patience)
    return {name: results / one for name, one in took.items()}


def _all(settings: Settings, say: Callable[[str], None]) -> tuple[list[Table], None]:
    """SlickDeque Exp 2: ranges 1 to n, slides a second."""
    tables = []
    for aggregate in COLLAPSED:
        rows: list[list[object]] = []
        for n in (4, 16, 64, 256, 1_024):
            slides = max((1 << 20) // n, 2 * n)
            values = workloads.values(slides + n, DTYPES[aggregate])
            ranges = list(range(1, n + 1))
            able = [
                one
                for one in CATALOGUE
                if one.many and one.suits(product(aggregate, values).laws)
            ]
            runners = [graph_contender(aggregate, values, ranges)]
            runners += [multi_contender(one, aggregate, values, ranges) for one in able]
            took = race(runners, max(settings.rounds // 2, 1), settings.patience)
            rates = {name: len(values) / one for name, one in took.items()}
            rows.append([f"{n:,}", *(rate / 1e3 for rate in rates.values())])
            say(f"all ranges to {n:,}, {aggregate}: {rates['gag']:.0f} slides a second")
        title = f"{aggregate}, all ranges from 1 to n: thousand slides a second"
        tables.append(Table(title, ["n", *rates], rows))
    return tables, None


def _ranges(count: int) -> list[int]:
    rng = np.random.default_rng([workloads.SEED, count])
    return [int(one) for one in rng.integers(1, LONGEST + 1, count)]


def _out_dtype(aggregate: str, values: np.ndarray) -> str:
    return product(aggregate, values).out_dtypes[0]
