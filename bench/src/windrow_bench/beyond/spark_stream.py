"""Sliding windows on a stream, beside Spark's own streaming `window()`.

Spark       a row of state for each key and open window, all touched by each row
Windrow     a few blobs of state for each bucket of keys, whatever the range
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from windrow_bench._claims import ahead, among
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.libraries import load

from ._promised import for_rows

LOADS = "windrow_bench.measure.spark.stream_load"
MODULE = "windrow_bench.measure.spark.stream_turns"
OURS, SPARK = "Windrow", "Spark's streaming window()"
PANEL = "throughput"
SECONDS, ROWS = 19_000, 2_000_000  # of a whole load
FEW, MANY = "8 keys, 300 s / 1 s", "2,000 keys, 60 s / 1 s"


@dataclass(frozen=True)
class StreamCase:
    """Windows of so many seconds over rows of so many keys; fewer in quick runs."""

    keys: int
    range: int
    quick: int
    full: int


CASES = {
    FEW: StreamCase(8, 300, 40_000, ROWS),
    MANY: StreamCase(2_000, 60, 16_000, ROWS // 4),
}


def trials(size: Size) -> list[Trial]:
    """A trial for each number of keys; fewer rows are the same rate for less long."""
    return [
        Trial(
            PANEL,
            name,
            partial(_run, name, one, size.pick(one.quick, one.full), size.pick(5, 10)),
        )
        for name, one in CASES.items()
    ]


def _run(name: str, one: StreamCase, rows: int, files: int, _: float) -> list[Row]:
    seconds = max(SECONDS * rows // ROWS, 1)
    stream = load(LOADS).StreamLoad(rows, files, one.keys, seconds)
    found: list[Row] = load(MODULE).throughputs(
        PANEL, name, stream, (one.range, 1), OURS, SPARK
    )
    return found


TRIGGERS = (
    "a micro-batch has a price of its own, for planning and committing, which is most "
    "of Windrow's time while batches are small: the ratio grows with the rows in them"
)
STREAM = Experiment(
    name="beyond-spark-stream",
    paper="Windrow",
    shows="sliding windows on a stream",
    title="Sliding windows on a Spark stream, beside Spark's own",
    workload=(
        "rows up to 5 s astray, a watermark of 10 s; sum, max and count by key and "
        "window; a file a trigger, RocksDB for state on both sides; the first "
        "two micro-batches, which warm up, are left out. Ratios grow with the rows"
    ),
    panels=(
        Panel(
            name=PANEL,
            x="keys, range / slide",
            y="rows in a second (thousands)",
            kind="bars",
            log_y=True,
        ),
    ),
    claims=(
        Claim(
            "With 2,000 keys and 60 slides in a window it is fifteen times as fast as "
            "Spark's own.",
            "488 s to 31 s (2 million rows)",
            for_rows(
                ROWS // 4,
                PANEL,
                ahead(PANEL, OURS, (SPARK,), times=15, where=among(MANY)),
                TRIGGERS,
                among(MANY),
            ),
        ),
        Claim(
            "It is faster with few keys, too.",
            "faster (2 million rows)",
            for_rows(
                ROWS,
                PANEL,
                ahead(PANEL, OURS, (SPARK,), where=among(FEW)),
                TRIGGERS,
                among(FEW),
            ),
        ),
    ),
    trials=trials,
    needs=("pyspark", "pandas"),
    threads=0,
    share=2.0,
)

__all__ = ["STREAM"]
