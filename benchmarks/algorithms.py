"""Every algorithm of the catalogue, on the same windows.

On max; on a float sum those that need an inverse, which drifts, so the planner does
not take them for it.  `recompute` gets fewer rows at long windows.
"""

from __future__ import annotations

from collections.abc import Callable

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import CATALOGUE, Algorithm
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import Contender, race, rows_within

from . import workloads
from ._report import Result, Table
from ._settings import Settings

NAME = "algorithms"
LONGEST = 65_536


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Rates by algorithm and window."""
    windows = [width for width in settings.windows if width <= LONGEST]
    rates: dict[str, list[object]] = {}
    notes = [
        f"{settings.n:,} float64 values, slide 1; pba in two threads, others in one."
    ]
    for one in CATALOGUE:
        rates[one.name] = [one.name, "max" if _slides_max(one) else "sum"]
    for width in windows:
        contenders = []
        for one in CATALOGUE:
            contender, rows = _contender(one, width, settings)
            contenders.append(contender)
            if rows < settings.n:
                notes.append(f"{one.name} at {width:,}: on {rows:,} rows, scaled.")
        took = race(contenders, settings.rounds, settings.patience)
        for name, seconds in took.items():
            rates[name].append(settings.n / seconds / 1e6)
        fastest = min(took, key=lambda name: took[name])
        say(f"window {width:,}: {len(took)} algorithms, fastest {fastest}")
    header = ["algorithm", "on", *(f"{width:,}" for width in windows)]
    return Result(
        NAME,
        "All algorithms",
        [Table("Million values a second, by window", header, list(rates.values()))],
        notes=notes,
    )


def _slides_max(algorithm: Algorithm) -> bool:
    return algorithm.suits(find_aggregate("max").laws)


def _contender(
    algorithm: Algorithm, width: int, settings: Settings
) -> tuple[Contender, int]:
    aggregate = "max" if _slides_max(algorithm) else "sum"

    def on(rows: int, scale: float = 1.0) -> Contender:
        values = workloads.values(settings.n)[:rows]
        return kernel_contender(algorithm, aggregate, values, width, scale)

    rows = rows_within(
        settings.patience / settings.rounds,
        lambda some: on(some).call(),
        settings.n,
        width + 10_000,
    )
    windows = settings.n - width + 1, rows - width + 1
    return on(rows, windows[0] / windows[1]), rows
