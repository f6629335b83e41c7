"""Time windows beside count windows over the same rows, and threads beside one.

Rows one second apart make a window of 3,600 s every second the same as one of 3,600
rows: what a time window costs beyond that is finding its bounds.  All of it runs here,
warm, in turns, the best of each.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import timed

from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "time_windows"
RANGE = 3_600
THREADS = 2


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Seconds of each way, and their ratios."""
    rows = settings.table_rows // 5
    even = _even(rows, settings.rounds, say)
    threads = _threads(settings.table_rows, settings.table_rounds, say)
    by_rows, by_time = even["rows"] / even["slide"], even["time"] / even["rows"]
    parallel = min(float(row[3]) for row in threads)
    tables = [
        Table(
            f"Max, one sorted key, {rows:,} rows a second apart, {RANGE} / 1",
            ["way", "ms"],
            [[name, seconds * 1e3] for name, seconds in even.items()],
        ),
        Table(
            f"Max and mean, {settings.table_rows:,} rows, {RANGE} s / 60 s",
            ["keys", "one thread (s)", f"{THREADS} threads (s)", "times as fast"],
            threads,
        ),
    ]
    bars = [
        Bar("`aggregate` by time to `aggregate` by rows", by_time, 1.5, False),
        Bar("`aggregate` by rows to `slide`", by_rows, 2.0, False),
        Bar(f"{THREADS} threads to one", parallel, 1.7),
    ]
    notes = [f"Cores: {len(os.sched_getaffinity(0))}; answers are equal bit for bit."]
    return Result(NAME, "Time windows and threads", tables, bars, notes)


def _even(rows: int, rounds: int, say: Callable[[str], None]) -> dict[str, float]:
    """One thread each."""
    values = np.random.default_rng(3).normal(size=rows)
    table = pa.table({"at": np.arange(rows), "x": values})
    by_rows, by_time = wr.rows(RANGE), wr.sliding(RANGE, every=1, on="at")
    ways: dict[str, Callable[[], Any]] = {
        "slide": lambda: wr.slide(values, by_rows, "max", threads=1),
        "rows": lambda: wr.aggregate(table, by_rows, m=wr.max("x"), threads=1),
        "time": lambda: wr.aggregate(table, by_time, m=wr.max("x"), threads=1),
    }
    answers = {name: way() for name, way in ways.items()}
    full = answers["time"]["m"].to_numpy()[RANGE - 1 : rows]
    if not (answers["slide"] == answers["rows"]["m"].to_numpy()).all():
        raise WrongAnswer("aggregate by rows differs from slide")
    if not (answers["slide"] == full).all():
        raise WrongAnswer("aggregate by time differs from slide")
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(rounds):
        for name, way in ways.items():
            best[name] = min(best[name], timed(way)[0])
    say(", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in best.items()))
    return best


def _threads(rows: int, rounds: int, say: Callable[[str], None]) -> list[list[Any]]:
    """One thread and several, over many keys and over one."""
    lines: list[list[Any]] = []
    for keys in (1_000, 1):
        random = np.random.default_rng(5)
        table = pa.table(
            {
                "at": np.sort(random.integers(0, 10 * rows // keys, rows)),
                "key": random.integers(0, keys, rows),
                "x": random.normal(size=rows),
            }
        )
        window = wr.sliding(RANGE, every=60, on="at")

        def ask(
            threads: int, table: pa.Table = table, window: Any = window
        ) -> pa.Table:
            calls = {"m": wr.max("x"), "a": wr.mean("x")}
            return wr.aggregate(
                table, window, by="key", aggregates=calls, threads=threads
            )

        if not ask(1).equals(ask(THREADS)):
            raise WrongAnswer(f"{THREADS} threads differ from one, {keys} keys")
        best = dict.fromkeys((1, THREADS), float("inf"))
        for _ in range(rounds):
            for threads in best:
                seconds, _ = timed(lambda threads=threads: ask(threads))  # type: ignore[misc]
                best[threads] = min(best[threads], seconds)
        lines.append([keys, best[1], best[THREADS], best[1] / best[THREADS]])
        say(f"{keys} keys: {best[1]:.2f} s, {best[THREADS]:.2f} s on {THREADS} threads")
    return lines
