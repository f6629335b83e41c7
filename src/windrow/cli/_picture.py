"""The demo's picture: what the windows showed, and what they cost.

+--------------------------------------------------+
|  last 24 hours, per airport, the whole year      |
+----------------+----------------+----------------+
|  one storm,    |  last 7 days,  |  seconds by    |
|  three windows |  per carrier   |  window length |
+----------------+----------------+----------------+
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import matplotlib as mpl

mpl.use("Agg")  # a file, never a window

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

ZONE = "America/New_York"
INK, FAINT, PAPER = "#22303c", "#8a97a3", "#fbfaf7"
AIRPORTS = {
    "EWR": ("Newark", "#d1495b"),
    "JFK": ("Kennedy", "#00798c"),
    "LGA": ("LaGuardia", "#edae49"),
}
RANGES = {"1 hour": "#edae49", "6 hours": "#00798c", "24 hours": INK}
CARRIERS = {"EV": "#d1495b", "B6": "#00798c", "UA": "#30638e", "DL": "#edae49"}
HOURS = {"1 hour": 1, "6 hours": 6, "24 hours": 24, "7 days": 168}
FEWEST = 5  # the mean of one late flight at night is no news

Times = Mapping[str, float]
"""Seconds by the length of the window."""


def _new_york(month: int, day: int, hour: int = 0) -> dt.datetime:
    """An hour of 2013 on New York's clocks, as the flights' UTC without its mark."""
    there = dt.datetime(2013, month, day, hour, tzinfo=ZoneInfo(ZONE))
    return there.astimezone(dt.UTC).replace(tzinfo=None)


STORM = _new_york(3, 6), _new_york(3, 11)
NOTES = (
    (_new_york(3, 9, 6), "8 March\nsnow"),
    (_new_york(7, 11, 6), "10 July"),
    (_new_york(9, 3, 6), "2 September\nLabor Day"),
    (_new_york(12, 6, 6), "5 December\nfog"),
)


def draw(
    daily: pd.DataFrame,
    several: pd.DataFrame,
    recent: pd.DataFrame,
    seconds: tuple[Times, Times],
    names: Mapping[str, str],
    path: Path,
) -> None:
    """Draw all four panels and save them."""
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
        "figure.constrained_layout.h_pad": 0.12,
        "figure.constrained_layout.w_pad": 0.1,
    }
    with plt.rc_context(style):
        figure, panels = plt.subplot_mosaic(
            [["year"] * 3, ["storm", "carriers", "seconds"]],
            figsize=(15, 9),
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
        _seconds(panels["seconds"], *seconds)
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _year(panel: Axes, daily: pd.DataFrame) -> None:
    for origin, (name, colour) in AIRPORTS.items():
        rows = daily[daily["origin"] == origin]
        panel.plot(
            rows["end"], rows["mean"], color=colour, lw=1.1, label=name, alpha=0.9
        )
    for when, words in NOTES:
        near = daily[(daily["end"] - when).abs() < pd.Timedelta(hours=36)]
        peak = highest(near, "mean")
        panel.annotate(
            words,
            (peak["end"], peak["mean"]),
            xytext=(14, -4),
            textcoords="offset points",
            va="top",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.8},
        )
    _dress(panel, "Mean departure delay over the last 24 hours, per airport")
    _dates(panel, mdates.MonthLocator(), "%b")
    panel.set_ylim(bottom=-8)
    panel.set_xlabel("end of the window")
    panel.set_xlim(*mdates.date2num([_new_york(1, 1), _new_york(12, 31, 23)]))
    panel.legend(loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False, ncols=3)


def _storm(panel: Axes, several: pd.DataFrame) -> None:
    rows = several[
        (several["origin"] == "LGA")
        & several["end"].between(*STORM)
        & (several["flown"] >= FEWEST)
    ]
    grid = pd.date_range(*STORM, freq="15min")  # no line across the night
    for length, colour in RANGES.items():
        one = rows[rows["query"] == length].set_index("end")["mean"].reindex(grid)
        width = 2.4 if length == "24 hours" else 1.4
        panel.plot(grid, one, color=colour, lw=width, label=f"last {length}")
    _dress(panel, "Snow at LaGuardia, seen with three windows")
    _dates(panel, mdates.DayLocator(), "%-d %b")
    panel.set_xlim(*mdates.date2num(STORM))
    panel.set_xlabel(f"end of the window (those with {FEWEST} flights or more)")
    panel.legend(loc="upper right", frameon=False)


def _carriers(panel: Axes, recent: pd.DataFrame, names: Mapping[str, str]) -> None:
    for carrier, colour in CARRIERS.items():
        rows = recent[recent["carrier"] == carrier][::25]
        panel.plot(
            rows["scheduled"], rows["week"], color=colour, lw=1.4, label=names[carrier]
        )
    _dress(panel, "Each carrier over the last 7 days, flight by flight")
    _dates(panel, mdates.MonthLocator(bymonth=(1, 3, 5, 7, 9, 11)), "%b")
    panel.set_ylim(top=66)
    panel.set_xlabel("scheduled departure")
    panel.legend(loc="upper left", frameon=False, ncols=2)


def _seconds(panel: Axes, ours: Times, theirs: Times) -> None:
    for times, label, colour in (
        (theirs, "Spark's own window()", "#d1495b"),
        (ours, "Windrow on Spark", "#00798c"),
    ):
        hours = sorted((HOURS[length], spent) for length, spent in times.items())
        panel.plot(*zip(*hours, strict=True), "o-", color=colour, lw=2, label=label)
        for hour, spent in hours:
            panel.annotate(
                f"{spent:.1f}",
                (hour, spent),
                xytext=(0, 8),
                textcoords="offset points",
                ha="center",
                fontsize=9,
                color=colour,
            )
    _dress(panel, "Seconds by length of the window, same answers")
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xticks(list(HOURS.values()), labels=list(HOURS))
    panel.set_xticks([], minor=True)
    panel.set_ylabel("seconds, both scales logarithmic")
    panel.set_xlabel("length of the window, slid every 5 minutes")
    panel.margins(0.12, 0.2)
    panel.legend(loc="upper left", frameon=False)


def highest(rows: pd.DataFrame, column: str) -> dict[str, Any]:
    """The row with the largest value in the column."""
    row: Any = rows.nlargest(1, column).to_dict("records")[0]
    return dict(row)


def _dress(panel: Axes, title: str) -> None:
    panel.set_title(title, loc="left", fontsize=11.5, fontweight="bold")
    panel.set_ylabel("minutes late")
    panel.axhline(0, color=FAINT, lw=0.8)
    panel.grid(axis="y", color="#e4e1d8", lw=0.8)
    panel.set_axisbelow(True)


def _dates(panel: Axes, places: mdates.DateLocator, words: str) -> None:
    panel.xaxis.set_major_locator(places)
    panel.xaxis.set_major_formatter(mdates.DateFormatter(words))
