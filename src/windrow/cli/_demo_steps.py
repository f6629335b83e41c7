"""Runs the demo step by step.

    1  per airport, the last 24 hours: Windrow and Spark, row for row
    2  shorter and longer windows: how the time grows
    3  three windows in one pass
    4  every flight with its carrier's recent past
    5  the same call on an Arrow table in this process
    6  flights in the air: events with a duration, and the same by Spark
    7  10,000 flights, and how things were when they were due to leave

Then pictures: flights.png, and in-the-air.png of the last step.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from . import _flights
from ._demo_comparison import (
    SparkComparison,
    better_of_three,
    failure,
    times_as_fast,
)
from ._demo_output import code, note, rule
from ._demo_picture import AIRPORTS, ZONE, draw_airborne, draw_delays, highest
from ._progress import progress
from .console import out, say, show_table

OURS, THEIRS = "Windrow", "Spark's own"
DAY = "24 hours"
SHORTER = ("1 hour", "6 hours")
LONGER = ("7 days",)  # for Windrow alone: Spark's own would take minutes
FEWEST = 10  # the mean of one late flight at night is no news
LABELS = 10_000
JOINED = "dayofmonth(scheduled) <= 2"  # of the labels: a join of all takes minutes
SHORT_PAST = 500  # a carrier's first flights, which have next to no past


def run_demo(spark: SparkSession, folder: Path) -> None:
    """Run all steps, one after the other, and draw the pictures."""
    begun = time.perf_counter()
    delays, air = folder / "flights.png", folder / "in-the-air.png"
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
        daily = run_day(comparison)
        run_lengths(comparison)
        several = three_windows(flights)
        names = _flights.carriers()
        recent = recent_past(flights, names)
        in_process(comparison)
        draw_airborne(in_the_air(flights), air)
        when_due(flights)
        with out.status("drawing"):
            draw_delays(daily, several, recent, comparison.seconds, names, delays)
        flights.unpersist()
    rule("The pictures")
    for picture in (delays, air):
        say(f"  {picture.resolve()}")
    note(f"all of it in {time.perf_counter() - begun:.0f} s")


def run_day(comparison: SparkComparison) -> pd.DataFrame:
    """Step 1: compare Windrow with Spark, row for row."""
    rule(f"1  Per airport, the last {DAY}, every {_flights.EVERY}")
    values = {"length": DAY, "EVERY": _flights.EVERY}
    code(_flights.by_windrow, OURS, values)
    code(_flights.by_spark, THEIRS, values)
    ours, theirs = comparison.time(OURS, DAY), comparison.time(THEIRS, DAY)
    number = comparison.check(DAY)
    out.print(
        f"  [bold green]{OURS} {ours:.1f} s, {THEIRS} {theirs:.1f} s: "
        f"{times_as_fast(ours, theirs)} times as fast[/]"
    )
    out.print(
        f"  [green]{number:,} rows each, and all equal[/] "
        "[dim](exceptAll leaves none, in either direction)[/dim]\n"
    )
    enough = comparison.result(OURS, DAY).where("flown > 100")  # to speak of
    daily = _with_end(enough).toPandas()
    rows = []
    for origin, name in AIRPORTS.items():
        peak = highest(daily[daily["origin"] == origin], "mean")
        flown, worst = f"{peak['flown']:,}", f"{peak['worst'] / 60:.1f} h"
        mean = f"[bold]{peak['mean']:.0f} min[/bold]"
        rows.append((name, clock(peak["end"]), flown, mean, worst))
    show_table(("airport", f"worst {DAY} up to", ">flown", ">mean", ">worst"), rows)
    return daily


def run_lengths(comparison: SparkComparison) -> None:
    """Step 2: time windows of several lengths."""
    rule(f"2  Shorter and longer windows, every {_flights.EVERY}")
    for length in LONGER:
        comparison.time(OURS, length)
    for length in SHORTER:
        comparison.time(THEIRS, length)
        comparison.time(OURS, length)
    rows = []
    for length in (*SHORTER, DAY, *LONGER):
        ours = comparison.seconds[OURS][length]
        if length in LONGER:
            rows.append((length, f"{ours:.1f} s", "not run", "", ""))
            continue
        theirs = comparison.seconds[THEIRS][length]
        ratio = f"[bold]{times_as_fast(ours, theirs)}[/bold]"
        number = f"{comparison.check(length):,}, all equal"
        rows.append((length, f"{ours:.1f} s", f"{theirs:.1f} s", ratio, number))
    show_table(("window", f">{OURS}", f">{THEIRS}", ">ratio", ">rows compared"), rows)
    note(
        "Spark copies each flight into every window that holds it: its time grows with",
        "the window. Windrow folds each flight into one slice, whatever the window.",
    )


def three_windows(flights: DataFrame) -> pd.DataFrame:
    """Step 3: run three windows in one pass."""
    rule("3  Three windows in one pass")
    code(_flights.three_windows)
    several, seconds = _collect(_flights.three_windows(flights), "sliding")
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
                AIRPORTS[peak["origin"]],
                clock(peak["end"]),
            )
        )
    show_table(
        ("window", ">rows out", ">most flown", ">worst mean", "at", "up to"), rows
    )
    return several


def recent_past(flights: DataFrame, names: dict[str, str]) -> pd.DataFrame:
    """Step 4: give every flight its carrier's recent past."""
    rule("4  Every flight, with the recent past of its carrier")
    code(_flights.recent_past)
    recent, seconds = _collect(_flights.recent_past(flights), "sliding")
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
    show_table(headings, rows)
    return recent


def in_process(comparison: SparkComparison) -> None:
    """Step 5: run the same call in this process."""
    rule("5  The same call on an Arrow table, in this process")
    rows = comparison.flights.toArrow()
    _flights.by_windrow(rows, DAY)  # the first call compiles
    begun = time.perf_counter()
    here = _flights.by_windrow(rows, DAY)
    seconds = time.perf_counter() - begun
    there = comparison.result(OURS, DAY).orderBy("origin", "window").toArrow()
    if not all(here[name].equals(there[name]) for name in here.column_names[2:]):
        raise failure("the answers of Spark and of this process differ")
    out.print(
        f"  [bold green]{seconds * 1000:.0f} ms[/] "
        f"[green]for the same {here.num_rows:,} rows, all equal[/]"
    )
    note("Where the table fits into memory, Spark is not needed.")


def in_the_air(flights: DataFrame) -> pd.DataFrame:
    """Step 6: count flights as events with a duration, and compare with Spark."""
    rule("6  In the air: a flight counts for as long as it lasts")
    code(_flights.in_the_air, OURS)
    code(_flights.in_the_air_by_spark, THEIRS)
    words = "planes in the air"
    ours, seconds = _collect(_flights.in_the_air(flights), f"{OURS}, {words}")
    spark_result = _flights.in_the_air_by_spark(flights)
    theirs, own = _collect(spark_result, f"{THEIRS}, {words}")
    check_airborne(ours, theirs)
    out.print(
        f"  [bold green]{OURS} {seconds:.1f} s, {THEIRS} {own:.1f} s: "
        f"{times_as_fast(seconds, own)} times as fast[/] "
        f"[green]for the same {len(ours):,} rows, all equal[/]\n"
    )
    rows = []
    for origin, name in AIRPORTS.items():
        busiest = highest(ours[ours["origin"] == origin], "flying")
        number = f"[bold]{busiest['flying']:,}[/bold]"
        longest = f"{busiest['longest'] / 60:.1f} h"
        rows.append((name, clock(busiest["end"]), number, longest))
    show_table(("airport", "busiest 15 minutes up to", ">in the air", ">longest"), rows)
    note(
        "Windows this short are left to Spark's engine, which copies each flight into "
        "them; over longer ones a flight stays one row, however long it lasts."
    )
    return ours


def when_due(flights: DataFrame) -> None:
    """Step 7: give some flights what was known when they were due to leave."""
    rule(f"7  {LABELS:,} flights: how was it going when they were due to leave?")
    code(_flights.when_due, OURS)
    labels = _flights.some_flights(flights, LABELS).cache()
    ours, seconds = _collect(_flights.when_due(labels, flights), "looking back")
    joined = _flights.left_by_spark(labels.where(JOINED), flights)
    theirs, own = _collect(joined, "a range join")
    same = ours[ours["scheduled"].isin(theirs["scheduled"])]
    check_left(same, theirs)
    out.print(
        f"  [bold green]{OURS} {seconds:.1f} s: three features of all {len(ours):,}; "
        f"{THEIRS} join {own:.1f} s: one feature of {len(same):,} of them[/], "
        "[green]all equal[/]\n"
    )
    edges = [float("-inf"), 0, 10, 20, 40, float("inf")]
    names = ["early", "up to 10 min", "10 to 20 min", "20 to 40 min", "more"]
    known = ours.dropna(subset=["airport", "carrier_day"])
    rows = []
    for name, low, high in zip(names, edges[:-1], edges[1:], strict=True):
        cells = [name]
        for feature in ("airport", "carrier_day"):
            some = known[(known[feature] > low) & (known[feature] <= high)]
            cells += [f"{len(some):,}", f"[bold]{some['delay'].mean():.0f} min[/bold]"]
        rows.append(tuple(cells))
    headings = ("how late lately", ">its airport: flights", ">left late by")
    show_table((*headings, ">its carrier: flights", ">left late by"), rows)
    note(
        "A flight's delay is known when it leaves, and none leaves more than 43",
        "minutes early: delay='45 minutes' keeps its own delay out.",
    )
    labels.unpersist()


def check_left(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """An error if a flight has another count than a join on intervals finds."""
    by = ["scheduled", "origin", "carrier", "delay"]
    left = ours[[*by, "left"]].drop_duplicates(by)
    met = left.merge(theirs, on=by, suffixes=("", "_there"))
    copies = ours.groupby(by)["left"].size().to_numpy()
    found = met.sort_values(by)["left_there"].to_numpy()
    if len(met) != len(left) or (met.sort_values(by)["left"] * copies != found).any():
        raise failure("what had left differs from Spark's own join")


def check_airborne(ours: pd.DataFrame, theirs: pd.DataFrame) -> None:
    """An error if a row differs."""
    by = ["origin", "end"]
    left, right = (
        rows.sort_values(by).reset_index(drop=True)[[*by, "flying", "longest"]]
        for rows in (ours, theirs)
    )
    if not left.equals(right):
        raise failure("the planes in the air differ from Spark's own")


def clock(instant: Any) -> str:
    """An instant as New York's clocks showed it."""
    there = pd.Timestamp(instant, tz="UTC").tz_convert(ZONE)
    return f"{there:%a} {there.day:2} {there:%b, %H:%M}"


def _collect(result: DataFrame, words: str) -> tuple[pd.DataFrame, float]:
    """The rows of a result, and the seconds that they take."""
    frames: list[pd.DataFrame] = []
    with progress(result.sparkSession, words):
        seconds = better_of_three(lambda: frames.append(_with_end(result).toPandas()))
    return frames[-1], seconds


def _with_end(result: DataFrame) -> DataFrame:
    """The window's end as a column; its start is not shown anywhere."""
    if "window" not in result.columns:
        return result
    return result.withColumn("end", result["window"]["end"]).drop("window")
