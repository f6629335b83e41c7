"""Folding stretches of rows into partials: slices, and the tails of Cutty.

fold(product, source, starts, stops)[f][j] is field f of
    row[starts[j]] + ... + row[stops[j] - 1]       the identity where that is empty
"""

from __future__ import annotations

from functools import lru_cache
from types import ModuleType
from typing import Any

import numpy as np

from windrow.kernels import (
    ENTRY,
    Product,
    Text,
    add_lift,
    add_partial,
    arrays,
    is_interpreting,
    kernel,
    titles,
    user_functions,
)

Array = np.ndarray[Any, Any]

_RUN = """
{entry}
def run(source, starts, stops, out):
    for j in range(len(starts)):
        start, stop = peek(starts, j), peek(stops, j)
        partial = leaf(source, start) if start < stop else IDENTITY
        for i in range(start + 1, stop):
            partial = combine(partial, leaf(source, i))
        store(out, j, partial)
"""


def fold_text(product: Product) -> str:
    """The source of the folding kernel."""
    text = Text(f"rows folded into slices: {titles(product.outputs)}.")
    add_partial(text, product)
    add_lift(text, product)
    text.add(_RUN.format(entry=ENTRY))
    return text.render()


def fold(
    product: Product, source: tuple[Array, ...], starts: Array, stops: Array
) -> tuple[Array, ...]:
    """Partials of the stretches [starts[j], stops[j]) of rows, one array per field."""
    out = arrays(product.dtypes, len(starts))
    plain = product.interpreted or is_interpreting()
    _compiled(product, plain).run(source, starts, stops, out)
    return out


@lru_cache(maxsize=512)
def _compiled(product: Product, plain: bool) -> ModuleType:
    users = user_functions(product, compiled=not plain)
    return kernel(fold_text(product), users, interpreted=plain)
