"""Trials on Spark: throughput by rows, few rounds, and time for them.

    start   once for all trials: the session, which counts against the first of them
    call    plans, starts tasks, shuffles: some tenths of a second whatever the rows

so that a trial has LEAST seconds even where those before it have used all up: whoever
is quick gets more than one round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windrow_bench.experiment import Place, Row, Size, Trial

from .race import Contender
from .turns import a_second, race_trial

LEAST = 4.0
QUICK_ROUNDS = 3


def throughput_trial(
    panel: str,
    x: Place,
    enter: Callable[[], list[Contender]],
    rows: int,
    size: Size,
    facts: Callable[[], dict[str, Any]] = dict,
) -> Trial:
    """Millions of rows a second; that there were so many is a fact of each row."""
    raced = race_trial(
        panel,
        x,
        lambda _: enter(),
        a_second(rows),
        size.pick(QUICK_ROUNDS, size.rounds),
        lambda: {"rows": rows, **facts()},
    )

    def run(seconds: float) -> list[Row]:
        return raced.run(max(seconds, LEAST))

    return Trial(panel, x, run)
