"""Kernels watched from outside: what they answer, what it costs, what they keep.

A *stretch* is the partial (start, stop) of the slices it was made of.  It refuses
to be combined with anything but its neighbour, the older one first, so an
algorithm that answers windows of stretches is right for every aggregate.

    stretches(FLAT_FAT, [(0, 3), (1, 4)])      [(0, 3), (1, 4)]
    combines(FLAT_FAT, [(0, 3), (1, 4)])       [2, 2]: combines and inverses, each

With `many`, windows of several ranges go through in one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from windrow.aggregates import ABSENT, Aggregate
from windrow.algorithms import Algorithm, Shape, compile_kernel
from windrow.kernels import Product, Request, product_of

Window = tuple[int, int]


def _join(older: Window, newer: Window) -> Window:
    assert older[1] == newer[0], f"{older} and {newer} are not neighbours"
    return older[0], newer[1]


def _take_off(whole: Window, oldest: Window) -> Window:
    assert whole[0] == oldest[0], f"{oldest} does not begin where {whole} does"
    assert oldest[1] < whole[1], f"nothing is left of {whole} without {oldest}"
    return oldest[1], whole[1]


STRETCH = Aggregate(
    name="stretch",
    lift=lambda at: (int(at), int(at) + 1),
    combine=_join,
    inverse=_take_off,
    lower=lambda partial: partial,
)


class Run(NamedTuple):
    """A kernel that has answered some windows, and its memory."""

    kernel: Any
    scratch: Any
    answers: list[Any]


def product_for(aggregate: Aggregate) -> Product:
    """The product of one aggregate of Python objects, which runs interpreted."""
    request = Request(aggregate, "object", (0,), (), ("object", "object"), True)
    return product_of([request], may_be_empty=aggregate.identity is ABSENT)


@lru_cache(maxsize=32)
def _kernel(algorithm: Algorithm, aggregate: Aggregate, bounds: str) -> Any:
    return compile_kernel(algorithm, product_for(aggregate), Shape("rows", bounds))


def run(
    algorithm: Algorithm,
    aggregate: Aggregate,
    values: Sequence[Any],
    windows: Sequence[Window],
    *,
    many: bool = False,
    widest: int | None = None,
    count: int | None = None,
) -> Run:
    """Answer the windows, or the first `count`; None where one is empty."""
    product = product_for(aggregate)
    starts = np.array([start for start, _ in windows], np.int64)
    stops = np.array([stop for _, stop in windows], np.int64)
    keep = np.minimum.accumulate(starts[::-1])[::-1].copy()
    if not many:
        assert (keep == starts).all(), "starts of one range never fall"
    bounds = (starts, stops, keep, np.zeros(len(starts), np.int64))
    column = np.empty(len(values), object)
    column[:] = list(values)
    out = tuple(np.empty(len(windows), dtype) for dtype in product.out_dtypes)
    kernel = _kernel(algorithm, aggregate, "many" if many else "arrays")
    scratch = kernel.prepare(widest or max(int((stops - keep).max(initial=1)), 1), 0)
    count = len(windows) if count is None else count
    kernel.slide((column,), bounds if many else bounds[:2], count, 0, scratch, out)
    there = out[1][:count].tolist() if len(out) > 1 else [True] * count
    lowered = out[0][:count].tolist()
    answers = [a if t else None for a, t in zip(lowered, there, strict=True)]
    return Run(kernel, scratch, answers)


def positions(windows: Sequence[Window]) -> range:
    """As many slices as the windows need, each its own position."""
    return range(max((stop for _, stop in windows), default=0))


def stretches(
    algorithm: Algorithm, windows: Sequence[Window], *, many: bool = False
) -> list[Window | None]:
    """Which slices each answer was made of."""
    return run(algorithm, STRETCH, positions(windows), windows, many=many).answers


def counter() -> tuple[Aggregate, Callable[[], int]]:
    """A sum with an identity and an inverse, and how often both were called so far."""
    calls = [0]

    def combine(older: int, newer: int) -> int:
        calls[0] += 1
        return older + newer

    def inverse(whole: int, oldest: int) -> int:
        calls[0] += 1
        return whole - oldest

    aggregate = Aggregate(
        name="counted",
        identity=0,
        lift=lambda value: value,
        combine=combine,
        inverse=inverse,
        lower=lambda _: calls[0],
    )
    return aggregate, lambda: calls[0]


def combines(
    algorithm: Algorithm, windows: Sequence[Window], *, many: bool = False
) -> list[int]:
    """How many calls of combine and inverse each window took."""
    aggregate, _ = counter()
    totals = run(algorithm, aggregate, positions(windows), windows, many=many).answers
    return [now - before for before, now in zip([0, *totals], totals, strict=False)]
