"""Many windows at once as contenders: the graph, an algorithm per query, all ranges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from windrow.algorithms import Algorithm, Shape, compile_kernel
from windrow.graph.run import prepare_slide
from windrow.loops import arrays

from .answers import Array, check_windows
from .kernels import kernel_contender, product
from .race import Contender

Windows = Sequence[int]
CHECKED = 64  # ranges of many, the first and the last among them


def results_of(values: Array, ranges: Windows) -> int:
    """How many results there are, with a slide of one."""
    return sum(len(values) - range_ + 1 for range_ in ranges)


def graph_contender(aggregate: str, values: Array, ranges: Windows) -> Contender:
    """All windows by one graph, into prepared memory."""
    runs = np.array([0]), np.array([len(values)])
    windows = [(range_, 1) for range_ in ranges]
    run, results = prepare_slide(product(aggregate, values), (values,), *runs, windows)

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


@dataclass(frozen=True)
class Bounds:
    """Windows of several ranges in the order of a stream; `back` sorts by range."""

    starts: Array
    stops: Array
    keep: Array
    query: Array
    back: Array
    counts: tuple[int, ...]


@lru_cache(maxsize=1)
def bounds_of(n: int, ranges: tuple[int, ...]) -> Bounds:
    """All windows over `n` values, longest first where they stop together.

    The last ones asked for are kept: they are several times as large as the results.
    """
    order = np.argsort(-np.array(ranges), kind="stable")
    stops = np.arange(1, n + 1)[:, None]
    starts = stops - np.array(ranges)[order]
    there = starts >= 0
    query = np.broadcast_to(order, starts.shape)[there]
    stops = np.broadcast_to(stops, starts.shape)[there]
    starts = starts[there]
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    counts = tuple(n - range_ + 1 for range_ in ranges)
    return Bounds(starts, stops, keep, query, np.argsort(query, kind="stable"), counts)


def multi_contender(
    algorithm: Algorithm, aggregate: str, values: Array, ranges: Windows
) -> Contender:
    """An algorithm that answers several ranges in one pass."""
    asked = product(aggregate, values)
    b = bounds_of(len(values), tuple(ranges))
    out = arrays(asked.out_dtypes, len(b.starts))
    run = compile_kernel(algorithm, asked, Shape("rows", "many")).run
    widest = int((b.stops - b.keep).max())

    def call() -> None:
        run((values,), (b.starts, b.stops, b.keep, b.query), widest, 0, out)

    def check(_: Any) -> None:
        by_range = np.split(out[0][b.back], np.cumsum(b.counts)[:-1])
        for k in {*np.linspace(0, len(ranges) - 1, CHECKED).astype(int).tolist()}:
            check_windows(algorithm.name, by_range[k], values, ranges[k], aggregate)

    return Contender(f"{algorithm.name}, many", call, check)


def write_contender(dtype: Any, count: int) -> Contender:
    """Write that many results into prepared memory, and no more."""
    out = np.zeros(count, dtype)
    fill: Callable[[], None] = lambda: out.fill(1)  # noqa: E731
    return Contender("writing", fill, lambda _: None)
