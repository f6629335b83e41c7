"""Boxes: one a series, from what was measured at its places, in their order.

    least  25 %  median  75 %  further ...  most
      |-----[=======|======]-----x----x------|

A panel of fewer than four places has no box; its places are drawn as marks alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes

from windrow_bench.experiment import Panel, RowSet

from ._axes import dress, wrapped
from ._palette import INK, Look


def draw_boxes(
    axes: Axes, panel: Panel, rows: RowSet, looks: Mapping[str, Look]
) -> None:
    """All series of a panel, side by side."""
    names = rows.series(panel.name)
    for i, name in enumerate(names):
        xs = [x for x in rows.xs(panel.name) if x in rows.xs(panel.name, name)]
        _box(axes, i, [rows.value(panel.name, x, name) for x in xs], looks[name])
    dress(axes, panel)
    _show_least(axes, panel, [r.value for r in rows.all if r.panel == panel.name])
    axes.set_xticks(range(len(names)), [wrapped(name) for name in names])
    if len(names) > 4:
        axes.tick_params(axis="x", rotation=35)
        for one in axes.get_xticklabels():
            one.set_horizontalalignment("right")
            one.set_rotation_mode("anchor")
    axes.set_xlabel("")
    axes.set_xlim(-0.6, len(names) - 0.4)


def _show_least(axes: Axes, panel: Panel, values: Sequence[float]) -> None:
    """On a log axis what is nothing (less than the clock can tell) is at its edge."""
    some = [value for value in values if value > 0]
    if panel.log_y and some:
        axes.set_ylim(bottom=min(some) * 0.6)
        if len(some) < len(values):
            axes.set_title(f"{panel.y} (0 at the edge)", loc="left", pad=8)


def _box(axes: Axes, at: float, values: Sequence[float], look: Look) -> None:
    line: dict[str, Any] = {"color": look.colour, "linewidth": 1.2}
    further = values
    if len(values) < 4:
        axes.vlines(at, min(values), max(values), **line)
    else:
        low, middle, high = values[1:4]
        axes.vlines([at, at], [values[0], high], [low, max(values)], **line)
        axes.bar(
            at, high - low, 0.5, bottom=low, color=look.colour, alpha=0.45, linewidth=0
        )
        axes.hlines(middle, at - 0.25, at + 0.25, color=INK, linewidth=1.6)
        further = values[4:]
        axes.hlines(values[0], at - 0.12, at + 0.12, **line)
    axes.plot(
        [at] * len(further),
        list(further),
        linestyle="none",
        marker=look.marker,
        markersize=4,
        color=look.colour,
    )
