"""`wr.slide` beside the moving windows of other libraries, over one column of floats.

    values    ........................................
    window                 [==============]             sum, mean, min, max after each
                            [==============]            value

Every library is called as its users do and may take all threads; that over one column
most take one is their own affair.  Slow ones run on fewer values.
"""

from __future__ import annotations

from functools import partial

from windrow_bench._over_panels import always, steady
from windrow_bench.experiment import Claim, Experiment, Panel, Size, Trial
from windrow_bench.measure.peers import OURS, PEERS, Peer, our_contender, peer_contender
from windrow_bench.measure.race import Contender, rows_within
from windrow_bench.measure.turns import a_second, race_trial
from windrow_bench.measure.values import values

AGGREGATES = ("sum", "mean", "min", "max")
ROWS, QUICK_ROWS = 8_000_000, 2_000_000
WIDTHS = (16, 256, 4_096, 65_536, 1_048_576)
QUICK_WIDTHS = (16, 4_096, 65_536)
FEWEST = 200_000  # values that even the slowest gets: a call has costs of its own
THEIRS = tuple(peer.name for peer in PEERS)
EXACT = (
    "the fastest of the others subtract the value that leaves, which drifts; here no "
    "float is ever subtracted"
)


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate and window."""
    rows = size.pick(QUICK_ROWS, ROWS)
    widths = size.pick(QUICK_WIDTHS, WIDTHS)
    return [
        race_trial(
            aggregate,
            width,
            partial(_enter, aggregate, width, rows),
            a_second(rows),
            size.rounds,
        )
        for aggregate in AGGREGATES
        for width in widths
    ]


def _enter(aggregate: str, width: int, rows: int, seconds: float) -> list[Contender]:
    able = [peer for peer in PEERS if aggregate in peer.aggregates]
    each = seconds / len(able) / 6
    theirs = [_theirs(peer, aggregate, width, rows, each) for peer in able]
    return [our_contender(values(rows), width, aggregate), *theirs]


def _theirs(
    peer: Peer, aggregate: str, width: int, rows: int, seconds: float
) -> Contender:
    everything = values(rows)
    some = rows_within(
        seconds,
        lambda few: peer.slide(everything[:few], width, aggregate),
        rows,
        max(2 * width, FEWEST),
    )
    return peer_contender(peer, everything[:some], width, aggregate, rows / some)


ROLLING = Experiment(
    name="beyond-in-process",
    paper="Windrow",
    shows="its own promise",
    title="Moving windows over a column: Windrow beside other libraries",
    workload=(
        "uniform floats in a NumPy array, a slide of one; every library allocates its "
        "result and may take all threads; Windrow answers complete windows only"
    ),
    panels=tuple(
        Panel(
            name=aggregate,
            x="window (rows)",
            y="values a second (millions)",
            log_x=True,
            log_y=True,
        )
        for aggregate in AGGREGATES
    ),
    claims=(
        Claim(
            "A moving sum is faster than in every other library, at any window.",
            "faster than every other",
            always(["sum"], [OURS], THEIRS, why=EXACT),
        ),
        Claim(
            "A moving mean is faster than in every other library, at any window.",
            "faster than every other",
            always(
                ["mean"],
                [OURS],
                THEIRS,
                why=f"{EXACT}, and a mean carries a count beside its sum",
            ),
        ),
        Claim(
            "Moving extremes are several times as fast as in every other library, at "
            "any window.",
            "5x the best other",
            always(["min", "max"], [OURS], THEIRS, times=5.0),
        ),
        Claim(
            "The cost does not depend on how long the window is.",
            "constant",
            steady(AGGREGATES, OURS, apart=True),
        ),
    ),
    trials=trials,
    needs=THEIRS,
    threads=0,
    share=1.5,
)

__all__ = ["ROLLING"]
