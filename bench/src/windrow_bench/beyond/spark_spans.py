"""Events with a duration on Spark: windows of calls, beside copies by `explode`.

calls      |-----|   |---------------------|
windows    [========]                             each call counts in each window
             [========]                           that it overlaps
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, from_
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.on_spark import throughput_trial
from windrow_bench.measure.race import Contender

from ._promised import for_rows

MODULE = "windrow_bench.measure.spark.call_turns"
OURS, SPARK = "Windrow", "Spark, copies by explode()"
PANEL = "throughput"
LONG = 300
FULL = 1_000_000


def trials(size: Size) -> list[Trial]:
    """A trial for each range."""
    rows = size.pick(100_000, FULL)
    return [
        throughput_trial(
            PANEL,
            range_,
            partial(_enter, range_, rows),
            rows,
            size,
            lambda: dict(load(MODULE).origin(rows)),
        )
        for range_ in size.pick((60, LONG), (5, 60, LONG))
    ]


def _enter(range_: int, rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).contenders(range_, 1, rows, OURS, SPARK)
    return found


SPANS = Experiment(
    name="beyond-spark-spans",
    paper="Windrow",
    shows="events with a duration",
    title="Windows over calls on Spark, beside copies of each call",
    workload=(
        "calls of 16 s on average, some of hours, of 1,000 antennas; calls and the "
        "longest of them by antenna and window, a slide of 1 s; Parquet in, nothing "
        "kept. Ratios grow with the rows"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="range (s)",
            y="calls in a second (millions)",
            log_x=True,
            log_y=True,
        ),
    ),
    claims=(
        Claim(
            "Where a call is in hundreds of windows it is ten times as fast as copies.",
            "10x (a million calls)",
            for_rows(
                FULL,
                PANEL,
                ahead(PANEL, OURS, (SPARK,), times=10, where=from_(LONG)),
                "with few calls for each antenna and window, results are as many as "
                "copies, or nearly, and both sides have to write them: the ratio "
                "grows with the rows",
            ),
        ),
    ),
    trials=trials,
    needs=("pyspark", "pandas"),
    threads=0,
    share=3.0,
)

__all__ = ["SPANS"]
