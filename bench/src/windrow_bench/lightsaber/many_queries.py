"""LightSaber's Figures 1, 15 d and 15 e: 1 to 100 queries over one stream.

Figure 1     SoE, TwoStacks, SlickDeque, SlideSide: none is best everywhere
Figure 15    the same beside FlatFAT and GAG, which is meant to be
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import ahead, from_
from windrow_bench.experiment import Claim, Experiment, Kind, Panel, Size, Trial

from ._queries import (
    AGGREGATES,
    FAT,
    GAG,
    LONGEST,
    SIDE,
    SLICK,
    SOE,
    STACKS,
    queries_trial,
)

MANY = 10  # queries from which on they are many
# Quick, and full.
QUERIES = (1, 2, 10, 100), (1, 2, 5, 10, 20, 50, 100)
ROWS = 30_000, 1_000_000
RESULTS = 2_000_000, 0  # at least
SLOW_RESULTS = 300_000, 16_000_000
LONGEST_WINDOW = LONGEST // 8, LONGEST


def trials(aggregates: tuple[str, ...], graph: bool, size: Size) -> list[Trial]:
    """A trial for each aggregate and number of queries."""
    return [
        queries_trial(
            aggregate,
            count,
            max(size.pick(*ROWS), size.pick(*RESULTS) // count),
            size.rounds,
            slow=size.pick(*SLOW_RESULTS),
            longest=size.pick(*LONGEST_WINDOW),
            graph=graph,
        )
        for aggregate in aggregates
        for count in size.pick(*QUERIES)
    ]


_WORKLOAD = (
    "sum and min of an energy reading of DEBS12, whole numbers, by 1 to 100 queries at "
    "once, ranges drawn evenly from 1 to 128K rows (16K in a quick run), every slide "
    "one row. SoE and TwoStacks run once for each query; the others answer all in one "
    "pass. "
)
_Y = "results a second (millions)"


def _panel(aggregate: str, *, bars: bool = False) -> Panel:
    kind: Kind = "bars" if bars else "lines"
    return Panel(name=aggregate, x="queries", y=_Y, kind=kind, log_x=not bars)


FOUR = Experiment(
    name="lightsaber-figure-1",
    paper="LightSaber",
    shows="Figure 1",
    title="Four algorithms, one query and many",
    workload=_WORKLOAD
    + "In one process an instance runs over all rows before the next begins, with "
    "bounds by arithmetic; those of one pass read bounds of all queries from arrays.",
    panels=tuple(_panel(one, bars=True) for one in AGGREGATES),
    claims=(
        Claim(
            "One sum: subtract-on-evict is the fastest.",
            "the highest of four",
            ahead("sum", SOE, (STACKS, SLICK["sum"], SIDE["sum"]), where=from_(1, 1)),
        ),
        Claim(
            "One minimum: TwoStacks is the fastest.",
            "the highest of three",
            ahead("min", STACKS, (SLICK["min"], SIDE["min"]), where=from_(1, 1)),
        ),
        Claim(
            "Many sums: SlideSide or SlickDeque is the fastest.",
            "the highest of four",
            ahead("sum", SIDE["sum"], (SOE, STACKS), where=from_(MANY)),
            (
                "a running sum is compiled to an addition and a subtraction in place, "
                "and many passes of it cost less than one that looks up its bounds"
            ),
        ),
        Claim(
            "Many minima: SlideSide is the fastest.",
            "the highest of three",
            ahead("min", SIDE["min"], (STACKS, SLICK["min"]), where=from_(MANY)),
        ),
    ),
    trials=partial(trials, AGGREGATES, False),
)

MANY_SUMS = Experiment(
    name="lightsaber-figure-15d",
    paper="LightSaber",
    shows="Figure 15d",
    title="Many queries, sum: algorithms and the generated graph",
    workload=_WORKLOAD,
    panels=(_panel("sum"),),
    claims=(
        Claim(
            "For many sums GAG is about as fast as SlideSide.",
            "comparable",
            ahead("sum", GAG, (SIDE["sum"],), times=0.9, where=from_(2)),
        ),
        Claim(
            "For many sums GAG is ahead of SlickDeque.",
            "1.45x",
            ahead("sum", GAG, (SLICK["sum"],), where=from_(2)),
        ),
        Claim(
            "For many sums nothing is faster than GAG.",
            "the highest",
            ahead(
                "sum",
                GAG,
                (SOE, STACKS, SLICK["sum"], SIDE["sum"], FAT),
                where=from_(2),
            ),
        ),
    ),
    trials=partial(trials, ("sum",), True),
)

MANY_MINIMA = Experiment(
    name="lightsaber-figure-15e",
    paper="LightSaber",
    shows="Figure 15e",
    title="Many queries, min: algorithms and the generated graph",
    workload=_WORKLOAD,
    panels=(_panel("min"),),
    claims=(
        Claim(
            "For many minima GAG is ahead of SlideSide.",
            "1.3x",
            ahead("min", GAG, (SIDE["min"],), where=from_(2)),
        ),
        Claim(
            "For many minima GAG is ahead of SlickDeque.",
            "2.7x",
            ahead("min", GAG, (SLICK["min"],), where=from_(2)),
        ),
        Claim(
            "For many minima nothing is faster than GAG.",
            "the highest",
            ahead("min", GAG, (STACKS, SLICK["min"], SIDE["min"], FAT), where=from_(2)),
        ),
    ),
    trials=partial(trials, ("min",), True),
)
