"""Features of labels and tiles in one process: beside polars, DuckDB, and a rebuild.

polars     labels and events in one frame, `rolling` once for each length
DuckDB     the same union, one window clause for each length
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow_bench.experiment import Size, Trial
from windrow_bench.libraries import load
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.labels import (
    DAY,
    LENGTHS,
    MICROS,
    labels,
    payments,
    ten_features,
)
from windrow_bench.measure.race import Contender

from ._bar import OURS, bar, bar_trial, cost, panel, speed

EVENTS, LABELS = 2_000_000, 200_000
TILES = {"spend": wr.sum("amount"), "top": wr.max("amount"), "n": wr.count()}
MONTH = wr.sliding("30 days", every="1 day", on="ts")
ONE_DAY, ALL_DAYS = "tiles of one more day", "tiles of all days again"
MERGED, AS_MANY = "windows of tiles", "windows of as many rows"


def trials(size: Size) -> list[Trial]:
    """Features of labels, and tiles, of the same events."""
    scale = size.pick(40, 1)
    some = EVENTS // scale, LABELS // scale
    return [
        bar_trial("ten features", f"{LABELS:,} labels", partial(_labels, *some), size),
        bar_trial("tiles", "90 days", partial(_tiles, some[0]), size),
    ]


def _labels(count: int, asked_for: int) -> list[Contender]:
    events, asked = payments(count), labels(asked_for)
    check = _same(by_windrow(asked, events))
    ways = {OURS: by_windrow, "polars": by_polars, "DuckDB": by_duckdb}
    return [
        Contender(name, partial(way, asked, events), check)
        for name, way in ways.items()
    ]


def by_windrow(asked: pa.Table, events: pa.Table) -> pa.Table:
    """The features of all labels, in their order."""
    order: dict[str, Any] = {"at": "at", "on": "ts", "by": "card"}
    return wr.as_of(asked, events, **order, aggregates=ten_features())


def by_polars(asked: pa.Table, events: pa.Table) -> Any:
    """`rolling` over the union: labels are rows without an amount."""
    pl = load("polars")
    both = pl.concat(
        [
            pl.from_arrow(events.select(["ts", "card", "amount"])).with_columns(
                id=pl.lit(None, pl.Int64)
            ),
            pl.from_arrow(asked)
            .rename({"at": "ts"})
            .with_columns(amount=pl.lit(None, pl.Int64))
            .select("ts", "card", "amount", "id"),
        ]
    ).sort("card", "ts")
    for i, length in enumerate(LENGTHS):
        number, unit = length.split()
        period = number + {"m": "m", "h": "h", "d": "d"}[unit[0]]
        rolled = both.rolling("ts", period=period, closed="left", group_by="card").agg(
            pl.col("amount").count().alias(f"n{i}"),
            pl.col("amount").max().alias(f"top{i}"),
        )
        both = both.with_columns(rolled[f"n{i}"], rolled[f"top{i}"])
    return both.filter(pl.col("id").is_not_null()).sort("id")


def by_duckdb(asked: pa.Table, events: pa.Table) -> pa.Table:
    """Window clauses over the union."""
    windows = ", ".join(
        f"w{i} as (partition by card order by ts range between interval '{length}' "
        "preceding and interval '1 microsecond' preceding)"
        for i, length in enumerate(LENGTHS)
    )
    results = ", ".join(
        f"count(amount) over w{i} as n{i}, max(amount) over w{i} as top{i}"
        for i in range(len(LENGTHS))
    )
    with load("duckdb").connect() as connection:
        connection.register("events", events)
        connection.register("asked", asked)
        text = (  # our own words
            'with rows as (select ts, card, amount, null as id from events union all '  # noqa: S608
            'select "at", card, null, id from asked), '
            f"rolled as (select id, {results} from rows window {windows}) "
            "select * from rolled where id is not null order by id"
        )  # fmt: skip
        found: pa.Table = connection.sql(text).to_arrow_table()
        return found


def _same(expected: pa.Table) -> Callable[[Any], None]:
    def check(answer: Any) -> None:
        for i in range(len(LENGTHS)):
            for name in (f"n{i}", f"top{i}"):
                theirs = isinstance(answer, pa.Table)
                column = answer[name] if theirs else answer[name].to_arrow()
                if column.to_pylist() != expected[name].to_pylist():
                    raise WrongAnswer(f"{name} differs")

    return check


def _tiles(count: int) -> list[Contender]:
    """One more day beside a rebuild, and merging beside all of `wr.aggregate`."""
    events = payments(count)
    last = pa.scalar(89 * DAY * 10**6, MICROS)
    day = events.filter(pc.greater_equal(events["ts"], last))
    order: dict[str, Any] = {"every": "5 minutes", "on": "ts", "by": "card"}
    make = partial(wr.tiles, **order, aggregates=TILES)
    stored = make(events)
    tops = stored["top"].combine_chunks().field("max")
    alike = pa.table({"ts": stored["tile"], "card": stored["card"], "amount": tops})
    month = partial(wr.aggregate, window=MONTH, by="card", aggregates=TILES)
    expected = month(events)

    def check(answer: pa.Table) -> None:
        if not answer.equals(expected):
            raise WrongAnswer("windows of tiles are not those of the rows")

    def unchecked(_: Any) -> None:
        """Its answer is that of other rows."""

    return [
        Contender(ONE_DAY, partial(make, day), unchecked),
        Contender(ALL_DAYS, partial(make, events), unchecked),
        Contender(MERGED, lambda: wr.merge_tiles(stored, MONTH), check),
        Contender(AS_MANY, partial(month, alike), unchecked),
    ]


FEATURES = bar(
    "features",
    "Features of labels, and tiles, beside other libraries",
    f"{EVENTS:,} events, {LABELS:,} labels (a fortieth in a quick run), 20,000 cards "
    f"by Zipf over 90 days; a count and a maximum over {', '.join(LENGTHS)}; tiles of "
    "five minutes",
    [panel("ten features", ""), panel("tiles", "")],
    [
        speed("Ten features are five times as fast as by polars and by DuckDB.",
              "ten features", OURS, ("polars", "DuckDB"), 5.0),
        cost("One more day of tiles takes at most a twentieth of a rebuild.",
             "tiles", ONE_DAY, (ALL_DAYS,), 0.05),
        speed("Merging tiles is as fast as windows of as many rows.",
              "tiles", MERGED, (AS_MANY,), 1.0),
    ],
    trials,
    needs=("polars", "duckdb"),
    threads=0,
)  # fmt: skip
