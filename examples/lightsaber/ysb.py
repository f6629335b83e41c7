"""Yahoo streaming benchmark (YSB): views of advertisements, counted by campaign.

    YSB   views by campaign                            10 s, tumbling

    events --> only views --> ad and time --> joined with campaigns --> counted
               filter         project         a static table            by campaign

Numbers stand for text, as in the paper; its numbers have 128 bits, these 64, the widest
that Spark has.  A thousand ads belong to a hundred campaigns, and a third of the events
are views.  There is no sample file of this workload: its rows are always generated.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr

from ._workload import START, Query, Workload, instants

VIEW = 0  # 1 is a click, 2 a purchase
ADS = 1_000
CAMPAIGNS = 100
COLUMNS = ["ts", "user", "page", "ad", "ad_type", "event_type", "ip_address"]


def views(events: DataFrame, campaigns: DataFrame) -> DataFrame:
    """When a campaign was seen: filter, project, join; no window yet."""
    seen = events.where(F.col("event_type") == VIEW).select("ts", "ad")
    return seen.join(F.broadcast(campaigns), "ad")


def ysb(events: DataFrame, campaigns: DataFrame) -> DataFrame:
    """YSB: views by campaign."""
    window = wr.sliding("10 seconds", on="ts")
    result: DataFrame = wr.aggregate(
        views(events, campaigns), window, by="campaign", views=wr.count()
    )
    return result


def ysb_by_spark(events: DataFrame, campaigns: DataFrame) -> DataFrame:
    """YSB with Spark's own windows."""
    grouped = views(events, campaigns).groupBy("campaign", F.window("ts", "10 seconds"))
    return grouped.agg(F.count("*").alias("views"))


def generate(
    rows: int, *, seed: int = 0, per_second: int = 10_000
) -> tuple[pa.Table, pa.Table]:
    """Events at a steady pace, and which campaign each ad belongs to."""
    rng = np.random.default_rng(seed)
    columns = [
        instants(START + np.arange(rows) / per_second),
        rng.integers(0, 1_000_000, rows),
        rng.integers(0, 1_000_000, rows),
        rng.integers(0, ADS, rows),
        rng.integers(0, 5, rows),
        rng.integers(0, 3, rows),
        rng.integers(0, 2**32, rows),
    ]
    ad = np.arange(ADS)
    number = rng.permutation(1_000_000)[:CAMPAIGNS]
    campaigns = pa.table({"ad": ad, "campaign": number[ad % CAMPAIGNS]})
    return pa.table(columns, names=COLUMNS), campaigns


WORKLOAD = Workload(
    "Yahoo streaming benchmark",
    generate,
    None,
    (Query("YSB", "10 s", 1, 2_000_000, ysb, ysb_by_spark),),
)
