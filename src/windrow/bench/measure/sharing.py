"""Many windows at once as contenders: the graph, an algorithm per query, all ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from windrow.algorithms import Algorithm, Shape, compile_kernel
from windrow.gag.run import arranged
from windrow.kernels import arrays

from .answers import Array, check_windows
from .kernels import kernel_contender, product
from .race import Contender

Windows = Sequence[int]


def results_of(values: Array, ranges: Windows) -> int:
    """How many results there are, with a slide of one."""
    return sum(len(values) - range_ + 1 for range_ in ranges)


def graph_contender(aggregate: str, values: Array, ranges: Windows) -> Contender:
    """All windows by one graph, into prepared memory."""
    runs = np.array([0]), np.array([len(values)])
    windows = [(range_, 1) for range_ in ranges]
    run, results = arranged(product(aggregate, values), (values,), *runs, windows)

    def check(_: Any) -> None:
        for range_, (found, *_rest) in zip(ranges, results, strict=True):
            check_windows("gag", found, values, range_, aggregate)

    return Contender("gag", run, check)


def each_contender(
    algorithm: Algorithm, aggregate: str, values: Array, ranges: Windows
) -> Contender:
    """One algorithm, once for each query."""
    ones = [kernel_contender(algorithm, aggregate, values, r) for r in ranges]

    def call() -> None:
        for one in ones:
            one.call()

    def check(_: Any) -> None:
        for one in ones:
            one.check(one.call())

    return Contender(algorithm.name, call, check)


def multi_contender(
    algorithm: Algorithm, aggregate: str, values: Array, ranges: Windows
) -> Contender:
    """An algorithm that answers several ranges in one pass."""
    asked = product(aggregate, values)
    starts, stops, keep, query = bounds_of(len(values), tuple(ranges))
    out = arrays(asked.out_dtypes, len(starts))
    run = compile_kernel(algorithm, asked, Shape("rows", "many")).run
    widest = int((stops - keep).max())

    def call() -> None:
        run((values,), (starts, stops, keep, query), widest, 0, out)

    def check(_: Any) -> None:
        for number, range_ in enumerate(ranges):
            found = out[0][query == number]
            check_windows(algorithm.name, found, values, range_, aggregate)

    return Contender(f"{algorithm.name}, many", call, check)


@lru_cache(maxsize=1)
def bounds_of(count: int, ranges: tuple[int, ...]) -> tuple[Array, ...]:
    """Start, stop, oldest start still needed, and range of each window, by stop.

    Windows that stop together come longest first.  Two algorithms over the same
    windows share them: they are several times as large as the results.
    """
    order = np.argsort(-np.array(ranges), kind="stable")
    stops = np.arange(1, count + 1)[:, None]
    starts = stops - np.array(ranges)[order]
    there = starts >= 0
    query = np.broadcast_to(order, starts.shape)[there]
    stops = np.broadcast_to(stops, starts.shape)[there]
    starts = starts[there]
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    return starts, stops, keep, query


def write_contender(dtype: Any, count: int) -> Contender:
    """Write that many results into prepared memory, and no more."""
    out = np.zeros(count, dtype)
    fill: Callable[[], None] = lambda: out.fill(1)  # noqa: E731
    return Contender("writing", fill, lambda _: None)
