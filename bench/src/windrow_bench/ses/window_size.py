"""SES's Figures 12 and 13: throughput by the range of windows, for several steps.

    range / step 5       [=====|=====|=====|=====|=====]
    range / step 50      [||||||||||||||||||||||||||||||]     many windows at a time

Figure 12 sets slices beside buckets and sweeping, also with a step that the range is no
multiple of, which needs two slices a step; Figure 13 levels beside slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from windrow_bench._claims import from_
from windrow_bench._over_panels import Cell, always, cells, changes, in_all, rates
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
from windrow_bench.measure.spanning import SpanSetting

from . import _figure as figure
from ._figure import BUCKETS, PLAIN, SLICES, SWEEPING, TUPLES

SHORT, LONG = 500, 5_000  # mean lengths of events
OVERLAPS = (5, 50, 500)
UNEVEN = 0.19  # of the range: about five steps, and some more
RANGES_12 = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
RANGES_13 = (500, 1_000, 2_000, 5_000, 10_000)
HEIGHTS = (2, 5, 7, 10, 15, 20)
TALL = figure.tall(HEIGHTS)
HEIGHT_OF = dict(zip(TALL, HEIGHTS, strict=True))
WORKLOAD = (
    "2 million events, one ends at each instant, mean lengths of 500 and of 5,000 "
    "instants; a step is a fifth, a 50th or a 500th of the range; count, sum and max. "
)
HOPS = (
    "an insertion into a level costs as much as several into slices side by side, and "
    "neighbours that cross the same slices are inserted once, with levels or without"
)
SORTS = (
    "sweeping sorts events by their start here, while slices insert neighbours that "
    "cross the same slices once"
)
FINE = (
    "where a step is an instant or two no neighbours cross the same slices, and an "
    "event pays for each one that it crosses"
)


def name(mu: int, overlap: int) -> str:
    """The panel of a length of events and an overlap."""
    return f"events of {mu:,}, range / step {overlap}"


ODD = f"events of {SHORT:,}, range / step {1 / UNEVEN:.2f}"
SHORT_ONES = [name(SHORT, one) for one in OVERLAPS]
LONG_ONES = [name(LONG, one) for one in OVERLAPS]
EVEN = [*SHORT_ONES, *LONG_ONES]
ALL_12 = [*EVEN, ODD]
WATCHED = [name(mu, 50) for mu in (SHORT, LONG)]  # for processor and memory


def _settings(range_: int) -> dict[str, SpanSetting]:
    found = {
        name(mu, overlap): SpanSetting(mu, range_, max(range_ // overlap, 1))
        for mu in (SHORT, LONG)
        for overlap in OVERLAPS
    }
    return found | {ODD: SpanSetting(SHORT, range_, int(range_ * UNEVEN))}


def trials(
    panels: Sequence[str],
    ranges: Sequence[int],
    heights: Sequence[int],
    plain: Sequence[str],
    size: Size,
) -> list[Trial]:
    """A trial for each panel and range."""
    few = size.pick((ranges[0], ranges[2], ranges[4]), tuple(ranges))
    high = [one for one in heights if one in size.pick((2, 7, 15), HEIGHTS)]
    return [
        figure.trial(
            panel,
            range_,
            _settings(range_)[panel],
            plain,
            high,
            size,
            resources=panel in WATCHED,
        )
        for panel in panels
        for range_ in few
    ]


def _panels(names: Sequence[str]) -> tuple[Panel, ...]:
    x = "range of windows (instants)"
    return (
        *(figure.panel(one, x) for one in names),
        *figure.resource_panels(WATCHED, x),
    )


def _rises(rows: RowSet) -> Verdict:
    """Whether slices are faster over the longest windows than over the shortest."""
    found = {}
    for panel in EVEN:
        rate = rates([panel], [SLICES])(rows)
        least, *_, most = sorted(rate, key=lambda cell: float(cell[1]))
        found[panel] = rate[most] / rate[least]
    worst = min(found, key=lambda panel: found[panel])
    ours = f"longest windows to shortest: {found[worst]:.2f} at the worst ({worst})"
    return Verdict(ours, found[worst] > 1.0)


def _while_longer(rows: RowSet) -> Verdict:
    """Whether slices are ahead of sweeping in all windows longer than events."""
    found: dict[Cell, float] = {}
    for mu, panels in ((SHORT, SHORT_ONES), (LONG, LONG_ONES)):
        found |= cells(rows, panels, [SLICES], [SWEEPING], where=from_(mu + 1))
    return in_all(found)


def _best_heights(rows: RowSet) -> Verdict:
    """Whether longer events want more levels, at 50 steps in a range."""
    best = []
    for mu in (SHORT, LONG):
        panel = name(mu, 50)
        there = [one for one in TALL if one in rows.series(panel)]
        total = {
            one: sum(1.0 / rate for rate in rates([panel], [one])(rows).values())
            for one in there
        }
        if not total:
            raise NotMeasured(f"no levels were measured in {panel}")
        best.append(HEIGHT_OF[min(total, key=lambda one: total[one])])
    ours = f"{best[0]} with events of {SHORT:,}, {best[1]} with events of {LONG:,}"
    return Verdict(ours, best[0] < best[1])


FIGURE_12 = Experiment(
    name="ses-figure-12",
    paper=figure.PAPER,
    shows="Figure 12",
    title="Slices, buckets and sweeping, by the range of windows",
    workload=WORKLOAD + figure.DIFFERS,
    panels=_panels(ALL_12),
    claims=(
        Claim(
            "SE-Slicing is faster than both kinds of buckets, with an even step and "
            "with an uneven one.",
            "faster for all steps",
            always(ALL_12, [SLICES], [TUPLES, BUCKETS]),
        ),
        Claim(
            "The more windows overlap, the further SE-Slicing is ahead of buckets.",
            "a definitive advantage with overlapping windows",
            changes(
                partial(cells, panels=[name(SHORT, 5), name(LONG, 5)],
                        mine=[SLICES], others=[TUPLES, BUCKETS]),
                partial(cells, panels=[name(SHORT, 500), name(LONG, 500)],
                        mine=[SLICES], others=[TUPLES, BUCKETS]),
                "{}x the best buckets at 5 steps in a range, {}x at 500",
            ),
        ),
        Claim(
            "SE-Slicing gets faster as windows get longer, for every step.",
            "performance increases with the range",
            _rises,
        ),
        Claim(
            "Sweeping is ahead of SE-Slicing where windows are shorter than events.",
            "a clear advantage for small windows and long events",
            always(LONG_ONES, [SWEEPING], [SLICES], where=from_(0, LONG - 1)), SORTS,
        ),
        Claim(
            "SE-Slicing is ahead of sweeping where windows are longer than events.",
            "preferred while range / length stays above one",
            _while_longer,
            FINE,
        ),
        Claim(
            "With an uneven step, which makes two slices of a step, SE-Slicing gains "
            "less on buckets.",
            "a smaller improvement, close to sweeping",
            changes(
                partial(cells, panels=[ODD], mine=[SLICES], others=[TUPLES, BUCKETS]),
                partial(cells, panels=[name(SHORT, 5)], mine=[SLICES],
                        others=[TUPLES, BUCKETS]),
                "{}x the best buckets with an uneven step, {}x with an even one",
            ),
        ),
    ),
    trials=partial(trials, ALL_12, RANGES_12, (), PLAIN),
    share=1.5,
)  # fmt: skip
FIGURE_13 = Experiment(
    name="ses-figure-13",
    paper=figure.PAPER,
    shows="Figure 13",
    title="Levels beside plain slices, by the range of windows",
    workload=WORKLOAD + figure.DIFFERS,
    panels=_panels(EVEN),
    claims=(
        Claim(
            "With events of 500 SE-ML-Slicing of any height is faster than SE-Slicing "
            "from 50 steps in a range on.",
            "faster as soon as the range is 50 steps",
            always(SHORT_ONES[1:], TALL, [SLICES], each=True),
            HOPS,
        ),
        Claim(
            "With events of 500 both are ahead of sweeping, whatever the overlap.",
            "faster for all overlap factors",
            always(SHORT_ONES, [SLICES, *TALL], [SWEEPING], each=True),
            FINE,
        ),
        Claim(
            "With events of 5,000 SE-ML-Slicing of any height is faster than "
            "SE-Slicing.",
            "clearly faster for all heights",
            always(LONG_ONES, TALL, [SLICES], each=True),
            HOPS,
        ),
        Claim(
            "With events of 5,000 and 50 steps in a range or more, the highest levels "
            "are ahead of sweeping.",
            "faster with a large height",
            always(LONG_ONES[1:], TALL, [SWEEPING]),
            FINE,
        ),
        Claim(
            "Longer events want more levels, at 50 steps in a range.",
            "7 levels for events of 500, 15 for events of 5,000",
            _best_heights,
        ),
    ),
    trials=partial(trials, EVEN, RANGES_13, HEIGHTS, (SWEEPING, SLICES)),
    share=1.5,
)
