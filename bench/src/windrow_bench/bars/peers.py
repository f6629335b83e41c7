"""`wr.slide` beside the moving windows of other libraries, over one column of floats.

    values    ........................................
    window                 [==============]             an answer after each value
                            [==============]

Every library is called as its users do, on one core; README's table is made of these
rows.  Slow ones run on fewer values, and their time is scaled.
"""

from __future__ import annotations

from functools import partial

from windrow_bench.experiment import Size, Trial
from windrow_bench.measure.peers import OURS, PEERS, Peer, our_contender, peer_contender
from windrow_bench.measure.race import Contender, rows_within
from windrow_bench.measure.turns import a_second
from windrow_bench.measure.values import values

from ._bar import bar, bar_trial, growth, rates, speed

AGGREGATES = ("sum", "mean", "min", "max", "variance")
ROWS, QUICK_ROWS = 8_000_000, 1_000_000
WIDTHS = (16, 256, 4_096, 65_536, 1_048_576)
QUICK_WIDTHS = (16, 4_096, 65_536)
FEWEST = 200_000  # values that even the slowest gets: a call has costs of its own
PATIENCE = 1.0, 3.0  # seconds of one call; quick, and full
THEIRS = tuple(peer.name for peer in PEERS)


def trials(size: Size) -> list[Trial]:
    """A trial for each aggregate and window."""
    rows = size.pick(QUICK_ROWS, ROWS)
    return [
        bar_trial(
            aggregate,
            width,
            partial(_enter, aggregate, width, rows, size.pick(*PATIENCE)),
            size,
            value=a_second(rows),
        )
        for aggregate in AGGREGATES
        for width in size.pick(QUICK_WIDTHS, WIDTHS)
    ]


def _able(aggregate: str) -> list[Peer]:
    return [peer for peer in PEERS if aggregate in peer.aggregates]


def _names(aggregate: str) -> tuple[str, ...]:
    return tuple(peer.name for peer in _able(aggregate))


def _enter(aggregate: str, width: int, rows: int, each: float) -> list[Contender]:
    able = _able(aggregate)
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


PEERS_BAR = bar(
    "peers",
    "Moving windows over a column: Windrow beside other libraries",
    "uniform floats in a NumPy array, a slide of one, one core; every library "
    "allocates its result; Windrow answers complete windows only. No float is ever "
    "subtracted here; the fastest of the others subtract what leaves, and drift",
    [rates(one, "window (rows)", "values a second (millions)") for one in AGGREGATES],
    [
        *(
            speed(f"A moving {one} is faster than in every other library, at every "
                  "window.", one, OURS, _names(one), 1.0, rate=True)
            for one in ("sum", "mean", "variance")
        ),
        speed("Moving extremes are five times as fast as in every other library, at "
              "every window.", ("min", "max"), OURS, _names("max"), 5.0, rate=True),
        *(
            growth(f"No window of {one} is twice as slow as another.",
                   one, OURS, 2.0, rate=True, spread=True)
            for one in AGGREGATES
        ),
    ],
    trials,
    needs=THEIRS,
    share=2.0,
)  # fmt: skip
