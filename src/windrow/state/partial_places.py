"""Arrays of partials that grow as they are combined, and rows that know their places.

place     0 1 2 3 ...              read from blobs, fresh slices
... n n + 1 ...          prefixes, suffixes and chains made of them
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from windrow.algorithms.pba_scans import prefix_scan, suffix_scan
from windrow.kernels import Product
from windrow.windows.rule import Array

from .pieces import Fields


class PartialPlaces:
    """Arrays of partials, which grow; a place is a number in them."""

    def __init__(self, product: Product, fields: Fields) -> None:
        self.product, self.fields = product, fields

    def add(self, *more: Fields) -> int:
        """Put partials behind; the place of the first."""
        base = len(self.fields[0]) if self.fields else 0
        pairs = zip(self.fields, *more, strict=True)
        self.fields = tuple(np.concatenate(parts) for parts in pairs)
        return base

    def chain(self, places: Array) -> Array:
        """Combine the places of each row, older first; -1 where there is none."""
        some = places >= 0
        counts = some.sum(axis=1)
        lasts = np.cumsum(counts)
        firsts, none = lasts - counts, np.full(len(counts), -1)
        rows = places[some]
        runs = firsts[counts > 0], lasts[counts > 0], none[counts > 0]
        base = self.add(prefix_scan(self.product, self.fields, rows, *runs))
        return np.where(counts > 0, base + lasts - 1, -1)

    def prefixes(self, rows: Array, firsts: Array, lasts: Array) -> int:
        """At each row, its run so far; the place of the first."""
        none = np.full(len(firsts), -1)
        scan = prefix_scan(self.product, self.fields, rows, firsts, lasts, none)
        return self.add(scan)

    def suffixes(self, rows: Array, firsts: Array, lasts: Array) -> Array:
        """The places, row by row, of what is left of its run, itself included."""
        none = np.full(len(firsts), -1)
        runs = rows, firsts, lasts, none
        scan, wholes = suffix_scan(self.product, self.fields, *runs)
        base = self.add(scan)
        whole = self.add(wholes)
        places = base - 1 + np.arange(len(rows))
        places[firsts] = whole + np.arange(len(firsts))
        return places


class Entries(NamedTuple):
    """Rows of a page or a tail, by key and position, and where their partials are."""

    ids: Array
    children: Array
    positions: Array
    times: Array
    places: Array

    def take(self, rows: Array) -> Entries:
        """Some rows."""
        return Entries(*(values[rows] for values in self))
