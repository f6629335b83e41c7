"""Who meets in a trial, and the clock; `turns.py` lets contenders take turns."""

from __future__ import annotations

import time
from collections.abc import Callable
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
