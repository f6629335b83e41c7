"""Events with a duration from a table to a table, and through an operator.

Which technique is the fastest is told by the experiments of the paper (ses-figure-10 to
ses-figure-15); this is what users of `wr.aggregate` and `wr.Operator` get.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa

import windrow as wr
from windrow_bench.experiment import Size, Trial
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.race import Contender
from windrow_bench.measure.spanning import Given, SpanSetting, events
from windrow_bench.measure.ticks import TICK, instants
from windrow_bench.measure.turns import a_second

from ._bar import OURS, bar, bar_trial, number, rates

ROWS = 100_000, 2_000_000  # quick, and full
LENGTHS = (500, 10_000, 2_000), (20, 60, 1), (5_000, 1_000, 20)  # event, range, step
BATCH = 100_000  # events that an operator is fed at once
CALLS = {"n": wr.count(), "total": wr.sum("v"), "most": wr.max("v")}


def in_bursts(rows: int, mu: int) -> Given:
    """The same events, which end with gaps and bursts; usually one at each instant."""
    some, values = events(rows, mu)
    ends = instants(rows) // TICK
    starts = some.starts + (ends - some.lasts)
    return replace(some, starts=starts, lasts=ends), values


SETTINGS = tuple(SpanSetting(*one, in_bursts) for one in LENGTHS)


def _name(one: SpanSetting) -> str:
    return f"events of {one.mu:,} in bursts, {one.name}"


def _columns(one: SpanSetting, rows: int) -> tuple[dict[str, Any], Any]:
    some, values = one.source(rows, one.mu)
    window = wr.sliding(one.range, every=one.step, span=("start", "end"))
    return {"start": some.starts, "end": some.lasts + 1, "v": values}, window


def _whole(one: SpanSetting, rows: int) -> list[Contender]:
    columns, window = _columns(one, rows)
    table = pa.table(columns)

    def check(answer: pa.Table) -> None:
        """An event is in as many windows as its span tells."""
        low = (columns["start"] - one.range) // one.step + 1
        high = (columns["end"] - 1) // one.step
        if int(answer["n"].to_numpy().sum()) != int((high - low + 1).sum()):
            raise WrongAnswer("events are not in as many windows as they overlap")

    call = partial(wr.aggregate, table, window, aggregates=CALLS)
    return [Contender(OURS, call, check)]


def _fed(one: SpanSetting, rows: int) -> list[Contender]:
    columns, window = _columns(one, rows)

    def call() -> int:
        operator = wr.Operator(window, CALLS, lateness=2 * one.mu + 100)
        parts = range(0, rows, BATCH)
        cut = ({n: c[i : i + BATCH] for n, c in columns.items()} for i in parts)
        return sum(len(operator.feed(part)) for part in cut)

    def check(answer: int) -> None:
        if not answer:
            raise WrongAnswer("no window came out")

    return [Contender(OURS, call, check)]


def trials(size: Size) -> list[Trial]:
    """The promised setting whole, and three settings fed."""
    rows = size.pick(*ROWS)
    ways = [("aggregate", SETTINGS[:1], _whole), ("feed", SETTINGS, _fed)]
    return [
        bar_trial(panel, _name(one), partial(way, one, rows), size,
                  value=a_second(rows))
        for panel, settings, way in ways for one in settings
    ]  # fmt: skip


RATE = "events a second (millions)"
SPANNING = bar(
    "spanning",
    "Events with a duration: whole tables, and fed to an operator",
    "2 million events (100,000 in a quick run), with gaps and bursts, usually one ends "
    "at each instant, lengths normal with sigma 10; count, sum and max; one thread",
    [rates(one, "events, range / step", RATE, kind="bars", log_x=False)
     for one in ("aggregate", "feed")],
    [
        number("wr.aggregate reads 20 million events a second (500, 10,000 / 2,000).",
               "aggregate", OURS, least=20.0),
        number("wr.Operator.feed takes a million events a second.",
               "feed", OURS, least=1.0),
    ],
    trials,
)  # fmt: skip
