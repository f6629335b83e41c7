"""Figures: one drawing for the page and for the PNG beside it.

A figure is narrow, so that a phone shows it at its own size and a wide screen shows
two side by side.  Tables are not drawn; the page has them as tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl

mpl.use("Agg")  # a file, never a window

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from windrow_bench.experiment import Experiment, Kind, Panel, RowSet

from ._axes import STYLE
from ._bars import bars_lie, draw_bars
from ._boxes import draw_boxes
from ._html import Html
from ._lines import draw_lines
from ._map import draw_map
from ._palette import PAPER, Look
from ._svg import svg

Draw = Callable[[Axes, Panel, RowSet, Mapping[str, Look]], None]

DRAWN: dict[Kind, Draw] = {
    "lines": draw_lines,
    "bars": draw_bars,
    "boxes": draw_boxes,
    "map": draw_map,
}
WIDTH, HEIGHT = 4.8, 3.4  # inches
BAR = 0.16  # inches that a lying bar takes
DOTS = 160
TITLE = 54  # letters that a line of the title holds


def figure_of(
    experiment: Experiment,
    panel: Panel,
    rows: RowSet,
    looks: Mapping[str, Look],
    png: Path,
) -> Html:
    """Draw a panel: the PNG goes to its file, the drawing for the page comes back."""
    words = f"{experiment.paper}, {experiment.shows}: {experiment.title}; {panel.name}"
    with _drawing(panel, rows, salt=f"{experiment.name} {panel.name}") as figure:
        DRAWN[panel.kind](figure.add_subplot(), panel, rows, looks)
        made = svg(figure, words)
        figure.suptitle(_title(experiment, panel), x=0.01, ha="left", fontsize=10.5)
        png.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(png, dpi=DOTS, facecolor=PAPER)
    return made


@contextmanager
def _drawing(panel: Panel, rows: RowSet, salt: str) -> Iterator[Figure]:
    """An empty figure; the salt keeps the ids of drawings in one page apart."""
    style: dict[Any, Any] = {**STYLE, "svg.hashsalt": salt}
    with plt.rc_context(style):
        figure = plt.figure(figsize=(WIDTH, _height(panel, rows)), layout="constrained")
        try:
            yield figure
        finally:
            plt.close(figure)


def _height(panel: Panel, rows: RowSet) -> float:
    if panel.kind == "bars" and bars_lie(panel, rows):
        bars = len(rows.xs(panel.name)) * (len(rows.series(panel.name)) + 1)
        return max(HEIGHT, 1.4 + BAR * bars)
    return HEIGHT


def _title(experiment: Experiment, panel: Panel) -> str:
    name = f", {panel.name}" if len(experiment.panels) > 1 else ""
    first = f"{experiment.paper}, {experiment.shows}{name}"
    return "\n".join(fill(line, TITLE) for line in (first, experiment.title))
