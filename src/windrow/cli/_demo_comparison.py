"""Times Windrow and Spark over the same flights, and compares their rows.

    flights -+- wr.aggregate -----------> Windrow-24-hours -----+
             |                                                  +- exceptAll, both ways
             +- groupBy(window(...)) ---> Spark's-own-24-hours -+

Both are warm before the first is timed, and both read the same frame from memory.  Of
what takes a moment only, the better of three runs counts, on both sides: the JVM is
still compiling what it runs.  A line that is slower than Spark's own says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from windrow.errors import WindrowError

from ._flights import by_spark, by_windrow
from ._progress import progress

NOISE = 0.05  # of the time: by as much one run of a query differs from the next
MOMENT = 5.0  # seconds: on a slow machine too, what is short is run three times
_QUERIES = {"Windrow": by_windrow, "Spark's own": by_spark}


@dataclass(frozen=True)
class SparkComparison:
    """The flights, a folder for results, and the seconds taken by label and length."""

    spark: SparkSession
    flights: DataFrame
    scratch: Path
    seconds: dict[str, dict[str, float]] = field(
        default_factory=lambda: {label: {} for label in _QUERIES}
    )

    def warm_up(self) -> None:
        """Start Python workers, compile kernels, let the JVM compile what it runs."""
        with progress(self.spark, "warming up"):
            for label, query in _QUERIES.items():
                result = query(self.flights, "1 hour")
                result.write.parquet(self.path(label, "warm up"))

    def time(self, label: str, length: str) -> float:
        """Seconds for windows of this length, with writing them."""

        def run() -> None:
            result = _QUERIES[label](self.flights, length)
            result.write.mode("overwrite").parquet(self.path(label, length))

        with progress(self.spark, f"{label}, windows of {length}"):
            self.seconds[label][length] = better_of_three(run)
        return self.seconds[label][length]

    def result(self, label: str, length: str) -> DataFrame:
        """What was written."""
        return self.spark.read.parquet(self.path(label, length))

    def check(self, length: str) -> int:
        """The number of rows of each; an error if a row differs."""
        ours, theirs = (self.result(label, length) for label in _QUERIES)
        with progress(self.spark, "comparing row for row"):
            apart = ours.exceptAll(theirs).count() + theirs.exceptAll(ours).count()
            number = ours.count()
        if apart:
            raise failure(
                f"{apart:,} rows of the {length} windows differ from Spark's own"
            )
        return number

    def path(self, label: str, length: str) -> str:
        """The folder of a result."""
        return str(self.scratch / f"{label}-{length}".replace(" ", "-"))


def times_as_fast(ours: float, theirs: float) -> str:
    """How many times as fast ours is, and the word "slower" if it is, beyond noise.

    >>> times_as_fast(2.0, 5.0), times_as_fast(2.0, 1.5)
    ('2.5', 'slower: 0.75')
    """
    ratio = theirs / ours
    return f"{ratio:.1f}" if ratio >= 1 - NOISE else f"slower: {ratio:.2f}"


def better_of_three(run: Callable[[], object]) -> float:
    """Seconds that a run takes: once if it is long, else the least of three."""
    seconds: list[float] = []
    while len(seconds) < 3 and not any(taken > MOMENT for taken in seconds):
        begun = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def failure(cause: str) -> WindrowError:
    """The error for answers that differ."""
    return WindrowError.because("the demo failed", cause, "please report this")
