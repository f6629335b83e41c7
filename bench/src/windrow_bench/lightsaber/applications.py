"""LightSaber's Figures 10a and 10b: application queries, beside Spark's own windows.

    Flink, a bucket a window      Spark's window(): a copy of each row in each window
    Scotty, slices on Flink       lazy slicing: slices once, windows from slices again
    LightSaber                    Windrow on Spark: panes, then windows from panes

Throughput is rows in a second on all cores, from Parquet to a sink that keeps nothing.
What Spark takes to plan is in it, and stands apart in a picture of its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from windrow_bench._claims import ahead, among
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.on_spark import throughput_trial
from windrow_bench.measure.race import Contender

MODULE = "windrow_bench.measure.spark.application_turns"
NEEDS = ("pyspark", "pandas", "sqlglot")
OURS, SPARK = "Windrow on Spark", "Spark's own windows"
LAZY = "lazy slicing"
PANEL, PLANNING = "throughput", "planning"
YSB = "YSB"
NOT_THEIRS = "SM"  # not in the paper's figure
# Rows in quick runs and in full ones: as many as keep Spark's copies within bounds,
# some ten million in quick runs and a hundred in full ones.
ROWS = {
    "CM1": (100_000, 4_000_000),
    "CM2": (500_000, 4_000_000),
    "SG1": (8_000, 40_000),
    "SG2": (30_000, 1_000_000),
    "LRB1": (30_000, 400_000),
    "LRB2": (50_000, 4_000_000),
    NOT_THEIRS: (30_000, 400_000),
}
SAME_ENGINE = (
    "reading, shuffling and starting tasks are Spark's on both sides and in both "
    "times, and on few rows they are most of ours: the ratio grows with the rows"
)


def trials(size: Size) -> list[Trial]:
    """A trial for each query."""
    return [
        _trial(name, size.pick(*rows), size)
        for name, rows in ROWS.items()
        if name != NOT_THEIRS or not size.quick
    ]


def tumbling(size: Size) -> list[Trial]:
    """YSB alone."""
    return [_trial(YSB, size.pick(1_000_000, 20_000_000), size)]


def _trial(name: str, rows: int, size: Size) -> Trial:
    enter, origin = partial(_enter, name, rows), partial(_origin, name, rows)
    raced = throughput_trial(PANEL, name, enter, rows, size, origin)

    def run(seconds: float) -> list[Row]:
        found = raced.run(seconds)  # first, so that no plan is the first of a session
        return [*found, *load(MODULE).planning(PLANNING, name, rows, OURS, SPARK)]

    return Trial(PANEL, name, run)


def _enter(name: str, rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).contenders(name, rows, OURS, SPARK, LAZY)
    return found


def _origin(name: str, rows: int) -> dict[str, Any]:
    return dict(load(MODULE).origin(name, rows))


def _faster(
    text: str, theirs: str, times: float, *names: str, why: str, than: str = SPARK
) -> Claim:
    judge = ahead(PANEL, OURS, (than,), times=times, where=among(*names))
    return Claim(text, theirs, judge, why)


THROUGHPUT = Panel(
    name=PANEL,
    x="query",
    y="rows in a second (millions)",
    kind="bars",
    log_y=True,
)
PLANS = Panel(
    name=PLANNING,
    x="query",
    y="seconds until it is planned",
    kind="bars",
    log_y=True,
    more_is_better=False,
)
SLICING = (
    "slices are the same on both sides, made by Spark; only merging them into windows "
    "differs, and of few rows in a slice that is the smaller part"
)
SIX = tuple(name for name in ROWS if name != NOT_THEIRS)
QUERIES = Experiment(
    name="lightsaber-figure-10a",
    paper="LightSaber",
    shows="Figure 10a",
    title="Six application queries, and SM: throughput on Spark",
    workload=(
        "the queries of Table 3 over rows like those of their data sets, at the pace "
        "of the samples; Spark's own windows stand for Flink's, a bucket for each, and "
        "slices from which every window is recomputed for Scotty's. Rows of SG1 and "
        "LRB1 are copied by explode(), for window() makes a projection of each copy: "
        "3,600 do not come to an end, and 300 took half a minute. What planning takes "
        "is told apart. SM is not in the paper's figure; quick runs leave it out. All "
        "sides get the same rows, fewer where a row is in many windows: ratios grow "
        "with the rows"
    ),
    panels=(THROUGHPUT, PLANS),
    claims=(
        _faster(
            "It outperforms lazy slicing in all six queries.",
            "3x and more",
            1.0,
            *SIX,
            why=SLICING,
            than=LAZY,
        ),
        _faster(
            "With few keys or none (CM1, SG1) it is at least an order of magnitude "
            "ahead of lazy slicing.",
            "10x and more",
            10.0,
            "CM1",
            "SG1",
            why=SLICING,
            than=LAZY,
        ),
        *(
            _faster(
                f"{name} is {times} times as fast as by lazy slicing.",
                f"{times}x",
                times,
                name,
                why=SLICING,
                than=LAZY,
            )
            for name, times in {"CM2": 9, "SG2": 6, "LRB1": 11, "LRB2": 3}.items()
        ),
        _faster(
            "It outperforms the engine with a bucket for each window in all six "
            "queries.",
            "faster in all",
            1.0,
            *SIX,
            why=SAME_ENGINE,
        ),
        _faster(
            "With few keys or none (CM1, SG1) it is at least an order of magnitude "
            "faster.",
            "10x and more",
            10.0,
            "CM1",
            "SG1",
            why=SAME_ENGINE,
        ),
        _faster(
            "Where few rows pass the filter (CM2) it is 15 times as fast.",
            "15x",
            15.0,
            "CM2",
            why=(
                "reading and filtering all rows is Spark's work on both sides, and "
                "the few that pass make few copies"
            ),
        ),
        _faster(
            "With many distinct keys (SG2, LRB1) it is two orders of magnitude faster.",
            "100x",
            100.0,
            "SG2",
            "LRB1",
            why=(
                "at the pace of the samples a key has a row in every other second or "
                "fewer, so that results are as many as panes, or more: writing them "
                "is the same work on both sides"
            ),
        ),
        _faster(
            "With four keys (LRB2) it is 17 times as fast.",
            "17x",
            17.0,
            "LRB2",
            why=(
                "a vehicle reports once in a window of 30 s: each copy that Spark "
                "makes is a result of its own, and Windrow has as many to write"
            ),
        ),
    ),
    trials=trials,
    needs=NEEDS,
    threads=0,
    share=3.0,
)
TUMBLING = Experiment(
    name="lightsaber-figure-10b-spark",
    paper="LightSaber",
    shows="Figure 10b, the engine's side",
    title="YSB on Spark: filter, join, and a tumbling count",
    workload=(
        "views by campaign of 100 campaigns with ten ads each, over 10 s; ids of 64 "
        "bits where the paper has 128; Spark stands for Flink"
    ),
    panels=(THROUGHPUT, PLANS),
    claims=(
        _faster(
            "On YSB it is about 20 times as fast as the scale-out engine.",
            "20x Flink",
            20.0,
            YSB,
            why=(
                "a tumbling window has nothing to share: filter, join and count are "
                "Spark's own, compiled code on both sides, and Windrow adds a step"
            ),
        ),
    ),
    trials=tumbling,
    needs=NEEDS,
    threads=0,
)
