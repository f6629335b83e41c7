"""Operators as contenders: whole batches, and one event at a time from Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

import windrow as wr

from .answers import Array, check_windows
from .race import Contender

BATCH = 1_000


def operator(algorithm: str, aggregate: str, width: int) -> wr.Operator:
    """A count window over floats without nulls, as the array kernels have them."""
    return wr.Operator(
        wr.rows(width),
        aggregate,
        algorithm=algorithm,
        types={"value": "float64"},
        nulls=False,
    )


def feed_contender(
    name: str, algorithm: str, aggregate: str, values: Array, width: int
) -> Contender:
    """All values in batches of 1,000; results are looked at, and let go."""

    def all_results() -> Array:
        one = operator(algorithm, aggregate, width)
        parts = [
            one.feed(values[i : i + BATCH])[aggregate].to_numpy()
            for i in range(0, len(values), BATCH)
        ]
        return np.concatenate(parts)

    def call() -> int:
        one, many = operator(algorithm, aggregate, width), 0
        for i in range(0, len(values), BATCH):
            many += len(one.feed(values[i : i + BATCH]))
        return many

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
