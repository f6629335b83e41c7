"""What it costs to bring your own aggregate, and what several together cost.

A user's functions are compiled into the same loop as built-in ones, so a mean of
one's own should cost what the built-in mean costs, and a log-sum-exp what a loop by
hand costs.  Several aggregates are one pass over the product of their partials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import windrow as wr

from . import workloads
from ._answers import Array, check_windows
from ._by_hand import log_sum_exp as by_hand
from ._race import Contender, race
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "own_aggregate"
NEAR = 1.3
TOGETHER = ("sum", "min", "max", "mean", "variance")

MY_MEAN = wr.Aggregate(
    name="my_mean",
    identity=(0.0, 0.0),
    lift=lambda value: (value, 1.0),
    combine=lambda a, b: (a[0] + b[0], a[1] + b[1]),
    lower=lambda p: p[0] / p[1],
    laws="commutative",
)


def _add(a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    if a[0] >= b[0]:
        return a[0], a[1] + b[1] * math.exp(b[0] - a[0])
    return b[0], b[1] + a[1] * math.exp(a[0] - b[0])


LOG_SUM_EXP = wr.Aggregate(
    name="log_sum_exp",
    lift=lambda value: (value, 1.0),
    combine=_add,
    lower=lambda p: p[0] + math.log(p[1]),
    laws="commutative",
)


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Three comparisons by window, each with its bar."""
    rows = []
    for width in settings.windows:
        mean = _mean(settings, width)
        log = _log_sum_exp(settings, width)
        five = _five(settings, width)
        rows.append([f"{width:,}", *mean, *log, *five])
        say(
            f"window {width:,}: my_mean {mean[-1]:.2f}, log_sum_exp {log[-1]:.2f}, "
            f"five together {five[-1]:.2f}"
        )
    parts = [
        Table(
            "A mean of one's own, million values a second",
            ["window", "built in", "own", "own takes"],
            [[row[0], *row[1:4]] for row in rows],
        ),
        Table(
            "A log-sum-exp of one's own, million values a second",
            ["window", "loop by hand", "own", "own takes"],
            [[row[0], *row[4:7]] for row in rows],
        ),
        Table(
            f"Five together ({', '.join(TOGETHER)}), million values a second",
            ["window", "dearest alone", "all five", "five take"],
            [[row[0], *row[7:10]] for row in rows],
        ),
    ]
    return Result(
        NAME,
        "Your own aggregate; several at once",
        parts,
        [
            _bar("own mean to built-in mean, worst window", rows, 3, NEAR),
            _bar("own log-sum-exp to a loop by hand, worst window", rows, 6, NEAR),
            _bar("five together to the dearest alone, worst window", rows, 9, 2.0),
        ],
        [
            f"{settings.n:,} float64 values, slide 1, `wr.slide`, results allocated.",
            (
                '"Takes": time as a multiple of the column before. The loop by '
                "hand has the same chunks, and no framework."
            ),
        ],
    )


def _bar(text: str, rows: list[list[Any]], column: int, limit: float) -> Bar:
    return Bar(text, max(row[column] for row in rows), limit, at_least=False)


def _slide(name: str, what: Any, values: Array, width: int, fold: str) -> Contender:
    return Contender(
        name,
        lambda: wr.slide(values, wr.rows(width), what),
        lambda actual: check_windows(name, actual, values, width, fold),
    )


def _compare(settings: Settings, contenders: list[Contender]) -> list[float]:
    took = race(contenders, settings.rounds, settings.patience)
    first, second = took.values()
    return [settings.n / first / 1e6, settings.n / second / 1e6, second / first]


def _mean(settings: Settings, width: int) -> list[float]:
    values = workloads.values(settings.n)
    built_in = _slide("mean", "mean", values, width, "mean")
    return _compare(settings, [built_in, _slide("own", MY_MEAN, values, width, "mean")])


def _log_sum_exp(settings: Settings, width: int) -> list[float]:
    values = workloads.values(settings.n)
    hand = Contender(
        "by hand",
        lambda: by_hand(values, width),
        lambda actual: check_windows("by hand", actual, values, width, "log_sum_exp"),
    )
    own = _slide("own", LOG_SUM_EXP, values, width, "log_sum_exp")
    return _compare(settings, [hand, own])


def _five(settings: Settings, width: int) -> list[float]:
    values = workloads.values(settings.n)

    def check(actual: dict[str, Array]) -> None:
        for name in TOGETHER:
            check_windows("together", actual[name], values, width, name)

    contenders = [_slide(name, name, values, width, name) for name in TOGETHER]
    together = Contender(
        "together", lambda: wr.slide(values, wr.rows(width), list(TOGETHER)), check
    )
    took = race([*contenders, together], settings.rounds, settings.patience)
    dearest = max(took[name] for name in TOGETHER)
    five = took["together"]
    return [settings.n / dearest / 1e6, settings.n / five / 1e6, five / dearest]
