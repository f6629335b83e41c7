"""What LightSaber's queries read on Spark: their rows as files, made once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from windrow_bench import data
from windrow_bench.measure.applications import Application

from . import held


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
    if one.name == "YSB":
        found["T"] = held.framed(spark, campaigns_file())
    return found
