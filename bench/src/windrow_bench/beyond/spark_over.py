"""Every row with aggregates of its past on Spark: `wr.over` beside Spark's frames.

rowsBetween               the frame is folded again for each row
the same, segment tree    a tree for each frame's pieces; a setting, off by default
wr.over                   a few steps a row, however long the frame
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, from_, level
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.on_spark import throughput_trial
from windrow_bench.measure.race import Contender

from ._promised import for_rows

MODULE = "windrow_bench.measure.spark.tick_turns"
OURS, SPARK, TREE = "Windrow", "Spark's frames", "Spark's segment tree"
PANEL = "throughput"
LAST = 1_000
FULL = 4_000_000


def trials(size: Size) -> list[Trial]:
    """A trial for each length of the frame; a key has rows enough to fill it."""
    rows = size.pick(200_000, FULL)
    return [
        throughput_trial(
            PANEL,
            last,
            partial(_enter, last, rows),
            rows,
            size,
        )
        for last in size.pick((10, LAST), (10, 100, LAST, 10_000))
    ]


def _enter(last: int, rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).over(last, rows, OURS, SPARK, TREE)
    return found


SHARED = (
    "reading, shuffle and sort are the same for all three, and on few rows so is most "
    "of the time: ratios grow with the rows"
)
OVER = Experiment(
    name="beyond-spark-over",
    paper="Windrow",
    shows="rows with their past, in a batch",
    title="Aggregates of each row's last rows on Spark, beside Spark's own",
    workload=(
        "100 keys; sum, max and count of a key's last rows, for every row; Parquet in, "
        "nothing kept. Ratios grow with the rows"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="frame (rows)",
            y="rows in a second (millions)",
            log_x=True,
            log_y=True,
        ),
    ),
    claims=(
        Claim(
            "Over 1,000 rows and more it is ten times as fast as Spark's frames.",
            "10x (4 million rows)",
            for_rows(
                FULL,
                PANEL,
                ahead(PANEL, OURS, (SPARK,), times=10, where=from_(LAST)),
                SHARED,
            ),
        ),
        Claim(
            "It is also ahead of Spark's segment tree.",
            "1.4x (4 million rows)",
            for_rows(
                FULL,
                PANEL,
                ahead(PANEL, OURS, (TREE,), times=1.4, where=from_(LAST)),
                SHARED,
            ),
        ),
        Claim(
            "The cost does not depend on how long the frame is.",
            "the same from 10 rows on",
            level(PANEL, (OURS,), at_least=1 / 1.3),
        ),
    ),
    trials=trials,
    needs=("pyspark", "pandas"),
    threads=0,
    share=3.0,
)

__all__ = ["OVER"]
