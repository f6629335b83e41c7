"""One library answering one question about a table, in a process of its own.

    ask("polars", "windows", IN.arrow, OUT.arrow)
         |
         python -m windrow_bench.measure.table_side polars windows IN.arrow OUT.arrow
         |    warm up on a few rows, load the input, ask, stop the clock
         |    then write OUT.arrow
         seconds, and resident memory in bytes: before the input was loaded, after, and
         at its highest during the question

Threads are as many as the library likes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from .answers import WrongAnswer
from .keyed import events, read, write
from .race import timed
from .table_queries import FORMS, QUESTIONS, own_form

WARM_ROWS = 1_000
PATIENCE = 3.0  # seconds after which no further round begins


def ask(
    library: str,
    question: str,
    source: Path,
    target: Path,
    *,
    rounds: int = 1,
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run the question in a process of its own; its times and sizes."""
    given = [library, question, str(source), str(target), str(rounds)]
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", __name__, *given],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise WrongAnswer(f"{library}: its process ended with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def answer(
    library: str, question: str, source: Path, target: Path, rounds: int = 1
) -> dict[str, Any]:
    """Warm up on a few rows, load, ask, and only then write the answer.

    Memory is that of the first round; `seconds` is the best of them, `times` all.
    """
    put = QUESTIONS[question][library]
    put(own_form(events(WARM_ROWS), library))
    before = memory("VmRSS")
    given = own_form(read(source), library)
    loaded = memory("VmRSS")
    forget_peak()
    took, result = timed(lambda: put(given))
    peak, times = memory("VmHWM"), [took]
    while len(times) < rounds and sum(times) < PATIENCE:
        del result
        took, result = timed(lambda: put(given))
        times.append(took)
    write(FORMS[question](library, result), target)
    return {
        "seconds": min(times),
        "times": times,
        "before": before,
        "loaded": loaded,
        "peak": peak,
    }


def memory(field: str) -> int:
    """VmRSS (now) or VmHWM (the highest since `forget_peak`), in bytes."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    lines = status.read_text("utf-8").splitlines()
    return next(int(one.split()[1]) for one in lines if one.startswith(field)) * 1024


def forget_peak() -> None:
    """Let the highest resident size begin anew at the present one (Linux)."""
    switch = Path("/proc/self/clear_refs")
    if switch.exists():
        switch.write_text("5", "utf-8")


def check_same(who: str, actual: pa.Table, expected: pa.Table, whose: str) -> None:
    """Same rows; numbers equal but for the last digits of float sums."""
    if len(actual) != len(expected):
        raise WrongAnswer(f"{who}: {len(actual)} rows, not {len(expected)}")
    for name in expected.column_names:
        one, other = actual.column(name), expected.column(name)
        if pa.types.is_floating(other.type):
            same: Any = np.allclose(one, other, rtol=1e-7, atol=1e-7)
        else:
            same = one.equals(other)
        if not same:
            raise WrongAnswer(f"{who}: column {name} differs from {whose}'s")


if __name__ == "__main__":
    library, question, source, target, rounds = sys.argv[1:]
    told = answer(library, question, Path(source), Path(target), int(rounds))
    sys.stdout.write(json.dumps(told) + "\n")
