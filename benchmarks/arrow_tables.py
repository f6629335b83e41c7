"""Ten million rows by key and time: three sliding windows in one call, and `over`.

Each library runs in a process of its own, with as many threads as it likes; memory
is the process's highest resident size (VmHWM, reset when the input is loaded) above
what it held before loading, so the input counts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from windrow_bench.measure.keyed import read
from windrow_bench.measure.table_queries import WINDOWS
from windrow_bench.measure.table_side import ask, check_same

from . import ONE_CORE, workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "tables"
LIBRARIES = ("windrow", "polars", "pandas", "duckdb")
REFERENCE = "polars"
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
                "few rows; threads as each library likes."
            ),
            (
                "polars: `group_by_dynamic` once a window; `rolling_*_by` over keys. "
                "pandas: panes by groupby, rolling over a grid of panes and keys; "
                "groupby and rolling. DuckDB: panes by group by, each once for every "
                "window that it is in; a frame by range."
            ),
        ],
    )


def _measure(
    question: str, source: Path, settings: Settings, say: Callable[[str], None]
) -> dict[str, dict[str, float]]:
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="windrow-bench-") as folder:
        answers = {one: Path(folder) / f"{one}.arrow" for one in LIBRARIES}
        # The package asks for one core: that is taken back for these.
        threads = {k: v for k, v in os.environ.items() if k not in ONE_CORE}
        for _ in range(settings.table_rounds):
            for library, target in answers.items():
                found = ask(library, question, source, target, environment=threads)
                say(f"{question}, {library}: {found['seconds']:.2f} s")
                before = best.get(library, found)
                best[library] = min(before, found, key=lambda one: one["seconds"])
        expected = read(answers[REFERENCE])
        for library, target in answers.items():
            check_same(library, read(target), expected, REFERENCE)
    return best
