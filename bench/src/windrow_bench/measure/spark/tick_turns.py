"""Contenders over ticks: sliding windows, and rows with aggregates of their past."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from windrow_bench.measure.race import Contender
from windrow_bench.measure.session import segment_tree
from windrow_bench.measure.ticks import ticks_file

from . import held
from .case import Case
from .queries import (
    RESULTS,
    our_over,
    our_windows,
    over_names,
    spark_over,
    spark_windows,
)
from .sums import Sums, sums_of

KEYS = 8
OVER_KEYS = 100
ASKED = ("sum", "max", "count")


def windows(range: int, slide: int, rows: int, ours: str, own: str) -> list[Contender]:
    """Sum, max and count by key and window, on both sides."""
    frame = _ticks(rows, KEYS)
    case = Case(f"{range} s / {slide} s", partial(sums_of, values=RESULTS))
    return case.contenders(
        {
            ours: partial(our_windows, frame, range, slide),
            own: partial(spark_windows, frame, range, slide),
        }
    )


def alone(range: int, slide: int, rows: int, ours: str) -> list[Contender]:
    """Windrow over windows that are too long for Spark.

    A row is in range / slide windows, which is enough to tell what all windows
    together must come to.
    """
    frame = _ticks(rows, KEYS)
    copies = range // slide
    [found] = frame.agg(F.count("x").alias("n"), F.sum("x").alias("total")).collect()
    expected = {name: copies * value for name, value in found.asDict().items()}
    case = Case(f"{range} s / {slide} s", _added_up, expected=expected)
    return case.contenders({ours: partial(our_windows, frame, range, slide)})


def _added_up(frame: DataFrame) -> Sums:
    [row] = frame.agg(F.sum("n").alias("n"), F.sum("total").alias("total")).collect()
    return dict(row.asDict())


def over(last: int, rows: int, ours: str, own: str, tree: str) -> list[Contender]:
    """Sum, max and count of each key's last rows: ours, Spark's frames, its tree."""
    frame = _ticks(rows, OVER_KEYS)
    asked = (frame, ASKED, (last,))
    values = over_names(ASKED, (last,))
    case = Case(f"the last {last:,} rows", partial(sums_of, values=values))
    theirs = partial(spark_over, *asked)
    switched = partial(segment_tree, frame.sparkSession)
    return [
        *case.contenders({ours: partial(our_over, *asked), own: theirs}),
        replace(case.contender(tree, theirs, switched), name=tree),
    ]


def _ticks(rows: int, keys: int) -> DataFrame:
    spark = held.on()
    return held.framed(spark, ticks_file(held.folder(), rows, keys))


__all__ = ["alone", "over", "windows"]
