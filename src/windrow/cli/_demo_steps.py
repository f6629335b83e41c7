"""Runs the demo step by step.

    1  per airport, the last 24 hours: Windrow and Spark, row for row
    2  shorter and longer windows: how the time grows
    3  three windows in one pass
    4  every flight with its carrier's recent past
    5  the same call on an Arrow table in this process
    6  flights in the air: events with a duration, and the same by Spark

Then pictures: flights.png, and in-the-air.png of the last step.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from windrow.errors import WindrowError

from . import _flights
from ._console import out
from ._demo_comparison import SparkComparison
from ._demo_output import code, note, rule, table
from ._demo_picture import AIRPORTS, ZONE, draw, highest
from ._demo_spans import show_airborne
from ._progress import progress

DAY = "24 hours"
SHORTER = ("1 hour", "6 hours")
LONGER = ("7 days",)  # for Windrow alone: Spark's own would take minutes
FEWEST = 10  # the mean of one late flight at night is no news
SHORT_PAST = 500  # a carrier's first flights, which have next to no past


def run_demo(spark: SparkSession, folder: Path) -> None:
    """Run all steps, one after the other, and draw the pictures."""
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        flights = _flights.read_flights(spark, Path(scratch))
        with progress(spark, "reading a year of flights"):
            number = flights.count()
        out.print(
            f"\n[bold]{number:,} flights were to leave New York in 2013.[/bold] "
            "How late were they, lately?"
        )
        comparison = SparkComparison(spark, flights, Path(scratch))
        comparison.warm_up()
        run_day(comparison)
        run_lengths(comparison)
        several = three_windows(spark, flights)
        names = _flights.carriers()
        recent = recent_past(spark, flights, names)
        in_process(flights, comparison)
        air = show_airborne(spark, flights, folder / "in-the-air.png")
        with out.status("drawing"):
            path = folder / "flights.png"
            seconds = comparison.windrow, comparison.own
            draw(daily(comparison), several, recent, seconds, names, path)
        flights.unpersist()
    rule("The pictures")
    for picture in (path, air):
        out.print(f"  {picture.resolve()}", soft_wrap=True, markup=False)
    note(f"all of it in {time.perf_counter() - begun:.0f} s")


def run_day(comparison: SparkComparison) -> None:
    """Step 1: compare Windrow with Spark, row for row."""
    rule(f"1  Per airport, the last {DAY}, every {_flights.EVERY}")
    values = {"length": DAY, "EVERY": _flights.EVERY}
    code(_flights.by_windrow, "Windrow", values)
    code(_flights.by_spark, "Spark's own", values)
    ours, theirs = comparison.time_windrow(DAY), comparison.time_spark(DAY)
    number = comparison.check(DAY)
    out.print(
        f"  [bold green]Windrow {ours:.1f} s, Spark's own {theirs:.1f} s: "
        f"{theirs / ours:.1f} times as fast[/]"
    )
    out.print(
        f"  [green]{number:,} rows each, and all equal[/] "
        "[dim](exceptAll leaves none, in either direction)[/dim]\n"
    )
    rows = daily(comparison)
    worst = [highest(rows[rows["origin"] == name], "mean") for name in AIRPORTS]
    table(
        ("airport", f"worst {DAY} up to", ">flown", ">mean", ">worst"),
        (
            (
                AIRPORTS[row["origin"]][0],
                clock(row["end"]),
                f"{row['flown']:,}",
                f"[bold]{row['mean']:.0f} min[/bold]",
                f"{row['worst'] / 60:.1f} h",
            )
            for row in worst
        ),
    )


def run_lengths(comparison: SparkComparison) -> None:
    """Step 2: time windows of several lengths."""
    rule(f"2  Shorter and longer windows, every {_flights.EVERY}")
    for length in (*SHORTER, *LONGER):
        comparison.time_windrow(length)
    rows = []
    for length in (*SHORTER, DAY, *LONGER):
        ours = comparison.windrow[length]
        if length in LONGER:
            rows.append((length, f"{ours:.1f} s", "not run", "", ""))
            continue
        theirs = comparison.own.get(length) or comparison.time_spark(length)
        rows.append(
            (
                length,
                f"{ours:.1f} s",
                f"{theirs:.1f} s",
                f"[bold]{theirs / ours:.1f}[/bold]",
                f"{comparison.check(length):,}, all equal",
            )
        )
    table(("window", ">Windrow", ">Spark's own", ">ratio", ">rows compared"), rows)
    note(
        "Spark copies each flight into every window that holds it: its time grows with",
        "the window. Windrow folds each flight into one slice, whatever the window.",
    )


def three_windows(spark: SparkSession, flights: DataFrame) -> pd.DataFrame:
    """Step 3: run three windows in one pass."""
    rule("3  Three windows in one pass")
    code(_flights.three_windows)
    several, seconds = _collected(spark, _flights.three_windows(flights))
    out.print(f"  [bold green]{len(several):,} rows out in {seconds:.1f} s[/]\n")
    rows = []
    for length in (*SHORTER, DAY):
        windows = several[several["query"] == length]
        peak = highest(windows[windows["flown"] >= FEWEST], "mean")
        rows.append(
            (
                length,
                f"{len(windows):,}",
                f"{windows['flown'].max():,}",
                f"[bold]{peak['mean']:.0f} min[/bold]",
                AIRPORTS[peak["origin"]][0],
                clock(peak["end"]),
            )
        )
    table(("window", ">rows out", ">most flown", ">worst mean", "at", "up to"), rows)
    return several


def recent_past(
    spark: SparkSession, flights: DataFrame, names: dict[str, str]
) -> pd.DataFrame:
    """Step 4: give every flight its carrier's recent past."""
    rule("4  Every flight, with the recent past of its carrier")
    code(_flights.recent_past)
    recent, seconds = _collected(spark, _flights.recent_past(flights))
    out.print(f"  [bold green]{len(recent):,} rows out in {seconds:.1f} s[/]\n")
    recent = recent.sort_values("scheduled", kind="stable")
    rows = []
    for carrier, number in recent["carrier"].value_counts().head(6).items():
        flown = recent[recent["carrier"] == carrier].iloc[SHORT_PAST:]
        peak = highest(flown, "hundred")
        rows.append(
            (
                names[str(carrier)],
                f"{number:,}",
                f"{round(flown['week'].min())} min",
                f"{round(flown['week'].max())} min",
                f"[bold]{peak['hundred']:.0f} min[/bold]",
                clock(peak["scheduled"]),
            )
        )
    headings = "carrier", ">flights", ">best week", ">worst week", ">worst 100", "up to"
    table(headings, rows)
    return recent


def in_process(flights: DataFrame, comparison: SparkComparison) -> None:
    """Step 5: run the same call in this process."""
    rule("5  The same call on an Arrow table, in this process")
    rows = flights.toArrow()
    _flights.by_windrow(rows, DAY)  # the first call compiles
    begun = time.perf_counter()
    here = _flights.by_windrow(rows, DAY)
    seconds = time.perf_counter() - begun
    there = comparison.result("windrow", DAY).orderBy("origin", "window").toArrow()
    if not all(_same(here[name], there[name]) for name in here.column_names[2:]):
        raise WindrowError.because(
            "the demo failed",
            "the answers of Spark and of this process differ",
            "please report this",
        )
    out.print(
        f"  [bold green]{seconds * 1000:.0f} ms[/] "
        f"[green]for the same {here.num_rows:,} rows, all equal[/]"
    )
    note("Where the table fits into memory, Spark is not needed.")


def daily(comparison: SparkComparison) -> pd.DataFrame:
    """Windrow's windows of 24 hours, with flights enough to speak of."""
    rows = comparison.result("windrow", DAY).where("flown > 100")
    return _flat(rows).toPandas().sort_values("end")


def clock(instant: Any) -> str:
    """An instant as New York's clocks showed it."""
    there = pd.Timestamp(instant, tz="UTC").tz_convert(ZONE)
    return f"{there:%a} {there.day:2} {there:%b, %H:%M}"


def _collected(spark: SparkSession, result: DataFrame) -> tuple[pd.DataFrame, float]:
    begun = time.perf_counter()
    with progress(spark, "sliding"):
        rows: pd.DataFrame = _flat(result).toPandas()
    return rows, time.perf_counter() - begun


def _flat(result: DataFrame) -> DataFrame:
    """The window's end as a column; its start is not shown anywhere."""
    if "window" not in result.columns:
        return result
    return result.withColumn("end", result["window"]["end"]).drop("window")


def _same(left: pa.ChunkedArray, right: pa.ChunkedArray) -> bool:
    return bool(left.combine_chunks().equals(right.combine_chunks()))
