"""Measures, and writes results.json, RESULTS.md and README.md's short table.

    python -m benchmarks.run [--only NAME ...] [--quick]

Without --only, all but those on Spark and `stream`, which have commands of their own
(make bench-spark, make bench-stream).
With --only, other experiments stay as they were measured before, unless machine or
versions have changed since.  A quick run is for trying things out: it writes nothing.
A wrong answer has no number, and makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from types import ModuleType
from typing import Any

from windrow.loops import Lane, pinned
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.machine import load, machine, versions

from . import (
    algorithms,
    arrow_tables,
    break_even,
    features,
    features_spark,
    first_calls,
    kernels,
    latency,
    medians,
    medians_spark,
    operators,
    own_aggregate,
    pba,
    peers,
    queries,
    sharing,
    sketches_spark,
    spanning,
    spanning_spark,
    spark,
    spark_many,
    stream,
    stream_kinds,
    tables,
    time_windows,
)
from ._report import Result
from ._settings import FULL, QUICK, Settings

EXPERIMENTS: tuple[ModuleType, ...] = (
    kernels,
    peers,
    own_aggregate,
    pba,
    algorithms,
    operators,
    break_even,
    latency,
    sharing,
    arrow_tables,
    time_windows,
    stream_kinds,
    queries,
    medians,
    first_calls,
    features,
    spanning,
    spark,
    spark_many,
    spanning_spark,
    medians_spark,
    sketches_spark,
    features_spark,
    stream,
)
# need Java, and minutes of their own
ON_SPARK = (
    spark,
    spark_many,
    spanning_spark,
    medians_spark,
    sketches_spark,
    features_spark,
    stream,
)
APART = frozenset(one.NAME for one in ON_SPARK)
BY_NAME = {experiment.NAME: experiment for experiment in EXPERIMENTS}
COMMAND = "python -m benchmarks.run"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=BY_NAME, metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="smaller; writes nothing")
    asked = parser.parse_args(arguments)
    settings = QUICK if asked.quick else FULL
    names = asked.only or [name for name in BY_NAME if name not in APART]
    options = ["--quick"] if asked.quick else []
    options += ["--only", *asked.only] if asked.only else []
    command = " ".join([COMMAND, *options])
    wrong = False
    for name in names:
        try:
            with pinned(Lane.COMPILED):
                found = measure(name, settings, command)
        except WrongAnswer as error:
            print(f"{name}: WRONG ANSWER, no number: {error}", flush=True)
            wrong = True
            continue
        print("\n".join(tables.section(found)), flush=True)
        if not settings.quick:  # after each: an interrupted run keeps what it has
            keep(found, command)
    if settings.quick:
        print("quick run: no measurement, nothing was written", flush=True)
    return int(wrong)


def measure(name: str, settings: Settings, command: str) -> dict[str, Any]:
    """One experiment, with when and under what load it ran."""
    print(f"== {name}{' (quick)' if settings.quick else ''}", flush=True)
    start, before = time.perf_counter(), load()
    result: Result = BY_NAME[name].run(settings, lambda line: _say(start, line))
    return result.as_json() | {
        "command": command,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": time.perf_counter() - start,
        "load_at_start": before,
        "load_at_end": load(),
        "quick": settings.quick,
    }


def _say(start: float, line: str) -> None:
    print(f"  {time.perf_counter() - start:6.0f} s  {line}", flush=True)


def keep(found: dict[str, Any], command: str) -> None:
    """Put one experiment's numbers into results.json, and write the tables."""
    kept: dict[str, Any] = {
        "command": command,
        "machine": machine(),
        "versions": versions(),
        "experiments": {},
    }
    if tables.RESULTS_JSON.exists():
        older = json.loads(tables.RESULTS_JSON.read_text("utf-8"))
        if all(older[key] == kept[key] for key in ("machine", "versions")):
            kept["experiments"] = older["experiments"]
    there = kept["experiments"] | {found["name"]: found}
    kept["experiments"] = {name: there[name] for name in BY_NAME if name in there}
    tables.RESULTS_JSON.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    tables.write(kept)


if __name__ == "__main__":
    sys.exit(main())
