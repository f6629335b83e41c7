"""The moving-window functions of other libraries, over one array of floats.

    slide(values, width, aggregate)      an entry per value; the first, whose windows
                                         are not complete, are NaN or what there is

Each is called in its users' own way, and allocates its result, as `wr.slide` does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import windrow as wr
from windrow_bench.libraries import load

from .answers import Array, check_windows
from .race import Contender

OURS = "windrow"
ALL = ("sum", "mean", "min", "max", "variance")
DRIFT = 1e-6  # running sums and squares drift


@dataclass(frozen=True)
class Peer:
    """A library, what it has, and how it slides."""

    name: str
    slide: Callable[[Array, int, str], Any]
    aggregates: tuple[str, ...] = ALL


def _bottleneck(values: Array, width: int, aggregate: str) -> Any:
    bottleneck = load("bottleneck")
    if aggregate == "variance":
        return bottleneck.move_var(values, width, ddof=1)
    return getattr(bottleneck, f"move_{aggregate}")(values, width)


def _numbagg(values: Array, width: int, aggregate: str) -> Any:
    name = {"variance": "move_var"}.get(aggregate, f"move_{aggregate}")
    return getattr(load("numbagg"), name)(values, window=width)


def _polars(values: Array, width: int, aggregate: str) -> Any:
    name = {"variance": "rolling_var"}.get(aggregate, f"rolling_{aggregate}")
    return getattr(load("polars").Series(values), name)(width)


def _pandas(values: Array, width: int, aggregate: str) -> Any:
    rolling = load("pandas").Series(values, copy=False).rolling(width)
    return getattr(rolling, {"variance": "var"}.get(aggregate, aggregate))()


def duckdb_peer(threads: int = 0) -> Peer:
    """DuckDB, on so many threads; 0: on as many as it likes."""

    def slide(values: Array, width: int, aggregate: str) -> Any:
        function = {"variance": "var_samp"}.get(aggregate, aggregate)
        connection = _connection(threads)
        connection.register("t", {"i": np.arange(len(values)), "x": values})
        return connection.execute(
            f"select {function}(x) over (order by i "  # noqa: S608 - our own words
            f"rows between {width - 1} preceding and current row) as y from t"
        ).fetchnumpy()["y"]

    return Peer("duckdb", slide)


@cache
def _connection(threads: int) -> Any:
    """One for all calls: to open it takes longer than a window function does."""
    return load("duckdb").connect(config={"threads": threads} if threads else {})


PEERS = (
    Peer("bottleneck", _bottleneck),
    Peer("numbagg", _numbagg, ("sum", "mean", "variance")),
    Peer("polars", _polars),
    Peer("pandas", _pandas),
    duckdb_peer(),
)


def our_contender(values: Array, width: int, aggregate: str) -> Contender:
    """`wr.slide`, with the planner's choice."""
    return Contender(
        OURS,
        lambda: wr.slide(values, wr.rows(width), aggregate),
        lambda actual: check_windows(OURS, actual, values, width, aggregate),
    )


def peer_contender(
    peer: Peer, values: Array, width: int, aggregate: str, scale: float = 1.0
) -> Contender:
    """A peer on values, its complete windows checked."""

    def check(actual: Any) -> None:
        complete = np.asarray(actual)[width - 1 :]
        check_windows(peer.name, complete, values, width, aggregate, DRIFT)

    return Contender(
        peer.name, lambda: peer.slide(values, width, aggregate), check, scale
    )
