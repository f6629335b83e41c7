"""Sliding windows by key on Spark, beside Spark's own `groupBy(window())`.

    Spark       a copy of each row in each of its range / slide windows, then groupBy
    Windrow     rows to panes of a slide by groupBy, then panes to windows

and, on more rows, windows that are too long for Spark: they cost Windrow the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windrow_bench._claims import ahead, among, level
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Place,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.libraries import load
from windrow_bench.measure.on_spark import throughput_trial
from windrow_bench.measure.race import Contender

from ._promised import for_rows

MODULE = "windrow_bench.measure.spark.tick_turns"
OURS, SPARK = "Windrow", "Spark's window()"
BESIDE, LONG = "beside Spark", "long windows"
TUMBLING, MINUTE, FIVE = "60 s / 60 s", "60 s / 1 s", "300 s / 1 s"
ASKED = {TUMBLING: (60, 60), MINUTE: (60, 1), FIVE: (300, 1)}  # range, slide
QUICK = {TUMBLING: 1_000_000, MINUTE: 200_000, FIVE: 50_000}  # rows
FULL = 2_000_000
RANGES = (60, 600, 3_600)


def trials(size: Size) -> list[Trial]:
    """Both sides on the same rows; then Windrow alone on more of them."""
    beside = [
        _trial(
            BESIDE, name, partial(_enter, window), size.pick(QUICK[name], FULL), size
        )
        for name, window in ASKED.items()
    ]
    many = size.pick(1_000_000, 8_000_000)
    long = [
        _trial(LONG, range_, partial(_alone, range_), many, size) for range_ in RANGES
    ]
    return beside + long


def _trial(
    panel: str, x: Place, enter: Callable[[int], list[Contender]], rows: int, size: Size
) -> Trial:
    return throughput_trial(panel, x, partial(enter, rows), rows, size)


def _enter(window: tuple[int, int], rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).windows(*window, rows, OURS, SPARK)
    return found


def _alone(range_: int, rows: int) -> list[Contender]:
    found: list[Contender] = load(MODULE).alone(range_, 1, rows, OURS)
    return found


def _beside(times: float, name: str, why: str) -> Callable[[RowSet], Verdict]:
    """Windrow to Spark at one window, as promised for a full run's rows."""
    judge = ahead(BESIDE, OURS, (SPARK,), times=times, where=among(name))
    return for_rows(FULL, BESIDE, judge, why, among(name))


RATE = "rows in a second (millions)"
FEW_ROWS = (
    "on few rows, planning and starting jobs is most of Windrow's time and does not "
    "grow with them, while Spark's copies do: the ratio grows with the rows"
)
WINDOWS = Experiment(
    name="beyond-spark-windows",
    paper="Windrow",
    shows="sliding windows in a batch",
    title="Sliding windows by key on Spark, beside Spark's own",
    workload=(
        "100 rows a second, 8 keys; sum, max and count by key and window; Parquet in, "
        "nothing kept. Ratios grow with the rows"
    ),
    panels=(
        Panel(name=BESIDE, x="range / slide", y=RATE, kind="bars", log_y=True),
        Panel(name=LONG, x="range (s), a slide of 1 s", y=RATE, log_x=True),
    ),
    claims=(
        Claim(
            "A window of 60 slides is several times as fast as with Spark's own.",
            "6.8x (2 million rows)",
            _beside(6.8, MINUTE, FEW_ROWS),
        ),
        Claim(
            "A window of 300 slides is tens of times as fast.",
            "55x (2 million rows)",
            _beside(55, FIVE, FEW_ROWS),
        ),
        Claim(
            "A tumbling window is as fast as Spark's own, but for a tenth.",
            "0.9x (2 million rows)",
            _beside(
                0.9,
                TUMBLING,
                "nothing slides, so nothing is saved, and Windrow adds a step in "
                "Python: what that costs to start is the same for few rows and many",
            ),
        ),
        Claim(
            "The cost does not depend on how long the window is.",
            "the same from a minute to an hour",
            level(LONG, (OURS,), at_least=1 / 1.3),
        ),
    ),
    trials=trials,
    needs=("pyspark", "pandas"),
    threads=0,
    share=3.0,
)

__all__ = ["WINDOWS"]
