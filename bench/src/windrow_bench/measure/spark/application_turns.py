"""LightSaber's queries as contenders: both ways on all cores, and ours on ever more.

Answers are checked against Spark's own windows; on ever more cores, against what one
core gave.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import DataFrame

from windrow_bench.experiment import Row
from windrow_bench.measure.applications import APPLICATIONS, Application
from windrow_bench.measure.race import Contender, timed
from windrow_bench.measure.turns import in_turns

from . import held
from .applications import HOPELESS, by_window, frames, lazily, own, rows_file
from .case import Case
from .sums import Sums, sums_of


def contenders(
    name: str, rows: int, ours: str, spark_s: str, lazy: str = ""
) -> list[Contender]:
    """Windrow and Spark over the same rows, and `lazy` slicing where it has a name."""
    spark, one = held.on(), APPLICATIONS[name]
    given = frames(spark, one, rows)
    case = Case(name, partial(_sums, one))
    builds = {ours: partial(one.ours, given), spark_s: partial(own, one, given)}
    if lazy and one.range:
        builds[lazy] = partial(lazily, one, given)
    return case.contenders(builds)


def planning(panel: str, name: str, rows: int, ours: str, spark_s: str) -> list[Row]:
    """Seconds until a query is planned and nothing has run, Spark's by `window()`."""
    spark, one = held.on(), APPLICATIONS[name]
    given = frames(spark, one, rows)
    builds: dict[str, Callable[..., DataFrame]] = {ours: one.ours}
    if one.copies <= HOPELESS:
        builds[spark_s] = partial(by_window, one)
    found = []
    for who, build in builds.items():
        took, _ = timed(partial(_planned, build, given))
        found.append(Row(panel, name, who, took, took, took, 1))
    return found


def _planned(build: Callable[..., DataFrame], given: dict[str, DataFrame]) -> None:
    build(given)._jdf.queryExecution().executedPlan()


def origin(name: str, rows: int) -> dict[str, str]:
    """Where the rows of a query came from."""
    return held.origin_of(rows_file(APPLICATIONS[name].dataset, rows))


def speed_ups(
    panel: str,
    names: Sequence[str],
    rows: int,
    cores: Sequence[int],
    rounds: int,
    seconds: float,
) -> list[Row]:
    """Windrow's throughput on each number of cores, as a multiple of that on one."""
    cases = {name: Case(name, partial(_sums, APPLICATIONS[name])) for name in names}
    times: dict[int, dict[str, list[float]]] = {}
    for count in cores:
        spark = held.on(count)
        turns: list[Contender] = []
        for name, case in cases.items():
            one = APPLICATIONS[name]
            build = partial(one.ours, frames(spark, one, rows))
            turns += case.contenders({name: build})
        times[count], _ = in_turns(turns, rounds, seconds / len(cores))
    found = []
    for count, by_name in times.items():
        for name, took in by_name.items():
            alone = statistics.median(times[cores[0]][name])
            ups = sorted(alone / one for one in took)
            facts = {"rows_a_second": rows / statistics.median(took)} | origin(
                name, rows
            )
            middle = alone / statistics.median(took)
            found.append(
                Row(panel, count, name, middle, ups[0], ups[-1], len(ups), facts)
            )
    return found


def _sums(one: Application, frame: DataFrame) -> Sums:
    return sums_of(frame, [one.value])
