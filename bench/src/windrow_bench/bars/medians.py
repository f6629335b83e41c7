"""Medians, quantiles and distinct counts, exactly, beside libraries that have them.

A moving median of one array, beside bottleneck, polars and pandas; and the median and
the distinct values of every row's last hour, by key, beside DuckDB's own frames.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow_bench._claims import from_
from windrow_bench.experiment import Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.machine import usable_cores
from windrow_bench.measure.race import Contender
from windrow_bench.measure.ticks import NEW_YEAR

from ._bar import OURS, bar, bar_trial, growth, panel, speed

WIDTHS = (101, 1_001, 10_001)
ROWS, FRAME_ROWS = (500_000, 10_000_000), (100_000, 2_000_000)  # quick, and full
KEYS, HOUR, SECOND = 1_000, 3_600, 1_000_000
LIBRARIES = ("bottleneck", "polars", "pandas")
DUCKDB = "DuckDB"
FRAMES = {"median": ("median(x)", wr.median),
          "count_distinct": ("count(distinct x)", wr.count_distinct)}  # fmt: skip


def _moving(width: int, rows: int) -> list[Contender]:
    values = np.random.default_rng(20).normal(size=rows)
    bottleneck = load("bottleneck")
    series, frame = load("polars").Series(values), load("pandas").Series(values)
    expected = bottleneck.move_median(values, width)[width - 1 :]

    def check(answer: Any) -> None:
        found = np.asarray(answer)[-len(expected) :]
        if not np.allclose(found, expected, rtol=1e-12, atol=0.0):
            raise WrongAnswer(f"medians of {width} rows differ from bottleneck's")

    window, cores = wr.rows(width), usable_cores()
    calls = {
        OURS: lambda: wr.slide(values, window, "median", threads=cores),
        "bottleneck": lambda: bottleneck.move_median(values, width),
        "polars": lambda: series.rolling_median(width),
        "pandas": lambda: frame.rolling(width).median(),
    }
    return [Contender(name, call, check) for name, call in calls.items()]


def _frames(name: str, rows: int) -> list[Contender]:
    random = np.random.default_rng(21)
    at = NEW_YEAR + np.sort(random.integers(0, rows // KEYS * 60 * SECOND, rows))
    events = pa.table(
        {
            "ts": pa.array(at, pa.timestamp("us")),
            "key": random.integers(0, KEYS, rows),
            "x": np.round(random.normal(size=rows), 2),
        }
    )
    theirs, ours = FRAMES[name]
    text = (
        f"select m from (select place, {theirs} over (partition by key order by ts "  # noqa: S608
        "range between interval 3599999999 microseconds preceding and current row) as "
        "m from (select *, row_number() over () as place from events)) order by place"
    )
    connection = load("duckdb").connect()
    connection.register("events", events)
    how: dict[str, Any] = {"on": "ts", "by": "key", "threads": usable_cores()}
    calls = {"m": ours("x", last=f"{HOUR} seconds")}

    def by_windrow() -> Any:
        return wr.over(events, **how, aggregates=calls)["m"]

    expected = by_windrow().to_numpy()

    def check(answer: Any) -> None:
        if not np.allclose(np.asarray(answer), expected, rtol=1e-12, atol=0.0):
            raise WrongAnswer(f"{name} of the last hour differs from DuckDB's")

    return [
        Contender(OURS, by_windrow, check),
        Contender(DUCKDB, lambda: connection.sql(text).to_arrow_table()["m"], check),
    ]


def trials(size: Size) -> list[Trial]:
    """Three windows, and two aggregates of frames."""
    moving = [
        bar_trial("moving", width, partial(_moving, width, size.pick(*ROWS)), size)
        for width in WIDTHS
    ]
    frames = [
        bar_trial("frames", name, partial(_frames, name, size.pick(*FRAME_ROWS)), size)
        for name in FRAMES
    ]
    return moving + frames


MEDIANS = bar(
    "medians",
    "Exact medians and distinct counts beside other libraries",
    "10 million floats (500,000 in a quick run) in one array; frames: 2 million rows "
    "(100,000), 1,000 keys, the last hour of each row. Windrow and DuckDB on all "
    "threads; bottleneck, polars and pandas have one",
    [panel("moving", "window (rows)"), panel("frames", "aggregate")],
    [
        speed("A moving median is faster than in every library, at every window.",
              "moving", OURS, LIBRARIES, 1.0),
        speed("At 1,001 rows it is three times as fast as polars.",
              "moving", OURS, ("polars",), 3.0, where=from_(1_001, 1_001)),
        growth("From 101 to 10,001 rows its time grows by at most twice.",
               "moving", OURS, 2.0),
        speed("Frames of time are three times as fast as DuckDB's.",
              "frames", OURS, (DUCKDB,), 3.0),
    ],
    trials,
    needs=(*LIBRARIES, "duckdb"),
    threads=0,
)  # fmt: skip
