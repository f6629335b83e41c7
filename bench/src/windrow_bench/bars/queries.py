"""LightSaber's queries as text, in one process, beside one loop by hand for each.

The text is bound, planned and run at each call, and gives a table.  Both sides run in
turns, compiled, and are compared row for row: floats within 1e-9, all else equal.
Processor time, so that threads count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow_bench import data
from windrow_bench.experiment import Row, Size, Trial
from windrow_bench.measure import query_loops as by_hand
from windrow_bench.measure.answers import Array, WrongAnswer
from windrow_bench.measure.applications import APPLICATIONS

from ._bar import bar, cost, number_row, panel

TEXT, HAND, PANEL = "text", "by hand", "processor time"
SIZES = (30_000, 100_000), (300_000, 1_000_000)  # quick, and full
Side = Callable[[], Any]


def trials(size: Size) -> list[Trial]:
    """A trial for each query and number of rows."""
    return [
        Trial(PANEL, f"{name}, {rows:,} rows", partial(_run, name, rows, size))
        for rows in size.pick(*SIZES)
        for name in QUERIES
    ]


def _run(name: str, rows: int, size: Size, _: float) -> list[Row]:
    ours, hand, same = QUERIES[name](rows)
    if not same(ours(), hand()):
        raise WrongAnswer(f"{name}: the text and the loop by hand differ")
    took: dict[str, list[float]] = {TEXT: [], HAND: []}
    for _round in range(max(size.rounds, 3)):
        for who, side in ((TEXT, ours), (HAND, hand)):
            start = time.process_time()
            side()
            took[who].append(time.process_time() - start)
    return [
        number_row(PANEL, f"{name}, {rows:,} rows", who, some, size)
        for who, some in took.items()
    ]


def _column(table: pa.Table, name: str) -> Array:
    column = table.column(name).combine_chunks()
    if pa.types.is_timestamp(column.type):
        column = column.cast("int64")
    values: Array = column.to_numpy(zero_copy_only=False)
    return values


def _stream(name: str, rows: int) -> pa.Table:
    return data.table(APPLICATIONS[name].dataset, rows).combine_chunks()


def _text(name: str, **inputs: pa.Table) -> Side:
    return lambda: wr.cql(APPLICATIONS[name].cql, streams=inputs)


def _ysb(rows: int) -> tuple[Side, Side, Any]:
    stream, table = _stream("YSB", rows), data.yahoo.campaigns(data.SEED)
    times, ads, kinds = (_column(stream, n) for n in ("ts", "ad", "event_type"))
    campaigns = np.unique(_column(table, "campaign"))
    campaign_of = np.full(data.yahoo.ADS, -1)
    of_table = np.searchsorted(campaigns, _column(table, "campaign"))
    campaign_of[_column(table, "ad")] = of_table
    length = 10 * by_hand.SECOND
    first, last = int(times[0]) // length, int(times[-1]) // length

    def hand() -> Array:
        counts = np.zeros((len(campaigns), last - first + 1), np.int64)
        by_hand.count_views(times, ads, kinds, campaign_of, first, counts)
        return counts

    def same(found: pa.Table, counts: Array) -> bool:
        actual = np.zeros_like(counts)
        at = np.searchsorted(campaigns, _column(found, "campaign"))
        actual[at, _column(found, "ts") // length - 1 - first] = _column(found, "views")
        return np.array_equal(actual, counts) and len(found) == (counts > 0).sum()

    return _text("YSB", S=stream, T=table), hand, same


def _totals(
    name: str, keys: str | None, value: str, width: int, mean: bool, rows: int
) -> tuple[Side, Side, Any]:
    """CM1, or SG1, which has one key."""
    stream = _stream(name, rows)
    times, values = _column(stream, "ts"), _column(stream, value)
    codes = np.zeros(rows, np.int8) if keys is None else _column(stream, keys)
    first = int(times[0]) // by_hand.SECOND
    shape = int(codes.max()) + 1, int(times[-1]) // by_hand.SECOND - first + 1

    def hand() -> list[Array]:
        counts, totals = np.zeros(shape, np.int64), np.zeros(shape)
        by_hand.total_panes(times, codes, values, first, counts, totals)
        out = _room(shape, width)
        found = by_hand.slide_totals(counts, totals, width, mean, *out)
        return [array[:found] for array in out]

    def same(found: pa.Table, out: list[Array]) -> bool:
        key = np.zeros(len(found)) if keys is None else _column(found, keys)
        return _same(found, key, APPLICATIONS[name].value, first, out)

    return _text(name, S=stream), hand, same


def _lrb1(rows: int) -> tuple[Side, Side, Any]:
    stream = _stream("LRB1", rows)
    names = ("ts", "highway", "direction", "position", "speed")
    times, highway, direction, position, speed = (_column(stream, n) for n in names)
    miles = int(position.max()) // 5280 + 1
    first = int(times[0]) // by_hand.SECOND
    segments = (int(highway.max()) + 1) * 2 * miles
    shape = segments, int(times[-1]) // by_hand.SECOND - first + 1

    def hand() -> list[Array]:
        counts, totals = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        columns = (times, highway, direction, position, speed)
        by_hand.speed_panes(*columns, first, miles, counts, totals)
        out = _room(shape, 300)
        found = by_hand.slow_segments(counts, totals, 300, *out)
        return [array[:found] for array in out]

    def same(found: pa.Table, out: list[Array]) -> bool:
        road = _column(found, "highway") * 2 + _column(found, "direction")
        segment = road.astype(np.int64) * miles + _column(found, "segment")
        return _same(found, segment, APPLICATIONS["LRB1"].value, first, out)

    return _text("LRB1", S=stream), hand, same


def _room(shape: tuple[int, int], width: int) -> tuple[Array, Array, Array]:
    windows = shape[0] * (shape[1] + width - 1)
    return np.empty(windows, np.int64), np.empty(windows, np.int64), np.empty(windows)


def _same(
    found: pa.Table, key: Array, value: str, first: int, out: list[Array]
) -> bool:
    ends = _column(found, "ts") // by_hand.SECOND - first
    exact = np.array_equal(key, out[0]) and np.array_equal(ends, out[1])
    return exact and np.allclose(_column(found, value), out[2], rtol=1e-9, atol=1e-9)


QUERIES: dict[str, Callable[[int], tuple[Side, Side, Any]]] = {
    "YSB": _ysb,
    "CM1": partial(_totals, "CM1", "category", "cpu", 60, False),
    "SG1": partial(_totals, "SG1", None, "value", 3_600, True),
    "LRB1": _lrb1,
}
QUERIES_BAR = bar(
    "queries",
    "Queries as text beside loops by hand",
    "LightSaber's queries in CQL on Arrow tables; loops by hand know their columns, "
    "keys and windows when they are compiled",
    [panel(PANEL, "query, rows")],
    [
        cost(f"{name} as text takes at most three times a loop by hand.",
             PANEL, TEXT, (HAND,), 3.0,
             where=lambda x, n=name: str(x).startswith(f"{n},"))  # type: ignore[misc]
        for name in QUERIES
    ],
    trials,
    threads=0,
)  # fmt: skip
