"""LightSaber's queries on Spark, each as two texts: CQL for Windrow, and Spark's SQL.

    CM1   total cpu by category                                   60 s / 1 s
    CM2   mean cpu by job, of tasks that failed                   60 s / 1 s
    SG1   mean load of all plugs                               3,600 s / 1 s
    SG2   mean load by plug, household and house                 128 s / 1 s
    LRB1  segments of the road with a mean speed below 40        300 s / 1 s
    LRB2  reports by vehicle, highway, direction and segment      30 s / 1 s
    SM    total of an energy reading                            2.56 s / 10 ms
    YSB   views by campaign, joined with a table that stands      10 s, tumbling

Spark copies a row into each window that holds it.  `window()` plans a projection for
each copy, and with the 3,600 of SG1 does not come to an end: there the same copies are
made by `explode`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow_bench import data

from . import held


@dataclass(frozen=True)
class Application:
    """One query: `S` is its stream, `T` the table that stands still, if it has one.

    `copies` are the windows that hold a row; `value` is what is computed.
    """

    name: str
    dataset: str
    copies: int
    value: str
    cql: str
    sql: str

    def ours(self, frames: dict[str, DataFrame]) -> DataFrame:
        """By Windrow."""
        found: DataFrame = wr.cql(self.cql, streams=frames)
        return found

    def own(self, frames: dict[str, DataFrame]) -> DataFrame:
        """By Spark's own windows."""
        return frames["S"].sparkSession.sql(self.sql, None, **frames)


CM1 = Application(
    "CM1",
    "google_cluster",
    60,
    "total_cpu",
    """select ts, category, sum(cpu) as total_cpu
       from S [range 60 slide 1] group by category""",
    """select window.end as ts, category, sum(cpu) as total_cpu
       from (select ts, category, cpu from {S})
       group by category, window(ts, '60 seconds', '1 second')""",
)
CM2 = Application(
    "CM2",
    "google_cluster",
    60,
    "avg_cpu",
    """select ts, job, avg(cpu) as avg_cpu
       from S [range 60 slide 1] where event_type = 3 group by job""",
    """select window.end as ts, job, avg(cpu) as avg_cpu
       from (select ts, job, cpu from {S} where event_type = 3)
       group by job, window(ts, '60 seconds', '1 second')""",
)
SG1 = Application(
    "SG1",
    "debs14",
    3_600,
    "avg_load",
    "select ts, avg(value) as avg_load from S [range 3600 slide 1]",
    """select timestamp_seconds(start + 3600) as ts, avg(value) as avg_load
       from (select value, explode(sequence(s - 3599, s)) as start
             from (select value, unix_seconds(ts) as s from {S}))
       group by start""",
)
SG2 = Application(
    "SG2",
    "debs14",
    128,
    "avg_load",
    """select ts, plug, household, house, avg(value) as avg_load
       from S [range 128 slide 1] group by plug, household, house""",
    """select window.end as ts, plug, household, house, avg(value) as avg_load
       from (select ts, plug, household, house, value from {S})
       group by plug, household, house, window(ts, '128 seconds', '1 second')""",
)
LRB1 = Application(
    "LRB1",
    "linear_road",
    300,
    "avg_speed",
    """select ts, highway, direction, (position / 5280) as segment,
              avg(speed) as avg_speed
       from S [range 300 slide 1]
       group by highway, direction, segment having avg_speed < 40.0""",
    """select window.end as ts, highway, direction, segment,
              avg(speed) as avg_speed
       from (select ts, highway, direction, position div 5280 as segment, speed
             from {S})
       group by highway, direction, segment, window(ts, '300 seconds', '1 second')
       having avg_speed < 40.0""",
)
LRB2 = Application(
    "LRB2",
    "linear_road",
    30,
    "reports",
    """select ts, vehicle, highway, direction, (position / 5280) as segment,
              count(*) as reports
       from S [range 30 slide 1] group by vehicle, highway, direction, segment""",
    """select window.end as ts, vehicle, highway, direction, segment,
              count(*) as reports
       from (select ts, vehicle, highway, direction, position div 5280 as segment
             from {S})
       group by vehicle, highway, direction, segment,
                window(ts, '30 seconds', '1 second')""",
)
SM = Application(
    "SM",
    "debs12",
    256,
    "total",
    """select ts, sum(mf01) as total
       from S [range 2.56 seconds slide 10 ms]""",
    """select window.end as ts, sum(mf01) as total
       from (select ts, mf01 from {S})
       group by window(ts, '2560 milliseconds', '10 milliseconds')""",
)
YSB = Application(
    "YSB",
    "yahoo",
    1,
    "views",
    """select ts, campaign, count(*) as views
       from S [range 10 slide 10] join T on S.ad = T.ad
       where event_type = 0 group by campaign""",
    """select window.end as ts, campaign, count(*) as views
       from {S} join {T} using (ad) where event_type = 0
       group by campaign, window(ts, '10 seconds')""",
)
APPLICATIONS = {one.name: one for one in (CM1, CM2, SG1, SG2, LRB1, LRB2, SM, YSB)}


@cache
def rows_file(dataset: str, rows: int) -> Path:
    """So many rows of a dataset as a file, made once."""
    return held.stored(data.table(dataset, rows), f"{dataset}-{rows}")


@cache
def campaigns_file() -> Path:
    """What YSB joins with."""
    return held.stored(data.yahoo.campaigns(data.SEED), "campaigns")


def frames(spark: SparkSession, one: Application, rows: int) -> dict[str, DataFrame]:
    """What a query reads."""
    found = {"S": held.framed(spark, rows_file(one.dataset, rows))}
    return found | ({"T": held.framed(spark, campaigns_file())} if one is YSB else {})


__all__ = ["APPLICATIONS", "Application", "campaigns_file", "frames", "rows_file"]
