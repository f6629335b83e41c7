"""Ten million rows by key and time: three sliding windows in one call, and `over`.

Each library runs in a process of its own, with as many threads as it likes; memory
is the process's highest resident size (VmHWM, reset when the input is loaded) above
what it held before loading, so the input counts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from windrow.bench.measure.answers import WrongAnswer

from . import ONE_CORE, workloads
from ._report import Bar, Result, Table
from ._settings import Settings
from ._table_queries import QUESTIONS, WINDOWS

NAME = "tables"
ROOT = Path(__file__).resolve().parents[1]
REFERENCE = "polars"
# The package asks for one core; that is taken back before a library is imported.
CODE = """
import json, os, sys, benchmarks
for name in benchmarks.ONE_CORE:
    del os.environ[name]
from benchmarks import _table_queries
print(json.dumps(_table_queries.answer(*sys.argv[1:])))
"""
TITLES = {
    "windows": "Sum, max and count by key for "
    + ", ".join(f"{range_}/{slide}" for range_, slide, _ in WINDOWS),
    "over": "Sum, max and count of each row's last hour, by key",
}


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Time and memory of each library; answers equal to those of polars."""
    source = workloads.events_file(settings.table_rows)
    with pa.memory_map(str(source)) as file:
        given = pa.ipc.open_file(file).read_all().nbytes
    tables, bars = [], []
    for question, title in TITLES.items():
        found = _measure(question, source, settings, say)
        ours = found["windrow"]
        rows = [
            [
                library,
                one["seconds"],
                one["seconds"] / ours["seconds"],
                (one["peak"] - one["before"]) / 2**20,
                (one["peak"] - one["before"]) / given,
                (one["peak"] - one["loaded"]) / 2**20,
            ]
            for library, one in found.items()
        ]
        header = ["library", "seconds", "times windrow's"]
        header += ["peak MiB with input", "as multiple of the input", "MiB above input"]
        tables.append(Table(title, header, rows))
        if question == "windows":
            bars.append(
                Bar("peak memory, input and all, to the input", rows[0][4], 3.0, False)
            )
            bars.append(Bar("faster than every peer", min(r[2] for r in rows[1:]), 1.0))
    return Result(
        NAME,
        "Tables: keys and time",
        tables,
        bars,
        [
            (
                f"{settings.table_rows:,} rows over one day, {workloads.KEYS:,} keys "
                f"(int32), timestamp[us] in order, a float64: {given / 2**20:,.0f} MiB."
            ),
            (
                f"Best of {settings.table_rounds} processes each, warmed up on "
                "few rows; threads as each library likes (windrow: one)."
            ),
            (
                "polars: `group_by_dynamic` once a window; `rolling_*_by` over keys. "
                "pandas: panes by groupby, rolling over a grid of panes and keys; "
                "groupby and rolling."
            ),
        ],
    )


def _measure(
    question: str, source: Path, settings: Settings, say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as folder:
        answers = {one: Path(folder) / f"{one}.arrow" for one in QUESTIONS[question]}
        for _ in range(settings.table_rounds):
            for library, target in answers.items():
                found = ask(library, question, source, target)
                say(f"{question}, {library}: {found['seconds']:.2f} s")
                before = best.get(library, found)
                best[library] = min(before, found, key=lambda one: one["seconds"])
        expected = read(answers[REFERENCE])
        for library, target in answers.items():
            check_same(library, read(target), expected)
    return best


def ask(library: str, question: str, source: Path, target: Path) -> dict[str, float]:
    """Run the question in a process of its own; its times and sizes."""
    threads = {name: v for name, v in os.environ.items() if name not in ONE_CORE}
    done = subprocess.run(
        [sys.executable, "-c", CODE, library, question, str(source), str(target)],
        cwd=ROOT,
        env=threads,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def read(path: Path) -> pa.Table:
    """An Arrow file."""
    with pa.OSFile(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def check_same(who: str, actual: pa.Table, expected: pa.Table) -> None:
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
            raise WrongAnswer(f"{who}: column {name} differs from {REFERENCE}'s")
