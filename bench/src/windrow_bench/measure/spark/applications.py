"""LightSaber's queries on Spark: what they read, and Spark's own ways to answer.

own         a copy of each row for each window: by `window()`, or by `explode` where
            that would make hundreds of projections
lazily      slices once, and each window from its slices again
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.applications import Application

from . import held

MOST_PLANNED = 128  # copies above which `window()` takes half a minute
HOPELESS = 1_000  # copies that it does not come to the end of planning
Frames = dict[str, DataFrame]


def own(one: Application, given: Frames) -> DataFrame:
    """By Spark's own windows."""
    if one.range <= MOST_PLANNED:  # slides are seconds: as many copies
        return by_window(one, given)
    return given["S"].sparkSession.sql(one.sql_by_copies, None, **given)


def by_window(one: Application, given: Frames) -> DataFrame:
    """By Spark's `window()`, however long it takes to plan."""
    return given["S"].sparkSession.sql(one.sql, None, **given)


def lazily(one: Application, given: Frames) -> DataFrame:
    """By lazy slicing: slices once, each window from its slices again."""
    source, rest = re.split(r"\)\s*group by", one.sql.partition("from (")[2])
    rows = given["S"].sparkSession.sql(source, None, **given)
    asked = {one.value: one.call}
    found: DataFrame = wr.aggregate(
        rows, one.window, by=list(one.by), aggregates=asked, algorithm="recompute"
    )
    found = found.selectExpr("window.end as ts", *one.by, one.value)
    having = rest.partition("having ")[2]
    return found.where(having) if having else found


@cache
def rows_file(dataset: str, rows: int) -> Path:
    """So many rows of a dataset as a file, made once."""
    return held.stored(data.table(dataset, rows), f"{dataset}-{rows}")


@cache
def campaigns_file() -> Path:
    """What YSB joins with."""
    return held.stored(data.yahoo.campaigns(data.SEED), "campaigns")


def frames(spark: SparkSession, one: Application, rows: int) -> Frames:
    """What a query reads."""
    found = {"S": held.framed(spark, rows_file(one.dataset, rows))}
    if one.name == "YSB":
        found["T"] = held.framed(spark, campaigns_file())
    return found
