"""Times Windrow and Spark over the same flights, and compares their rows.

    flights --+-- wr.aggregate -----------> windrow/24-hours --+
              |                                                +-- exceptAll, both ways
              +-- groupBy(window(...)) ---> spark/24-hours ----+

Both are warm before the first is timed, and both read the same frame from memory.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from windrow.errors import WindrowError

from ._flights import by_spark, by_windrow
from ._progress import progress

_QUERIES = {"windrow": by_windrow, "spark": by_spark}


@dataclass(frozen=True)
class SparkComparison:
    """The flights, a folder for results, and the seconds taken so far."""

    spark: SparkSession
    flights: DataFrame
    scratch: Path
    windrow: dict[str, float] = field(default_factory=dict)
    own: dict[str, float] = field(default_factory=dict)

    def warm_up(self) -> None:
        """Start Python workers, compile kernels, let the JVM compile what it runs."""
        with progress(self.spark, "warming up"):
            for who, query in _QUERIES.items():
                result = query(self.flights, "1 hour")
                result.write.parquet(self._path(who, "warm up"))

    def time_windrow(self, length: str) -> float:
        """Seconds for windows of this length, with writing them."""
        self.windrow[length] = self._time("windrow", length)
        return self.windrow[length]

    def time_spark(self, length: str) -> float:
        """The same for Spark's own windows."""
        self.own[length] = self._time("spark", length)
        return self.own[length]

    def result(self, who: str, length: str) -> DataFrame:
        """What was written."""
        return self.spark.read.parquet(self._path(who, length))

    def check(self, length: str) -> int:
        """The number of rows of each; an error if a row differs."""
        ours, theirs = self.result("windrow", length), self.result("spark", length)
        with progress(self.spark, "comparing row for row"):
            apart = ours.exceptAll(theirs).count() + theirs.exceptAll(ours).count()
            number = ours.count()
        if apart:
            raise WindrowError.because(
                "the demo failed",
                f"{apart:,} rows of the {length} windows differ from Spark's own",
                "please report this",
            )
        return number

    def _time(self, who: str, length: str) -> float:
        result = _QUERIES[who](self.flights, length)
        label = {"windrow": "Windrow", "spark": "Spark's own"}[who]
        with progress(self.spark, f"{label}, windows of {length}"):
            begun = time.perf_counter()
            result.write.parquet(self._path(who, length))
            return time.perf_counter() - begun

    def _path(self, who: str, length: str) -> str:
        return str(self.scratch / who / length.replace(" ", "-"))
