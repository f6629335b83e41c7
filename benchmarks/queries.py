"""LightSaber's queries as text, in one process, beside one loop by hand for each.

YSB, CM1, SG1 and LRB1 are those of `windrow_bench`; the text is bound, planned and run
at each call, and gives a table.  Both sides run in turns, compiled, and are compared
row for row: floats within 1e-9, all else equal.  Processor time, so that threads count.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow_bench import data
from windrow_bench.measure.answers import WrongAnswer
from windrow_bench.measure.spark.applications import APPLICATIONS

from . import _queries_by_hand as by_hand
from ._report import Bar, Result, Table
from ._settings import Settings

NAME = "queries"
BAR = 3.0
Array = np.ndarray[Any, Any]
Side = Callable[[], Any]


def run(settings: Settings, say: Callable[[str], None]) -> Result:
    """Seconds of each query, both ways, and their ratio."""
    sizes = (30_000, 100_000) if settings.quick else (300_000, 1_000_000)
    lines: list[list[Any]] = []
    for rows in sizes:
        for name, enter in QUERIES.items():
            ours, hand = _race(name, *enter(rows), settings.rounds)
            lines.append([name, rows, ours * 1e3, hand * 1e3, ours / hand])
            say(f"{name} {rows:,} rows: {ours * 1e3:.1f} and {hand * 1e3:.1f} ms")
    heads = ["query", "rows", "text (ms)", "by hand (ms)", "ratio"]
    bars = [
        Bar(f"{name} as text to a loop by hand", line[4], BAR, False)
        for name in QUERIES
        for line in [next(line for line in reversed(lines) if line[0] == name)]
    ]
    table = Table("Processor time, best of all rounds", heads, lines)
    notes = [
        "Loops by hand know their columns, keys and windows when they are compiled."
    ]
    return Result(NAME, "Queries as text beside loops by hand", [table], bars, notes)


def _race(name: str, ours: Side, hand: Side, same: Any, rounds: int) -> Any:
    """The best processor time of both, whose answers must be the same."""
    if not same(ours(), hand()):
        raise WrongAnswer(f"{name}: the text and the loop by hand differ")
    best = [float("inf")] * 2
    for _ in range(rounds):
        for number, side in enumerate((ours, hand)):
            start = time.process_time()
            side()
            best[number] = min(best[number], time.process_time() - start)
    return best


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
    name: str, rows: int, keys: str | None, value: str, width: int, mean: bool
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
        return _same(found, segment, "avg_speed", first, out)

    return _text("LRB1", S=stream), hand, same


def _room(shape: tuple[int, int], width: int) -> tuple[Array, Array, Array]:
    windows = shape[0] * (shape[1] + width - 1)
    return np.empty(windows, np.int64), np.empty(windows, np.int64), np.empty(windows)


def _same(
    found: pa.Table, key: Array, value: str, first: int, out: list[Array]
) -> bool:
    ends = _column(found, "ts") // by_hand.SECOND - first
    values = _column(found, value)
    exact = np.array_equal(key, out[0]) and np.array_equal(ends, out[1])
    return exact and np.allclose(values, out[2], rtol=1e-9, atol=1e-9)


QUERIES: dict[str, Callable[[int], tuple[Side, Side, Any]]] = {
    "YSB": _ysb,
    "CM1": lambda rows: _totals("CM1", rows, "category", "cpu", 60, False),
    "SG1": lambda rows: _totals("SG1", rows, None, "value", 3_600, True),
    "LRB1": _lrb1,
}
