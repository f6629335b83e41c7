"""Folds stretches of rows, or of partials, into partials.

fold(product, source, starts, stops)[f][j] is field f of
    row[starts[j]] + ... + row[stops[j] - 1]       the identity where that is empty

Rows become slices, and the tails of Cutty; partials of one slice that come from
several places become one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from windrow.kernels import Assembly, Product, arrays
from windrow.kernels.vocabulary import IDENTITY, combine, leaf, peek, store

Array = np.ndarray[Any, Any]


def run_fold(source, starts, stops, out):
    for j in range(len(starts)):
        start, stop = peek(starts, j), peek(stops, j)
        partial = IDENTITY
        if start < stop:
            partial = leaf(source, start)
        for i in range(start + 1, stop):
            partial = combine(partial, leaf(source, i))
        store(out, j, partial)


def fold(
    product: Product,
    source: tuple[Array, ...],
    starts: Array,
    stops: Array,
    *,
    leaf: str = "rows",
) -> tuple[Array, ...]:
    """Fold each stretch [starts[j], stops[j]) into a partial; one array per field.

    The source is columns for `leaf="rows"`, or the product's fields for "slices".
    """
    out = arrays(product.dtypes, len(starts))
    kernel = Assembly(
        what=f"{leaf} folded into slices",
        product=product,
        leaf=leaf,
        emit=None,
        entries=(("run", run_fold),),
    )
    kernel.run(source, starts, stops, out)
    return out
