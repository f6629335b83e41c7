"""A map: which series is the best at each place of two sweeps.

Each cell has the colour and the mark of the series that won there; what won nowhere is
not in the legend.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from windrow_bench.experiment import Panel, RowSet
from windrow_bench.numbers import label

from ._palette import PAPER, Look
from ._tables import winners


def draw_map(axes: Axes, panel: Panel, rows: RowSet, looks: Mapping[str, Look]) -> None:
    """All cells of a panel."""
    found = winners(panel, rows)
    xs = _sorted(x for x, _ in found)
    ys = _sorted(y for _, y in found)
    for (x, y), row in found.items():
        at, look = (xs.index(x), ys.index(y)), looks[row.series]
        axes.bar(at[0], 0.94, 0.94, bottom=at[1] - 0.47, color=look.colour, alpha=0.85)
        axes.plot(*at, marker=look.marker, color=PAPER, markersize=5)
    axes.set_xticks(range(len(xs)), [label(x) for x in xs])
    axes.set_yticks(range(len(ys)), [label(y) for y in ys])
    if len(xs) > 7:
        axes.tick_params(axis="x", rotation=60)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_xlabel(panel.x)
    axes.set_title(panel.map_y or panel.y, loc="left", pad=8)
    names = list(dict.fromkeys(row.series for row in found.values()))
    axes.figure.legend(
        handles=[_handle(name, looks[name]) for name in names],
        loc="outside lower center",
        ncols=min(len(names), 2),
    )


def _sorted(places: Any) -> list[Any]:
    """Numbers by size, words as they come."""
    found = list(dict.fromkeys(places))
    return found if any(isinstance(one, str) for one in found) else sorted(found)


def _handle(name: str, look: Look) -> Line2D:
    return Line2D(
        [], [], linestyle="none", marker=look.marker, color=look.colour, label=name
    )
