"""Whether two sinks hold the same rows, and the rows that numpy expects.

A sink becomes a few whole numbers: its rows; for each column the sum of the hashes of
(key, window, value) over all rows, which two sinks share if and, but for a chance of
one in 2 ** 31, only if they share the column; and the sums of `_spark_answers`, which
numpy can tell without Spark.  Values are whole numbers, so all of it is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
from pyspark.sql import DataFrame, functions

from windrow_bench.measure.answers import Array, WrongAnswer
from windrow_bench.measure.spark.queries import RESULTS
from windrow_bench.measure.spark.stream_load import SECOND, StreamLoad

from ._spark_answers import PLACES, Sums, window_sums

HASHED = "hash of "


def of_sink(frame: DataFrame) -> Sums:
    """The numbers of what a micro-batch gave to its sink, in one pass."""
    hashes = []
    for name in RESULTS:
        hashed = functions.xxhash64("key", "window.start", "window.end", name)
        low = functions.pmod(hashed, functions.lit(2**31))
        hashes.append(functions.sum(low).alias(HASHED + name))
    [row] = frame.agg(*window_sums(), *hashes).collect()
    return {name: value or 0 for name, value in row.asDict().items()}


def by_numpy(load: StreamLoad, range: int, slide: int) -> Sums:
    """What the windows that the watermark has passed must come to, without hashes.

    Panes are as long as the slide; `range` is a multiple of it.
    """
    at, keys, x = load.columns()
    order = np.argsort(keys, kind="stable")
    panes = at[order] // SECOND // slide
    distinct, starts = np.unique(keys[order], return_index=True)
    passed = load.watermark // SECOND // slide  # panes that end at it or before
    found: Counter[str] = Counter()
    parts = zip(
        distinct.tolist(),
        np.split(panes, starts[1:]),
        np.split(x[order], starts[1:]),
        strict=True,
    )
    for key, its_panes, its_x in parts:
        found.update(_of_key(key, its_panes, its_x, range // slide, slide, passed))
    return dict(found)


def _of_key(
    key: int, panes: Array, x: Array, width: int, slide: int, passed: int
) -> Sums:
    first = int(panes.min()) - width + 1  # the earliest start of a window
    count = max(passed - first - width + 1, 0)  # windows that end in time
    length = max(int(panes.max()) - first + 1, count + width)
    place = panes - first
    total, n = np.bincount(place, x, length), np.bincount(place, minlength=length)
    highest = np.full(length, -np.inf)
    np.maximum.at(highest, place, x)
    columns = {
        "total": _sums(total, width)[:count],
        "highest": _highest(highest, width)[:count],
        "n": _sums(n, width)[:count],
    }
    some = columns["n"] > 0
    start = (first + np.flatnonzero(some)) * slide
    found: Sums = {"rows": len(start), "seconds": len(start) * width * slide}
    weight = (start + 31 * key) % PLACES
    for name, values in columns.items():
        found[name] = values[some].sum().item()
        found[f"{name} by place"] = (values[some] * weight).sum().item()
    return found


def _sums(panes: Array, width: int) -> Array:
    """Of each window, from running totals: whole numbers, so nothing is lost."""
    before = np.concatenate(([0], np.cumsum(panes)))
    return before[width:] - before[:-width]


def _highest(panes: Array, width: int) -> Array:
    """Of each window: two overlapping stretches, whose length is a power of two."""
    length = 1
    while 2 * length <= width:
        panes = np.maximum(panes[:-length], panes[length:])
        length *= 2
    rest = width - length
    return np.maximum(panes[: len(panes) - rest], panes[rest:])


def check_same(who: str, actual: Mapping[str, object], expected: Sums) -> None:
    """All that is expected is there, to the last digit."""
    for name, value in expected.items():
        if name not in actual:
            raise WrongAnswer(f"{who}: has no sum of {name}")
        if actual[name] != value:
            raise WrongAnswer(f"{who}: {name} comes to {actual[name]}, not {value}")
