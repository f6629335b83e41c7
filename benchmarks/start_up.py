"""Compile time, which the other experiments leave out.

The first call of a new combination compiles; its machine code is kept on disk, and
the next process loads it.  Both in processes of their own: one with an empty cache
folder, one with what that one left.  A user's functions are compiled in each process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from windrow.bench.measure.answers import WrongAnswer

from ._report import Result, Table
from ._settings import Settings

NAME = "start_up"
ROOT = Path(__file__).resolve().parents[1]
CALLS = {
    "max": "'max'",
    "sum": "'sum'",
    "five together": "['sum', 'min', 'max', 'mean', 'variance']",
    "a mean of one's own": "wr.Aggregate(name='mine', lift=lambda v: (v, 1.0), "
    "combine=lambda a, b: (a[0] + b[0], a[1] + b[1]), lower=lambda p: p[0] / p[1])",
}
SCRIPT = """
import json, sys, time
start = time.perf_counter()
import numpy as np
import windrow as wr
imported = time.perf_counter()
values = np.arange(1000.0)
what = eval(sys.argv[1])
first = time.perf_counter()
answer = wr.slide(values, wr.rows(16), what)
second = time.perf_counter()
again = wr.slide(values, wr.rows(16), what)
end = time.perf_counter()
if isinstance(answer, dict):
    answer = answer["max"]
print(json.dumps([imported - start, second - first, end - second, float(answer[0])]))
"""
ANSWERS = {"max": 15.0, "sum": 120.0, "five together": 15.0, "a mean of one's own": 7.5}


def run(_: Settings, say: Callable[[str], None]) -> Result:
    """Seconds to import, for the first call, for the second, cold and warm."""
    rows: list[list[object]] = []
    for name in CALLS:
        with tempfile.TemporaryDirectory(prefix="windrow-cache-") as folder:
            cold, warm = call(name, folder), call(name, folder)
        rows.append([name, warm[0], cold[1], warm[1], warm[2] * 1e3])
        say(f"{name}: {cold[1]:.1f} s to compile, {warm[1]:.2f} s from the cache")
    header = ["call", "import (s)", "first ever (s)", "first in a process (s)"]
    return Result(
        NAME,
        "Compile time",
        [Table("`wr.slide` over 1,000 values", [*header, "after that (ms)"], rows)],
    )


def call(name: str, folder: str) -> list[float]:
    """Import, first call and second call in a process with that cache folder."""
    caches = {"WINDROW_CACHE_DIR": folder, "NUMBA_CACHE_DIR": folder}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, CALLS[name]],
        cwd=ROOT,
        env=os.environ | caches,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    *seconds, answer = json.loads(done.stdout.splitlines()[-1])
    check_first(name, answer)
    return list(map(float, seconds))


def check_first(name: str, answer: float) -> None:
    """The first window of 0, 1, 2, ... is known."""
    if answer != ANSWERS[name]:
        raise WrongAnswer(f"{name}: the first window is {ANSWERS[name]}, not {answer}")
