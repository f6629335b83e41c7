"""Features of labels and tiles in one process: beside polars and DuckDB, and a rebuild.

polars     labels and events in one frame, `rolling` once for each length
DuckDB     the same union, one window clause for each length
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import windrow as wr
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender, race

from ._labels import DAY, LENGTHS, MICROS, labels, payments, ten_features
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "features"
EVENTS, LABELS = 2_000_000, 200_000
TILES = {"spend": wr.sum("amount"), "top": wr.max("amount"), "n": wr.count()}
MONTH = wr.sliding("30 days", every="1 day", on="ts")


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Seconds of each, on the same tables."""
    scale = 40 if settings.quick else 1
    events, asked = payments(EVENTS // scale), labels(LABELS // scale)
    expected = by_windrow(asked, events)
    contenders = [
        Contender("windrow", partial(by_windrow, asked, events), _same(expected)),
        Contender("polars", partial(by_polars, asked, events), _same(expected)),
        Contender("DuckDB", partial(by_duckdb, asked, events), _same(expected)),
    ]
    took = race(contenders, settings.table_rounds, settings.patience)
    say(", ".join(f"{name} {seconds:.2f} s" for name, seconds in took.items()))
    ours = took["windrow"]
    rows = [[name, seconds, seconds / ours] for name, seconds in took.items()]
    tiles = _tiles(settings, events, say)
    return Result(
        NAME,
        "Features of labels, and tiles, in one process",
        [Table("Ten features of labels", ["", "seconds", "times windrow's"], rows)]
        + [Table("Tiles of five minutes, ninety days", ["", "seconds"], tiles[0])],
        [
            Bar("as_of: times the speed of polars", took["polars"] / ours, 5),
            Bar("as_of: times the speed of DuckDB", took["DuckDB"] / ours, 5),
            *tiles[1],
        ],
        [
            (
                f"{len(events):,} events, {len(asked):,} labels, 20,000 cards by Zipf; "
                f"a count and a maximum over {', '.join(LENGTHS)}. Answers compared."
            )
        ],
    )


def by_windrow(asked: pa.Table, events: pa.Table) -> pa.Table:
    """The features of all labels, in their order."""
    order = {"at": "at", "on": "ts", "by": "card"}
    return wr.as_of(asked, events, **order, aggregates=ten_features())


def by_polars(asked: pa.Table, events: pa.Table) -> pl.DataFrame:
    """`rolling` over the union: labels are rows without an amount."""
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
    with duckdb.connect() as connection:
        connection.register("events", events)
        connection.register("asked", asked)
        text = (
            'with rows as (select ts, card, amount, null as id from events union all '
            'select "at", card, null, id from asked), '
            f"rolled as (select id, {results} from rows window {windows}) "
            "select * from rolled where id is not null order by id"
        )  # fmt: skip
        return connection.sql(text).to_arrow_table()


def _same(expected: pa.Table) -> Callable[[Any], None]:
    def check(answer: Any) -> None:
        for i in range(len(LENGTHS)):
            for name in (f"n{i}", f"top{i}"):
                is_frame = isinstance(answer, pl.DataFrame)
                column = answer[name].to_arrow() if is_frame else answer[name]
                if column.to_pylist() != expected[name].to_pylist():
                    raise WrongAnswer(f"{name} differs")

    return check


def _tiles(
    settings: Settings, events: pa.Table, say: Callable[[str], None]
) -> tuple[list[list[Any]], list[Bar]]:
    """One more day beside a rebuild, and merging beside all of `wr.aggregate`."""
    last = pa.scalar(89 * DAY * 10**6, MICROS)
    day = events.filter(pc.greater_equal(events["ts"], last))
    order: dict[str, Any] = {"every": "5 minutes", "on": "ts", "by": "card"}
    stored = wr.tiles(events, **order, aggregates=TILES)
    tops = stored["top"].combine_chunks().field("max")
    alike = pa.table({"ts": stored["tile"], "card": stored["card"], "amount": tops})
    expected = wr.aggregate(events, MONTH, by="card", aggregates=TILES)

    def check(answer: pa.Table) -> None:
        if not answer.equals(expected):
            raise WrongAnswer("windows of tiles are not those of the rows")

    def make(rows: pa.Table) -> pa.Table:
        return wr.tiles(rows, **order, aggregates=TILES)

    took = race(
        [
            Contender("tiles of one more day", partial(make, day), lambda _: None),
            Contender("tiles of all days again", partial(make, events), lambda _: None),
            Contender("windows of tiles", lambda: wr.merge_tiles(stored, MONTH), check),
            Contender(
                "windows of as many rows as tiles",
                lambda: wr.aggregate(alike, MONTH, by="card", aggregates=TILES),
                lambda _: None,
            ),
        ],
        settings.table_rounds,
    )
    say(", ".join(f"{name} {seconds:.3f} s" for name, seconds in took.items()))
    one, whole = took["tiles of one more day"], took["tiles of all days again"]
    merged = took["windows of tiles"]
    rows = took["windows of as many rows as tiles"]
    bars = [
        Bar("one more day: share of a rebuild", one / whole, 1 / 20, False),
        Bar("merging tiles: times the speed of as many rows", rows / merged, 1),
    ]
    return [[name, seconds] for name, seconds in took.items()], bars
