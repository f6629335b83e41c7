"""Sensor monitoring (SM): energy readings of manufacturing equipment at 100 Hz.

    SM   sum and minimum of three readings       0.16, 0.64, 2.56 s / 10 ms, no key

The paper says "various" windows and, where it measures many at once, slides by one
tuple over ranges of powers of two: at 100 Hz a tuple is 10 ms, so these windows hold
16, 64 and 256 tuples.  A list of windows is one pass over the rows for windrow;
Spark's own way is a query for each window, put together with `union`.

The sample's times have seven fractional digits; Spark keeps six.  Table 3 counts 18
attributes, the text 3 readings and 54 states: the sample has 56 columns, and the first
18 of them are read here.
"""

from __future__ import annotations

from functools import reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr

from ._workload import START, Query, Workload, instants, read_sample

RANGES = (160, 640, 2_560)  # milliseconds
SLIDE = 10
ENERGY = ["mf01", "mf02", "mf03"]
CURRENT = ["pc13", "pc14", "pc15"]
VOLTAGE = ["pc25", "pc26", "pc27", "res"]
STATES = ["bm05", "bm06", "bm07", "bm08", "bm09", "bm10"]
COLUMNS = ["ts", "message", *ENERGY, *CURRENT, *VOLTAGE, *STATES]


def sm(readings: DataFrame) -> DataFrame:
    """SM: sum and minimum of the three energy readings, three windows in one pass."""
    windows = [
        wr.sliding(f"{ms} ms", every=f"{SLIDE} ms", on="ts", name=f"{ms} ms")
        for ms in RANGES
    ]
    sums = {f"sum_{name}": wr.sum(name) for name in ENERGY}
    mins = {f"min_{name}": wr.min(name) for name in ENERGY}
    result: DataFrame = wr.aggregate(readings, windows, aggregates=sums | mins)
    return result


def sm_by_spark(readings: DataFrame) -> DataFrame:
    """SM with Spark's own windows: one query each, and each reads all rows."""
    sums = [F.sum(name).alias(f"sum_{name}") for name in ENERGY]
    mins = [F.min(name).alias(f"min_{name}") for name in ENERGY]
    needed = readings.select("ts", *ENERGY)
    results = []
    for ms in RANGES:
        window = F.window("ts", f"{ms} milliseconds", f"{SLIDE} milliseconds")
        grouped = needed.groupBy(F.lit(f"{ms} ms").alias("query"), window)
        results.append(grouped.agg(*sums, *mins))
    return reduce(DataFrame.union, results)


def generate(rows: int, *, seed: int = 0, per_second: int = 100) -> tuple[pa.Table]:
    """Three readings that wander, at a pace that trembles by a tenth of a tick."""
    rng = np.random.default_rng(seed)
    tick = np.arange(rows) + rng.uniform(-0.1, 0.1, rows)
    steps = rng.integers(-4, 5, (3, rows)).cumsum(axis=1)
    level = np.array([[13_050], [14_380], [8_090]])
    columns = [
        instants(START + 1 + tick / per_second),
        2_556_001 + np.arange(rows),
        *np.clip(level + steps, 7_000, 21_000),
        *rng.integers(50, 210, (len(CURRENT), rows)),
        *np.zeros((len(VOLTAGE), rows), np.int64),
        *rng.integers(0, 2, (len(STATES), rows)),
    ]
    return (pa.table(columns, names=COLUMNS),)


def load(folder: Path, rows: int | None = None) -> tuple[pa.Table]:
    """The sample of the readings."""
    sample = read_sample(folder / "DEBS2012-small.txt", COLUMNS, rows)
    table = pa.Table.from_pandas(sample, preserve_index=False)
    # "2012-02-22T16:46:28.9670320+00:00": all in UTC, and as far as Spark keeps it
    text = pa.array(sample["ts"].str.slice(0, 26))
    ts = text.cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC"))
    return (table.set_column(0, "ts", ts),)


WORKLOAD = Workload(
    "sensor monitoring",
    generate,
    load,
    (
        Query(
            "SM",
            "0.16, 0.64, 2.56 s / 10 ms",
            sum(RANGES) // SLIDE,
            17_000,
            sm,
            sm_by_spark,
        ),
    ),
)
