"""Contenders over events with a duration: calls of a telephone network, by antenna.

    windrow     cut once, however long a call lasts
    explode     a copy of each call in each window that it overlaps, then groupBy

Spark has no windows over such events; copies are what its users write.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.race import Contender

from . import held
from .case import Case
from .sums import sums_of

VALUES = ("n", "longest")
SECOND = 1_000_000  # microseconds


@cache
def calls(rows: int) -> Path:
    """Calls as a file."""
    return held.stored(data.table("ss7", rows), f"calls-{rows}")


def origin(rows: int) -> dict[str, str]:
    """Where they came from."""
    return held.origin_of(calls(rows))


def contenders(
    range: int, slide: int, rows: int, ours: str, own: str
) -> list[Contender]:
    """Calls and the longest of them, by antenna and window of so many seconds."""
    spark = held.on()
    frame = held.framed(spark, calls(rows)).select("start", "end", "antenna", "len")
    case = Case(f"{range} s / {slide} s", partial(sums_of, values=VALUES))
    return case.contenders(
        {
            ours: partial(_ours, frame, range, slide),
            own: partial(_exploded, frame, range, slide),
        }
    )


def _ours(frame: DataFrame, range: int, slide: int) -> DataFrame:
    window = wr.sliding(f"{range} s", every=f"{slide} s", span=("start", "end"))
    found: DataFrame = wr.aggregate(
        frame, window, by="antenna", n=wr.count(), longest=wr.max("len")
    )
    began = F.unix_micros("window.start").alias("began")
    return found.select("antenna", began, *VALUES)


def _exploded(frame: DataFrame, range: int, slide: int) -> DataFrame:
    step, length = slide * SECOND, range * SECOND
    edges = frame.selectExpr(
        "antenna", "len", "unix_micros(start) as s", "unix_micros(end) as e"
    )
    copies = edges.selectExpr(
        "antenna",
        "len",
        f"explode(sequence((s - {length}) div {step} + 1,"
        f" greatest(s, e - 1) div {step})) as w",
    )
    grouped = copies.groupBy("antenna", (F.col("w") * step).alias("began"))
    return grouped.agg(F.count("*").alias("n"), F.max("len").alias("longest"))


__all__ = ["calls", "contenders", "origin"]
