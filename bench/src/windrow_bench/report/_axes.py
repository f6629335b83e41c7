"""Axes as the paper has them: where ticks stand, what they say, and how all is dressed.

Powers of two are written as such, since the papers sweep windows by them; other places
are written out.  Ticks stand at places that were measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from windrow_bench.experiment import Panel, Place
from windrow_bench.numbers import HIGH, label, short

from ._palette import FAINT, GRID, INK

MOST_TICKS = 7
FEW_DECADES = 300.0  # most to least: below, 2 and 5 have ticks as well as 1

STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": 10.5,
    "font.family": ["DejaVu Sans"],
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": "none",
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9.5,
    "ytick.labelsize": 9.5,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "axes.unicode_minus": False,
}


def dress(axes: Axes, panel: Panel) -> None:
    """Labels, scales and a quiet grid; what y is stands over the axis, to be read."""
    axes.set_title(panel.y, loc="left", pad=8)
    axes.set_xlabel(panel.x)
    axes.grid(axis="y")
    axes.tick_params(length=3)
    if panel.log_y:
        axes.set_yscale("log", nonpositive="clip")
        axes.yaxis.set_minor_locator(NullLocator())
        low, high = axes.get_ylim()
        if low > 0 and high / low < FEW_DECADES:
            axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    else:
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda v, _: short(v)))


def places(axes: Axes, xs: Sequence[Place], *, log: bool) -> dict[Place, float]:
    """Where each place stands; ticks are set at some of them."""
    if not all(isinstance(x, (int, float)) for x in xs):
        return _by_name(axes, xs)
    found: dict[Place, float] = {x: float(x) for x in xs}
    numbers = sorted(found.values())
    if log and numbers[0] > 0:
        axes.set_xscale("log", base=2 if powers_of_two(numbers) else 10)
        axes.xaxis.set_minor_locator(NullLocator())
    at = numbers[:: math.ceil(len(numbers) / MOST_TICKS)] if log else _apart(numbers)
    words = _power if powers_of_two(numbers) else short
    axes.set_xticks(at, [words(x) for x in at])
    return found


def _by_name(axes: Axes, xs: Sequence[Place]) -> dict[Place, float]:
    axes.set_xticks(range(len(xs)), [wrapped(label(x)) for x in xs])
    if sum(max(map(len, wrapped(label(x)).split("\n"))) for x in xs) > 46:
        axes.tick_params(axis="x", rotation=35)
        for one in axes.get_xticklabels():
            one.set_horizontalalignment("right")
            one.set_rotation_mode("anchor")
    return {x: float(i) for i, x in enumerate(xs)}


def _apart(numbers: Sequence[float]) -> list[float]:
    """Those that have room beside each other on a plain axis."""
    least = (numbers[-1] - numbers[0]) / (MOST_TICKS + 1)
    found = [numbers[0]]
    for x in numbers[1:]:
        if x - found[-1] >= least:
            found.append(x)
    return found


def powers_of_two(numbers: Sequence[float]) -> bool:
    """Whether all are, and large enough for that to be the shorter way."""
    return numbers[-1] >= 1024 and all(
        x >= 1 and math.log2(x).is_integer() for x in numbers
    )


def _power(x: float) -> str:
    return "1" if x == 1 else f"2{str(round(math.log2(x))).translate(HIGH)}"


def wrapped(words: str, width: int = 12) -> str:
    """On two lines where it is long and has a gap near its middle."""
    gaps = [i for i, letter in enumerate(words) if letter in " _"]
    if len(words) <= width or not gaps:
        return words
    cut = min(gaps, key=lambda i: abs(i - len(words) / 2))
    return words[: cut + 1].rstrip() + "\n" + words[cut + 1 :]
