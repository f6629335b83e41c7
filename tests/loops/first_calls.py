"""Calls every aggregate of the catalogue and prints the first that loads a compiler.

    python first_calls.py over        nothing is printed where none does

In a process of its own, with an empty cache.  Kernels that calls pay for are compiled
in the background after two seconds of work: that is put off here for good.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import windrow as wr
from windrow.aggregates import CATALOGUE, Aggregate
from windrow.loops import lanes

ROWS = 60_000
FEW = 1_000  # where a sketch is made for each row, or each event is a call
KEYS = 20


def table_of(rows: int) -> pa.Table:
    """Events at one instant a row, of numbers, words and truths; some are null."""
    rng = np.random.default_rng(0)
    at = np.arange(rows)
    holes = rng.random(rows) < 0.01
    numbers = rng.random(rows)
    return pa.table(
        {
            "at": at,
            "end": at + rng.integers(1, 40, rows),
            "key": at % KEYS,
            "x": pa.array(np.round(numbers, 4), mask=holes),
            "y": rng.random(rows) + 0.5,
            "whole": rng.integers(0, 1000, rows),
            "truth": pa.array(numbers > 0.5),
            "word": [f"w{code}" for code in rng.integers(0, 500, rows).tolist()],
        }
    )


def call_of(aggregate: Aggregate, **frame: Any) -> Any:
    """The aggregate over columns that it takes."""
    column = {"text": "word", "whole": "whole", "truth": "truth"}
    first = column.get(aggregate.accepts, "x")
    two = aggregate.columns[0] == 2 or aggregate.name in ("arg_min", "arg_max")
    options = {"edges": [0.0, 0.3, 1.0]} if aggregate.name == "histogram" else {}
    return getattr(wr, aggregate.name)(
        *([first, "y"] if two else [first]), **options, **frame
    )


def slide(aggregate: Aggregate, rows: int) -> None:
    table = table_of(rows)
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    wr.slide(columns, wr.rows(51), call_of(aggregate))


def over(aggregate: Aggregate, rows: int) -> None:
    table = table_of(rows)
    by_rows = call_of(aggregate, last=9)
    by_time = call_of(aggregate, last="200")
    wr.over(table, on="at", by="key", a=by_rows)
    wr.over(table, on="at", by="key", a=by_time)


def as_of(aggregate: Aggregate, rows: int) -> None:
    labels = pa.table(
        {"at": np.arange(0, rows, 3), "key": np.arange(0, rows, 3) % KEYS}
    )
    call = call_of(aggregate, last="200")
    wr.as_of(labels, table_of(rows), at="at", on="at", by="key", a=call)


def aggregate_by(*windows: Any) -> Callable[[Aggregate, int], None]:
    def run(aggregate: Aggregate, rows: int) -> None:
        table = table_of(rows)
        for window in windows:
            wr.aggregate(table, window, by="key", a=call_of(aggregate))

    return run


def tiles(aggregate: Aggregate, rows: int) -> None:
    own = wr.tiles(table_of(rows), every=50, on="at", by="key", a=call_of(aggregate))
    wr.merge_tiles(own, wr.sliding(500, every=50, on="at"), by="key")


def operator(aggregate: Aggregate, rows: int) -> None:
    del rows
    table = table_of(FEW).drop_columns(["at", "end", "key"])
    types = {field.name: field.type for field in table.schema}
    own = wr.Operator(wr.rows(50), {"a": call_of(aggregate)}, types=types)
    for row in table.to_pylist():
        own.insert(row)
        own.query()


WAYS: dict[str, Callable[[Aggregate, int], None]] = {
    "slide": slide,
    "over": over,
    "as_of": as_of,
    "time": aggregate_by(wr.sliding(500, every=50, on="at")),
    "tumbling": aggregate_by(wr.sliding(500, on="at"), wr.rows(40, every=40)),
    "others": aggregate_by(
        wr.window(evict=40, trigger=10),
        [wr.sliding(400, every=200, on="at"), wr.sliding(1000, every=200, on="at")],
    ),
    "spans": aggregate_by(wr.sliding(500, every=100, span=("at", "end"))),
    "tiles": tiles,
    "operator": operator,
}
HELD_BY_ROW = ("slide", "over", "as_of")


def serves(way: str, aggregate: Aggregate) -> bool:
    """Whether the aggregate can be asked for in that way."""
    if "own" in aggregate.takes:
        return way == "over"
    return not (way in ("operator", "tiles") and aggregate.name == "weighted_median")


if __name__ == "__main__":
    way = sys.argv[1]
    lanes.PRICE = math.inf
    for aggregate in CATALOGUE:
        if serves(way, aggregate):
            is_slow = bool(aggregate.sketch) and way in HELD_BY_ROW
            WAYS[way](aggregate, FEW if is_slow else ROWS)
        if "numba" in sys.modules:
            sys.exit(f"{aggregate.name} has loaded a compiler")
