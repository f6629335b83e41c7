"""Contenders for PBA on a distributed engine: the highest of each plug's last readings.

PBA's rows are readings of 14 plugs, six times over with other numbers: 84 keys.  A row
has its number, so that every contender has the same order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.window import Window

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.race import Contender
from windrow_bench.measure.session import segment_tree

from . import held
from .case import Case
from .sums import sums_of

PLUGS, COPIES = 14, 6
HIGHEST = "highest"


@cache
def readings(rows: int) -> Path:
    """`n`, `key` and `value`, as a file."""
    table = data.table("debs14", rows)
    number = np.arange(rows)
    key = table["plug"].to_numpy() % PLUGS + PLUGS * (number % COPIES)
    columns = {"n": number, "key": key, "value": table["value"]}
    return held.stored(
        pa.table(columns).replace_schema_metadata(table.schema.metadata),
        f"plugs-{rows}",
    )


def origin(rows: int) -> dict[str, str]:
    """Where they came from."""
    return held.origin_of(readings(rows))


def contenders(
    last: int, rows: int, cores: int, ours: str, own: str, tree: str
) -> list[Contender]:
    """On so many cores; count windows that slide by one row."""
    spark = held.on(cores)
    frame = held.framed(spark, readings(rows))
    case = Case(f"the last {last:,} on {cores}", partial(sums_of, values=[HIGHEST]))
    theirs = partial(_own, frame, last)
    return [
        *case.contenders({ours: partial(_ours, frame, last), own: theirs}),
        replace(case.contender(tree, theirs, partial(segment_tree, spark)), name=tree),
    ]


def _ours(frame: DataFrame, last: int) -> DataFrame:
    highest = {HIGHEST: wr.max("value", last=last)}
    found: DataFrame = wr.over(frame, on="n", by="key", aggregates=highest)
    return found


def _own(frame: DataFrame, last: int) -> DataFrame:
    before = Window.partitionBy("key").orderBy("n").rowsBetween(1 - last, 0)
    return frame.select("*", F.max("value").over(before).alias(HIGHEST))
