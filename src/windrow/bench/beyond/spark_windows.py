"""Sliding windows by key on Spark, beside Spark's own `groupBy(window())`.

    Spark       a copy of each row in each of its range / slide windows, then groupBy
    Windrow     rows to panes of a slide by groupBy, then panes to windows

and, on more rows, windows that are too long for Spark: they cost Windrow the same.
"""

from __future__ import annotations

from functools import partial

from windrow.bench._claims import ahead, among, explained, level
from windrow.bench._experiment import Claim, Experiment, Panel, Size, Trial
from windrow.bench._libraries import load
from windrow.bench.measure.race import Contender
from windrow.bench.measure.turns import a_second, race_trial

MODULE = "windrow.bench.measure.spark.tick_turns"
OURS, SPARK = "Windrow", "Spark's window()"
BESIDE, LONG = "beside Spark", "long windows"
TUMBLING, MINUTE, FIVE = "60 s / 60 s", "60 s / 1 s", "300 s / 1 s"
ASKED = {TUMBLING: (60, 60), MINUTE: (60, 1), FIVE: (300, 1)}  # range, slide
RANGES = (60, 600, 3_600)


def trials(size: Size) -> list[Trial]:
    """Both sides on the same rows; then Windrow alone on more of them."""
    few, many = size.pick(100_000, 2_000_000), size.pick(1_000_000, 8_000_000)
    beside = [
        race_trial(
            BESIDE, name, partial(_enter, window, few), a_second(few), size.rounds
        )
        for name, window in ASKED.items()
    ]
    long = [
        race_trial(
            LONG, range_, partial(_alone, range_, many), a_second(many), size.rounds
        )
        for range_ in RANGES
    ]
    return beside + long


def _enter(window: tuple[int, int], rows: int, _: float) -> list[Contender]:
    found: list[Contender] = load(MODULE).windows(*window, rows, OURS, SPARK)
    return found


def _alone(range_: int, rows: int, _: float) -> list[Contender]:
    found: list[Contender] = load(MODULE).alone(range_, 1, rows, OURS)
    return found


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
            explained(
                ahead(BESIDE, OURS, (SPARK,), times=6.8, where=among(MINUTE)), FEW_ROWS
            ),
        ),
        Claim(
            "A window of 300 slides is tens of times as fast.",
            "55x (2 million rows)",
            explained(
                ahead(BESIDE, OURS, (SPARK,), times=55, where=among(FIVE)), FEW_ROWS
            ),
        ),
        Claim(
            "A tumbling window is as fast as Spark's own, but for a tenth.",
            "0.9x",
            explained(
                ahead(BESIDE, OURS, (SPARK,), times=0.9, where=among(TUMBLING)),
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
    share=2.0,
)

__all__ = ["WINDOWS"]
