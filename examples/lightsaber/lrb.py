"""Linear Road (LRB): position reports of vehicles on toll roads.

    LRB1   segments with a mean speed below 40         300 s / 1 s, having
    LRB2   reports by vehicle and segment               30 s / 1 s

LRB1 is the paper's Figure 6a.  That selects a timestamp which it does not group by:
SQL has no answer to which one is meant, so the window's end stands there.  A segment
is a mile, 5,280 feet, and `position / 5280` is a division of whole numbers.

LRB2 is query 4 of SABER, which the paper names and does not print.  From Table 3 (30 s,
project, group, count) and Section 7.2 (four keys, where LRB1 has three) it counts by
vehicle, highway, direction and segment; Figure 6b, printed as LRB1's code, has just
these four fields in its key.  How many vehicles were in each segment is a second step,
`vehicles`: no window of its own, so plain Spark over either form.

Time is in seconds; in the sample (520 s, about 31 reports in each) a vehicle reports
every 30 s, and there is one highway.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr

from ._workload import START, Query, Workload, instants, read_sample

FEET = 5_280  # in a mile, and so in a segment
SLOW = 40.0
COLUMNS = ["ts", "vehicle", "speed", "highway", "lane", "direction", "position"]
SEGMENT = ["highway", "direction", "segment"]


def in_segments(reports: DataFrame) -> DataFrame:
    """What the queries need of the reports, and the segment of each position."""
    segment = F.expr(f"position div {FEET}").alias("segment")
    return reports.select("ts", "vehicle", "speed", "highway", "direction", segment)


def lrb1(reports: DataFrame) -> DataFrame:
    """LRB1: segments with a mean speed below 40."""
    window = wr.sliding("300 seconds", every="1 second", on="ts")
    means: DataFrame = wr.aggregate(
        in_segments(reports), window, by=SEGMENT, avg_speed=wr.mean("speed")
    )
    return _slow_ones(means)


def lrb1_by_spark(reports: DataFrame) -> DataFrame:
    """LRB1 with Spark's own windows."""
    window = F.window("ts", "300 seconds", "1 second")
    means = in_segments(reports).groupBy(*SEGMENT, window)
    return _slow_ones(means.agg(F.avg("speed").alias("avg_speed")))


def _slow_ones(means: DataFrame) -> DataFrame:
    """Figure 6a's HAVING and SELECT."""
    slow = means.where(F.col("avg_speed") < SLOW)
    return slow.select(F.col("window.end").alias("timestamp"), *SEGMENT, "avg_speed")


def lrb2(reports: DataFrame) -> DataFrame:
    """LRB2: reports by vehicle and segment."""
    window = wr.sliding("30 seconds", every="1 second", on="ts")
    result: DataFrame = wr.aggregate(
        in_segments(reports), window, by=["vehicle", *SEGMENT], reports=wr.count()
    )
    return result


def lrb2_by_spark(reports: DataFrame) -> DataFrame:
    """LRB2 with Spark's own windows."""
    window = F.window("ts", "30 seconds", "1 second")
    grouped = in_segments(reports).groupBy("vehicle", *SEGMENT, window)
    return grouped.agg(F.count("*").alias("reports"))


def vehicles(counted: DataFrame) -> DataFrame:
    """How many vehicles were in each segment, from what LRB2 gives."""
    return counted.groupBy(*SEGMENT, "window").agg(F.count("*").alias("vehicles"))


def generate(rows: int, *, seed: int = 0, per_second: int = 30) -> tuple[pa.Table]:
    """Vehicles that report every 30 s, as fast as the segment they are in allows."""
    rng = np.random.default_rng(seed)
    row = np.arange(rows)
    second = row // per_second
    vehicle = row % (30 * per_second)
    direction = vehicle % 2
    begun = rng.integers(0, 100 * FEET, 30 * per_second)
    onwards = (1 - 2 * direction) * 59 * second  # feet, at 40 miles an hour
    position = (begun[vehicle] + onwards) % (100 * FEET)
    pace = rng.integers(20, 61, 100)[position // FEET]
    columns = [
        instants(START + second),
        vehicle,
        np.clip(pace + rng.integers(-12, 13, rows), 0, 75),
        vehicle // 2 % 2,
        rng.integers(0, 5, rows),
        direction,
        position,
    ]
    return (pa.table(columns, names=COLUMNS),)


def load(folder: Path, rows: int | None = None) -> tuple[pa.Table]:
    """The sample of the reports."""
    sample = read_sample(folder / "lrb-data-small-ht.txt", COLUMNS, rows)
    table = pa.Table.from_pandas(sample, preserve_index=False)
    return (table.set_column(0, "ts", instants(sample["ts"].to_numpy())),)


WORKLOAD = Workload(
    "Linear Road",
    generate,
    load,
    (
        Query("LRB1", "300 s / 1 s", 300, 100_000, lrb1, lrb1_by_spark),
        Query("LRB2", "30 s / 1 s", 30, 50_000, lrb2, lrb2_by_spark),
    ),
)
