"""Whether two results are the same, without bringing millions of rows together.

A result becomes a few numbers: its rows, the sum of each column, and the sum of each
column times the row's place,

    place == (start of the window in seconds + 31 * key) mod 997

so that a value in a row where it does not belong shows.  What the numbers must be for
windows, numpy says from panes of a second; for rows, Spark's own frames.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.lib.stride_tricks import sliding_window_view
from pyspark.sql import Column, DataFrame, functions

from windrow_bench.measure.answers import Array
from windrow_bench.measure.spark.queries import RESULTS
from windrow_bench.measure.spark.sums import PLACES, Sums

SECOND = 1_000_000


def of_windows(frame: DataFrame) -> Sums:
    """The numbers of a result with windows."""
    [row] = frame.agg(*window_sums()).collect()
    return dict(row.asDict())


def of_queries(frame: DataFrame) -> Sums:
    """The numbers of each window of a list, as `by_query` calls them."""
    rows = frame.groupBy("query").agg(*window_sums()).collect()
    found = {row["query"]: row.asDict() for row in rows}
    for one in found.values():
        del one["query"]
    return by_query(found)


def by_query(found: Mapping[str, Sums]) -> Sums:
    """The numbers of several results as those of one."""
    return {
        f"{name} of {query}": value
        for query, sums in found.items()
        for name, value in sums.items()
    }


def window_sums() -> list[Column]:
    """The same as columns, for one aggregation over windows."""
    start, end = (functions.unix_seconds(f"window.{edge}") for edge in ("start", "end"))
    return [*_sums(RESULTS, start), functions.sum(end - start).alias("seconds")]


def of_rows(frame: DataFrame, columns: Sequence[str]) -> Sums:
    """The numbers of a result with every input row."""
    place = functions.unix_micros("at")
    [row] = frame.agg(*_sums(["x", *columns], place)).collect()
    return dict(row.asDict())


def _sums(columns: Sequence[str], start: Column) -> list[Column]:
    place = functions.pmod(
        start + 31 * functions.col("key").cast("long"), functions.lit(PLACES)
    )
    sums = [functions.count("*").alias("rows")]
    for name in columns:
        column = functions.col(name)
        sums.append(functions.sum(column).alias(name))
        sums.append(functions.sum(column * place).alias(f"{name} by place"))
    return sums


def by_numpy(table: pa.Table, range: int, slide: int = 1) -> Sums:
    """What windows of so many seconds must come to."""
    at, keys, x = (table.column(name).to_numpy() for name in ("at", "key", "x"))
    order = np.argsort(keys, kind="stable")
    seconds = at[order].astype(np.int64) // SECOND
    distinct, starts = np.unique(keys[order], return_index=True)
    parts = zip(
        distinct.tolist(),
        np.split(seconds, starts[1:]),
        np.split(x[order], starts[1:]),
        strict=True,
    )
    found: Counter[str] = Counter()
    for key, its_seconds, its_x in parts:
        found.update(_of_key(key, its_seconds, its_x, range, slide))
    return dict(found)


def _of_key(key: int, seconds: Array, x: Array, range: int, slide: int) -> Sums:
    first = int(seconds.min()) - range + 1  # the earliest start of a window
    pane = seconds - first
    panes = int(pane.max()) + range  # the last start has a whole window after it
    total = np.bincount(pane, x, panes)
    n = np.bincount(pane, minlength=panes)
    highest = np.full(panes, -np.inf)
    np.maximum.at(highest, pane, x)
    begin = -first % slide
    totals, counts, tops = (
        sliding_window_view(one, range)[begin::slide] for one in (total, n, highest)
    )
    counts = counts.sum(axis=1)
    some = counts > 0
    columns = {
        "total": totals.sum(axis=1)[some],
        "highest": tops.max(axis=1)[some],
        "n": counts[some],
    }
    start = first + begin + slide * np.flatnonzero(some)
    found: Sums = {"rows": len(start), "seconds": len(start) * range}
    for name, values in columns.items():
        found[name] = values.sum()
        found[f"{name} by place"] = (values * ((start + 31 * key) % PLACES)).sum()
    return found
