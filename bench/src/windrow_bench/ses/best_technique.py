"""SES's Figure 15: the best technique, as a map.

    range / step    500   .    .    .    .
    (overlap)        50   .    .    .    .         each cell: all techniques in turns,
                      5   .    .    .    .         the name of the fastest
                         0.2   1    5    50
                         range / length of events

Levels are as many as the planner would choose, and take no part where that is one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from windrow.plan.spans import Lengths
from windrow_bench._claims import SLACK
from windrow_bench._over_panels import Cell, Judge, always, at, cells, changes
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.race import Contender
from windrow_bench.measure.spanning import SpanSetting
from windrow_bench.measure.turns import a_second, in_turns, row_of

from . import _figure as figure
from ._figure import BUCKETS, PLAIN, SLICES, SWEEPING, TUPLES

MAP = "the fastest"
LEVELS = "se_ml_slicing"
RANGE = 5_000
OVERLAPS = (2, 5, 20, 50, 200, 500)
RATIOS = (0.2, 0.5, 1.0, 5.0, 20.0, 50.0)
CLOSE = 0.8  # of the fastest: near enough to be worth a thought


def trials(size: Size) -> list[Trial]:
    """A trial for each ratio, with all overlaps: one column of the map."""
    overlaps = size.pick((5, 50, 500), OVERLAPS)
    ratios = size.pick((0.2, 1.0, 5.0, 50.0), RATIOS)
    return [
        Trial(MAP, ratio, partial(_column, ratio, overlaps, size)) for ratio in ratios
    ]


def _column(
    ratio: float, overlaps: Sequence[int], size: Size, seconds: float
) -> list[Row]:
    n, found = size.pick(figure.QUICK_EVENTS, figure.EVENTS), []
    for overlap in overlaps:
        one = SpanSetting(round(RANGE / ratio), RANGE, RANGE // overlap)
        contenders = _enter(one, n, figure.plenty(size))
        each = seconds / len(overlaps)
        times, _ = in_turns(contenders, figure.rounds_of(size), each)
        found += [
            row_of(MAP, ratio, name, a_second(n), took, {"y": overlap})
            for name, took in times.items()
        ]
    return found


def _enter(setting: SpanSetting, n: int, most: float) -> list[Contender]:
    crossed = setting.mu / setting.step + 1
    height = Lengths(n, n // setting.step, crossed, n).height()
    heights = (height,) if height > 1 else ()
    found = figure.entrants(setting, PLAIN, heights, n, most)
    return [
        *found[: len(PLAIN)],
        *(replace(o, name=LEVELS) for o in found[len(PLAIN) :]),
    ]


def overlap(steps: float) -> str:
    """A line of the map, as claims look at it: a panel of its own."""
    return f"range / step {steps:g}"


def by_line(rows: RowSet) -> RowSet:
    """The map line by line."""
    return RowSet(
        replace(row, panel=overlap(row.facts["y"])) for row in rows.all
        if row.panel == MAP
    )  # fmt: skip


def _on_lines(judge: Callable[[RowSet, list[str]], Verdict]) -> Judge:
    """A judge who is told the lines of the map, from the least overlap to the most."""

    def look(rows: RowSet) -> Verdict:
        steps = sorted({row.facts["y"] for row in rows.all if row.panel == MAP})
        if not steps:
            raise NotMeasured("the map was not measured")
        return judge(by_line(rows), [overlap(one) for one in steps])

    return look


def _ahead_of_buckets(rows: RowSet, lines: list[str]) -> Verdict:
    return always(lines, [SLICES, LEVELS], [TUPLES, BUCKETS], each=True)(rows)


def _more_with_overlap(rows: RowSet, lines: list[str]) -> Verdict:
    def gain(line: str, some: RowSet) -> dict[Cell, float]:
        return cells(some, [line], [SLICES, LEVELS], [TUPLES, BUCKETS])

    words = "{}x the best buckets at the least overlap, {}x at the most"
    return changes(partial(gain, lines[0]), partial(gain, lines[-1]), words)(rows)


def _sweeping(rows: RowSet, lines: list[str]) -> Verdict:
    """Whether sweeping comes close just where events are as long as windows."""
    gains = cells(rows, lines, [SWEEPING], [SLICES, LEVELS])
    best = max(gains, key=lambda cell: gains[cell])
    ours = f"{gains[best]:.2f}x the best slices where it does best {at(best)}"
    long = isinstance(best[1], float) and best[1] <= 1.0
    return Verdict(ours, long and gains[best] >= CLOSE)


def _short_events(rows: RowSet, lines: list[str]) -> Verdict:
    """Whether slices are best where windows are far longer than events."""
    most = max(_ratios(rows))
    others = [TUPLES, BUCKETS, SWEEPING, LEVELS]
    return always(lines[:1], [SLICES], others, where=lambda x: x == most)(rows)


def _long_events(rows: RowSet, lines: list[str]) -> Verdict:
    least = min(_ratios(rows))
    return always(lines[-1:], [LEVELS], [SLICES], where=lambda x: x == least)(rows)


def _ratios(rows: RowSet) -> list[float]:
    return [row.x for row in rows.all if isinstance(row.x, (int, float))]


def _within_slices(rows: RowSet, lines: list[str]) -> Verdict:
    """Whether levels are ahead nowhere that events are shorter than a step."""
    gains = cells(rows, lines, [LEVELS], [SLICES])

    def shorter(cell: Cell) -> bool:
        line, x = cell
        steps = float(line.rpartition(" ")[2])
        return isinstance(x, (int, float)) and x > steps

    inside = {cell: gain for cell, gain in gains.items() if shorter(cell)}
    if not inside:
        return Verdict("no levels there", None, "the planner takes one level there")
    best = max(inside, key=lambda cell: inside[cell])
    ours = f"{inside[best]:.2f}x SE-Slicing at the best {at(best)}"
    return Verdict(ours, inside[best] <= 1.0 + SLACK)


def _claim(
    text: str, theirs: str, judge: Callable[[RowSet, list[str]], Verdict]
) -> Claim:
    return Claim(text, theirs, _on_lines(judge))


FIGURE_15 = Experiment(
    name="ses-figure-15",
    paper=figure.PAPER,
    shows="Figure 15",
    title="The fastest technique, by the length of events and the overlap of windows",
    workload=(
        f"one event ends at each instant; windows of {RANGE:,} instants, mean lengths "
        "and steps of a part or a multiple of that; count, sum and max. The drawing "
        "itself is not known here: claims are those of section 6.5. " + figure.DIFFERS
    ),
    panels=(
        Panel(
            name=MAP,
            x="range / length of events",
            y=figure.RATE,
            kind="map",
            log_x=True,
            log_y=True,
            map_y="range / step",
        ),
    ),
    claims=(
        _claim(
            "Slices, of one level or of several, are faster than both kinds of buckets "
            "in all situations.",
            "in all situations",
            _ahead_of_buckets,
        ),
        _claim(
            "They are the further ahead of buckets the more windows overlap.",
            "particularly with a high overlap",
            _more_with_overlap,
        ),
        _claim(
            "Sweeping comes close where events are as long as windows, or longer.",
            "competitive when range and event size are comparable",
            _sweeping,
        ),
        _claim(
            "Where events are short and windows overlap little SE-Slicing is the best.",
            "the technique for most cases of real life",
            _short_events,
        ),
        _claim(
            "Where events are long and windows overlap much SE-ML-Slicing is ahead of "
            "SE-Slicing.",
            "better for long-standing events",
            _long_events,
        ),
        _claim(
            "Levels do not pay where events are shorter than a slice.",
            "only for events at least as large as the slices",
            _within_slices,
        ),
    ),
    trials=trials,
    share=1.5,
)
