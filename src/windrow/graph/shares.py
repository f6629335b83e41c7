"""Divides a product: what can be taken off goes another way than what cannot.

    product     (count, total | max)          sum, count and max of one pass
    shares      (count, total)                a graph with differences
                (max)                         a graph with suffixes and prefixes

One maximum beside a sum would cost the sum its inverse; two graphs over the same inputs
do not.  A result goes with the share that has all its fields, and a count that shows
nulls is in both if both need it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from windrow._later import dataclass
from windrow.kernels import Output, Product, ProductPart

Array = np.ndarray[Any, Any]
Results = Sequence[tuple[Array, ...]]
"""The arrays of each window or list of windows."""


@dataclass(frozen=True)
class Share:
    """A product of some results, and which of the whole's fields and arrays it has."""

    product: Product
    fields: tuple[int, ...]
    arrays: tuple[int, ...]


@lru_cache(maxsize=256)
def shares_of(product: Product) -> tuple[Share, ...]:
    """The shares of a product: one, or that with an exact inverse and the rest."""
    exact = {
        field
        for part in product.parts
        if part.undoable
        for field in range(part.offset, part.stop)
    }
    sides: dict[bool, list[int]] = {True: [], False: []}
    for number, output in enumerate(product.outputs):
        sides[exact >= set(_fields(output))].append(number)
    return tuple(_share(product, numbers) for numbers in sides.values() if numbers)


def _fields(output: Output) -> list[int]:
    shown = [] if output.present_in is None else [output.present_in]
    return [*output.fields, *shown]


def _share(product: Product, numbers: Sequence[int]) -> Share:
    """The product of some results, its fields numbered anew."""
    outputs = [product.outputs[number] for number in numbers]
    needed = {field for output in outputs for field in _fields(output)}
    parts: list[ProductPart] = []
    places: dict[int, int] = {}
    for part in product.parts:
        own = range(part.offset, part.stop)
        if needed & set(own):
            parts.append(replace(part, offset=len(places)))
            places |= {field: len(places) + k for k, field in enumerate(own)}
    renumbered = [
        replace(
            output,
            fields=tuple(places[field] for field in output.fields),
            present_in=None if output.present_in is None else places[output.present_in],
        )
        for output in outputs
    ]
    widths = [len(output.dtypes) + output.nullable for output in product.outputs]
    firsts = np.cumsum([0, *widths]).tolist()
    arrays = [k for n in numbers for k in range(firsts[n], firsts[n + 1])]
    return Share(Product(tuple(parts), tuple(renumbered)), tuple(places), tuple(arrays))


def answer_shares(
    product: Product,
    source: tuple[Array, ...],
    leaf: str,
    answer: Callable[[Product, tuple[Array, ...]], Results],
) -> list[tuple[Array, ...]]:
    """Answer each share by itself, and put their arrays in the order of the whole.

    Rows are read as they are; of the partials of slices each share has its own fields.
    """
    shares = shares_of(product)
    if len(shares) == 1:
        return list(answer(product, source))
    found: list[dict[int, Array]] = []
    for share in shares:
        own = source
        if leaf == "slices":
            own = tuple(source[field] for field in share.fields)
        results = answer(share.product, own)
        found = found or [{} for _ in results]
        for arrays, out in zip(found, results, strict=True):
            arrays.update(zip(share.arrays, out, strict=True))
    return [tuple(arrays[k] for k in sorted(arrays)) for arrays in found]
