"""The picture of the flights demo: three panels from the results of its steps.

+--------------------------------------------------+
|  last 24 hours, per airport, the whole year      |    step 1
+------------------------+-------------------------+
|  one storm, seen with  |  last 7 days, per       |    steps 2 and 3
|  three windows         |  carrier                |
+------------------------+-------------------------+
"""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import matplotlib as mpl

mpl.use("Agg")  # a file, never a window

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import polars as pl
from flights_console import ZONE, short
from matplotlib.axes import Axes

INK, FAINT, PAPER = "#22303c", "#8a97a3", "#fbfaf7"
AIRPORTS = {
    "EWR": ("Newark", "#d1495b"),
    "JFK": ("Kennedy", "#00798c"),
    "LGA": ("LaGuardia", "#edae49"),
}
RANGES = {"1 hour": "#edae49", "6 hours": "#00798c", "24 hours": "#22303c"}
CARRIERS = {
    "EV": "#d1495b",
    "B6": "#00798c",
    "UA": "#30638e",
    "AA": "#8f6bb3",
    "DL": "#edae49",
}


def _new_york(month: int, day: int, hour: int = 0) -> dt.datetime:
    """An hour of 2013 on New York's clocks, as the flights' UTC."""
    return dt.datetime(2013, month, day, hour, tzinfo=ZoneInfo(ZONE)).astimezone(dt.UTC)


FEWEST = 5  # the mean of one late flight at night is no news
STORM = _new_york(3, 6), _new_york(3, 11)
NOTES = (
    (_new_york(3, 9, 6), "8 March\nsnow"),
    (_new_york(7, 11, 6), "10 July"),
    (_new_york(9, 3, 6), "2 September\nLabor Day"),
    (_new_york(12, 6, 6), "5 December\nfog"),
)


def draw(
    daily: pl.DataFrame,
    several: pl.DataFrame,
    recent: pl.DataFrame,
    names: dict[str, str],
    path: Path,
) -> None:
    """Draw all three panels and save them."""
    style: dict[Any, Any] = {
        "font.size": 10,
        "text.color": INK,
        "axes.edgecolor": FAINT,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.facecolor": PAPER,
        "figure.facecolor": PAPER,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "timezone": ZONE,
        "figure.constrained_layout.h_pad": 0.12,
        "figure.constrained_layout.w_pad": 0.1,
    }
    with plt.rc_context(style):
        figure, panels = plt.subplot_mosaic(
            [["year", "year"], ["storm", "carriers"]],
            figsize=(13, 8.4),
            height_ratios=[1.15, 1],
            layout="constrained",
        )
        figure.suptitle(
            "How late flights left New York in 2013",
            x=0.012,
            ha="left",
            fontsize=17,
            fontweight="bold",
        )
        _year(panels["year"], daily)
        _storm(panels["storm"], several)
        _carriers(panels["carriers"], recent, names)
        path.parent.mkdir(exist_ok=True)
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _year(panel: Axes, daily: pl.DataFrame) -> None:
    for origin, (name, colour) in AIRPORTS.items():
        rows = daily.filter((pl.col("origin") == origin) & (pl.col("flown") > 100))
        panel.plot(
            rows["end"], rows["mean"], color=colour, lw=1.1, label=name, alpha=0.9
        )
    for when, words in NOTES:
        near = daily.filter(
            (pl.col("end") - when).abs() < pl.duration(hours=36),
            pl.col("flown") > 100,
        ).sort("mean", descending=True, nulls_last=True)
        panel.annotate(
            words,
            (near["end"][0], near["mean"][0]),
            xytext=(14, -4),
            textcoords="offset points",
            va="top",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.8},
        )
    _dress(
        panel,
        "Mean departure delay over the last 24 hours, every 15 minutes",
        mdates.MonthLocator(),
        mdates.DateFormatter("%b"),
    )
    panel.set_ylim(bottom=-8)
    panel.set_xlabel("end of the window")
    panel.set_xlim(*mdates.date2num([_new_york(1, 1), _new_york(12, 31, 23)]))
    panel.legend(loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False, ncols=3)


def _storm(panel: Axes, several: pl.DataFrame) -> None:
    first, last = STORM
    rows = several.filter(
        pl.col("origin") == "LGA",
        pl.col("end").is_between(first, last),
        pl.col("flown") >= FEWEST,
    )
    for length, colour in RANGES.items():
        one = rows.filter(pl.col("query") == length).sort("end")
        one = one.upsample("end", every="15m")  # no line across the night
        width = 2.4 if length == "24 hours" else 1.4
        panel.plot(
            one["end"], one["mean"], color=colour, lw=width, label=f"last {length}"
        )
    _dress(
        panel,
        "Snow at LaGuardia, seen with three windows",
        mdates.DayLocator(tz=ZoneInfo(ZONE)),
        mdates.DateFormatter("%-d %b", tz=ZoneInfo(ZONE)),
    )
    panel.set_xlim(*mdates.date2num(STORM))
    panel.set_xlabel(f"end of the window (those with {FEWEST} flights or more)")
    panel.legend(loc="upper right", frameon=False)


def _carriers(panel: Axes, recent: pl.DataFrame, names: dict[str, str]) -> None:
    for carrier, colour in CARRIERS.items():
        rows = recent.filter(pl.col("carrier") == carrier)[::25]
        label = short(names[carrier])
        panel.plot(rows["scheduled"], rows["week"], color=colour, lw=1.4, label=label)
    _dress(
        panel,
        "Each carrier over the last 7 days, flight by flight",
        mdates.MonthLocator(bymonth=(1, 3, 5, 7, 9, 11)),
        mdates.DateFormatter("%b"),
    )
    panel.set_ylim(top=68)
    panel.set_xlabel("scheduled departure")
    panel.legend(loc="upper left", frameon=False, ncols=3)


def _dress(
    panel: Axes, title: str, places: mdates.DateLocator, words: mdates.DateFormatter
) -> None:
    panel.set_title(title, loc="left", fontsize=11.5, fontweight="bold")
    panel.set_ylabel("minutes late")
    panel.axhline(0, color=FAINT, lw=0.8)
    panel.grid(axis="y", color="#e4e1d8", lw=0.8)
    panel.set_axisbelow(True)
    panel.xaxis.set_major_locator(places)
    panel.xaxis.set_major_formatter(words)
