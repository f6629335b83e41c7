"""Contenders over events with a duration: telephone calls, and intervals of a day.

    windrow     cut once, however long an event lasts
    explode     a copy of each event in each window that it overlaps, then groupBy
    join        events joined with all windows on overlap, then groupBy

Spark has no windows over such events; copies and joins are what its users write.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.keyed import DAY
from windrow_bench.measure.race import Contender
from windrow_bench.measure.ticks import NEW_YEAR
from windrow_bench.measure.values import SEED

from . import held
from .case import OURS, Case
from .fewer import on_fewer
from .sums import sums_of

EXPLODE, JOIN = "Spark, explode", "Spark, join on overlap"
VALUES = ("n", "total", "most")
SECOND, MINUTE = 1_000_000, 60_000_000  # microseconds
KEYS = 100


@cache
def calls(rows: int) -> Path:
    """Calls of a telephone network by antenna, of 16 s on average, some of hours."""
    table = data.table("ss7", rows)
    named = table.rename_columns(
        [{"antenna": "key", "len": "v"}.get(name, name) for name in table.column_names]
    )
    return held.stored(named, f"calls-{rows}")


@cache
def intervals(rows: int) -> Path:
    """Intervals of 20 minutes on average, exponential, over a day; 100 keys."""
    rng = np.random.default_rng([SEED, 7])
    starts = rng.integers(0, DAY, rows) + NEW_YEAR
    lengths = rng.exponential(20 * MINUTE, rows).astype(np.int64)
    kind = pa.timestamp("us", "UTC")
    table = pa.table(
        {
            "start": pa.array(starts, kind),
            "end": pa.array(starts + lengths, kind),
            "key": rng.integers(0, KEYS, rows, dtype=np.int32),
            "v": rng.integers(0, 1_000, rows),
        }
    )
    return held.stored(table, f"intervals-{rows}")


def contenders(
    file: Callable[[int], Path],
    rows: int,
    length: int,
    step: int,
    *,
    join: bool = False,
    parts: tuple[int, int] = (1, 1),
) -> list[Contender]:
    """Count, sum and max by key and window of so many microseconds.

    `file` makes a file of rows; copies and join answer on `parts` of them.
    """
    sums = partial(sums_of, values=VALUES)

    @cache
    def frame(some: int) -> DataFrame:
        found = held.framed(held.on(), file(some))
        return found.select("start", "end", "key", "v")

    def on(build: Callable[[DataFrame, int, int], DataFrame], some: int) -> DataFrame:
        return build(frame(some), length, step)

    ours = partial(on, _ours)
    case = Case(f"{length} / {step} us", sums)
    rivals = [(EXPLODE, _exploded), (JOIN, _joined)][: 2 if join else 1]
    return [
        *case.contenders({OURS: partial(ours, rows)}),
        *(
            on_fewer(name, sums, ours, partial(on, build), rows, part)
            for (name, build), part in zip(rivals, parts, strict=False)
        ),
    ]


def _ours(frame: DataFrame, length: int, step: int) -> DataFrame:
    window = wr.sliding(f"{length} us", every=f"{step} us", span=("start", "end"))
    found: DataFrame = wr.aggregate(
        frame, window, by="key", n=wr.count(), total=wr.sum("v"), most=wr.max("v")
    )
    began = F.unix_micros("window.start").alias("b")
    return found.select("key", began, *VALUES)


def _timed(frame: DataFrame, length: int, step: int) -> DataFrame:
    """Events with their first and last window, by number."""
    timed = frame.selectExpr(
        "key", "v", "unix_micros(start) as s", "unix_micros(end) as e"
    ).withColumn("last", F.expr("greatest(s, e - 1)"))
    return timed.selectExpr(
        "*", f"(s - {length}) div {step} + 1 as low", f"last div {step} as high"
    )


def _folded(met: DataFrame) -> DataFrame:
    return met.groupBy("key", "b").agg(
        F.count("*").alias("n"), F.sum("v").alias("total"), F.max("v").alias("most")
    )


def _exploded(frame: DataFrame, length: int, step: int) -> DataFrame:
    numbers = F.expr("explode(sequence(low, high))").alias("w")
    copies = _timed(frame, length, step).select("key", "v", numbers)
    return _folded(copies.selectExpr("key", "v", f"w * {step} as b"))


def _joined(frame: DataFrame, length: int, step: int) -> DataFrame:
    """With the windows of a day and after."""
    first = (NEW_YEAR - length) // step
    last = (NEW_YEAR + 2 * DAY) // step
    windows = frame.sparkSession.range(first, last).selectExpr(
        f"id * {step} as b", f"id * {step} + {length} as stop"
    )
    timed = _timed(frame, length, step)
    met = timed.join(F.broadcast(windows), F.expr("s < stop and last >= b"))
    return _folded(met.select("key", "v", "b"))
