"""LightSaber's Figure 14: what a query remembers, by window, by slice, and packed."""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.measure.applications import OVER_COLUMNS, SECOND, Application
from windrow_bench.measure.state import counted, packed

PANEL = "state"
WINDOWS, SLICES, OURS = "a state for each window", "slices, counted", "windrow"
LAZY = "lazy slicing, counted"
STEP = 10 * SECOND


def trials(size: Size) -> list[Trial]:
    """A trial for each query."""
    return [Trial(PANEL, one.name, partial(_run, one, size)) for one in OVER_COLUMNS]


def _run(one: Application, size: Size, seconds: float) -> list[Row]:
    stream = one.stream(size.pick(one.range + one.range // 2, 4 * one.range) + 60)
    step = max(STEP, one.range * SECOND // 60)
    size_, slices, folding, now = packed(stream, one.window, one.by, one.call, step)
    bytes_ = counted(slices, folding, now)
    if not bytes_["windows"]:
        return []  # no window is open: there is nothing to remember
    facts = {"rows": len(stream), "seconds": seconds}
    found = {
        WINDOWS: bytes_["windows"],
        LAZY: bytes_["lazy"],
        SLICES: bytes_["slices"],
        OURS: size_,
    }
    return [
        Row(PANEL, one.name, name, value / 1e3, value / 1e3, value / 1e3, 1, facts)
        for name, value in found.items()
    ]


STATE = Experiment(
    name="lightsaber-figure-14",
    paper="LightSaber",
    shows="Figure 14",
    title="What a query remembers",
    workload="the paper's six application queries over cluster events, smart plugs and "
    "toll roads, each for one and a half windows (four in a full run) and a minute, in "
    "steps of 10 seconds or a sixtieth of the range. A state for each window is what "
    "Flink keeps: an aggregate and two instants for each key and open window. Slices "
    "are what the paper counts of itself: an aggregate each, and two numbers a key. "
    "Both are counted, without keys; Windrow's state is weighed as it is kept on a "
    "stream, with keys, headers and checksums, compressed. Where all slices hold a "
    "row and an aggregate is two numbers, as a mean is, windows take exactly twice "
    "what slices do. Lazy slicing stands for Scotty: the same slices, each with four "
    "instants and a number of rows, for late ones. SABER, which keeps its input, has "
    "no counterpart here.",
    panels=(
        Panel(
            name=PANEL,
            x="query",
            y="thousand bytes",
            kind="bars",
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=(
        Claim(
            "Slices take a third of what a state for each window takes, or less.",
            "3x less than Flink, at least",
            ahead(PANEL, SLICES, (WINDOWS,), times=3.0, less=True),
            (
                "without keys, and with a row in every slice, there are as many slices "
                "as windows, and a window has two instants more"
            ),
        ),
        Claim(
            "Slices take a seventh of what lazy slicing takes, or less.",
            "7x less than Scotty, at least",
            ahead(PANEL, SLICES, (LAZY,), times=7.0, less=True),
            (
                "five numbers more a slice are counted here, beside one or two of its "
                "aggregate, where the paper weighs what Scotty keeps"
            ),
        ),
        Claim(
            "The state that is really kept is a third of a state for each window, or "
            "less.",
            "3x less than Flink, at least",
            ahead(PANEL, OURS, (WINDOWS,), times=3.0, less=True),
            "headers and checksums take some kilobytes, whatever the query",
        ),
    ),
    trials=trials,
)
