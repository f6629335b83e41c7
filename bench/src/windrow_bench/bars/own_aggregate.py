"""What it costs to bring your own aggregate, and what several together cost.

A user's functions are compiled into the same loop as built-in ones, so a mean of
one's own should cost what the built-in mean costs, and a log-sum-exp what a loop by
hand costs.  Several aggregates are one pass over the product of their partials.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import windrow as wr
from windrow_bench.experiment import Size, Trial
from windrow_bench.measure.answers import Array, check_windows
from windrow_bench.measure.by_hand import log_sum_exp
from windrow_bench.measure.race import Contender
from windrow_bench.measure.values import values

from ._bar import bar, bar_trial, cost, panel

ROWS, QUICK_ROWS = 8_000_000, 400_000
WIDTHS = (16, 256, 4_096, 65_536, 1_048_576)
QUICK_WIDTHS = (16, 4_096, 65_536)
NEAR = 1.3
TOGETHER = ("sum", "min", "max", "mean", "variance")
BUILT_IN, OWN, BY_HAND = "built in", "own", "by hand"
BARE, FIVE = "own, no identity", "all five"
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


def _slide(name: str, what: Any, given: Array, width: int, fold: str) -> Contender:
    return Contender(
        name,
        lambda: wr.slide(given, wr.rows(width), what),
        lambda actual: check_windows(name, actual, given, width, fold),
    )


def _means(given: Array, width: int) -> list[Contender]:
    return [
        _slide(name, what, given, width, "mean")
        for name, what in ((BUILT_IN, "mean"), (OWN, MY_MEAN))
    ]


def _logs(given: Array, width: int) -> list[Contender]:
    with_identity = _log_sum_exp_aggregate(identity=(-1e300, 0.0))
    own = {OWN: with_identity, BARE: _log_sum_exp_aggregate()}
    fold = "log_sum_exp"
    hand = Contender(
        BY_HAND,
        lambda: log_sum_exp(given, width),
        lambda actual: check_windows(BY_HAND, actual, given, width, fold),
    )
    theirs = [_slide(name, what, given, width, fold) for name, what in own.items()]
    return [hand, *theirs]


def _five(given: Array, width: int) -> list[Contender]:
    def check(actual: dict[str, Array]) -> None:
        for name in TOGETHER:
            check_windows(FIVE, actual[name], given, width, name)

    alone = [_slide(name, name, given, width, name) for name in TOGETHER]
    call = partial(wr.slide, given, wr.rows(width), list(TOGETHER))
    return [*alone, Contender(FIVE, call, check)]


PANELS: dict[str, Callable[[Array, int], list[Contender]]] = {
    "mean": _means,
    "log-sum-exp": _logs,
    "five together": _five,
}


def trials(size: Size) -> list[Trial]:
    """A trial for each comparison and window."""
    rows = size.pick(QUICK_ROWS, ROWS)
    return [
        bar_trial(name, width, lambda e=enter, w=width: e(values(rows), w), size)  # type: ignore[misc]
        for name, enter in PANELS.items()
        for width in size.pick(QUICK_WIDTHS, WIDTHS)
    ]


OWN_AGGREGATE = bar(
    "own-aggregate",
    "Your own aggregate, and several at once",
    "8 million floats (400,000 in a quick run), slide 1, `wr.slide`, results "
    "allocated; the loop by hand has the same chunks, and no framework",
    [panel(name, "window (rows)", kind="lines", log_x=True) for name in PANELS],
    [
        replace(
            cost("A mean of one's own takes at most 1.3 times the built-in one.",
                 "mean", OWN, (BUILT_IN,), NEAR),
            tried="a sum of one's own, one number as the built-in one is: 0.93 to 1.06 "
            "times; the built-in mean keeps no count over even windows without nulls, "
            "and a mean of one's own carries both its numbers",
        ),
        cost("A log-sum-exp of one's own takes at most 1.3 times a loop by hand.",
             "log-sum-exp", OWN, (BY_HAND,), NEAR),
        cost("So does one without an identity.",
             "log-sum-exp", BARE, (BY_HAND,), NEAR),
        replace(
            cost("Five together take at most twice the dearest of them alone.",
                 "five together", FIVE, TOGETHER, 2.0, dearest=True),
            tried="20,000 rows, whose results stay in the cache: 1.3 to 2.0 times; of "
            "millions five columns of results go to memory, and one of each alone",
        ),
    ],
    trials,
    share=1.5,
)  # fmt: skip
