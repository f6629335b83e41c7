"""PBA's Figure 6: throughput of max over time windows of 100 readings a second.

    (a) by range    6 to 60 minutes, a slide of 10 ms
    (b) by slide    10 to 100 ms, a range of 1 hour

A slide of 10 ms has about one reading: an hour is some 360,000 slices.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, from_
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial, Verdict
from windrow_bench.measure.energies import readings
from windrow_bench.measure.sliced import Cut, cut_stream

from ._merging import PBA, PEERS, SBA_OVER_TIME, merging_trial, on_two_cores

MILLISECOND, MINUTE = 1_000, 60_000_000  # in microseconds
HOUR = 60
# Quick, and full.
ROWS = 4_000_000, 32_000_000
MINUTES = (6, 24, 60), tuple(range(6, 61, 6))
MILLISECONDS = (10, 30, 70, 100), tuple(range(10, 101, 10))
RANGES, SLIDES = "by range", "by slide"
NO_SBA = (
    "SBA has no loop here over windows of time, which differ in how many slices they "
    f"have: two_stacks_lite runs in its place, in the figure as {SBA_OVER_TIME!r}"
)


def trials(size: Size) -> list[Trial]:
    """A trial for each range, and for each slide."""
    rows = size.pick(*ROWS)
    places = [(RANGES, one, one, 10) for one in size.pick(*MINUTES)]
    places += [(SLIDES, one, HOUR, one) for one in size.pick(*MILLISECONDS)]
    return [
        merging_trial(panel, x, partial(_cut, rows, minutes, slide), size.rounds)
        for panel, x, minutes, slide in places
    ]


def _cut(rows: int, minutes: int, slide: int) -> tuple[Cut, str]:
    found = readings(rows)
    over = cut_stream(
        found.floats, found.instants, minutes * MINUTE, slide * MILLISECOND
    )
    return over, found.origin


BY_TIME = Experiment(
    name="pba-figure-6",
    paper="PBA",
    shows="Figure 6",
    title="Time windows: throughput by range and by slide",
    workload="max over time windows of the energy readings of DEBS12, 100 a second "
    "(4 million in a quick run, 32 million in a full one, where the paper has 130 "
    "million). Which slices each window covers is found beforehand, alike for all; "
    "timed is folding rows into slices, where slices have more than one, and merging "
    "these. Windows before the first complete one count too.",
    panels=(
        Panel(name=RANGES, x="range (minutes)", y="rows a second (millions)"),
        Panel(name=SLIDES, x="slide (ms)", y="rows a second (millions)"),
    ),
    claims=(
        on_two_cores(
            "PBA is the fastest at a slide of 10 ms, from 6 minutes to an hour.",
            "the best at every range",
            ahead(RANGES, PBA, (*PEERS, SBA_OVER_TIME)),
        ),
        on_two_cores(
            "PBA is the fastest for an hour and slides of some 10 ms.",
            "the best overall",
            ahead(SLIDES, PBA, (*PEERS, SBA_OVER_TIME), where=from_(0, 30)),
        ),
        Claim(
            "In one thread, SBA is ahead of TwoStacks and SlickDeque at every range.",
            "higher at every range",
            lambda _: Verdict("", None, NO_SBA),
        ),
    ),
    trials=trials,
    threads=2,
)
