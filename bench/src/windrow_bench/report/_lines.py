"""Lines over x, each with its spread, and its name at its end.

y |        o---o SlickDeque      names stand in the order of the last values,
  |  s-s---s---s daba            moved apart where they would meet
  +-------------- x
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from windrow_bench.experiment import Panel, Row, RowSet

from ._axes import dress, places
from ._palette import FAINT, Look

NAME_HEIGHT = 0.058  # of the axes, for one line of letters
NAMES_AT = 1.045


def draw_lines(
    axes: Axes, panel: Panel, rows: RowSet, looks: Mapping[str, Look]
) -> None:
    """All series of a panel."""
    at = places(axes, rows.xs(panel.name), log=panel.log_x)
    ends: dict[str, tuple[float, float]] = {}
    for name in rows.series(panel.name):
        mine = [r for r in rows.all if r.panel == panel.name and r.series == name]
        mine = [r for r in mine if r.value > 0] if panel.log_y else mine
        if mine:
            mine.sort(key=lambda row: at[row.x])
            _line(axes, [at[row.x] for row in mine], mine, looks[name])
            ends[name] = at[mine[-1].x], mine[-1].value
    dress(axes, panel)
    _names(axes, ends, looks)


def _line(axes: Axes, xs: Sequence[float], rows: Sequence[Row], look: Look) -> None:
    values = [row.value for row in rows]
    spread = [
        [max(row.value - row.low, 0.0) for row in rows],
        [max(row.high - row.value, 0.0) for row in rows],
    ]
    axes.plot(
        xs, values, color=look.colour, marker=look.marker, markersize=5, linewidth=1.7
    )
    axes.errorbar(
        xs, values, yerr=spread, fmt="none", ecolor=look.colour, elinewidth=1, alpha=0.6
    )


def _names(
    axes: Axes, ends: Mapping[str, tuple[float, float]], looks: Mapping[str, Look]
) -> None:
    """A mark and a name for each line, at the height of its end."""
    axes.get_ylim()  # brings limits up to date
    to_axes = axes.transScale + axes.transLimits
    heights = {name: to_axes.transform(end) for name, end in ends.items()}
    order = sorted(ends, key=lambda name: float(heights[name][1]))
    wanted = [float(heights[name][1]) for name in order]
    for name, height in zip(order, apart(wanted, NAME_HEIGHT), strict=True):
        x, y = map(float, heights[name])
        _lead(axes, (x, y), height, looks[name].colour)
        axes.plot(
            NAMES_AT,
            height,
            color=looks[name].colour,
            marker=looks[name].marker,
            markersize=5,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.text(
            NAMES_AT + 0.03,
            height,
            name,
            transform=axes.transAxes,
            va="center_baseline",
            fontsize=9.5,
        )


def _lead(axes: Axes, end: tuple[float, float], height: float, colour: str) -> None:
    """From a line's end to its name, where the name had to move."""
    style: dict[str, Any] = {"linewidth": 0.8, "alpha": 0.55, "clip_on": False}
    axes.plot(
        [end[0], 1.01, NAMES_AT],
        [end[1], end[1] if end[0] > 0.9 else height, height],
        color=colour if end[0] > 0.9 else FAINT,
        linestyle="-" if end[0] > 0.9 else ":",
        transform=axes.transAxes,
        **style,
    )


def apart(wanted: Sequence[float], gap: float) -> list[float]:
    """Heights in the same order, at least a gap apart, moved as little as may be."""
    groups: list[tuple[float, int]] = []  # centre, how many
    for height in wanted:
        groups.append((height, 1))
        while len(groups) > 1:
            (one, few), (two, more) = groups[-2:]
            if two - one >= gap * (few + more) / 2:
                break
            centre = (one * few + two * more) / (few + more)
            groups[-2:] = [(centre, few + more)]
    return [
        round(centre + gap * (i - (count - 1) / 2), 4)
        for centre, count in groups
        for i in range(count)
    ]
