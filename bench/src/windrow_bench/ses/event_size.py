"""SES's Figures 10 and 11: throughput by the length of events.

    window     [=====|=====|=====|=====|=====]      five steps long
    events       --   ----------------------        from short to longer than a window

Figure 10 sets slices beside buckets and sweeping, Figure 11 levels beside slices, over
shorter windows, which long events cross more of.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from windrow_bench._claims import from_
from windrow_bench._over_panels import always, cells, changes, rates, steady
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.resources import named
from windrow_bench.measure.spanning import SpanSetting

from . import _figure as figure
from ._figure import BUCKETS, CPU, MEMORY, PLAIN, SLICES, SWEEPING, TUPLES

OVERLAP = 5  # steps in a range
SHORT, LONG = 100, 5_000  # the least and the greatest mean length of events
LENGTHS = (SHORT, 500, 1_000, 2_000, LONG)
RANGES_10 = (5_000, 20_000)
RANGES_11 = (500, 1_000, 5_000, 10_000)
HEIGHTS = (2, 5, 10, 15, 20)
TALL = figure.tall(HEIGHTS)
OTHERS = (TUPLES, BUCKETS, SWEEPING)
WORKLOAD = (
    f"2 million events, one ends at each instant, mean lengths of {SHORT:,} to "
    f"{LONG:,} instants; a step is a fifth of the range; count, sum and max. "
)
ALIKE = (
    "neighbours that cross the same slices are inserted once here, so that an event "
    "hardly pays for the slices that it crosses"
)


def name(range_: int) -> str:
    """The panel of a range."""
    return f"range {range_:,}"


def trials(
    ranges: Sequence[int], heights: Sequence[int], plain: Sequence[str], size: Size
) -> list[Trial]:
    """A trial for each range and length."""
    lengths = size.pick((SHORT, 1_000, LONG), LENGTHS)
    ends = (ranges[0], ranges[-1])
    high = [one for one in heights if one in size.pick((2, 10, 20), HEIGHTS)]
    return [
        figure.trial(
            name(range_),
            mu,
            SpanSetting(mu, range_, range_ // OVERLAP),
            plain,
            high,
            size,
            resources=range_ in ends,
        )
        for range_ in ranges
        for mu in lengths
    ]


def _panels(ranges: Sequence[int]) -> tuple[Panel, ...]:
    x, ends = "mean length of events (instants)", (ranges[0], ranges[-1])
    return (
        *(figure.panel(name(one), x) for one in ranges),
        *figure.resource_panels([name(one) for one in ends], x),
    )


ALL_10 = [name(one) for one in RANGES_10]
ALL_11 = [name(one) for one in RANGES_11]
SMALL, LARGE = ALL_10[:1], ALL_10[-1:]
ENDS_11 = [ALL_11[0], ALL_11[-1]]
SHORTEST, LONGEST = from_(SHORT, SHORT), from_(LONG)


def _falls(rows: RowSet) -> Verdict:
    """Whether everybody but sweeping is slower with the longest events."""
    worst = {}
    for one in (TUPLES, BUCKETS, SLICES):
        short = rates(ALL_10, [one], SHORTEST)(rows)
        long = rates(ALL_10, [one], LONGEST)(rows)
        worst[one] = max(long[panel, LONG] / short[panel, SHORT] for panel, _ in long)
    least = max(worst, key=lambda one: worst[one])
    ours = f"longest events to shortest: {worst[least]:.2f} at the most ({least})"
    return Verdict(ours, worst[least] < 1.0)


def _takes_over(rows: RowSet) -> Verdict:
    """Whether levels are ahead of sweeping wherever plain slices are behind it."""
    behind = {
        cell
        for cell, gain in cells(rows, ALL_11, [SLICES], [SWEEPING]).items()
        if gain < 1.0
    }
    if not behind:
        return Verdict(
            "SE-Slicing is behind Sweeping nowhere",
            None,
            f"there is nothing to take over: {ALIKE}",
        )
    gains = cells(rows, ALL_11, TALL, [SWEEPING])
    least = min(gains[cell] for cell in behind)
    return Verdict(f"{least:.2f}x Sweeping at the worst of {len(behind)}", least >= 1.0)


def _taller(rows: RowSet) -> Verdict:
    """Whether the most levels are the fastest, for the longest events."""
    found = rows.series(ALL_11[0])
    heights = [one for one in TALL if one in found]
    if len(heights) < 2:
        raise NotMeasured("fewer than two heights were measured")
    return always(ALL_11, heights[-1:], heights[:-1])(rows)


FIGURE_10 = Experiment(
    name="ses-figure-10",
    paper=figure.PAPER,
    shows="Figure 10",
    title="Slices, buckets and sweeping, by the length of events",
    workload=WORKLOAD + figure.DIFFERS,
    panels=_panels(RANGES_10),
    claims=(
        Claim(
            "SE-Slicing is faster than both kinds of buckets and than sweeping, for "
            "events and windows of any length.",
            "faster for all window sizes",
            always(ALL_10, [SLICES], OTHERS),
        ),
        Claim(
            "Longer events slow down everybody but sweeping.",
            "throughput falls with the length of events",
            _falls,
            ALIKE,
        ),
        Claim(
            "Sweeping takes the same time whatever the lengths of events and windows.",
            "constant",
            steady(ALL_10, SWEEPING),
        ),
        Claim(
            "The shorter the events, the more SE-Slicing gains.",
            "a greater gain with small events",
            changes(
                lambda rows: cells(rows, ALL_10, [SLICES], OTHERS, where=LONGEST),
                lambda rows: cells(rows, ALL_10, [SLICES], OTHERS, where=SHORTEST),
                "{}x the best other with the longest events, {}x with the shortest",
            ),
            ALIKE,
        ),
        Claim(
            "The longer the windows, the more SE-Slicing gains.",
            "a greater gain with large windows",
            changes(
                lambda rows: cells(rows, SMALL, [SLICES], OTHERS),
                lambda rows: cells(rows, LARGE, [SLICES], OTHERS),
                "{}x the best other with the shortest windows, {}x with the longest",
            ),
        ),
        Claim(
            "SE-Slicing takes no more of the processor than buckets and sweeping.",
            "slightly lower than the others",
            figure.takes_less(CPU, ALL_10, [SLICES], OTHERS),
        ),
        Claim(
            "Aggregate buckets take about as much memory as SE-Slicing, or more.",
            "quite equivalent",
            figure.takes_less(MEMORY, ALL_10, [SLICES], [BUCKETS], times=1 / 1.5),
        ),
        Claim(
            "Tuple buckets and sweeping take more memory than SE-Slicing.",
            "tend to use more",
            figure.takes_less(MEMORY, ALL_10, [SLICES], [TUPLES, SWEEPING]),
        ),
        Claim(
            "Sweeping takes the same memory whatever the lengths are.",
            "constant",
            steady([named(one, MEMORY) for one in ALL_10], SWEEPING),
        ),
    ),
    trials=partial(trials, RANGES_10, (), PLAIN),
    share=1.2,
)
FIGURE_11 = Experiment(
    name="ses-figure-11",
    paper=figure.PAPER,
    shows="Figure 11",
    title="Levels beside plain slices, by the length of events",
    workload=WORKLOAD + figure.DIFFERS,
    panels=_panels(RANGES_11),
    claims=(
        Claim(
            "SE-ML-Slicing of any height above one is faster than SE-Slicing, for "
            "events of any length.",
            "faster for every height and event size",
            always(ALL_11, TALL, [SLICES], each=True),
            ALIKE,
        ),
        Claim(
            "Where SE-Slicing falls behind sweeping, levels stay ahead of it.",
            "SE-ML-Slicing takes over",
            _takes_over,
        ),
        Claim(
            "The longer the events, the more levels gain.",
            "the gain grows with the length of events",
            changes(
                lambda rows: cells(rows, ALL_11, TALL, [SLICES], where=SHORTEST),
                lambda rows: cells(rows, ALL_11, TALL, [SLICES], where=LONGEST),
                "{}x SE-Slicing with the shortest events, {}x with the longest",
            ),
        ),
        Claim(
            "The more levels, the faster.",
            "the larger the height, the faster; 15 and 20 alike for long windows",
            _taller,
            f"levels cost more than they save: {ALIKE}",
        ),
        Claim(
            "Levels take no more of the processor than SE-Slicing.",
            "the higher, the less",
            figure.takes_less(CPU, ENDS_11, TALL, [SLICES]),
        ),
        Claim(
            "Over short windows SE-Slicing takes less memory than levels.",
            "saves more memory for small windows",
            figure.takes_less(MEMORY, ENDS_11[:1], [SLICES], TALL),
        ),
    ),
    trials=partial(trials, RANGES_11, HEIGHTS, (SWEEPING, SLICES)),
    share=1.5,
)
