"""Draws the demo's pictures from the results of its steps.

    flights.png    +--------------------------------------------------+
                   |  last 24 hours, per airport, the whole year      |
                   +----------------+----------------+----------------+
                   |  one storm,    |  last 7 days,  |  seconds by    |
                   |  three windows |  per carrier   |  window length |
                   +----------------+----------------+----------------+

    in-the-air.png    planes in the air, and below it the longest flight among them

Times come as UTC and are drawn as New York's clocks showed them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
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
RED, BLUE, GOLD, VIOLET = "#d1495b", "#00798c", "#edae49", "#8f6bb3"
AIRPORTS = {"EWR": "Newark", "JFK": "Kennedy", "LGA": "LaGuardia"}
AIRPORT_COLOURS = dict(zip(AIRPORTS, (RED, BLUE, GOLD), strict=True))
RANGES = {"1 hour": GOLD, "6 hours": BLUE, "24 hours": INK}
CARRIERS = {"EV": RED, "B6": BLUE, "UA": VIOLET, "DL": GOLD}
LENGTHS = ("1 hour", "6 hours", "24 hours", "7 days")
FEWEST = 5  # the mean of one late flight at night is no news

YEAR = pd.Timestamp("2013-01-01"), pd.Timestamp("2014-01-01")
STORM = pd.Timestamp("2013-03-06"), pd.Timestamp("2013-03-11")
WEEK = pd.Timestamp("2013-07-08"), pd.Timestamp("2013-07-15")
NOTES = {
    "2013-03-09 06:00": "8 March\nsnow",
    "2013-07-11 06:00": "10 July",
    "2013-09-03 06:00": "2 September\nLabor Day",
    "2013-12-06 06:00": "5 December\nfog",
}
STYLE: dict[Any, Any] = {
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.titlelocation": "left",
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "grid.color": "#e4e1d8",
    "legend.frameon": False,
    "figure.constrained_layout.h_pad": 0.12,
    "figure.constrained_layout.w_pad": 0.1,
}

Times = Mapping[str, Mapping[str, float]]
"""Seconds by whose windows they are, and their length."""


def draw_delays(
    daily: pd.DataFrame,
    several: pd.DataFrame,
    recent: pd.DataFrame,
    seconds: Times,
    names: Mapping[str, str],
    path: Path,
) -> None:
    """Draw the four panels of flights.png."""
    mosaic = [["year"] * 3, ["storm", "carriers", "seconds"]]
    with _picture(path, mosaic, figsize=(15, 9), height_ratios=[1.15, 1]) as panels:
        title = "How late flights left New York in 2013"
        plt.suptitle(title, x=0.012, ha="left", fontsize=17, fontweight="bold")
        _draw_year(panels["year"], local(daily, "end"))
        _draw_storm(panels["storm"], local(several, "end"))
        _draw_carriers(panels["carriers"], local(recent, "scheduled")[::25], names)
        _draw_seconds(panels["seconds"], seconds)


def draw_airborne(rows: pd.DataFrame, path: Path) -> None:
    """Draw a week in July: planes in the air, and the longest flight among them."""
    rows = local(rows.assign(hours=rows["longest"] / 60), "end")
    rows = rows[rows["end"].between(*WEEK)]
    ends = pd.date_range(*WEEK, freq=pd.Timedelta(EVERY))
    whole = pd.MultiIndex.from_product([list(AIRPORTS), ends], names=["origin", "end"])
    rows = rows.set_index(["origin", "end"]).reindex(whole).reset_index()
    rows["flying"] = rows["flying"].fillna(0)  # at night there are windows without any
    layout = {"figsize": (13, 7), "sharex": True, "height_ratios": [2, 1]}
    with _picture(path, [["planes"], ["longest"]], **layout) as panels:
        for panel, column in (
            (panels["planes"], "flying"),
            (panels["longest"], "hours"),
        ):
            _plot(panel, rows, ("origin", "end", column), AIRPORT_COLOURS, AIRPORTS)
        panels["planes"].set(
            title="In the air from New York over the last 15 minutes, "
            "a week in July 2013",
            ylabel="planes",
        )
        panels["planes"].legend(ncols=3, loc="upper right")
        panels["longest"].set(
            ylabel="longest flight, hours", xlabel="end of the window, New York time"
        )
        _mark_dates(panels["longest"], mdates.DayLocator(), "%a %-d %b")


@contextlib.contextmanager
def _picture(path: Path, mosaic: list[Any], **layout: Any) -> Iterator[dict[str, Axes]]:
    """Panels to draw on, which are then saved."""
    with plt.rc_context(STYLE):
        figure, panels = plt.subplot_mosaic(mosaic, layout="constrained", **layout)
        yield panels
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=130)
        plt.close(figure)


def _draw_year(panel: Axes, daily: pd.DataFrame) -> None:
    _plot(panel, daily, ("origin", "end", "mean"), AIRPORT_COLOURS, AIRPORTS, lw=1.1)
    for when, words in NOTES.items():
        apart = (daily["end"] - pd.Timestamp(when)).abs()
        peak = highest(daily[apart < pd.Timedelta(hours=36)], "mean")
        panel.annotate(
            words,
            (peak["end"], peak["mean"]),
            xytext=(14, -4),
            textcoords="offset points",
            va="top",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": FAINT, "lw": 0.8},
        )
    _label(
        panel,
        "Mean departure delay over the last 24 hours, per airport",
        "end of the window, New York time",
    )
    _mark_dates(panel, mdates.MonthLocator(), "%b")
    panel.set(xlim=mdates.date2num(YEAR), ylim=(-8, None))
    panel.legend(loc="lower right", bbox_to_anchor=(1, 0.98), ncols=3)


def _draw_storm(panel: Axes, several: pd.DataFrame) -> None:
    rows = several[(several["origin"] == "LGA") & several["end"].between(*STORM)]
    means = rows["mean"].where(rows["flown"] >= FEWEST)  # no line across the night
    labels = {length: f"last {length}" for length in RANGES}
    _plot(panel, rows.assign(mean=means), ("query", "end", "mean"), RANGES, labels)
    panel.lines[-1].set_linewidth(2.4)
    words = f"end of the window (those with {FEWEST} flights or more)"
    _label(panel, "Snow at LaGuardia, seen with three windows", words)
    _mark_dates(panel, mdates.DayLocator(), "%-d %b")
    panel.set_xlim(*mdates.date2num(STORM))
    panel.legend(loc="upper right")


def _draw_carriers(panel: Axes, recent: pd.DataFrame, names: Mapping[str, str]) -> None:
    _plot(panel, recent, ("carrier", "scheduled", "week"), CARRIERS, names)
    words = "scheduled departure, flight by flight"
    _label(panel, "Each carrier over its last 7 days", words)
    _mark_dates(panel, mdates.MonthLocator(bymonth=(1, 3, 5, 7, 9, 11)), "%b")
    panel.set_ylim(top=66)
    panel.legend(loc="upper left", ncols=2)


def _draw_seconds(panel: Axes, seconds: Times) -> None:
    columns = {"Spark's own window()": "Spark's own", "Windrow on Spark": "Windrow"}
    table = pd.DataFrame({name: seconds[label] for name, label in columns.items()})
    colours: list[Any] = [RED, BLUE]
    table.reindex(LENGTHS).fillna(0).plot.bar(
        ax=panel, width=0.78, rot=0, color=colours
    )
    bars: list[Any] = panel.containers
    for row, colour in zip(bars, colours, strict=True):
        panel.bar_label(row, fmt=_seconds, padding=2, fontsize=9, color=colour)
    words = f"length of the window, slid every {EVERY}"
    _label(panel, "What a window costs, same answers", words, "seconds")
    panel.grid(visible=False, axis="x")
    panel.margins(y=0.15)
    panel.legend(loc="upper left")


def _seconds(height: float) -> str:
    return f"{height:.1f}" if height else "not\nrun"


def _plot(
    panel: Axes,
    rows: pd.DataFrame,
    columns: tuple[str, str, str],
    colours: Mapping[str, str],
    labels: Mapping[str, str],
    lw: float = 1.4,
) -> None:
    """Draw a line for each key; the columns are those of the key, of x and of y."""
    by, x, y = columns
    for key, colour in colours.items():
        mine = rows[rows[by] == key]
        panel.plot(mine[x], mine[y], color=colour, lw=lw, label=labels[key])


def local(rows: pd.DataFrame, column: str) -> pd.DataFrame:
    """The rows in the order of that column, with New York's clock in place of UTC."""
    there = rows[column].dt.tz_localize("UTC").dt.tz_convert(ZONE).dt.tz_localize(None)
    return rows.assign(**{column: there}).sort_values(column, kind="stable")


def highest(rows: pd.DataFrame, column: str) -> pd.Series[Any]:
    """The row with the largest value in the column."""
    return rows.iloc[rows[column].argmax()]


def _label(panel: Axes, title: str, words: str, unit: str = "minutes late") -> None:
    panel.set(title=title, xlabel=words, ylabel=unit)
    panel.axhline(0, color=FAINT, lw=0.8)


def _mark_dates(panel: Axes, places: mdates.DateLocator, words: str) -> None:
    panel.xaxis.set_major_locator(places)
    panel.xaxis.set_major_formatter(mdates.DateFormatter(words))
