"""Operators as contenders: whole batches, and one event at a time from Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import windrow as wr
from windrow.operator import Results

from .answers import Array, check_windows
from .race import Contender, rows_within

BATCH = 1_000
PAIRS = "arg_max"
LEAST = 1_000  # rows of the slowest
LONG_BATCH = 10_000  # results of fewer rows than that stand in the cache


def operator(
    algorithm: str,
    aggregate: str,
    width: int,
    *,
    every: int = 1,
    dtype: str = "float64",
) -> wr.Operator:
    """A count window over numbers without nulls, as the array kernels have them.

    arg_max reads two columns, which hold the same values.
    """
    pairs = aggregate == PAIRS
    return wr.Operator(
        wr.rows(width, every=every),
        {PAIRS: wr.arg_max("value", "place")} if pairs else aggregate,
        algorithm=algorithm,
        types=dict.fromkeys(("value", "place") if pairs else ("value",), dtype),
        nulls=False,
    )


def fed(
    one: wr.Operator, values: Array, batch: int = BATCH, aggregate: str = ""
) -> Iterator[Results]:
    """What an operator says to values that come in batches."""
    for i in range(0, len(values), batch):
        part = values[i : i + batch]
        yield one.feed({"value": part, "place": part} if aggregate == PAIRS else part)


def steady_contender(
    name: str,
    algorithm: str,
    aggregate: str,
    values: Array,
    width: int,
    *,
    every: int = 1,
    scale: float = 1.0,
) -> Contender:
    """A full window that slides on: the first `width` values fill it beforehand.

    Each call lets in the rest of them once more, and lets results go.
    """
    make = partial(operator, every=every, dtype=values.dtype.name)
    full = make(algorithm, aggregate, width)
    for _ in fed(full, values[:width], width, aggregate):
        pass
    rest = values[width:]

    def all_results() -> Array:
        new = make(algorithm, aggregate, width)
        found = fed(new, values, LONG_BATCH, aggregate)
        return np.concatenate(
            [one[aggregate].to_numpy(zero_copy_only=False) for one in found]
        )

    def call() -> int:
        return sum(len(one) for one in fed(full, rest, LONG_BATCH, aggregate))

    def check(actual: Array) -> None:
        check_windows(name, actual, values, width, aggregate, every=every)

    return Contender(name, call, check, scale, rehearse=all_results)


def steady_within(
    name: str,
    algorithm: str,
    aggregate: str,
    values: Array,
    width: int,
    seconds: float,
    *,
    every: int = 1,
) -> Contender:
    """The same over as many rows as it can do in so many seconds, its time scaled.

    A slow one still has LEAST rows, and a whole slide.
    """
    rows = len(values) - width

    @cache
    def on(some: int) -> Contender:
        part, scale = values[: width + some], rows / some
        return steady_contender(
            name, algorithm, aggregate, part, width, every=every, scale=scale
        )

    least = -(-min(LEAST, rows) // every) * every
    able = rows_within(seconds, lambda some: on(some).call(), rows, least)
    return on(max(able // every * every, least))


def feed_contender(
    name: str,
    algorithm: str,
    aggregate: str,
    values: Array,
    width: int,
    batch: int = BATCH,
) -> Contender:
    """All values in batches; results are looked at, and let go."""

    def all_results() -> Array:
        one = operator(algorithm, aggregate, width)
        parts = [some[aggregate].to_numpy() for some in fed(one, values, batch)]
        return np.concatenate(parts)

    def call() -> int:
        one = operator(algorithm, aggregate, width)
        return sum(len(some) for some in fed(one, values, batch))

    def check(actual: Array) -> None:
        check_windows(name, actual, values, width, aggregate)

    return Contender(name, call, check, rehearse=all_results)


def one_by_one(
    name: str, make: Callable[[], Callable[[float], Any]], values: list[float]
) -> Contender:
    """`make` gives a function that takes an event and gives the result after it."""

    def all_results() -> list[Any]:
        step = make()
        return [step(value) for value in values]

    def call() -> None:
        step = make()
        for value in values:
            step(value)

    return Contender(name, call, lambda _: None, rehearse=all_results)


def ours(aggregate: str, width: int, algorithm: str = "auto") -> Callable[..., Any]:
    """insert, which evicts what has to go, and query."""

    def make() -> Callable[[float], Any]:
        one = operator(algorithm, aggregate, width)

        def step(value: float) -> Any:
            one.insert(value)
            return one.query()

        return step

    return make


def plain_deque(function: Callable[..., Any], width: int) -> Callable[..., Any]:
    """What one writes without a library."""

    def make() -> Callable[[float], Any]:
        window: deque[float] = deque(maxlen=width)

        def step(value: float) -> Any:
            window.append(value)
            return function(window)

        return step

    return make
