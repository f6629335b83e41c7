"""More cores for one key, and more rows for the same cores.

One key: sessions on two cores and on one take turns.  Growth: sizes take turns in one
session; then each has a session of its own, where its Python workers' peak memory is
read, since a worker's peak never goes down again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from windrow_bench.measure.machine import load
from windrow_bench.measure.race import race, timed
from windrow_bench.measure.session import consume, read, session
from windrow_bench.measure.spark.queries import our_windows

from . import workloads
from ._report import Bar, Table
from ._settings import Settings
from ._spark_answers import by_numpy, of_windows
from ._spark_turns import OURS, Case, Part, Say
from ._spark_workers import Watch

RANGE, KEYS = 300, 8
FLAT = 1.2
IN_A_SESSION = 2  # timed runs after each session's warm-up


def one_key(folder: Path, settings: Settings, say: Say) -> Part:
    """All rows of one key, known to be hot, on two cores and on one."""
    path = workloads.ticks_file(folder, settings.spark_rows, 1)
    expected = by_numpy(workloads.ticks(settings.spark_rows, 1), RANGE)
    case = Case("one key", of_windows, say, expected)
    best = {2: float("inf"), 1: float("inf")}
    before, sessions = load(), min(2, settings.spark_rounds)
    for _ in range(sessions):
        for cores, before_that in best.items():
            took = _one_key_on(cores, path, case)
            say(f"one key, local[{cores}]: {took:.2f} s")
            best[cores] = min(before_that, took)
    rows = [[f"local[{cores}]", took, best[1] / took] for cores, took in best.items()]
    return Part(
        [
            Table(
                f"One key, {RANGE} s / 1 s, hot=True",
                ["", "seconds", "times the speed of local[1]"],
                rows,
            )
        ],
        [Bar("one key: local[2] to local[1]", best[1] / best[2], 1.5)],
        [
            (
                f"One key: best of {sessions} sessions each, {IN_A_SESSION} runs in a "
                f"session; load average {before} before, {load()} after."
            )
        ],
    )


def _one_key_on(cores: int, path: Path, case: Case) -> float:
    with session(cores) as spark:
        frame = read(spark, path)

        def ask() -> DataFrame:
            return our_windows(frame, RANGE, 1, hot=True)

        case.agree(f"one key, local[{cores}]", case.sums(ask()))
        return min(timed(lambda: consume(ask()))[0] for _ in range(IN_A_SESSION))


def growth(spark: SparkSession, folder: Path, settings: Settings, say: Say) -> Part:
    """Time per row of ever more rows."""
    contenders = {}
    for n in settings.spark_growth:
        frame = read(spark, workloads.ticks_file(folder, n, KEYS))
        expected = by_numpy(workloads.ticks(n, KEYS), RANGE)
        case = Case(f"{n:,} rows", of_windows, say, expected)
        contenders[n] = case.contender(OURS, partial(our_windows, frame, RANGE, 1))
    took = race(
        list(contenders.values()), settings.spark_rounds, 3 * settings.spark_patience
    )
    seconds = [took[contenders[n].name] for n in settings.spark_growth]
    per_row = [t / n * 1e9 for t, n in zip(seconds, settings.spark_growth, strict=True)]
    rows = [
        [f"{n:,}", *cells]
        for n, *cells in zip(settings.spark_growth, seconds, per_row, strict=True)
    ]
    return Part(
        [
            Table(
                f"Growth: {KEYS} keys, {RANGE} s / 1 s",
                ["rows", "seconds", "ns a row"],
                rows,
            )
        ],
        [Bar("growth: time per row rises to", rise(per_row), 1.2, at_least=False)],
    )


def memory(folder: Path, settings: Settings, say: Say) -> Part:
    """The Python workers' peak memory, a session for each size."""
    rows: list[list[object]] = []
    peaks = []
    for n in settings.spark_growth:
        path = workloads.ticks_file(folder, n, KEYS)
        with session() as spark, Watch() as watch:
            consume(our_windows(read(spark, path), RANGE, 1))
        assert watch.peaks, "no Python worker was seen in /proc"
        peaks.append(watch.highest / 2**20)
        rows.append([f"{n:,}", str(len(watch.peaks)), peaks[-1]])
        say(f"{n:,} rows: {len(watch.peaks)} workers, at most {peaks[-1]:.0f} MiB")
    header = ["rows", "Python workers", "highest VmHWM of one (MiB)"]
    text = "growth: Python workers' peak memory rises to"
    return Part(
        [Table(f"Memory: {KEYS} keys, {RANGE} s / 1 s", header, rows)],
        [Bar(text, rise(peaks), FLAT, at_least=False)],
    )


def rise(measured: Sequence[float]) -> float:
    """The most that a later one is of an earlier one."""
    return max(later / earlier for earlier, later in combinations(measured, 2))
