"""Aggregates that count what is done with them: complexity without a clock.

    tally, product = counted(max, identity=-1)
    slide_regular(algorithm, product, (values,), ...)
    tally.per_window       combines of this thread before each window came out
    tally.elsewhere        combines of other threads
    tally.pairs            what was combined, in order, window by window

Kernels over such an aggregate run interpreted, one object per partial.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from windrow.aggregates import Aggregate
from windrow.algorithms import Algorithm, slide_arrays, slide_regular
from windrow.kernels import Product, Request, product_of


class Tally:
    """Operations so far, cut where a window comes out."""

    def __init__(self) -> None:
        self.main = threading.get_ident()
        self.per_window: list[int] = []
        self.inverses: list[int] = []
        self.pairs: list[list[tuple[Any, Any]]] = [[]]
        self.elsewhere = 0
        self._combines = self._inverses = 0

    @property
    def total(self) -> int:
        """Combines and inverses of the main thread, over all windows."""
        return sum(self.per_window) + sum(self.inverses)

    def combined(self, older: Any, newer: Any) -> None:
        if threading.get_ident() != self.main:
            self.elsewhere += 1
            return
        self._combines += 1
        self.pairs[-1].append((older, newer))

    def inverted(self) -> None:
        self._inverses += 1

    def came_out(self) -> None:
        self.per_window.append(self._combines)
        self.inverses.append(self._inverses)
        self.pairs.append([])
        self._combines = self._inverses = 0


def counted(
    combine: Callable[[Any, Any], Any],
    identity: Any,
    inverse: Callable[[Any, Any], Any] | None = None,
    laws: Sequence[str] = (),
) -> tuple[Tally, Product]:
    """A tally, and a product of the one aggregate that fills it."""
    tally = Tally()

    def counted_combine(older: Any, newer: Any) -> Any:
        tally.combined(older, newer)
        return combine(older, newer)

    def counted_inverse(whole: Any, oldest: Any) -> Any:
        tally.inverted()
        assert inverse is not None
        return inverse(whole, oldest)

    def lower(partial: Any) -> Any:
        tally.came_out()
        return partial

    aggregate = Aggregate(
        name="counted",
        identity=identity,
        lift=lambda value: value,
        combine=counted_combine,
        lower=lower,
        inverse=counted_inverse if inverse else None,
        laws=laws,
    )
    request = Request(aggregate, "object", (0,), (), ("object", "object"), True)
    return tally, product_of([request])


def objects(values: Sequence[Any]) -> np.ndarray[Any, Any]:
    """A column of Python objects."""
    column = np.empty(len(values), object)
    column[:] = values
    return column


def slide_rows(
    algorithm: Algorithm,
    product: Product,
    values: Sequence[Any],
    width: int,
    **how: Any,
) -> list[Any]:
    """Windows of `width` rows over one run of values."""
    runs = np.array([0]), np.array([len(values)])
    return slide_regular(algorithm, product, (objects(values),), *runs, width, **how)[
        0
    ].tolist()


def slide_windows(
    algorithm: Algorithm,
    product: Product,
    values: Sequence[Any],
    windows: Sequence[tuple[int, int]],
) -> list[Any]:
    """Windows given as (start, stop)."""
    starts, stops = np.array(windows, np.int64).reshape(-1, 2).T.copy()
    return slide_arrays(algorithm, product, (objects(values),), starts, stops)[
        0
    ].tolist()


def slide_ranges(
    algorithm: Algorithm,
    product: Product,
    values: Sequence[Any],
    ranges: Sequence[int],
    first: int = 0,
) -> list[list[Any]]:
    """One row per slice from `first` on: an answer per range, leading ones clipped."""
    longest_first = sorted(range(len(ranges)), key=lambda q: -ranges[q])
    windows = [
        (max(stop - ranges[q], 0), stop, q)
        for stop in range(first + 1, len(values) + 1)
        for q in longest_first
    ]
    starts, stops, query = np.array(windows, np.int64).T.copy()
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    answers = slide_arrays(
        algorithm, product, (objects(values),), starts, stops, keep=keep, query=query
    )[0].tolist()
    rows = [
        dict(zip(longest_first, answers[i : i + len(ranges)], strict=True))
        for i in range(0, len(answers), len(ranges))
    ]
    return [[row[q] for q in range(len(ranges))] for row in rows]
