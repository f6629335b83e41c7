"""Contenders in turns, as rows: the median of each one's rounds, with its spread.

    enter     a, b, c        data is made and kernels are compiled: `enter_s`
    warm-up   a  b  c        compiles too, and answers are checked: `first_call_s`
    round 1   a  b  c
    round 2   a  b  c        noise of the machine meets all of them alike
    ...                      until the time is over, two rounds at least

Whoever takes so long that two rounds are too many sits out after the first.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from windrow_bench.experiment import Place, Row, Trial

from .race import Contender, timed

LEAST_ROUNDS = 2
SHORT = 5  # times as many rounds where a call takes milliseconds: noise lasts longer
Value = Callable[[float], float]
"""What is kept of a time in seconds: results a second, nanoseconds an event, ..."""


def race_trial(
    panel: str,
    x: Place,
    enter: Callable[[float], Sequence[Contender]],
    value: Value,
    rounds: int,
    facts: Callable[[], dict[str, Any]] = dict,
) -> Trial:
    """A trial in which contenders take turns; `enter` is told each one's seconds.

    `facts` are asked for when all is measured: where rows came from, for one.
    """

    def run(seconds: float) -> list[Row]:
        entering, contenders = timed(lambda: enter(seconds))
        times, first = in_turns(contenders, rounds, seconds)
        known = facts()
        scaled = {one.name: one.scale for one in contenders if one.scale != 1.0}
        return [
            row_of(
                panel,
                x,
                one,
                value,
                times[one],
                {"first_call_s": first[one], "enter_s": entering, **known}
                | ({"scaled_by": scaled[one]} if one in scaled else {}),
            )
            for one in times
        ]

    return Trial(panel, x, run)


def in_turns(
    contenders: Sequence[Contender], rounds: int, seconds: float
) -> tuple[dict[str, list[float]], dict[str, float]]:
    """The times of each, and what its first call took, with all that is compiled."""
    first: dict[str, float] = {}
    for one in contenders:
        took, answer = timed(one.rehearse or one.call)
        one.check(answer)
        del answer
        first[one.name] = took
    times: dict[str, list[float]] = {one.name: [] for one in contenders}
    each = seconds / max(len(contenders), 1)
    gc.collect()
    gc.disable()
    try:
        for number in range(max(rounds, LEAST_ROUNDS)):
            for one in contenders:
                mine = times[one.name]
                if mine and sum(mine) / one.scale > each * _share(number, len(mine)):
                    continue
                took, answer = timed(one.call)
                del answer
                mine.append(took * one.scale)
    finally:
        gc.enable()
    return times, first


def _share(number: int, done: int) -> float:
    """How much of its time a contender may have used and still go on."""
    return 2.0 if number < LEAST_ROUNDS and done < LEAST_ROUNDS else 1.0


def row_of(
    panel: str,
    x: Place,
    series: str,
    value: Value,
    times: Sequence[float],
    facts: dict[str, Any],
) -> Row:
    """A row from times in seconds."""
    kept = sorted(value(took) for took in times)
    middle = statistics.median(kept)
    return Row(panel, x, series, middle, kept[0], kept[-1], len(kept), facts)


def a_second(work: float, unit: float = 1e6) -> Value:
    """Work done in a second, in millions."""
    return lambda took: work / took / unit


def each(work: float, unit: float = 1e-9) -> Value:
    """What one piece of the work takes, in nanoseconds."""
    return lambda took: took / work / unit
