"""PBA's Figure 8: throughput against parallelism, inside a distributed engine.

    rows of a key     . . . . . [ 1,024 rows ]        max, after each row
    Flink             Spark's frames: folded again for each row
    FPBA              Windrow on Spark: a few steps a row, however long the window
    parallelism       local[1], local[2], ...

The paper's own numbers are in the picture alone; what its text says is judged.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, linear
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.libraries import load
from windrow_bench.measure.machine import usable_cores
from windrow_bench.measure.on_spark import throughput_trial
from windrow_bench.measure.race import Contender

MODULE = "windrow_bench.measure.spark.plug_turns"
OURS, SPARK, TREE = "Windrow on Spark", "Spark's frames", "Spark's segment tree"
PANEL = "throughput"
ALGORITHM = "sba"  # what tasks run: one thread each, so PBA's second has no core
LAST = 2**10
MOST = 6  # parallel instances, as in the paper
STRAIGHT = 3  # up to so many, in the paper, cores are enough


def trials(size: Size) -> list[Trial]:
    """A trial for each degree of parallelism that this machine has cores for."""
    rows = size.pick(150_000, 4_000_000)
    return [
        throughput_trial(
            PANEL,
            cores,
            partial(_enter, cores, rows),
            rows,
            size,
            lambda: dict(load(MODULE).origin(rows)),
        )
        for cores in range(1, min(usable_cores(), MOST) + 1)
    ]


def _enter(cores: int, rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).contenders(
        LAST, rows, cores, OURS, SPARK, TREE
    )
    return found


def _cluster(_: RowSet) -> Verdict:
    return Verdict("", None, "it needs a cluster of six machines, and here is one")


ON_SPARK = Experiment(
    name="pba-figure-8",
    paper="PBA",
    shows="Figure 8",
    title="Max over count windows in a distributed engine, by parallelism",
    workload=(
        "the last 2^10 readings of each of 84 plugs, a slide of one; readings like "
        "those of DEBS14, fewer than the paper's 60 million; Spark's frames stand for "
        f"Flink, and {ALGORITHM} for FPBA: a task has one thread. Spark's segment tree "
        "is not in the paper. Ratios grow with the rows"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="parallelism (cores of Spark)",
            y="rows in a second (millions)",
        ),
    ),
    claims=(
        Claim(
            "With chunks inside, the engine's throughput is above its own at every "
            "parallelism.",
            "above at each",
            ahead(PANEL, OURS, (SPARK,)),
        ),
        Claim(
            "Throughput of both grows linearly up to three parallel instances.",
            "linear up to 3, on 6 cores",
            linear(PANEL, (OURS, SPARK), up_to=STRAIGHT),
            (
                "the paper has two cores for each instance; here an instance of "
                "Windrow is a task in Java and one in Python, which already run side "
                "by side on local[1], and starting a job does not get faster"
            ),
        ),
        Claim(
            "In a cluster throughput grows linearly with the nodes.",
            "linear up to 6 nodes",
            _cluster,
        ),
    ),
    trials=trials,
    needs=("pyspark", "pandas"),
    threads=0,
    share=3.0,
)
