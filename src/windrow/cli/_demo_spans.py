"""Step 6 of the demo: flights in the air, as events with a duration.

    departed                    landed
       |===========================|          a flight
    |-----|-----|-----|-----|-----|-----|     counts in every window that it overlaps

The rows equal those of Spark, which copies each flight into all those windows.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from windrow.errors import WindrowError

from . import _flights
from ._console import out
from ._demo_output import code, note, rule, table
from ._demo_picture import AIRPORTS, FAINT, INK, PAPER, ZONE, highest
from ._progress import progress

WEEK = pd.Timestamp("2013-07-08"), pd.Timestamp("2013-07-15")


def show_airborne(spark: SparkSession, flights: DataFrame, path: Path) -> Path:
    """Count flights, compare with Spark, show the busiest windows, and draw a week."""
    rule("6  In the air: a flight counts for as long as it lasts")
    code(_flights.in_the_air, "Windrow")
    code(_flights.in_the_air_by_spark, "Spark's own")
    ours, seconds = _timed(spark, _flights.in_the_air(flights), "Windrow")
    theirs, own = _timed(spark, _flights.in_the_air_by_spark(flights), "Spark's own")
    check(ours, theirs)
    out.print(
        f"  [bold green]Windrow {seconds:.1f} s, Spark's own {own:.1f} s[/] "
        f"[green]for the same {len(ours):,} rows, all equal[/]\n"
    )
    rows = []
    for origin, (name, _) in AIRPORTS.items():
        busiest = highest(ours[ours["origin"] == origin], "flying")
        there = _local(busiest["end"])
        rows.append(
            (
                name,
                f"{there:%a} {there.day:2} {there:%b, %H:%M}",
                f"[bold]{busiest['flying']:,}[/bold]",
                f"{busiest['longest'] / 60:.1f} h",
            )
        )
    table(("airport", "busiest 15 minutes up to", ">in the air", ">longest"), rows)
    note("A flight of six hours is one row until it is counted, never 75 copies.")
    draw(ours, path)
    return path


def check(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """An error if a row differs."""
    by = ["origin", "end"]
    left, right = (
        rows.sort_values(by).reset_index(drop=True)[[*by, "flying", "longest"]]
        for rows in (ours, theirs)
    )
    if not left.equals(right):
        raise WindrowError.because(
            "the demo failed",
            "the planes in the air differ from Spark's own",
            "please report this",
        )


def _timed(
    spark: SparkSession, result: DataFrame, label: str
) -> tuple[pd.DataFrame, float]:
    flat = result.withColumn("end", result["window"]["end"]).drop("window")
    begun = time.perf_counter()
    with progress(spark, f"{label}, planes in the air"):
        rows: pd.DataFrame = flat.toPandas()
    return rows, time.perf_counter() - begun


def _local(instant: Any) -> pd.Timestamp:
    return pd.Timestamp(instant, tz="UTC").tz_convert(ZONE).tz_localize(None)


def draw(rows: pd.DataFrame, path: Path) -> None:
    """A week in July: planes in the air, and the longest flight among them."""
    ends = rows["end"].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    rows = rows.assign(end=ends).sort_values("end")
    rows = rows[rows["end"].between(*WEEK)]
    style: dict[Any, Any] = {
        "text.color": INK,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "axes.facecolor": PAPER,
        "figure.facecolor": PAPER,
        "axes.spines.top": False,
        "axes.spines.right": False,
    }
    with plt.rc_context(style):
        figure, (upper, lower) = plt.subplots(
            2, figsize=(13, 7), sharex=True, height_ratios=[2, 1], layout="constrained"
        )
        for origin, (name, colour) in AIRPORTS.items():
            mine = rows[rows["origin"] == origin]
            upper.plot(mine["end"], mine["flying"], color=colour, lw=1.6, label=name)
            lower.plot(mine["end"], mine["longest"] / 60, color=colour, lw=1.2)
        upper.set_title(
            "In the air from New York over the last 15 minutes, a week in July 2013",
            loc="left",
            fontweight="bold",
        )
        upper.set_ylabel("planes")
        upper.legend(frameon=False, ncols=3, loc="upper right")
        lower.set_ylabel("longest flight, hours")
        lower.xaxis.set_major_locator(mdates.DayLocator())
        lower.xaxis.set_major_formatter(mdates.DateFormatter("%a %-d %b"))
        lower.set_xlabel("end of the window, New York time")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
        plt.close(figure)
