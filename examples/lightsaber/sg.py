"""Smart grid (SG): readings of smart plugs in households.

    SG1   mean load of all plugs                       3,600 s / 1 s, no key
    SG2   mean load by plug, household and house         128 s / 1 s

Time is in unix seconds; the sample holds 84 of them, about 400 readings in each, of
470 plugs.  Each plug sends two kinds of reading, told apart by `property` (0: work
done so far, 1: load now).  Table 3 gives neither query a selection, so both kinds go
into the mean, here as there; `readings.where("property = 1")` in front of either form
gives the mean of the load alone.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr

from ._workload import Query, Workload, arrivals, instants, read_sample

COLUMNS = ["ts", "value", "property", "plug", "household", "house"]
PLUG = ["plug", "household", "house"]


def sg1(readings: DataFrame) -> DataFrame:
    """SG1: mean load of all plugs."""
    window = wr.sliding("3600 seconds", every="1 second", on="ts")
    result: DataFrame = wr.aggregate(readings, window, avg_load=wr.mean("value"))
    return result


def sg1_by_spark(readings: DataFrame) -> DataFrame:
    """SG1 with Spark's own windows: a plan with 3,600 projections, one per window.

    It was stopped unfinished after minutes on two busy cores: the code generated for
    it outgrows the 64 KB that the JVM allows.  `sg1_by_copies` stands in for it.
    """
    window = F.window("ts", "3600 seconds", "1 second")
    return readings.groupBy(window).agg(F.avg("value").alias("avg_load"))


def sg1_by_copies(readings: DataFrame, seconds: int = 3_600) -> DataFrame:
    """SG1 as Spark's own windows work, a copy of each row per window, by `explode`."""
    last = F.unix_seconds("ts")
    starts = F.explode(F.sequence(last - (seconds - 1), last)).alias("start")
    means = readings.select(starts, "value").groupBy("start")
    window = F.struct(
        F.timestamp_seconds("start").alias("start"),
        F.timestamp_seconds(F.col("start") + seconds).alias("end"),
    )
    averaged = means.agg(F.avg("value").alias("avg_load"))
    return averaged.select(window.alias("window"), "avg_load")


def sg2(readings: DataFrame) -> DataFrame:
    """SG2: mean load by plug, household and house."""
    window = wr.sliding("128 seconds", every="1 second", on="ts")
    result: DataFrame = wr.aggregate(
        readings, window, by=PLUG, avg_load=wr.mean("value")
    )
    return result


def sg2_by_spark(readings: DataFrame) -> DataFrame:
    """SG2 with Spark's own windows."""
    window = F.window("ts", "128 seconds", "1 second")
    return readings.groupBy(*PLUG, window).agg(F.avg("value").alias("avg_load"))


def generate(rows: int, *, seed: int = 0, per_second: int = 400) -> tuple[pa.Table]:
    """Readings of 470 plugs in 10 houses, loads with a long tail and many zeros."""
    rng = np.random.default_rng(seed)
    plug = rng.integers(0, 470, rows)
    kind = rng.integers(0, 2, rows)
    load_now = rng.gamma(0.3, 95.0, rows) * (rng.random(rows) < 0.5)
    work_done = plug % 47 + rng.random(rows)
    columns = [
        instants(arrivals(rng, rows, per_second)),
        np.where(kind == 1, load_now, work_done).round(3),
        kind,
        plug % 7,
        plug % 47 // 7,
        plug // 47,
    ]
    return (pa.table(columns, names=COLUMNS),)


def load(folder: Path, rows: int | None = None) -> tuple[pa.Table]:
    """The sample of the readings."""
    sample = read_sample(folder / "smartgrid-data.txt", COLUMNS, rows)
    table = pa.Table.from_pandas(sample, preserve_index=False)
    return (table.set_column(0, "ts", instants(sample["ts"].to_numpy())),)


WORKLOAD = Workload(
    "smart grid",
    generate,
    load,
    (
        Query(
            "SG1",
            "3,600 s / 1 s",
            3_600,
            16_000,
            sg1,
            sg1_by_copies,
            "Spark's side copies rows by explode(): groupBy(window()) with 3,600 "
            "windows a row was stopped unfinished after minutes",
        ),
        Query("SG2", "128 s / 1 s", 128, 100_000, sg2, sg2_by_spark),
    ),
)
