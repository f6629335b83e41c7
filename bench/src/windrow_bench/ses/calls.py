"""SES's Figure 14: calls of a telephone network, by the range of windows.

    a minute of signalling, 3.2 million calls, 16 s long on average, most of them short;
    windows of five steps

The paper's calls are not public: these have their rate and their mean length
(`windrow_bench.data.ss7`).
"""

from __future__ import annotations

from functools import lru_cache, partial

import numpy as np

from windrow.spans import Events
from windrow_bench import data
from windrow_bench._claims import Where, from_
from windrow_bench._over_panels import Cell, always, cells, changes
from windrow_bench.data.ss7 import MEAN_LENGTH, PER_SECOND
from windrow_bench.experiment import Claim, Experiment, RowSet, Size, Trial
from windrow_bench.measure.spanning import Given, SpanSetting

from . import _figure as figure
from ._figure import BUCKETS, CPU, MEMORY, PLAIN, SLICES, SWEEPING, TUPLES

SECOND = 1_000_000  # instants are microseconds
OVERLAP = 5
CALLS = 3_200_000
QUICK_CALLS = 800_000  # a quarter of a minute
RANGES = (1, 2, 5, 10, 20, 40, 60)  # seconds
SMALL = from_(0, 2)
LARGE = from_(20)
HEIGHTS = (2, 5, 10, 20)
TALL = figure.tall(HEIGHTS)
SO_MANY = (
    "where calls are far longer than windows they are in hardly fewer slices than "
    "windows"
)
GATHERED = (
    "levels are gathered once for each slice here, not for each window, so that they "
    "cost next to nothing at release"
)
SINGLE, LEVELS = "techniques (14a)", "levels (14b)"
RANGE = "range of windows (s)"
ALIKE = 1 / 1.5  # of each other: what the paper calls similar


@lru_cache(maxsize=4)
def calls(n: int, _: int) -> Given:
    """The first calls to end, and how many milliseconds each took."""
    table = data.table("ss7", n)
    starts, stops = (
        table.column(name).cast("int64").to_numpy() for name in ("start", "end")
    )
    made = Events(starts, stops - 1, np.array([0]), np.array([n]))
    return made, (stops - starts) // 1_000


def setting(seconds: int) -> SpanSetting:
    """Windows of so many seconds over calls."""
    range_ = seconds * SECOND
    mean = round(MEAN_LENGTH * SECOND)
    return SpanSetting(mean, range_, range_ // OVERLAP, calls, PER_SECOND / SECOND)


def trials(size: Size) -> list[Trial]:
    """Both panels, a trial for each range."""
    n = size.pick(QUICK_CALLS, CALLS)
    ranges = size.pick((1, 5, 20, 60), RANGES)
    high = size.pick((2, 10), HEIGHTS)
    single = [
        figure.trial(SINGLE, one, setting(one), PLAIN, (), size, n, resources=True)
        for one in ranges
    ]
    several = [
        figure.trial(
            LEVELS, one, setting(one), (SLICES,), high, size, n, resources=True
        )
        for one in ranges
    ]
    return [*single, *several]


def _over_slices(rows: RowSet, where: Where) -> dict[Cell, float]:
    return cells(rows, [LEVELS], TALL, [SLICES], where=where)


FIGURE_14 = Experiment(
    name="ses-figure-14",
    paper=figure.PAPER,
    shows="Figure 14",
    title="Telephone calls, by the range of windows",
    workload=(
        "a minute of calls, 3.2 million, lengths lognormal around 16 s (the paper's "
        "are real and not public); a step is a fifth of the range; count, sum and "
        "max. " + figure.DIFFERS
    ),
    panels=(
        *(figure.panel(one, RANGE) for one in (SINGLE, LEVELS)),
        *figure.resource_panels((SINGLE, LEVELS), RANGE),
    ),
    claims=(
        Claim(
            "SE-Slicing is faster than tuple buckets over windows of any length.",
            "at least 1.4x",
            always([SINGLE], [SLICES], [TUPLES], times=1.4),
        ),
        Claim(
            "SE-Slicing is faster than aggregate buckets over windows of any length.",
            "at least 1.1x",
            always([SINGLE], [SLICES], [BUCKETS], times=1.1),
            SO_MANY,
        ),
        Claim(
            "SE-Slicing is faster than sweeping over windows of any length.",
            "at least 1.3x",
            always([SINGLE], [SLICES], [SWEEPING], times=1.3),
        ),
        Claim(
            "Over short windows, which calls cross many steps of, levels are faster "
            "than SE-Slicing.",
            "better for small ranges, above all with large heights",
            always([LEVELS], TALL, [SLICES], where=SMALL),
        ),
        Claim(
            "Over long windows levels do not pay: SE-Slicing is a bit ahead of them.",
            "a bit behind SE-Slicing",
            always([LEVELS], [SLICES], TALL, where=LARGE),
            GATHERED,
        ),
        Claim(
            "The longer the windows, the less levels gain.",
            "they struggle as the range grows",
            changes(
                partial(_over_slices, where=LARGE),
                partial(_over_slices, where=SMALL),
                "{}x SE-Slicing over windows of 20 s and more, {}x up to 2 s",
            ),
            GATHERED,
        ),
        *(
            Claim(
                f"SE-Slicing and aggregate buckets take about the same {what}.",
                "similar",
                figure.takes_less(what, [SINGLE], [SLICES], [BUCKETS], times=ALIKE),
            )
            for what in (CPU, MEMORY)
        ),
        Claim(
            "Over short windows tuple buckets take almost twice the memory of "
            "SE-Slicing.",
            "almost twice",
            figure.takes_less(
                MEMORY, [SINGLE], [SLICES], [TUPLES], times=1.8, where=SMALL
            ),
        ),
        Claim(
            "Sweeping takes a bit more of the processor than SE-Slicing.",
            "slightly more",
            figure.takes_less(CPU, [SINGLE], [SLICES], [SWEEPING]),
        ),
        *(
            Claim(
                f"Levels take a bit more {what} than SE-Slicing.",
                "slightly more",
                figure.takes_less(what, [LEVELS], [SLICES], TALL),
            )
            for what in (CPU, MEMORY)
        ),
    ),
    trials=trials,
)
