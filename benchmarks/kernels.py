"""Kernels as a share of one read-and-write pass over the same memory.

Kernel and pass read a prepared array and write a prepared array, in one thread.  The
algorithm is the one that the planner picks.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow_bench.measure.kernels import auto, kernel_contender, pass_contender
from windrow_bench.measure.race import race

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "kernels"
# label, aggregate, type of the values, least share of the pass that was promised
KERNELS = (
    ("max", "max", "float64", 0.30),
    ("sum, drift-free", "sum", "float64", 0.30),
    ("sum of int64", "sum", "int64", 0.40),
    ("mean", "mean", "float64", None),
    ("variance", "variance", "float64", None),
)
FLAT = 2.0


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Rates, shares, and whether both keep their bars at every window."""
    rates: list[list[object]] = []
    shares: list[list[object]] = []
    bars: list[Bar] = []
    passes: list[float] = []
    for label, aggregate, dtype, least in KERNELS:
        values = workloads.values(settings.n, dtype)
        rate, share = [], []
        for width in settings.windows:
            algorithm = auto(aggregate, values, width)
            took = race(
                [
                    pass_contender(values),
                    kernel_contender(algorithm, aggregate, values, width),
                ],
                settings.rounds,
            )
            rate.append(settings.n / took[algorithm.name] / 1e6)
            share.append(took["one pass"] / took[algorithm.name])
            passes.append(settings.n / took["one pass"] / 1e6)
            say(f"{label}, window {width:,}: {rate[-1]:,.0f} M/s, {share[-1]:.2f}")
        rates.append([label, algorithm.name, *rate])
        shares.append([label, algorithm.name, *share])
        if least is not None:
            bars.append(
                Bar(f"{label}: share of a pass, worst window", min(share), least)
            )
        flat = max(rate) / min(rate)
        bars.append(
            Bar(f"{label}: fastest to slowest window", flat, FLAT, at_least=False)
        )
    header = ["kernel", "algorithm", *(f"{width:,}" for width in settings.windows)]
    return Result(
        NAME,
        "Kernels beside one pass over memory",
        [
            Table("Speed as a share of the pass `y = x + 1`", header, shares),
            Table("Million values a second", header, rates),
        ],
        bars,
        [
            f"{settings.n:,} values, slide 1, one thread, into prepared memory.",
            (
                f"The pass itself: {min(passes):,.0f} to {max(passes):,.0f} "
                "million values a second."
            ),
        ],
    )
