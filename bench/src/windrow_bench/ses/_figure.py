"""What the figures of SES have in common.

    one event ends at each instant, 2 million of them; its length is normal around the
    mean, sigma 10; count, sum and max of every window

The lines are the paper's techniques, in events a second; beside them stands what an
event takes of the processor and of memory.  They read a whole stream that is at hand,
so that nothing is postponed: no result waits for late events.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow_bench._claims import Where, everywhere
from windrow_bench._over_panels import Judge, cells, in_all
from windrow_bench.experiment import Panel, Place, Row, RowSet, Size, Trial, Verdict
from windrow_bench.measure.race import Contender
from windrow_bench.measure.resources import CPU, MEMORY, named, resource_rows
from windrow_bench.measure.spanning import PLENTY, SpanSetting, contender, levels
from windrow_bench.measure.turns import a_second, race_trial

PAPER = "SES"
TUPLES, BUCKETS = "tuple_buckets", "aggregate_buckets"
SWEEPING, SLICES = "sweeping", "se_slicing"
PLAIN = (TUPLES, BUCKETS, SWEEPING, SLICES)
EVENTS = 2_000_000  # the paper's
QUICK_EVENTS = 1_000_000  # a fast technique takes ten milliseconds for these
RATE = "events a second (millions)"
DIFFERS = (
    "Here a release costs three combines whatever the overlap, where the paper's costs "
    "one for each slice, and neighbours that cross the same slices are inserted "
    "together; the stream is read whole, so that nothing is postponed"
)


def panel(name: str, x: str) -> Panel:
    """Throughput over `x`."""
    return Panel(name=name, x=x, y=RATE, log_y=True)


def resource_panels(names: Sequence[str], x: str) -> tuple[Panel, ...]:
    """What an event takes of the processor and of memory, over `x`."""
    units = {CPU: "processor time (ns an event)", MEMORY: "memory (bytes an event)"}
    return tuple(
        Panel(name=named(one, what), x=x, y=unit, log_y=True, more_is_better=False)
        for one in names
        for what, unit in units.items()
    )


def takes_less(
    what: str,
    panels: Sequence[str],
    mine: Sequence[str],
    others: Sequence[str],
    *,
    times: float = 1.0,
    where: Where = everywhere,
) -> Judge:
    """Each of `others` takes at least `times` what the greediest of `mine` takes."""
    of = [named(one, what) for one in panels]

    def judge(rows: RowSet) -> Verdict:
        return in_all(
            cells(rows, of, others, mine, where=where, each=True), times=times
        )

    return judge


def rounds_of(size: Size) -> int:
    """Fewer than usual: there are many places."""
    return size.pick(4, 7)


def plenty(size: Size) -> float:
    """Insertions that a technique may take; it gets fewer events if it needs more."""
    return size.pick(1e8, PLENTY)


def trial(
    panel: str,
    x: Place,
    setting: SpanSetting,
    techniques: Sequence[str],
    heights: Sequence[int],
    size: Size,
    n: int = 0,
    *,
    resources: bool = False,
) -> Trial:
    """All techniques at one place, slices of several levels for each height.

    With `resources`, also what each takes of the processor and of memory.
    """
    count = n or size.pick(QUICK_EVENTS, EVENTS)
    made: list[Contender] = []

    def enter(_: float) -> list[Contender]:
        made[:] = entrants(setting, techniques, heights, count, plenty(size))
        return made

    raced = race_trial(panel, x, enter, a_second(count), rounds_of(size))

    def run(seconds: float) -> list[Row]:
        rows = raced.run(seconds)
        rows += resource_rows(panel, x, made, count) if resources else []
        made.clear()
        return rows

    return Trial(panel, x, run)


def entrants(
    setting: SpanSetting,
    techniques: Sequence[str],
    heights: Sequence[int],
    n: int,
    most: float,
) -> list[Contender]:
    """The techniques as contenders."""
    plain = [contender(setting, name, n, 1, most) for name in techniques]
    high = [contender(setting, "se_ml_slicing", n, one, most) for one in heights]
    return [*plain, *high]


def tall(heights: Sequence[int]) -> tuple[str, ...]:
    """The names of slices with so many levels."""
    return tuple(levels(one) for one in heights)


__all__ = [
    "BUCKETS",
    "CPU",
    "DIFFERS",
    "EVENTS",
    "MEMORY",
    "PAPER",
    "PLAIN",
    "QUICK_EVENTS",
    "RATE",
    "SLICES",
    "SWEEPING",
    "TUPLES",
    "entrants",
    "panel",
    "plenty",
    "resource_panels",
    "rounds_of",
    "takes_less",
    "tall",
    "trial",
]
