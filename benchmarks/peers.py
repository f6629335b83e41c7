"""`wr.slide` beside the moving-window functions of other libraries.

All read one float64 array and allocate their result; one thread each.  Peers also
answer the windows before the first complete one (with NaN); Windrow leaves them out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import bottleneck  # type: ignore[import-untyped]
import duckdb
import numbagg
import numpy as np
import pandas as pd
import polars as pl

import windrow as wr
from windrow.bench.measure.answers import Array, check_windows
from windrow.bench.measure.race import Contender, race, rows_within

from . import workloads
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "peers"
OURS = "windrow"
AGGREGATES = ("sum", "max", "mean", "variance")


@dataclass(frozen=True)
class Peer:
    """`slide(values, width, aggregate)` has an entry per value, NaN at first."""

    name: str
    slide: Callable[[Array, int, str], Any]
    aggregates: tuple[str, ...] = AGGREGATES


def _bottleneck(values: Array, width: int, aggregate: str) -> Any:
    if aggregate == "variance":
        return bottleneck.move_var(values, width, ddof=1)
    return getattr(bottleneck, f"move_{aggregate}")(values, width)


def _numbagg(values: Array, width: int, aggregate: str) -> Any:
    name = {"variance": "move_var"}.get(aggregate, f"move_{aggregate}")
    return getattr(numbagg, name)(values, window=width)


def _polars(values: Array, width: int, aggregate: str) -> Any:
    name = {"variance": "rolling_var"}.get(aggregate, f"rolling_{aggregate}")
    return getattr(pl.Series(values), name)(width)


def _pandas(values: Array, width: int, aggregate: str) -> Any:
    rolling = pd.Series(values, copy=False).rolling(width)
    return getattr(rolling, {"variance": "var"}.get(aggregate, aggregate))()


def _duckdb(values: Array, width: int, aggregate: str) -> Any:
    function = {"variance": "var_samp"}.get(aggregate, aggregate)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("t", {"i": np.arange(len(values)), "x": values})
        return connection.execute(
            f"select {function}(x) over (order by i "
            f"rows between {width - 1} preceding and current row) as y from t"
        ).fetchnumpy()["y"]


PEERS = (
    Peer("bottleneck", _bottleneck),
    Peer("numbagg", _numbagg, ("sum", "mean", "variance")),
    Peer("polars", _polars),
    Peer("pandas", _pandas),
    Peer("duckdb", _duckdb),
)


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Rates of each, and by how much Windrow is ahead of the best other one."""
    tables, bars = [], []
    notes = [
        f"{settings.n:,} float64 values, slide 1, one thread each, results allocated.",
        "DuckDB: `rows between w - 1 preceding and current row`, result to numpy.",
    ]
    for aggregate in AGGREGATES:
        peers = [peer for peer in PEERS if aggregate in peer.aggregates]
        rows: list[list[Any]] = []
        for width in settings.windows:
            contenders = [_ours(settings, aggregate, width)]
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


def _ours(settings: Settings, aggregate: str, width: int) -> Contender:
    values = workloads.values(settings.n)
    return Contender(
        OURS,
        lambda: wr.slide(values, wr.rows(width), aggregate),
        lambda actual: check_windows(OURS, actual, values, width, aggregate),
    )


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
    values = everything[:rows]

    def check(actual: Any) -> None:  # running sums and squares drift: 1e-6
        complete = np.asarray(actual)[width - 1 :]
        check_windows(peer.name, complete, values, width, aggregate, 1e-6)

    call = partial(peer.slide, values, width, aggregate)
    return Contender(peer.name, call, check, settings.n / rows), rows
