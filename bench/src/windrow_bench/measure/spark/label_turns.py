"""Contenders over payments: features of labels, and sketches by key and window.

range join   labels and events of a card within a day, grouped by label; it compares
             all pairs of a card, and has as many labels as take it half a minute
dbl-tempo    `withRangeStats` over labels and events in one table, where it is installed
             and rows are few: each frame is computed anew; both its ends are closed
floor        both tables shuffled by card and sorted by time, and nothing else
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import windrow as wr
from windrow_bench.libraries import load
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.labels import labels, payments, ten_features
from windrow_bench.measure.race import Contender, rows_within
from windrow_bench.measure.session import consume
from windrow_bench.measure.ticks import NEW_YEAR

from . import held
from .case import OURS, SPARK, Case, answering

JOIN, FLOOR = "range join", "shuffle and sort"
TEN, HOT, CUT = "ten features", "one hot card", "one hot card, cut"
TEMPO = "dbl-tempo"
FEW = 100_000  # events, for those that compute each frame anew
PATIENCE = 30.0  # seconds for one call of the join
ORDER: dict[str, Any] = {"at": "at", "on": "ts", "by": "card"}
SKETCHES = {
    "approx_distinct": (wr.approx_distinct("user"), "approx_count_distinct(user)"),
    "approx_quantile": (wr.approx_quantile("x", 0.5), "percentile_approx(x, 0.5)"),
}
NEAR = 0.05  # both sides of a sketch err by some percent


@cache
def _files(events: int, asked: int, hot: float) -> tuple[Path, Path]:
    return (
        held.stored(labels(asked, hot=hot), f"labels-{asked}-{hot}"),
        held.stored(payments(events, hot=hot), f"payments-{events}-{hot}"),
    )


def _tables(events: int, asked: int, hot: float = 0.0) -> list[DataFrame]:
    return [held.framed(held.on(), path) for path in _files(events, asked, hot)]


def horizon(events: int, asked: int, last: str, *, join: bool) -> list[Contender]:
    """Events of each label's last hours or days; beside a `join` on the interval."""
    calls = {"n": wr.count(last=last)}
    case = Case(last, _events_in_all)
    ours = partial(wr.as_of, *_tables(events, asked), **ORDER, **calls)
    contenders = case.contenders({OURS: ours})
    if join:
        contenders.append(_join_on_fewer(events, asked))
        if find_spec("tempo") and events <= FEW:
            contenders.append(_tempo(events, asked))
    return contenders


def _join_on_fewer(events: int, asked: int) -> Contender:
    """The join on so many labels that it ends; its time is scaled to all of them."""

    def run(count: int) -> None:
        _consumed(JOIN, partial(_by_join, *_tables(events, count)))

    count = rows_within(PATIENCE, run, asked, asked // 50)
    tables = _tables(events, count)
    expected = wr.as_of(tables[0], tables[1], **ORDER, n=wr.count(last="1 day"))
    case = Case("1 day", _events_in_all, expected=_events_in_all(expected))
    [join] = case.contenders({JOIN: partial(_by_join, *tables)})
    return replace(join, scale=asked / count)


def _tempo(events: int, asked: int) -> Contender:
    """A count and six more numbers of each label's last day, by dbl-tempo."""
    tables = _tables(events, asked)
    day = wr.count(last="1 day", closed="both")
    expected = wr.as_of(tables[0], tables[1], **ORDER, n=day)
    case = Case("1 day", _events_in_all, expected=_events_in_all(expected))

    def build() -> DataFrame:
        number = F.col("id").cast("string").alias("id")  # it sums up every number
        labels = tables[0].select("card", F.col("at").alias("ts"), number)
        both = labels.unionByName(
            tables[1].select("card", "ts", "amount"), allowMissingColumns=True
        )
        frame = load("tempo").TSDF(both, ts_col="ts", partition_cols=["card"])
        stats: DataFrame = frame.withRangeStats(rangeBackWindowSecs=86_400).df
        return stats.where("id is not null").withColumnRenamed("count_amount", "n")

    return replace(case.contender(TEMPO, build), name=TEMPO)


def ten(events: int, asked: int) -> list[Contender]:
    """Ten features, with half of all rows in one card and without; and the floor."""
    plain, skewed = _tables(events, asked), _tables(events, asked, 0.5)
    calls: dict[str, Any] = {"aggregates": ten_features()}
    builds = {
        TEN: partial(wr.as_of, *plain, **ORDER, **calls),
        HOT: partial(wr.as_of, *skewed, **ORDER, **calls),
        CUT: partial(wr.as_of, *skewed, **ORDER, hot=True, **calls),
        FLOOR: partial(_by_sort, *plain),
    }
    return [
        Contender(name, partial(_consumed, name, build), lambda _: None)
        for name, build in builds.items()
    ]


def _consumed(name: str, build: Callable[[], DataFrame]) -> None:
    with answering(name):
        consume(build())


def _events_in_all(frame: DataFrame) -> dict[str, Any]:
    [row] = frame.agg(F.count("*").alias("rows"), F.sum("n").alias("n")).collect()
    return dict(row.asDict())


def _by_join(asked: DataFrame, events: DataFrame) -> DataFrame:
    """What people write: a join on the card and the interval, then a group for each."""
    within = "l.card = e.card and e.ts < l.at and e.ts >= l.at - interval 1 day"
    met = asked.alias("l").join(events.alias("e"), F.expr(within), "left")
    return met.groupBy("l.id", "l.at", "l.card").agg(F.count("e.amount").alias("n"))


def _by_sort(asked: DataFrame, events: DataFrame) -> DataFrame:
    both = asked.select("card", F.col("at").alias("ts"), "id").unionByName(
        events.select("card", "ts", "amount"), allowMissingColumns=True
    )
    return both.repartition("card").sortWithinPartitions("card", "ts")


@cache
def _visits(rows: int, keys: int) -> Path:
    rng = np.random.default_rng(1)
    at = NEW_YEAR + np.sort(rng.integers(0, 86_400 * 10**6, rows))
    table = pa.table(
        {
            "key": rng.integers(0, keys, rows),
            "at": pa.array(at, pa.timestamp("us", "UTC")),
            "user": rng.zipf(1.2, rows) % 100_000,
            "x": rng.lognormal(size=rows),
        }
    )
    return held.stored(table, f"visits-{rows}-{keys}")


def sketch(name: str, rows: int, keys: int) -> list[Contender]:
    """An hour every minute by key; estimates may differ by what both sides err."""
    frame = held.framed(held.on(), _visits(rows, keys))
    ours, theirs = SKETCHES[name]
    window = wr.sliding("1 hour", every="1 minute", on="at")
    sql = (
        f"select {theirs} as r from {{visits}} "  # noqa: S608
        "group by key, window(at, '1 hour', '1 minute')"
    )
    builds = {
        OURS: partial(wr.aggregate, frame, window, by="key", r=ours),
        SPARK: partial(frame.sparkSession.sql, sql, None, visits=frame),
    }
    said: dict[str, tuple[int, float]] = {}

    def rehearse(build: Any) -> tuple[int, float]:
        [row] = build().selectExpr("count(*) as n", "sum(r) as s").collect()
        return int(row["n"]), float(row["s"])

    def check(actual: tuple[int, float]) -> None:
        windows, total = said.setdefault("first", actual)
        if actual[0] != windows or not np.isclose(actual[1], total, rtol=NEAR):
            raise WrongAnswer(f"{name}: {actual}, not {windows}, {total}")

    return [
        Contender(
            who,
            partial(_consumed, who, build),
            check,
            rehearse=partial(rehearse, build),
        )
        for who, build in builds.items()
    ]
