"""PBA's Figures 4 and 5: throughput of max over count windows, by range and by slide.

Figure 4    range 2^3 to 2^20, a slide of one row
Figure 5    range 2^17, slides of 1 to 10 rows: slices are folded, then merged
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windrow_bench._claims import ahead, everywhere, from_, level
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.answers import Array
from windrow_bench.measure.energies import readings
from windrow_bench.measure.sliced import Cut, cut_stream
from windrow_bench.measure.values import values

from ._merging import NAIVE, PBA, PEERS, SBA, merging_trial, on_two_cores

# Quick, and full.
ROWS = 4_000_000, 32_000_000
RANGES = (3, 6, 10, 13, 16, 20), tuple(range(3, 21))  # as powers of two
SLIDES = (1, 2, 4, 7, 10), tuple(range(1, 11))
RANGE = 2**17
LARGE = 2**15
MARGIN = 2**20  # one stream for all ranges, so that it is made once


def _machines(rows: int) -> tuple[Array, str]:
    found = readings(rows + MARGIN)
    return found.floats, found.origin


def _uniform(rows: int) -> tuple[Array, str]:
    return values(rows + MARGIN), "uniform floats, seeded"


STREAMS: dict[str, Callable[[int], tuple[Array, str]]] = {
    "DEBS12": _machines,
    "uniform": _uniform,
}


def _cut(stream: str, rows: int, range_: int, slide: int) -> tuple[Cut, str]:
    made, origin = STREAMS[stream](rows)
    return cut_stream(made[: rows + range_ - 1], None, range_, slide), origin


def by_range(size: Size) -> list[Trial]:
    """A trial for each stream and range."""
    rows, exponents = size.pick(*ROWS), size.pick(*RANGES)
    return [
        merging_trial(stream, 2**k, partial(_cut, stream, rows, 2**k, 1), size.rounds)
        for stream in STREAMS
        for k in exponents
    ]


def by_slide(size: Size) -> list[Trial]:
    """A trial for each stream and slide."""
    rows, slides = size.pick(*ROWS), size.pick(*SLIDES)
    return [
        merging_trial(
            stream, slide, partial(_cut, stream, rows, RANGE, slide), size.rounds
        )
        for stream in STREAMS
        for slide in slides
    ]


def narrowing(panel: str, names: tuple[str, ...]) -> Callable[[RowSet], Verdict]:
    """Best to worst at the last place is less than at the first."""

    def spread(rows: RowSet, x: float | str) -> float:
        found = [rows.value(panel, x, name) for name in names]
        return max(found) / min(found)

    def judge(rows: RowSet) -> Verdict:
        xs = rows.xs(panel) or [0]
        first, last = spread(rows, xs[0]), spread(rows, xs[-1])
        text = f"best to worst {first:.2f}x at {xs[0]:,}, {last:.2f}x at {xs[-1]:,}"
        return Verdict(text, last < first)

    return judge


def _panels(x: str, *, log: bool) -> tuple[Panel, ...]:
    y = "rows a second (millions)"
    return tuple(Panel(name=one, x=x, y=y, log_x=log, log_y=log) for one in STREAMS)


_WORKLOAD = (
    "max over count windows of two streams, the energy readings of DEBS12 and uniform "
    "floats (4 million rows in a quick run, 32 million in a full one, where the "
    "paper has 130 and 200 million). "
)

BY_RANGE = Experiment(
    name="pba-figure-4",
    paper="PBA",
    shows="Figure 4",
    title="Count windows: throughput by range, slide 1",
    workload=_WORKLOAD
    + "Ranges are powers of two, the slide is one row. PBA's second thread comes in "
    "from windows of 16,384 rows on: below, handing over costs more than it brings, "
    "and both threads' work is done in one.",
    panels=_panels("range (rows)", log=True),
    claims=(
        on_two_cores(
            "From windows of 2^15 rows on PBA is the fastest of all.",
            "2.5x TwoStacks, 4x SlickDeque",
            ahead("uniform", PBA, (*PEERS, NAIVE, SBA), where=from_(LARGE)),
        ),
        on_two_cores(
            "The same on the energy readings.",
            "the same tendency on both streams",
            ahead("DEBS12", PBA, (*PEERS, NAIVE, SBA), where=from_(LARGE)),
        ),
        Claim(
            "In one thread, SBA is ahead of TwoStacks and SlickDeque for small windows "
            "and for large ones.",
            "higher at every range",
            ahead("uniform", SBA, PEERS),
        ),
        Claim(
            "From 2^15 rows on PBA's throughput does not depend on the range.",
            "constant",
            level("uniform", (PBA,), where=from_(LARGE)),
        ),
    ),
    trials=by_range,
    threads=2,
)

BY_SLIDE = Experiment(
    name="pba-figure-5",
    paper="PBA",
    shows="Figure 5",
    title="Count windows: throughput by slide, range 2^17",
    workload=_WORKLOAD
    + "The range is 2^17 rows. Rows are folded into slices of the slide, and slices "
    "merged; where the slide does not divide the range, a window ends in a tail of "
    "rows. Both are timed.",
    panels=_panels("slide (rows)", log=False),
    claims=(
        on_two_cores(
            "PBA is the fastest for slides of a few rows.",
            "the best for small slides",
            ahead("uniform", PBA, (*PEERS, SBA), where=from_(1, 2)),
        ),
        Claim(
            "With longer slides folding rows takes over, and algorithms come closer "
            "together.",
            "closer at 10 than at 1",
            narrowing("uniform", (*PEERS, SBA, PBA)),
        ),
        Claim(
            "SBA stays ahead of TwoStacks and SlickDeque.",
            "higher at every slide",
            ahead("uniform", SBA, PEERS, where=everywhere),
        ),
    ),
    trials=by_slide,
    threads=2,
)
