"""LightSaber's Figure 15 a and b: one query, windows of 1 to 4M rows, a slide of one.

    15a    sum, which has an inverse: GAG collapses to subtract-on-evict
    15b    min, which has none: GAG collapses to two stacks

Contenders that are too slow for their time run on fewer rows.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from windrow.algorithms import find
from windrow_bench._claims import ahead, from_
from windrow_bench.experiment import Claim, Experiment, Panel, Row, Size, Trial
from windrow_bench.measure.answers import Array
from windrow_bench.measure.energies import readings
from windrow_bench.measure.kernels import kernel_contender
from windrow_bench.measure.race import Contender, rows_within
from windrow_bench.measure.sharing import graph_contender
from windrow_bench.measure.turns import SHORT, a_second, race_trial

from ._queries import FAT, GAG, SIDE, SLICK, SOE, STACKS

PANEL = "throughput"
OTHERS = {
    "sum": (SOE, SLICK["sum"], STACKS, SIDE["sum"], FAT),
    "min": (STACKS, SLICK["min"], SIDE["min"], FAT),
}
LONGEST = 22  # as a power of two
# Quick, and full.
ROWS = 1_000_000, 16_000_000
WINDOWS = (0, 4, 10, 16, LONGEST), tuple(range(LONGEST + 1))  # as powers of two
SMALL = 16  # rows: below, an algorithm that copies its window is as good


def trials(aggregate: str, size: Size) -> list[Trial]:
    """A trial for each window."""
    rows, widths = size.pick(*ROWS), [2**k for k in size.pick(*WINDOWS)]
    return [
        Trial(PANEL, width, partial(_run, aggregate, width, rows, size))
        for width in widths
    ]


def _run(
    aggregate: str, width: int, rows: int, size: Size, seconds: float
) -> list[Row]:
    # one stream for all windows, so that it is made once
    stream = readings(rows + 2**LONGEST)
    data = stream.values[: rows + width - 1]

    def enter(seconds: float) -> list[Contender]:
        others = [
            _contender(name, aggregate, data, width, seconds / 20)
            for name in OTHERS[aggregate]
        ]
        return [graph_contender(aggregate, data, [width]), *others]

    rounds = SHORT * size.rounds
    found = race_trial(PANEL, width, enter, a_second(rows), rounds).run(seconds)
    facts = {"data": stream.origin}
    return [replace(row, facts={**row.facts, **facts}) for row in found]


def _contender(
    name: str, aggregate: str, data: Array, width: int, seconds: float
) -> Contender:
    """One over as many results as it can do in so many seconds, its time scaled."""
    algorithm, rows = find(name), len(data) - width + 1

    def on(some: int) -> Contender:
        part = data[: some + width - 1]
        return kernel_contender(algorithm, aggregate, part, width, rows / some)

    if name != FAT:
        return on(rows)
    return on(rows_within(seconds, lambda some: on(some).call(), rows, 10_000))


def _experiment(part: str, aggregate: str, claims: tuple[Claim, ...]) -> Experiment:
    return Experiment(
        name=f"lightsaber-figure-15{part}",
        paper="LightSaber",
        shows=f"Figure 15{part}",
        title=f"One query, {aggregate}: algorithms and the generated graph",
        workload=f"{aggregate} of an energy reading of DEBS12, whole numbers, windows "
        "of 1 to 4M rows, a slide of one row, results into prepared memory (one "
        "million in a quick run, 16 million in a full one). TwoStacks is the lite "
        "form, which keeps one value for its back stack, as the paper's does. A kernel "
        "of the catalogue is specialised for its aggregate by the same generator, so "
        "what the paper gains by generating code is there for all contenders.",
        panels=(
            Panel(
                name=PANEL,
                x="window (rows)",
                y="results a second (millions)",
                log_x=True,
            ),
        ),
        claims=claims,
        trials=partial(trials, aggregate),
    )


ONE_SUM = _experiment(
    "a",
    "sum",
    (
        Claim(
            "For one sum GAG is as fast as subtract-on-evict.",
            "the same",
            ahead(PANEL, GAG, (SOE,), times=0.95, where=from_(SMALL)),
        ),
        Claim(
            "For one sum GAG is faster than SlickDeque.",
            "up to 1.4x",
            ahead(PANEL, GAG, (SLICK["sum"],), where=from_(SMALL)),
        ),
        Claim(
            "Nothing is faster than GAG for one sum.",
            "the highest",
            ahead(PANEL, GAG, OTHERS["sum"], times=0.95, where=from_(SMALL)),
        ),
    ),
)
ONE_MIN = _experiment(
    "b",
    "min",
    (
        Claim(
            "For one minimum GAG is at least as fast as TwoStacks.",
            "up to 1.3x",
            ahead(PANEL, GAG, (STACKS,), where=from_(SMALL)),
        ),
        Claim(
            "For one minimum GAG is faster than SlickDeque.",
            "up to 1.7x",
            ahead(PANEL, GAG, (SLICK["min"],), where=from_(SMALL)),
        ),
    ),
)
