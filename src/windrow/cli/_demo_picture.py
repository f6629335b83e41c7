"""Draws the demo's picture: delays by window, and what the windows cost.

    +--------------------------------------------------+
    |  last 24 hours, per airport, the whole year      |
    +----------------+----------------+----------------+
    |  one storm,    |  last 7 days,  |  seconds by    |
    |  three windows |  per carrier   |  window length |
    +----------------+----------------+----------------+

All from the results of the demo's steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # a file, never a window

import matplotlib.dates as mdates
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from ._flights import EVERY

ZONE = "America/New_York"
INK, FAINT, PAPER = "#22303c", "#8a97a3", "#fbfaf7"
AIRPORTS = {
    "EWR": ("Newark", "#d1495b"),
    "JFK": ("Kennedy", "#00798c"),
    "LGA": ("LaGuardia", "#edae49"),
}
RANGES = {"1 hour": "#edae49", "6 hours": "#00798c", "24 hours": INK}
CARRIERS = {"EV": "#d1495b", "B6": "#00798c", "UA": "#8f6bb3", "DL": "#edae49"}
LENGTHS = ("1 hour", "6 hours", "24 hours", "7 days")
FEWEST = 5  # the mean of one late flight at night is no news

Times = Mapping[str, float]
"""Seconds by the length of the window."""


YEAR = pd.Timestamp("2013-01-01"), pd.Timestamp("2014-01-01")
STORM = pd.Timestamp("2013-03-06"), pd.Timestamp("2013-03-11")
NOTES = {
    "2013-03-09 06:00": "8 March\nsnow",
    "2013-07-11 06:00": "10 July",
    "2013-09-03 06:00": "2 September\nLabor Day",
    "2013-12-06 06:00": "5 December\nfog",
}


def draw(
    daily: pd.DataFrame,
    several: pd.DataFrame,
    recent: pd.DataFrame,
    seconds: tuple[Times, Times],
    names: Mapping[str, str],
    path: Path,
) -> None:
    """Draw all four panels and save them; times come as UTC and are drawn as local."""
    daily, several = _local(daily, "end"), _local(several, "end")
    recent = _local(recent, "scheduled")
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
    for when, words in NOTES.items():
        apart = (daily["end"] - pd.Timestamp(when)).abs()
        near = daily[apart < pd.Timedelta(hours=36)]
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
    panel.set_xlabel("end of the window, New York time")
    panel.set_xlim(*mdates.date2num(YEAR))
    panel.legend(loc="lower right", bbox_to_anchor=(1, 0.98), frameon=False, ncols=3)


def _storm(panel: Axes, several: pd.DataFrame) -> None:
    rows = several[
        (several["origin"] == "LGA")
        & several["end"].between(*STORM)
        & (several["flown"] >= FEWEST)
    ]
    grid = pd.date_range(*STORM, freq="15min")  # no line across the night
    for length, colour in RANGES.items():
        means = rows[rows["query"] == length].set_index("end")["mean"].reindex(grid)
        width = 2.4 if length == "24 hours" else 1.4
        panel.plot(grid, means, color=colour, lw=width, label=f"last {length}")
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
    _dress(panel, "Each carrier over its last 7 days")
    _dates(panel, mdates.MonthLocator(bymonth=(1, 3, 5, 7, 9, 11)), "%b")
    panel.set_ylim(top=66)
    panel.set_xlabel("scheduled departure, flight by flight")
    panel.legend(loc="upper left", frameon=False, ncols=2)


def _seconds(panel: Axes, ours: Times, theirs: Times) -> None:
    lengths = list(LENGTHS)
    for times, label, colour, side in (
        (theirs, "Spark's own window()", "#d1495b", -0.2),
        (ours, "Windrow on Spark", "#00798c", 0.2),
    ):
        timed = [length for length in lengths if length in times]
        places = [lengths.index(length) + side for length in timed]
        spent = [times[length] for length in timed]
        bars = panel.bar(places, spent, width=0.38, color=colour, label=label)
        panel.bar_label(bars, fmt="%.1f", padding=2, fontsize=9, color=colour)
    for length in set(lengths) - set(theirs):
        place = lengths.index(length) - 0.2
        panel.text(place, 0, " not run", rotation=90, ha="center", color=FAINT)
    _dress(panel, "What a window costs, same answers")
    panel.set_xticks(range(len(lengths)), labels=lengths)
    panel.set_ylabel("seconds")
    panel.set_xlabel(f"length of the window, slid every {EVERY}")
    panel.margins(y=0.15)
    panel.legend(loc="upper left", frameon=False)


def _local(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows with New York's clock in place of UTC, neither with a mark."""
    there = rows[column].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    return rows.assign(**{column: there})


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
