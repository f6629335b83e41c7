"""Folding stretches of rows, or of partials, into partials.

fold(product, source, starts, stops)[f][j] is field f of
    row[starts[j]] + ... + row[stops[j] - 1]       the identity where that is empty

Rows become slices, and the tails of Cutty; partials of one slice that come from
several places become one.
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
    add_loaded_leaf,
    add_partial,
    arrays,
    is_interpreting,
    kernel,
    telling_lines,
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


def fold_text(product: Product, leaf: str = "rows") -> str:
    """The source of the folding kernel."""
    text = Text(f"{leaf} folded into slices: {titles(product.outputs)}.")
    add_partial(text, product)
    (add_lift if leaf == "rows" else add_loaded_leaf)(text, product)
    text.add(_RUN.format(entry=ENTRY))
    return text.render()


def fold(
    product: Product,
    source: tuple[Array, ...],
    starts: Array,
    stops: Array,
    *,
    leaf: str = "rows",
) -> tuple[Array, ...]:
    """Partials of the stretches [starts[j], stops[j]), one array per field.

    The source is columns for `leaf="rows"`, or the product's fields for "slices".
    """
    out = arrays(product.dtypes, len(starts))

    def run() -> None:
        plain = product.interpreted or is_interpreting()
        _compiled(product, leaf, plain).run(source, starts, stops, out)

    telling_lines(product.has_users, run)
    return out


@lru_cache(maxsize=512)
def _compiled(product: Product, leaf: str, plain: bool) -> ModuleType:
    users = user_functions(product, compiled=not plain)
    return kernel(fold_text(product, leaf), users, interpreted=plain)
