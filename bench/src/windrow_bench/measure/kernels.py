"""A kernel called bare: no table, no checks, results into memory made beforehand."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numba import njit

from windrow.aggregates import find as find_aggregate
from windrow.algorithms import Algorithm, Shape, compile_kernel, count_regular
from windrow.kernels import Product, Request, product_of
from windrow.loops import arrays
from windrow.plan.choose import choose_algorithm

from .answers import Array, check_windows
from .race import Contender


@njit(error_model="numpy", nogil=True)
def one_pass(x, y):  # type: ignore[no-untyped-def]
    """Read everything and write everything once: what memory allows."""
    for i in range(len(x)):
        y[i] = x[i] + 1


def pass_contender(values: Array) -> Contender:
    """The pass `y = x + 1`."""
    y = np.empty_like(values)

    def check(_: Any) -> None:
        assert np.array_equal(y, values + 1)

    return Contender("one pass", lambda: one_pass(values, y), check)


def product(aggregate: str, values: Array) -> Product:
    """What a kernel of that aggregate carries over those values."""
    kind = "int" if values.dtype == np.int64 else "float"
    return product_of([Request(find_aggregate(aggregate), kind, (0,))])


def auto(aggregate: str, values: Array, width: int) -> Algorithm:
    """The algorithm that the planner picks."""
    asked = product(aggregate, values)
    return choose_algorithm(
        "auto", asked, aggregate, width=width, regular=True
    ).algorithm


def kernel_contender(
    algorithm: Algorithm,
    aggregate: str,
    values: Array,
    width: int,
    scale: float = 1.0,
    *,
    every: int = 1,
    lead: bool = False,
) -> Contender:
    """That algorithm over every window of `width` values, or each `every` values.

    With `lead` each value has a window, the first of them clipped.  It is named by
    what runs, which is another where windows move by more than one value.
    """
    who = algorithm.name if every == 1 else algorithm.uneven_name
    asked = product(aggregate, values)
    fast = algorithm.stride is not None and every == 1
    shape = Shape("rows", "regular", fast=fast)
    module = compile_kernel(algorithm, asked, shape)
    run = module.run
    if algorithm.conduct is not None:
        run = partial(algorithm.conduct, module)
    firsts, lasts = np.array([0]), np.array([len(values)])
    out = arrays(asked.out_dtypes, count_regular(firsts, lasts, width, every, lead))

    def call() -> Array:
        run((values,), firsts, lasts, width, every, lead, False, width, 0, out)
        return out[0]

    def check(actual: Array) -> None:
        check_windows(who, actual, values, width, aggregate, every=every, lead=lead)

    return Contender(who, call, check, scale)
