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
from windrow_bench.measure.answers import Array, check_windows
from windrow_bench.measure.race import Contender, race

from . import workloads
from ._by_hand import log_sum_exp as by_hand
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


def _log_sum_exp_aggregate(**identity: Any) -> wr.Aggregate:
    return wr.Aggregate(
        name="log_sum_exp",
        lift=lambda value: (value, 1.0),
        combine=_add,
        lower=lambda p: p[0] + math.log(p[1]),
        laws="commutative",
        **identity,
    )


LOG_SUM_EXP = _log_sum_exp_aggregate(identity=(-1e300, 0.0))
WITHOUT_IDENTITY = _log_sum_exp_aggregate()


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Three comparisons by window, each with its bars."""
    means: list[list[Any]] = []
    logs: list[list[Any]] = []
    fives: list[list[Any]] = []
    for width in settings.windows:
        window = f"{width:,}"
        means.append([window, *_mean(settings, width)])
        logs.append([window, *_log_sum_exp(settings, width)])
        fives.append([window, *_five(settings, width)])
        say(
            f"window {window}: my_mean {means[-1][-1]:.2f}, log_sum_exp "
            f"{logs[-1][4]:.2f} and {logs[-1][5]:.2f}, five {fives[-1][-1]:.2f}"
        )
    of_hand = ["with identity takes", "without takes"]
    return Result(
        NAME,
        "Your own aggregate; several at once",
        [
            Table(
                "A mean of one's own, million values a second",
                ["window", "built in", "own", "own takes"],
                means,
            ),
            Table(
                "A log-sum-exp of one's own, million values a second",
                ["window", "by hand", "with identity", "without", *of_hand],
                logs,
            ),
            Table(
                f"Five together ({', '.join(TOGETHER)}), million values a second",
                ["window", "dearest alone", "all five", "five take"],
                fives,
            ),
        ],
        [
            _bar("own mean to built-in mean, worst window", means, 3, NEAR),
            _bar("own log-sum-exp to a loop by hand, worst window", logs, 4, NEAR),
            _bar("the same without an identity, worst window", logs, 5, NEAR),
            _bar("five together to the dearest alone, worst window", fives, 3, 2.0),
        ],
        [
            f"{settings.n:,} float64 values, slide 1, `wr.slide`, results allocated.",
            (
                "Takes: time as a multiple of the first column's. The loop by hand "
                "has the same chunks, and no framework."
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
    first, *others = took.values()
    rates = [settings.n / seconds / 1e6 for seconds in took.values()]
    return [*rates, *(seconds / first for seconds in others)]


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
    own = [
        _slide(name, aggregate, values, width, "log_sum_exp")
        for name, aggregate in (("own", LOG_SUM_EXP), ("bare", WITHOUT_IDENTITY))
    ]
    return _compare(settings, [hand, *own])


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
