"""RA's Figure 12: the resident set of a process that keeps one window, RA and ISS.

    process     |########################|  libraries, compiled code
    window                               |#|  a few words for each row

Up to 4,096 rows, as in the paper, a window hardly shows; beyond, for RA, what the
window itself takes is shown apart.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._claims import places
from windrow_bench._sweep import Sweep, powers
from windrow_bench.experiment import (
    Claim,
    Experiment,
    Panel,
    Row,
    RowSet,
    Size,
    Trial,
    Verdict,
)
from windrow_bench.measure.memory import peaks

from ._schemes import AGGREGATES, PAPER, SCHEMES, WORKLOAD, Entry, series, stream

WHOLE, OWN = "process", "window"
QUICK = Sweep((2, 64, 4_096), more=powers(16, 20, 2))
FULL = Sweep(powers(1, 12), more=powers(16, 24))
FEW = ("Max",)
LONG = "RA, Max"
MB = 1e6
ROWS = 1 << 20  # that come again and again
MINOR = 1.1  # times the process with a small window
LINEAR = 2.0  # times more, and it would not be the same bytes a row


def trials(size: Size) -> list[Trial]:
    """A trial, and a process, for each scheme and aggregate."""
    sweep, aggregates = size.pick((QUICK, FEW), (FULL, tuple(AGGREGATES)))
    return [
        Trial(WHOLE, one.series, partial(_windows, one, sweep))
        for one in series(aggregates)
    ]


def _windows(entry: Entry, sweep: Sweep, _seconds: float) -> list[Row]:
    """Short windows as they are; RA goes on to long ones, for Max."""
    goes_on = entry.series == LONG
    widths = [*sweep.widths, *(sweep.more if goes_on else ())]
    aggregate = AGGREGATES[entry.aggregate]
    found = peaks(SCHEMES[entry.scheme], aggregate, stream(ROWS), widths)
    short, long = found[: len(sweep.widths)], found[len(sweep.widths) :]
    return [
        *(_row(WHOLE, one.width, entry.series, one.whole) for one in short),
        *(_row(OWN, one.width, entry.series, one.own) for one in long),
    ]


def _row(panel: str, width: int, name: str, taken: int) -> Row:
    value = taken / MB
    return Row(panel, width, name, value, value, value, 1, {"bytes": taken})


def is_minor(rows: RowSet) -> Verdict:
    """Whether the longest window adds little to the process."""
    xs = [float(x) for x in places(rows, WHOLE)]
    grown = {
        one: rows.value(WHOLE, max(xs), one) / rows.value(WHOLE, min(xs), one)
        for one in rows.series(WHOLE)
    }
    worst = max(grown, key=lambda one: grown[one])
    said = f"{grown[worst]:.3f}x at {max(xs):,.0f} rows, at the worst ({worst})"
    return Verdict(said, grown[worst] <= MINOR)


def is_linear(rows: RowSet) -> Verdict:
    """Whether each row takes about the same at all long windows."""
    xs = [float(x) for x in places(rows, OWN)]
    bytes_ = [rows.value(OWN, x, LONG) * MB / x for x in xs]
    said = f"{min(bytes_):.0f} to {max(bytes_):.0f} bytes a row"
    return Verdict(said, max(bytes_) <= LINEAR * min(bytes_))


FIGURE_12 = Experiment(
    name="ra-figure-12",
    paper=PAPER,
    shows="Figure 12",
    title="Memory of a process that keeps one window",
    workload=(
        f"{WORKLOAD}; a fresh Python process for each line, with its libraries and "
        "compiled code, where the paper's is a C++ program; the second picture is "
        "what a window adds to it"
    ),
    panels=(
        Panel(
            name=WHOLE,
            x="window (rows)",
            y="resident set (MB)",
            log_x=True,
            more_is_better=False,
        ),
        Panel(
            name=OWN,
            x="window (rows)",
            y="resident set less the process (MB)",
            log_x=True,
            log_y=True,
            more_is_better=False,
        ),
    ),
    claims=(
        Claim(
            "Up to 4,096 rows a window is minor beside the process that keeps it.",
            "minor",
            is_minor,
        ),
        Claim(
            "Beyond, RA's memory grows linearly with the window.",
            "linear",
            is_linear,
        ),
    ),
    trials=trials,
)
