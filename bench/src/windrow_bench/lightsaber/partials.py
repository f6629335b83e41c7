"""LightSaber's Figure 15f: how many partials each algorithm keeps, by queries.

Counted, not weighed: kernels run as plain Python over short windows, and every partial
that is allocated and every input that is read again counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from windrow.algorithms import find
from windrow_bench._claims import between
from windrow_bench.experiment import Claim, Experiment, Panel, Row, RowSet, Size, Trial
from windrow_bench.measure.answers import Array
from windrow_bench.measure.kept import kept_alone, kept_by_graph, kept_together
from windrow_bench.measure.values import values

from ._queries import AGGREGATES, ALONE, FAT, GAG, SIDE, SLICK, ranges_of

MOST = 100  # queries
SOME = 10  # queries of which instances are counted
# Quick, and full.
QUERIES = (1, 10, MOST), (1, 2, 5, 10, 20, 50, MOST)
LONGEST = 1_024, 8_192


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate and number of queries."""
    counts, longest = size.pick(*QUERIES), size.pick(*LONGEST)
    return [
        Trial(aggregate, count, partial(_run, aggregate, count, longest))
        for aggregate in AGGREGATES
        for count in counts
    ]


def _run(aggregate: str, count: int, longest: int, seconds: float) -> list[Row]:
    ranges, data = ranges_of(count, longest), values(2 * longest + 2, "int64")
    shorter = data[: longest + longest // 4]
    found = {GAG: kept_by_graph(aggregate, shorter, ranges)}
    for name in ALONE[aggregate]:
        found[name] = _replicated(name, aggregate, data, ranges)
    for name in (SLICK[aggregate], SIDE[aggregate], FAT):
        found[name] = kept_together(find(name), aggregate, shorter, ranges)
    facts = {"longest": ranges[0], "seconds": seconds}
    return [
        Row(aggregate, count, name, kept, kept, kept, 1, facts)
        for name, kept in found.items()
    ]


def _replicated(name: str, aggregate: str, data: Array, ranges: list[int]) -> int:
    """An instance for each query, over enough rows for all that it does to happen.

    Of many queries some are counted, evenly from the longest to the shortest.
    """
    some = ranges[:: max(len(ranges) // SOME, 1)]
    kept = [
        kept_alone(find(name), aggregate, data[: 2 * range_ + 2], range_)
        for range_ in some
    ]
    return sum(kept) * len(ranges) // len(some)


def _to(panel: str, other: str) -> Callable[[RowSet], float]:
    return lambda rows: rows.ratio(panel, MOST, GAG, other)


_LAPS = "laps of scans are longer than windows here, which costs memory and saves time"

PARTIALS = Experiment(
    name="lightsaber-figure-15f",
    paper="LightSaber",
    shows="Figure 15f",
    title="Partials kept, by queries",
    workload="sum and min of whole numbers by 1 to 100 queries, ranges drawn evenly "
    "from 1 to 1,024 rows (8K in a full run, where the paper has 128K): partials kept "
    "grow with the longest window. Rings are rounded up to a power of two. Inputs that "
    "a kernel reads again count as kept. The graph's laps are longer than the paper's: "
    "for sums at least 4,096 rows and up to four times the longest window, for minima "
    "at most 512 rows.",
    panels=tuple(
        Panel(
            name=one,
            x="queries",
            y="partials",
            log_x=True,
            log_y=True,
            more_is_better=False,
        )
        for one in AGGREGATES
    ),
    claims=(
        Claim(
            "For a hundred sums GAG keeps about three times as many as SlickDeque.",
            "3x",
            between(_to("sum", SLICK["sum"]), "{}x", 2.0, 4.5),
            _LAPS,
        ),
        Claim(
            "For a hundred minima GAG keeps no more than FlatFAT and SlideSide.",
            "the same",
            between(
                lambda rows: max(_to("min", one)(rows) for one in (FAT, SIDE["min"])),
                "{}x, of the one that keeps less",
                at_most=1.1,
            ),
            _LAPS,
        ),
        Claim(
            "For a hundred minima GAG keeps twice as many as SlickDeque.",
            "2x",
            between(_to("min", SLICK["min"]), "{}x", 1.5, 2.5),
            _LAPS,
        ),
    ),
    trials=trials,
)
