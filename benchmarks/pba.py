"""PBA in two threads against SBA in one, at long windows.

The second thread needs a core of its own: read the load average beside the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windrow.algorithms import find as find_algorithm
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import race

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "pba"


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """How many times faster two threads are."""
    values = workloads.values(settings.n)
    rows: list[list[Any]] = []
    for width in settings.long_windows:
        contenders = [
            kernel_contender(find_algorithm(name), "max", values, width)
            for name in ("sba", "pba")
        ]
        took = race(contenders, settings.rounds)
        rate = {name: settings.n / seconds / 1e6 for name, seconds in took.items()}
        ratio = took["sba"] / took["pba"]
        rows.append([f"{width:,}", rate["sba"], rate["pba"], ratio])
        say(f"window {width:,}: pba {ratio:.2f} times sba")
    return Result(
        NAME,
        "Two threads: PBA against SBA",
        [
            Table(
                "Max, million values a second", ["window", "sba", "pba", "ratio"], rows
            )
        ],
        [Bar("pba over sba, worst window", min(row[3] for row in rows), 1.4)],
        [f"{settings.n:,} float64 values, slide 1, results into prepared memory."],
    )
