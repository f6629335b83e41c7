"""Max over windows by the paper's algorithms, and what it claims of them.

    recompute      every window from its slices again (the paper's Recal)
    two_stacks     slick_deque       what was best before
    sba            chunks, one thread
    pba            chunks, the suffixes of which come from a second thread

Over time windows sba has no loop of its own, nor has pba without its second thread:
two_stacks_lite runs there, and the figure says so.

PBA needs a second core for its thread: rows say how many there were, and claims on it
are not judged without one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from windrow.algorithms import find
from windrow_bench._over_panels import Judge
from windrow_bench.experiment import Claim, Row, RowSet, Trial, Verdict
from windrow_bench.measure.machine import usable_cores
from windrow_bench.measure.race import Contender
from windrow_bench.measure.sliced import Cut, sliced_contender, slower_contender
from windrow_bench.measure.turns import SHORT, a_second, race_trial

PBA, SBA, NAIVE = "pba", "sba", "recompute"
SBA_OVER_TIME = find(SBA).uneven_name
PEERS = ("two_stacks", "slick_deque")
AGGREGATE = "max"
COMBINES = 1.5e9  # a second, about: how many rows `recompute` is given
LEAST = 200  # windows that it answers at least


def merging_trial(
    panel: str, x: float, stream: Callable[[], tuple[Cut, str]], rounds: int
) -> Trial:
    """All of them over one stream, which is told with its origin; rows a second."""

    def run(seconds: float) -> list[Row]:
        over, origin = stream()
        rows = len(over.values)
        facts = {"cores": usable_cores(), "data": origin, "rows": rows}
        enter = partial(_enter, over)
        found = race_trial(panel, x, enter, a_second(rows), SHORT * rounds).run(seconds)
        return [replace(row, facts={**row.facts, **facts}) for row in found]

    return Trial(panel, x, run)


def _enter(over: Cut, seconds: float) -> list[Contender]:
    names = (*PEERS, SBA, PBA)
    ones = [sliced_contender(find(name), AGGREGATE, over) for name in names]
    width = over.range // over.slide
    if over.times is not None:
        width = int((over.frames.stops - over.frames.starts).max())
    windows = max(int(COMBINES * seconds / 20 / width), LEAST)
    return [*ones, slower_contender(find(NAIVE), AGGREGATE, over, windows)]


def on_two_cores(text: str, theirs: str, judge: Judge) -> Claim:
    """A claim on PBA's second thread."""

    def judged(rows: RowSet) -> Verdict:
        if min((row.facts.get("cores", 2) for row in rows.all), default=2) < 2:
            return Verdict("", None, "the second thread has no core of its own here")
        return judge(rows)

    why = (
        "in compiled code suffixes cost little, so that a second thread that makes "
        "them saves little, and handing them over costs a part of that"
    )
    return Claim(text, theirs, judged, why)
