"""RA's Table 3: from which window on RA pays, and from which tenfold.

    ahead   0.1 ... 0.7   1.3 ... 9     12
    window   2  ...  64   128 ... 1,024 2,048
                        ^             ^
                    break-even       10x         doubled until past, then halved

The rival of Count reads off a size in the paper; here it keeps a running count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from windrow_bench._claims import among
from windrow_bench._sweep import Sweep
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
from windrow_bench.measure.operators import steady_within
from windrow_bench.measure.turns import in_turns
from windrow_bench.measure.values import values

from ._schemes import PAPER, RA, SCHEMES, WORKLOAD

PANEL = "windows"
EVEN, TENFOLD, GAIN = "break-even", "10x", "gain at the longest"
QUICK, FULL = Sweep((2**13,), 50_000), Sweep((2**16,), 50_000)
TURNS = 3
LATER = (
    "a compiled loop that folds again is a few instructions a row, so that a tree has "
    "to wait longer"
)
TIMES = {EVEN: 1.0, TENFOLD: 10.0}


@dataclass(frozen=True)
class TableLine:
    """One line of the table, with the paper's two windows; None is never."""

    aggregate: str
    dtype: str
    even: int | None
    tenfold: int | None
    rival: str = "recompute"
    longest: int = 2**16


TABLE = {
    "Count": TableLine("count", "int64", None, None, "subtract_on_evict"),
    "Sum": TableLine("sum", "int64", 370, 5_200),
    "Sum<Double>": TableLine("sum", "float64", 290, 5_200),
    "Max": TableLine("max", "int64", 260, 5_200),
    "Max<Double>": TableLine("max", "float64", 130, 3_600),
    "ArithmeticMean": TableLine("mean", "int64", 10, 900),
    "ArgMax": TableLine("arg_max", "int64", 130, 2_770),
    "ArgMax<Double>": TableLine("arg_max", "float64", 250, 5_810),
    "MinCount": TableLine("min_count", "int64", 200, 4_480),
    "Collect": TableLine("collect", "int64", None, None, longest=2**10),
    "SampleStdDev": TableLine("stddev", "int64", 10, 700),
    "PopulationStdDev": TableLine("stddev_population", "int64", 10, 700),
}
FEW = ("Count", "Sum", "Max", "ArithmeticMean", "SampleStdDev", "ArgMax", "Collect")


def trials(size: Size) -> list[Trial]:
    """A trial for each line of the table."""
    sweep, names = size.pick((QUICK, FEW), (FULL, tuple(TABLE)))
    return [Trial(PANEL, one, partial(_line, one, sweep)) for one in names]


def _line(name: str, sweep: Sweep, seconds: float) -> list[Row]:
    known: dict[int, float] = {}

    def ahead(width: int) -> float:
        if width not in known:
            known[width] = _ahead(TABLE[name], width, sweep.rows, seconds / 24)
        return known[width]

    rows = []
    for series, times in TIMES.items():
        found = search(ahead, times, min(sweep.widths[-1], TABLE[name].longest))
        if found is not None:
            rows.append(
                Row(PANEL, name, series, found, *between(known, times, found), 1)
            )
    last = max(known)
    gain = known[last]
    rows.append(Row(PANEL, name, GAIN, gain, gain, gain, 1, {"window": last}))
    return rows


def search(ahead: Callable[[int], float], times: float, longest: int) -> int | None:
    """The smallest window that is so many times ahead, to within a tenth of it."""
    low, high = 1, 2
    while high <= longest and ahead(high) < times:
        low, high = high, 2 * high
    if high > longest:
        return None
    while high - low > max(high // 10, 1):
        middle = (low + high) // 2
        low, high = (middle, high) if ahead(middle) < times else (low, middle)
    return high


def between(known: dict[int, float], times: float, found: int) -> tuple[int, int]:
    """The shortest window that was so far ahead, and the longest that was not."""
    enough = [width for width, ahead in known.items() if ahead >= times]
    short = [width for width, ahead in known.items() if ahead < times]
    return min(enough, default=found), max([found, *short])


def _ahead(line: TableLine, width: int, rows: int, seconds: float) -> float:
    """How many times as fast RA is."""
    data = values(rows + width, line.dtype)
    contenders = [
        steady_within(
            name, name, line.aggregate, data, width, seconds / 2 / (TURNS + 2)
        )
        for name in (SCHEMES[RA], line.rival)
    ]
    times, _ = in_turns(contenders, TURNS, seconds)
    mine, rival = (min(times[one.name]) for one in contenders)
    return rival / mine


def lines(rows: RowSet) -> list[str]:
    """The aggregates that were measured, those that never pay apart."""
    found = [str(x) for x in rows.xs(PANEL) if TABLE[str(x)].even is not None]
    if not found:
        raise NotMeasured("no aggregate that pays in the paper was measured")
    return found


def never(name: str) -> Callable[[RowSet], Verdict]:
    """Whether an aggregate never breaks even."""

    def judge(rows: RowSet) -> Verdict:
        gain = rows.row(PANEL, name, GAIN)
        said = f"{gain.value:.2f}x at {gain.facts['window']:,} rows"
        return Verdict(said, name not in rows.xs(PANEL, EVEN, among(name)))

    return judge


def at_most(series: str, most: int) -> Callable[[RowSet], Verdict]:
    """Whether all other aggregates get so far by a window of `most` rows."""

    def judge(rows: RowSet) -> Verdict:
        names, there = lines(rows), rows.xs(PANEL, series)
        late = [one for one in names if one not in there]
        if late:
            gain = rows.row(PANEL, late[0], GAIN)
            longest = f"{gain.value:.1f}x at {gain.facts['window']:,} rows"
            return Verdict(f"{', '.join(late)} not yet: {longest}", holds=False)
        found = {one: rows.value(PANEL, one, series) for one in names}
        last = max(found, key=lambda one: found[one])
        said = f"{min(found.values()):,.0f} to {found[last]:,.0f} rows ({last})"
        return Verdict(said, found[last] <= most)

    return judge


def costly_first(rows: RowSet) -> Verdict:
    """Whether the deviation pays at shorter windows than sum and maximum."""
    costly, cheap = rows.value(PANEL, "SampleStdDev", EVEN), ("Sum", "Max")
    others = [rows.value(PANEL, one, EVEN) for one in cheap]
    said = f"SampleStdDev {costly:,.0f} rows, Sum and Max {min(others):,.0f} and more"
    return Verdict(said, costly <= min(others))


TABLE_3 = Experiment(
    name="ra-table-3",
    paper=PAPER,
    shows="Table 3",
    title="The smallest windows at which RA is faster, and ten times as fast",
    workload=(
        f"{WORKLOAD}, <Double> are floats in [0, 1); a slide of one row; Count's rival "
        "keeps a running count; ArgMax gives the value of a second column; Collect's "
        "results are lists as long as the window, up to 1,024 rows, and are made by "
        "Python on both sides"
    ),
    panels=(
        Panel(name=PANEL, x="aggregate", y="rows", kind="table", more_is_better=False),
    ),
    claims=(
        Claim(
            "RA never pays for Count, whose rival has nothing to fold.",
            "never",
            never("Count"),
        ),
        Claim(
            "RA never pays for Collect, whose result is as long as the window.",
            "never",
            never("Collect"),
        ),
        Claim(
            "RA breaks even at small windows for all other aggregates.",
            "10 to 370 rows",
            at_most(EVEN, 370),
            LATER,
        ),
        Claim(
            "RA is ten times as fast at moderate windows.",
            "700 to 5,810 rows",
            at_most(TENFOLD, 5_810),
            LATER,
        ),
        Claim(
            "The costlier an aggregate, the sooner RA pays.",
            "StdDev at 10 rows, Max at 260, Sum at 370",
            costly_first,
        ),
    ),
    trials=trials,
)
