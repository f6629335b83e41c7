"""An operator with very many keys, in a process of its own: memory, and ticks.

    feed      EVENTS of each key, in batches over all keys     the process grows
    trigger   time goes on by a slide: every key is due        `ticks`
    ...       once more, and again

Memory is the most that the whole process held, libraries and the batches included, in
bytes: once all keys are in (`filled`), and after the ticks (`ticked`), whose results
stand beside the windows.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from functools import partial
from typing import Any

import numpy as np

import windrow as wr

from .answers import WrongAnswer
from .memory import COMPILED, most_so_far
from .race import timed

RANGE, SLIDE = 60_000, 10_000  # milliseconds
EVENTS, BATCH = 3, 100_000
TICKS = 3
FEW = 1_000


def ask(keys: int) -> dict[str, Any]:
    """Times and sizes; a process before it leaves compiled code for this one."""
    _elsewhere(FEW)
    return _elsewhere(keys)


def _elsewhere(keys: int) -> dict[str, Any]:
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", __name__, str(keys)],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, **COMPILED},
    )
    if done.returncode:
        raise WrongAnswer(f"{keys:,} keys: the process ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answer(keys: int) -> dict[str, Any]:
    """Fill an operator with so many keys and let time go on, a slide at a time."""
    few = min(keys, FEW)
    _ticks(_filled(few), few)  # loads compiled code
    took, operator = timed(lambda: _filled(keys))
    filled = most_so_far()
    return {
        "filling": took,
        "filled": filled,
        "ticks": _ticks(operator, keys),
        "ticked": most_so_far(),
    }


def _filled(keys: int) -> wr.Operator:
    """Every key has the values 1, 2, ... in the first slide."""
    operator = wr.Operator(
        wr.sliding(RANGE, every=SLIDE), "sum", types={"value": "int64"}, nulls=False
    )
    for i in range(EVENTS):
        for first in range(0, keys, BATCH):
            some = np.arange(first, min(first + BATCH, keys))
            values, at = np.full(len(some), i + 1), np.full(len(some), 100 * i)
            operator.feed(values, at=at, key=some)
    return operator


def _ticks(operator: wr.Operator, keys: int) -> list[float]:
    """What each takes; all keys have a result, which is that of all their events."""
    times, expected = [], EVENTS * (EVENTS + 1) // 2
    gc.collect()
    gc.disable()  # as contenders in turns have it
    for tick in range(1, TICKS + 1):
        took, found = timed(partial(operator.trigger, at=tick * SLIDE))
        times.append(took)
        right = sum(result.value == expected for result in found)
        if not right == len(found) == keys:
            raise WrongAnswer(f"tick {tick}: {right:,} of {keys:,} keys are right")
        del found
    gc.enable()
    return times


if __name__ == "__main__":
    sys.stdout.write(json.dumps(answer(int(sys.argv[1]))) + "\n")
