"""Bars in groups, a bar for each series, with its spread.

Few stand upright, as in the papers; many lie, so that their names can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullLocator

from windrow_bench.experiment import Panel, RowSet
from windrow_bench.numbers import label, number, short

from ._axes import dress, places
from ._palette import INK, Look

MOST_UPRIGHT = 18
MOST_LABELLED = 9  # each with its number above it


def bars_lie(panel: Panel, rows: RowSet) -> bool:
    """Whether there are too many to stand."""
    return len(rows.xs(panel.name)) * len(rows.series(panel.name)) > MOST_UPRIGHT


def draw_bars(
    axes: Axes, panel: Panel, rows: RowSet, looks: Mapping[str, Look]
) -> None:
    """All series of a panel."""
    lie = bars_lie(panel, rows)
    xs, names = rows.xs(panel.name), rows.series(panel.name)
    thick = 0.8 / len(names)
    for i, name in enumerate(names):
        mine = [r for r in rows.all if r.panel == panel.name and r.series == name]
        at = [xs.index(row.x) + thick * (i - (len(names) - 1) / 2) for row in mine]
        values = [row.value for row in mine]
        spread = [
            [max(row.value - row.low, 0.0) for row in mine],
            [max(row.high - row.value, 0.0) for row in mine],
        ]
        style: dict[str, Any] = {
            "color": looks[name].colour,
            "label": name,
            "ecolor": INK,
            "error_kw": {"elinewidth": 0.9, "alpha": 0.7},
        }
        if lie:
            axes.barh(at, values, thick * 0.92, xerr=spread, **style)
        else:
            bars = axes.bar(at, values, thick * 0.92, yerr=spread, **style)
            if len(xs) * len(names) <= MOST_LABELLED:
                words = [number(value) for value in values]
                axes.bar_label(bars, words, padding=2, fontsize=8.5)
    if lie:
        _dress_lying(axes, panel, [label(x) for x in xs])
    else:
        dress(axes, panel)
        places(axes, [label(x) for x in xs], log=False)
    if len(names) > 1:
        axes.figure.legend(loc="outside lower center", ncols=min(len(names), 3))


def _dress_lying(axes: Axes, panel: Panel, xs: list[str]) -> None:
    axes.set_yticks(range(len(xs)), xs)
    axes.invert_yaxis()
    axes.set_title(panel.x, loc="left", pad=8)
    axes.set_xlabel(panel.y)
    axes.grid(axis="x")
    axes.tick_params(length=3)
    if panel.log_y:
        axes.set_xscale("log", nonpositive="clip")
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v)))
