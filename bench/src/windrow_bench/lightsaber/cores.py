"""LightSaber's Figure 11: throughput on ever more cores, as a multiple of one core's.

    cores      1 ---- 2 ---- 4 ---- 8 ---- 16        as far as this machine goes
    session    local[1], local[2], ...               in one Java process

All numbers of cores are one trial: a speed-up has two ends.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import linear
from windrow_bench.experiment import (
    Claim,
    Experiment,
    NotMeasured,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.libraries import load
from windrow_bench.measure.machine import usable_cores

from .applications import MODULE, NEEDS

PANEL = "speed-up"
FEW = ("CM1", "SG1", "SG2", "YSB")
ALL = ("CM1", "CM2", "SG1", "SG2", "LRB1", "LRB2", "YSB")
BOUND, BUSY = ("CM1", "CM2", "SG1", "YSB"), ("SG2", "LRB1", "LRB2")
KNEE = 7  # cores, from which on the paper's memory-bound queries stay as they are


def cores() -> list[int]:
    """1, 2, 4, ... and all there are."""
    most = usable_cores()
    return sorted({2**k for k in range(most.bit_length())} | {most})


def trials(size: Size) -> list[Trial]:
    """One for all numbers of cores."""
    names = size.pick(FEW, ALL)
    rows = size.pick(500_000, 4_000_000)
    rounds = size.pick(2, 5)
    return [Trial(PANEL, "all cores", partial(_run, names, rows, rounds))]


def _run(names: tuple[str, ...], rows: int, rounds: int, seconds: float) -> list[Row]:
    found: list[Row] = load(MODULE).speed_ups(
        PANEL, names, rows, cores(), rounds, seconds
    )
    return found


def _beyond(rows: RowSet) -> Verdict:
    """Whether the busy queries go on growing where the bound ones do not."""
    places = [x for x in rows.xs(PANEL) if isinstance(x, (int, float))]
    few = max((x for x in places if x <= KNEE), default=None)
    many = max((x for x in places if x >= 2 * KNEE), default=None)
    if few is None or many is None:
        raise NotMeasured(f"this machine has fewer than {2 * KNEE} cores")

    def growth(names: tuple[str, ...]) -> float:
        ratios = [
            rows.value(PANEL, many, name) / rows.value(PANEL, few, name)
            for name in names
            if name in rows.series(PANEL)
        ]
        return sum(ratios) / len(ratios)

    bound, busy = growth(BOUND), growth(BUSY)
    ours = f"{busy:.2f}x from {few:g} to {many:g} cores, the others {bound:.2f}x"
    return Verdict(ours, busy > bound)


CORES = Experiment(
    name="lightsaber-figure-11",
    paper="LightSaber",
    shows="Figure 11",
    title="Application queries on ever more cores",
    workload=(
        "Windrow on Spark, local[1], local[2] and so on; the queries of Table 3, four "
        "of them in quick runs; a core of the paper's does nothing but take rows in, "
        "here reading is part of the tasks"
    ),
    panels=(Panel(name=PANEL, x="cores", y="throughput, as a multiple of one core's"),),
    claims=(
        Claim(
            "Throughput grows linearly with the cores up to seven, in all queries.",
            "linear up to 7 cores",
            linear(PANEL, up_to=KNEE),
            (
                "one task of Spark keeps two processes busy where Windrow computes in "
                "Python, so that local[1] has the use of more than one core; and "
                "planning and starting a job do not get faster with cores"
            ),
        ),
        Claim(
            "Beyond seven cores the queries with many keys go on growing, the others "
            "are bound by memory.",
            "up to 3x more for LRB1-2 and SG2",
            _beyond,
        ),
    ),
    trials=trials,
    needs=NEEDS,
    threads=0,
    share=2.0,
)
