"""Medians and quantiles, exactly, beside the libraries that have them.

A moving median of one float64 array, on all threads, beside bottleneck, polars and
pandas; and the median of every row's last hour, by key, beside DuckDB's own frames.
All of it runs here, warm, in turns, the best of each.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import bottleneck
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, race

from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "medians"
WINDOWS = (101, 1_001, 10_001)
OURS = "windrow"
KEYS, HOUR = 1_000, 3_600
CORES = os.cpu_count()  # the harness gives Windrow one thread where it is not told


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Seconds of each, and by how much Windrow is ahead."""
    lines, bars = _moving(settings, say)
    took = _frames(settings, say)
    tables = [
        Table(
            f"Moving median, {settings.table_rows:,} float64 values, seconds",
            ["window", OURS, "bottleneck", "polars", "pandas"],
            lines,
        ),
        Table(
            f"Median of an hour, {settings.table_rows // 5:,} rows, {KEYS:,} keys",
            ["", "seconds"],
            [[name, seconds] for name, seconds in took.items()],
        ),
    ]
    bars.append(
        Bar("frames of time: times DuckDB's speed", took["DuckDB"] / took[OURS], 3.0)
    )
    notes = [
        "Windrow and DuckDB on all threads; bottleneck, polars and pandas have one."
    ]
    return Result(NAME, "Medians and quantiles", tables, bars, notes)


def _moving(
    settings: Settings, say: Callable[[str], None]
) -> tuple[list[list[Any]], list[Bar]]:
    values = np.random.default_rng(20).normal(size=settings.table_rows)
    series, frame = pl.Series(values), pd.Series(values)
    lines: list[list[Any]] = []
    for width in WINDOWS:
        expected = bottleneck.move_median(values, width)[width - 1 :]

        def check(answer: Any, expected: Any = expected, width: int = width) -> None:
            found = np.asarray(answer)[-len(expected) :]
            if not np.allclose(found, expected, rtol=1e-12, atol=0.0):
                raise WrongAnswer(f"medians of {width} rows differ from bottleneck's")

        window = wr.rows(width)
        contenders = [
            Contender(
                OURS,
                lambda w=window: wr.slide(values, w, "median", threads=CORES),
                check,
            ),
            Contender(
                "bottleneck", lambda w=width: bottleneck.move_median(values, w), check
            ),
            Contender("polars", lambda w=width: series.rolling_median(w), check),
            Contender("pandas", lambda w=width: frame.rolling(w).median(), check),
        ]
        took = race(contenders, settings.table_rounds, settings.patience)
        lines.append([f"{width:,}", *(took[one.name] for one in contenders)])
        say(f"{width:,}: " + ", ".join(f"{k} {v:.2f} s" for k, v in took.items()))
    ahead = min(min(line[2:]) / line[1] for line in lines)
    bars = [
        Bar("ahead of every library, worst window", ahead, 1.0),
        Bar("1,001 rows: times polars' speed", lines[1][3] / lines[1][1], 3.0),
        Bar(
            "from 101 to 10,001 rows: times the time",
            lines[2][1] / lines[0][1],
            2.0,
            False,
        ),
    ]
    return lines, bars


def _frames(settings: Settings, say: Callable[[str], None]) -> dict[str, float]:
    rows = settings.table_rows // 5
    random = np.random.default_rng(21)
    events = pa.table(
        {
            "ts": np.sort(random.integers(0, rows // KEYS * 60, rows)),
            "key": random.integers(0, KEYS, rows),
            "x": random.normal(size=rows),
        }
    )
    ours = wr.over(events, on="ts", by="key", m=wr.median("x", last=str(HOUR)))
    expected = ours["m"].to_numpy()
    text = (
        "select m from (select place, median(x) over (partition by key order by ts "
        f"range between {HOUR - 1} preceding and current row) as m "
        "from (select *, row_number() over () as place from events)) order by place"
    )

    connection = duckdb.connect()
    connection.register("events", events)

    def check(answer: Any) -> None:
        if not np.allclose(np.asarray(answer), expected, rtol=1e-12, atol=0.0):
            raise WrongAnswer("medians of the last hour differ from DuckDB's")

    def by_windrow() -> Any:
        calls = {"m": wr.median("x", last=str(HOUR))}
        how: dict[str, Any] = {"on": "ts", "by": "key", "threads": CORES}
        return wr.over(events, **how, aggregates=calls)["m"]

    def by_duckdb() -> Any:
        return connection.sql(text).to_arrow_table()["m"]

    contenders = [
        Contender(OURS, by_windrow, check),
        Contender("DuckDB", by_duckdb, check),
    ]
    took = race(contenders, settings.table_rounds, 3 * settings.patience)
    say("frames of time: " + ", ".join(f"{k} {v:.2f} s" for k, v in took.items()))
    return took
