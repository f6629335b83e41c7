"""Products with sketches: objects beside numbers, each combined by itself.

    partial    (count, total, max)  (sketch)  (sketch)
                 one kernel for        each a product of one field, whose combine is
                 the numbers           that of the sketch, in plain Python

A product names those of its sketches as `companions`.  Loops over partials are run once
for the numbers and once for each companion; what comes out stands in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from windrow.aggregates import Aggregate, Law
from windrow.sketches import Sketch

from .merge import product_of
from .product import Product, Request
from .user import interpreted_schema

Array = np.ndarray[Any, Any]
Fields = tuple[Array, ...]

RECENT = 4  # merges that may come again: a window is merged from three parts


class RecentMerges:
    """The last few merges; one of the same two objects gives the same object again."""

    def __init__(self) -> None:
        self.merges: list[tuple[Any, Any, Any]] = []

    def __reduce__(self) -> Any:
        return RecentMerges, ()  # a task does not take them along

    def merge(self, sketch: Sketch, older: Any, newer: Any) -> Any:
        """The partial of both."""
        for one, other, both in self.merges:
            if one is older and other is newer:
                return both
        both = sketch.combine(older, newer)
        self.merges = [*self.merges[1 - RECENT :], (older, newer, both)]
        return both


@lru_cache(maxsize=64)
def sketch_product(sketch: Sketch) -> Product:
    """A product of one field, the sketch, so that every algorithm can merge it.

    Windows of a key that nothing came into and nothing left are merged from the same
    parts: they get the same object, and no merge (2,000 keys with a row in 100 s, every
    10 s: nine windows of ten).
    """
    recent = RecentMerges()

    def combine(older: Any, newer: Any) -> Any:
        if older is None or newer is None:
            return newer if older is None else older
        return recent.merge(sketch, older, newer)

    aggregate = Aggregate(
        name=sketch.name,
        identity=None,
        lift=lambda value: value,
        combine=combine,
        lower=lambda partial: partial,
        laws=Law.COMMUTATIVE,
    )
    return product_of([Request(aggregate, "object", (), (), *interpreted_schema())])


def run_each(
    product: Product, source: Fields, run: Callable[[Product, Fields], Fields]
) -> Fields:
    """What a loop gives for the numbers of a partial, then for each of its sketches."""
    width = len(product.dtypes)
    out = run(product.numbers, source[:width]) if product.parts else ()
    for place, companion in enumerate(product.companions, width):
        out += run(companion, (source[place],))
    return out
