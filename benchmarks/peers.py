"""`wr.slide` beside the moving-window functions of other libraries.

All read one float64 array and allocate their result; one thread each.  Peers also
answer the windows before the first complete one (with NaN); Windrow leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windrow_bench.measure.peers import (
    OURS,
    Peer,
    duckdb_peer,
    our_contender,
    peer_contender,
)
from windrow_bench.measure.peers import PEERS as ON_ALL_THREADS
from windrow_bench.measure.race import Contender, race, rows_within

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "peers"
AGGREGATES = ("sum", "max", "mean", "variance")
PEERS = (*(one for one in ON_ALL_THREADS if one.name != "duckdb"), duckdb_peer(1))


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Rates of each, and by how much Windrow is ahead of the best other one."""
    tables, bars, values = [], [], workloads.values(settings.n)
    notes = [
        f"{settings.n:,} float64 values, slide 1, one thread each, results allocated.",
        "DuckDB: `rows between w - 1 preceding and current row`, result to numpy.",
    ]
    for aggregate in AGGREGATES:
        peers = [peer for peer in PEERS if aggregate in peer.aggregates]
        rows: list[list[Any]] = []
        for width in settings.windows:
            contenders = [our_contender(values, width, aggregate)]
            for peer in peers:
                contender, fewer = _theirs(peer, settings, aggregate, width)
                contenders.append(contender)
                if fewer < settings.n:
                    notes.append(
                        f"{peer.name}, {aggregate} at {width:,}: measured on "
                        f"{fewer:,} rows and scaled by row."
                    )
            took = race(contenders, settings.rounds, settings.patience)
            ahead = min(took[peer.name] for peer in peers) / took[OURS]
            rates = [settings.n / seconds / 1e6 for seconds in took.values()]
            rows.append([f"{width:,}", *rates, ahead])
            say(f"{aggregate}, window {width:,}: {ahead:.2f} times the best peer")
        header = [
            "window",
            OURS,
            *(peer.name for peer in peers),
            "ahead of the best by",
        ]
        tables.append(Table(f"{aggregate}, million values a second", header, rows))
        worst = min(row[-1] for row in rows)
        bars.append(Bar(f"{aggregate}: ahead of every peer, worst window", worst, 1.0))
    return Result(NAME, "Other libraries", tables, bars, notes)


def _theirs(
    peer: Peer, settings: Settings, aggregate: str, width: int
) -> tuple[Contender, int]:
    everything = workloads.values(settings.n)
    rows = rows_within(
        settings.patience / settings.rounds,
        lambda some: peer.slide(everything[:some], width, aggregate),
        settings.n,
        2 * width + 10_000,
    )
    scale = settings.n / rows
    return peer_contender(peer, everything[:rows], width, aggregate, scale), rows
