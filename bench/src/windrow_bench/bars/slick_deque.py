"""SlickDeque without an inverse: all ranges at once, and one query beside two stacks.

    all ranges    1, 2, ..., 1,024 after each row           beside FlatFIT (Exp 2b)
    single        one range                                 beside two_stacks_lite
    counted       branches, wrong guesses, loads, stores    of both, by a model

Values come in random order, and the same ones rise or fall: loads are as many, and only
random ones are guessed wrong (`measure/branches.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from windrow.algorithms import find
from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure.answers import Array
from windrow_bench.measure.branches import count_branches
from windrow_bench.measure.energies import readings
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sharing import multi_contender
from windrow_bench.measure.turns import a_second
from windrow_bench.measure.values import values

from ._bar import bar, bar_trial, number_row, panel, rates, speed

SLICK, LITE, FIT = "slick_deque", "two_stacks_lite", "flat_fit"
ALL, RANDOM = "all ranges", "random"
RANGES, SLIDES = (64, 1_024), (2_048, 4_096)  # quick, and full
ROWS, WIDTHS = (200_000, 8_000_000), (16, 1_024, 65_536)
COUNTED_ROWS, COUNTED_WIDTH = (20_000, 200_000), 1_024
ORDERS: dict[str, Callable[[Array], Array]] = {
    RANDOM: lambda given: given,
    "rising": np.sort,
    "falling": lambda given: np.sort(given)[::-1].copy(),
}
TRIED = (
    "the same values in order: rising and falling ones take 2.8 and 3.2 ns, beside 3.8 "
    "by two_stacks_lite and 10.3 where they are random. Counted over 1,024 rows: 6.0 "
    "loads of a random and of a falling value alike (two stacks: 3.0), and 1.13 and no "
    "branches guessed wrong, so that not the loads are the reason but the guesses"
)


def _single(order: str) -> str:
    return f"single, {order}"


def _all_ranges(most: int, slides: int) -> list[Contender]:
    given, ranges = readings(slides).floats, range(1, most + 1)
    return [
        replace(multi_contender(find(name), "max", given, ranges), name=name)
        for name in (SLICK, FIT)
    ]


def _one_range(order: str, width: int, rows: int) -> list[Contender]:
    given = ORDERS[order](values(rows))
    return [kernel_contender(find(name), "max", given, width) for name in (SLICK, LITE)]


def _count(order: str, rows: int, size: Size, _: float) -> list[Row]:
    given = ORDERS[order](values(rows))
    return [
        number_row("counted", order, f"{name}, {what}", [each], size)
        for name in (SLICK, LITE)
        for what, each in count_branches(name, "max", given, COUNTED_WIDTH)
        .per(rows)
        .items()
    ]


def trials(size: Size) -> list[Trial]:
    """All ranges; a query in each order and at each window; counts of each order."""
    most, slides, rows, few = size.pick(
        *zip(RANGES, SLIDES, ROWS, COUNTED_ROWS, strict=True)
    )
    return [
        bar_trial(ALL, most, partial(_all_ranges, most, slides), size),
        *(
            bar_trial(_single(order), width, partial(_one_range, order, width, rows),
                      size, value=a_second(rows))
            for order in ORDERS for width in size.pick(WIDTHS[:2], WIDTHS)
        ),
        *(
            Trial("counted", order, partial(_count, order, few, size))
            for order in ORDERS
        ),
    ]  # fmt: skip


SLICK_DEQUE = bar(
    "slick-deque",
    "SlickDeque: all ranges at once, and a single query",
    "max; all ranges from 1 to 1,024 (64 in a quick run) over 4,096 of DEBS12's first "
    "energies; single windows over 8 million uniform floats as drawn, rising and "
    "falling; slide 1, one thread, into prepared memory; counted by a model that "
    "guesses by the last twelve outcomes",
    [
        panel(ALL, "ranges"),
        *(rates(_single(o), "window (rows)", "values a second (millions)")
          for o in ORDERS),
        panel("counted", "order of the values", "in an event"),
    ],
    [
        speed("All ranges from 1 to 1,024 at once, max: three times as fast as by "
              "FlatFIT.", ALL, SLICK, (FIT,), 3.0),
        replace(
            speed("A single query over random values is as fast as by two_stacks_lite.",
                  _single(RANDOM), SLICK, (LITE,), 1.0, rate=True),
            tried=TRIED,
        ),
    ],
    trials,
)  # fmt: skip
