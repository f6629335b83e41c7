"""Contenders take turns, and the best of each one's rounds counts.

warm-up   a  b  c        answers are checked here
round 1   a  b  c
round 2   a  b  c        noise of the machine meets all of them alike
...
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Contender:
    """`check` raises if the answer that `call` gave is wrong.

    `scale` is by how much its time is multiplied: it ran on fewer rows.
    `rehearse` takes the place of `call` in the warm-up, where what is timed throws
    its answer away.
    """

    name: str
    call: Callable[[], Any]
    check: Callable[[Any], None]
    scale: float = 1.0
    rehearse: Callable[[], Any] | None = None


def race(
    contenders: Sequence[Contender], rounds: int, patience: float = float("inf")
) -> dict[str, float]:
    """The best time of each, in seconds; whoever has used up `patience` sits out."""
    spent: dict[str, float] = {}
    for one in contenders:
        spent[one.name], answer = timed(one.rehearse or one.call)
        one.check(answer)
        del answer
    best: dict[str, float] = {}
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for one in contenders:
                if one.name in best and spent[one.name] > patience:
                    continue
                took, answer = timed(one.call)
                del answer
                spent[one.name] += took
                best[one.name] = min(best.get(one.name, took), took)
    finally:
        gc.enable()
    return {one.name: best[one.name] * one.scale for one in contenders}


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """How long the call took, and its answer."""
    start = time.perf_counter()
    answer = call()
    return time.perf_counter() - start, answer


def rows_within(
    seconds: float, call_on: Callable[[int], Any], rows: int, least: int
) -> int:
    """How many rows a slow contender gets, so that one call takes about `seconds`."""
    least = min(least, rows)
    call_on(least)
    took, _ = timed(lambda: call_on(least))
    return min(rows, max(least, int(least * seconds / max(took, 1e-9))))
